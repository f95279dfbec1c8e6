package collide

import (
	"math"
	"testing"

	"github.com/backstep-net/backstep/geom"
)

func near(a, b, within float64) bool { return math.Abs(a-b) <= within }

// A capsule over, beside, inside and on the edge of a box.
func TestCapsuleMeetsBox(t *testing.T) {
	var b Builder
	b.Box(geom.V(0, 0, 0), geom.V(1, 1, 1), geom.IdentityQuat, Surface{})
	w := b.MustBake()
	at := func(x, y, z float64) geom.Capsule { return geom.Upright(geom.V(x, y, z), geom.Up, 0.3, 0.9) }
	for _, c := range []struct {
		name     string
		mover    geom.Capsule
		delta    geom.Vec3
		hit      bool
		fraction float64
		face     geom.Vec3
		pen      bool
	}{
		{"falls on the top", at(0, 3, 0), geom.V(0, -2, 0), true, 0.55, geom.V(0, 1, 0), false},
		{"falls on the seam of the top's triangles", at(0.5, 3, 0.5), geom.V(0, -2, 0), true, 0.55, geom.V(0, 1, 0), false},
		{"walks into a side", at(-3, 0, 0), geom.V(4, 0, 0), true, 1.7 / 4, geom.V(-1, 0, 0), false},
		{"stops short", at(-3, 0, 0), geom.V(1.6, 0, 0), false, 0, geom.Vec3{}, false},
		{"falls past", at(-1.31, 3, 0), geom.V(0, -9, 0), false, 0, geom.Vec3{}, false},
		{"deep inside, further in", at(0.5, 0, 0), geom.V(-0.1, 0, 0), true, 0, geom.V(1, 0, 0), true},
		{"deep inside, out", at(0.5, 0, 0), geom.V(4, 0, 0), false, 0, geom.Vec3{}, false},
		{"a little inside, out", at(-1.2, 0, 0), geom.V(-1, 0, 0), false, 0, geom.Vec3{}, false},
		{"a little inside, along", at(-1.2, 0, 0), geom.V(0, 0, 0.3), false, 0, geom.Vec3{}, false},
		{"a little inside, in", at(-1.2, 0, 0), geom.V(0.1, 0, 0), true, 0, geom.V(-1, 0, 0), true},
		{"touching, in", at(-1.3, 0, 0), geom.V(0.1, 0, 0), true, 0, geom.V(-1, 0, 0), false},
		{"touching, along", at(-1.3, 0, 0), geom.V(0, 0.2, 0), false, 0, geom.Vec3{}, false},
	} {
		h, ok := w.SweepCapsule(c.mover, c.delta)
		if ok != c.hit || !near(h.Fraction, c.fraction, 1e-9) || h.FaceNormal.Dist(c.face) > 1e-9 || h.Penetrating != c.pen {
			t.Errorf("%s: got %v %+v, want %v %+v", c.name, ok, h, c.hit, c)
		}
	}
	// GRD-08: on the edge the face is the top, the normal tilts.
	h, _ := w.SweepCapsule(at(1.15, 3, 0), geom.V(0, -3, 0))
	if h.FaceNormal != geom.V(0, 1, 0) || !near(h.Normal.X, 0.5, 1e-9) || !near(h.Normal.Y, math.Sqrt(0.75), 1e-9) {
		t.Errorf("on the edge: got face %v and normal %v, want the top and 30° off it", h.FaceNormal, h.Normal)
	}
}
