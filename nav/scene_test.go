package nav_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/nav"
)

// params is the default character.
func params() nav.Params {
	return nav.Params{
		Radius: 0.34, Height: 1.76, CrouchedHeight: 0.8, StepHeight: 0.45, WalkableSlope: 44.765 * math.Pi / 180,
		MaxDrop: 4, SwimDepth: 0.88, Seeds: []geom.Vec3{{}},
	}
}

// clutter is a floor of 2·half metres with things on it: blocks to walk around, slabs and
// stairs to step on, ramps, a roof to crouch under, holes.
func clutter(seed uint64, half float64, things int) *collide.World {
	r := rand.New(rand.NewPCG(seed, 1))
	var b collide.Builder
	none := collide.Surface{}
	b.Box(geom.V(0, -1, 0), geom.V(half, 1, half), geom.IdentityQuat, none)
	place := func() geom.Vec3 {
		for {
			p := geom.V((r.Float64()*2-1)*half, 0, (r.Float64()*2-1)*half)
			if p.Len() > 4 {
				return p
			}
		}
	}
	for range things {
		at, yaw := place(), r.Float64()*2*math.Pi
		switch r.IntN(5) {
		case 0, 1:
			h := geom.V(0.1+2*r.Float64(), 0.3+r.Float64(), 0.1+2*r.Float64())
			b.Box(at.MulAdd(geom.Up, h.Y), h, geom.YawQuat(yaw), none)
		case 2:
			b.Box(at.MulAdd(geom.Up, 0.1), geom.V(1.5, 0.1+float64(0.3*r.Float64()), 1), geom.YawQuat(yaw), none)
		case 3:
			b.Stairs(at, 2, 0.1+float64(0.2*r.Float64()), 0.3, 6, yaw, none)
		case 4:
			b.Ramp(at, 2+r.Float64(), 1.2, 1.3+2*r.Float64(), yaw, none)
		}
	}
	b.Box(geom.V(2.5, 1.6, 2.5), geom.V(1, 0.4, 1), geom.IdentityQuat, none) // crouch under it
	return b.MustBake()
}

func bake(t testing.TB, w *collide.World, p nav.Params) *nav.Mesh {
	t.Helper()
	m, err := nav.Bake(w, p)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// somewhere returns a place on the mesh.
func somewhere(m *nav.Mesh, r *rand.Rand, half float64) (nav.Ref, geom.Vec3) {
	for {
		p := geom.V((r.Float64()*2-1)*half, 3*r.Float64(), (r.Float64()*2-1)*half)
		if ref, at, ok := m.Nearest(p, 3); ok {
			return ref, at
		}
	}
}
