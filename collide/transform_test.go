package collide

import (
	"math"
	"math/rand"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

// A transform that only moves needs no rotation: its zero is none.
func TestTransformWithoutRotation(t *testing.T) {
	var b, there Builder
	b.SetTransform(geom.Transform{Translation: geom.V(5, 0, 0)})
	b.Box(geom.Vec3{}, geom.V(1, 1, 1), geom.IdentityQuat, Surface{})
	there.Box(geom.V(5, 0, 0), geom.V(1, 1, 1), geom.IdentityQuat, Surface{})
	if got, want := b.MustBake().Bounds(), there.MustBake().Bounds(); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

// Zero has two signs, and a level has one hash: it does not depend on the sign of the zeros in shapes, paths
// and volumes.
func TestHashOfMinusZero(t *testing.T) {
	build := func(zero float64) *World {
		var b Builder
		at := geom.V(zero, zero, zero)
		b.Triangles([]geom.Vec3{at, {X: 1, Z: zero}, {Y: zero, Z: 1}}, []uint32{0, 1, 2}, Surface{})
		b.Mover("lift", Path{Keys: []Key{{Position: at, Angle: zero}, {At: clock.Second, Position: geom.V(1, zero, 0)}}, Axis: at}, func(b *Builder) {
			b.Box(at, geom.V(1, 1, 1), geom.IdentityQuat, Surface{})
		})
		b.VolumeSphere(Volume{Friction: zero, TerminalSpeed: zero, Launch: at, Up: at, Centre: at}, geom.Sphere{Centre: at, Radius: 1})
		return b.MustBake()
	}
	if got, want := build(math.Copysign(0, -1)).Hash(), build(0).Hash(); got != want {
		t.Errorf("with −0: hash %s, want %s", got, want)
	}
}

// The results of a level do not depend on its transform. [BAS-05]
func TestTransformedWorldAnswersAlike(t *testing.T) {
	at := geom.Transform{Rotation: geom.AxisAngle(geom.V(1, 2, -1).Unit(), 2), Translation: geom.V(30, -7, 4)}
	build := func(b *Builder) {
		b.Box(geom.V(0, -1, 0), geom.V(9, 1, 9), geom.IdentityQuat, Surface{})
		b.Ramp(geom.V(2, 0, 1), 3, 2, 4, .5, Surface{})
		b.Stairs(geom.V(-4, 0, 0), 2, .3, .3, 5, 1, Surface{Walk: Never})
		b.Hull([]geom.Vec3{{X: 5}, {X: 6}, {X: 5, Y: 2}, {X: 5, Z: 2}}, Surface{})
		b.Mover("arm", Path{Keys: []Key{{}, {At: clock.Second, Position: geom.V(0, 3, 0), Angle: 2}}}, func(b *Builder) {
			b.Box(geom.V(1, 1, 0), geom.V(1, .2, .2), geom.IdentityQuat, Surface{})
		})
		b.Mover("crate", Path{}, func(b *Builder) { b.Box(geom.V(-2, 1, 3), geom.V(1, 1, 1), geom.IdentityQuat, Surface{}) })
		b.VolumeBox(Volume{Water: true, Up: geom.V(1, 0, 0), Launch: geom.V(0, 3, 0)}, geom.V(0, 0, 5), geom.V(4, 1, 2), geom.IdentityQuat)
		b.VolumeSphere(Volume{Planet: true, Centre: geom.V(-5, 0, 5)}, geom.Sphere{Centre: geom.V(-5, 0, 5), Radius: 2})
	}
	var views [2]WorldAt
	for i := range views {
		var b Builder
		if i == 1 {
			b.SetTransform(at)
		}
		build(&b)
		w := b.MustBake()
		views[i] = WorldAt{World: w, At: clock.Second * 7 / 10}
	}
	r := rand.New(rand.NewSource(1))
	hits, wet := 0, 0
	for range 5000 {
		p := geom.V(16*r.Float64()-8, 6*r.Float64()-1, 16*r.Float64()-8)
		d := geom.V(r.NormFloat64(), r.NormFloat64(), r.NormFloat64()).Mul(4)
		h, ok := views[0].Ray(p, d)
		g, ok2 := views[1].Ray(at.Apply(p), at.Rotation.Rotate(d))
		if ok != ok2 || ok && (math.Abs(h.Fraction-g.Fraction) > 1e-9 || h.Mover != g.Mover ||
			h.Shape == g.Shape && h.Triangle == g.Triangle && at.Rotation.Rotate(h.FaceNormal).Dist(g.FaceNormal) > 1e-6) {
			t.Fatalf("ray from %v along %v: %+v %v, placed %+v %v", p, d, h, ok, g, ok2)
		}
		v, u := views[0].VolumeAt(p), views[1].VolumeAt(at.Apply(p))
		if (v == nil) != (u == nil) || v != nil && (at.Rotation.Rotate(v.Up).Dist(u.Up) > 1e-9 || at.Rotation.Rotate(v.Launch).Dist(u.Launch) > 1e-9) {
			t.Fatalf("volume at %v: %+v, placed %+v", p, v, u)
		}
		if ok && h.Shape == g.Shape {
			hits++
		}
		if v != nil {
			wet++
		}
	}
	if hits < 500 || wet < 100 {
		t.Errorf("only %v hits and %v places in volumes", hits, wet)
	}
}
