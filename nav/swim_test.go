package nav_test

import (
	"math"
	"testing"

	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/nav"
)

// pond is a hole 3 m deep and 8 m wide, full of water up to 0.2 m below its rim, with or
// without a ramp into it from the south.
func pond(t testing.TB, ramp bool) *collide.World {
	t.Helper()
	var b collide.Builder
	none := collide.Surface{}
	b.Box(geom.V(0, -3.5, 0), geom.V(12, 0.5, 12), geom.IdentityQuat, none)
	for _, s := range []float64{-1, 1} {
		b.Box(geom.V(8*s, -1.5, 0), geom.V(4, 1.5, 12), geom.IdentityQuat, none)
		b.Box(geom.V(0, -1.5, 8*s), geom.V(4, 1.5, 4), geom.IdentityQuat, none)
	}
	if ramp {
		b.Ramp(geom.V(0, -3, -2), 3, 3, 6, math.Pi, none)
	}
	if err := b.VolumeBox(collide.Volume{Name: "water", Water: true}, geom.V(0, -1.6, 0), geom.V(4, 1.4, 4), geom.IdentityQuat); err != nil {
		t.Fatal(err)
	}
	return b.MustBake()
}

// Over deep water the mesh is where the body swims: it can fall in anywhere, but gets out
// only where the ground rises.
func TestMeshOverWater(t *testing.T) {
	bank, middle := geom.V(0, 0, -7), geom.V(0, -1.08, -2.5)
	for _, c := range []struct {
		name      string
		swim      float64
		ramp      bool
		depth     float64 // of the feet, in the middle
		down, out bool
	}{
		{"a ramp", 0.88, true, -1.08, true, true},
		{"no way out", 0.88, false, -1.08, true, false},
		{"walking on the ground, out by the ramp", 0, true, -3, true, true},
	} {
		p := params()
		p.SwimDepth, p.Seeds = c.swim, nil
		m := bake(t, pond(t, c.ramp), p)
		q := nav.Query{Mesh: m, Reach: 2.5}
		_, at, ok := m.Nearest(middle, 2.5)
		_, down := q.Path(bank, middle, nil)
		_, out := q.Path(middle, bank, nil)
		if !ok || math.Abs(at.Y-c.depth) > 0.01 || down != c.down || out != c.out {
			t.Errorf("%s: found %t at %v, down %t, out %t; want %.2f, %t, %t", c.name, ok, at, down, out, c.depth, c.down, c.out)
		}
	}
}
