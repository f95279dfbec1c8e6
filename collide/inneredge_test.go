package collide

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/geom"
)

// flatland is a flat mesh of n×n cells of a metre, tilted and rotated, with randomly placed
// edges.
func flatland(t testing.TB, r *rand.Rand, n int, pose geom.Transform) *World {
	return gridMesh(t, n, func(i, j int) geom.Vec3 {
		return pose.Apply(geom.V(float64(i-n/2)+.3*r.Float64(), 0, float64(j-n/2)+.3*r.Float64()))
	})
}

// A capsule that is sunk into flat ground slightly, or by centimetres, moves along it as along
// one triangle: no inner edge blocks it. It cannot move into the ground.
func TestInnerEdgesDoNotCatch(t *testing.T) {
	const seed = 63
	r := rand.New(rand.NewPCG(seed, 0))
	for i := range 2000 {
		pose := geom.Transform{Rotation: geom.AxisAngle(vector(r, 1).Unit(), r.Float64()*3), Translation: vector(r, 5)}
		if i%50 > 0 {
			pose.Rotation = geom.IdentityQuat
		}
		w := flatland(t, r, 6, pose)
		up := pose.Rotation.Rotate(geom.Up)
		depth := []float64{1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, .1}[i%7]
		at := geom.V(r.Float64()*2-1, 0, r.Float64()*2-1)
		lean := geom.Up.MulAdd(vector(r, .7), float64(i%2)).Unit()
		c := geom.Capsule{A: at, B: at.MulAdd(lean, 1.1), Radius: .35}.Moved(geom.V(0, .35-depth, 0)).Transformed(pose)
		d := pose.Rotation.Rotate(geom.V(r.Float64()*3-1.5, 0, r.Float64()*3-1.5))
		if h, ok := (&WorldAt{World: w}).SweepCapsule(c, d.MulAdd(up, 1e-9)); ok {
			t.Fatalf("seed %d, case %d: %g m deep it catches: %+v\nnormal %v, up %v", seed, i, depth, h, h.Normal, up)
		}
		if h, ok := (&WorldAt{World: w}).SweepCapsule(c, d.MulAdd(up, -.1)); !ok || !h.Penetrating || h.Normal.Dist(up) > 1e-6 {
			t.Fatalf("seed %d, case %d: %g m deep it goes further in: %v %+v", seed, i, depth, ok, h)
		}
	}
}

// The same on a floor of boxes and hulls that are flush with each other, with a wall on it
// that does block the capsule.
func TestSeamsOfSolidsDoNotCatch(t *testing.T) {
	const seed = 65
	r := rand.New(rand.NewPCG(seed, 0))
	var b Builder
	for i := range 8 {
		for j := range 8 {
			at := geom.V(float64(i-4)+.5, -.5, float64(j-4)+.5)
			if (i+j)%2 == 0 {
				b.Box(at, geom.V(.5, .5, .5), geom.IdentityQuat, Surface{})
				continue
			}
			var p []geom.Vec3
			for k := range 8 {
				p = append(p, at.Add(geom.V(float64(k&1)-.5, float64(k>>1&1)-.5, float64(k>>2)-.5)))
			}
			b.Hull(p, Surface{})
		}
	}
	wall := b.Box(geom.V(4.5, 1, 0), geom.V(.5, 1, 4), geom.IdentityQuat, Surface{})
	w := b.MustBake()
	for i := range 3000 {
		depth := []float64{1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 5e-3}[i%6]
		c := geom.Capsule{A: geom.V(r.Float64()*4-2, .35-depth, r.Float64()*4-2), Radius: .35}
		c.B = c.A.Add(geom.V(0, 1.1, 0))
		d := geom.V(r.Float64()*2-1, 1e-9, r.Float64()*2-1)
		if h, ok := w.SweepCapsule(c, d); ok {
			t.Fatalf("seed %d, case %d: %g m deep it catches: %+v", seed, i, depth, h)
		}
		if h, ok := w.SweepCapsule(c, geom.V(8, 1e-9, 0)); !ok || h.Shape != wall || !near(c.A.X+8*h.Fraction, 3.65, 1e-6) {
			t.Fatalf("seed %d, case %d: %g m deep it is stopped by %v %+v, not the wall", seed, i, depth, ok, h)
		}
	}
}

// On hills and rough terrain too, a capsule that begins slightly in the ground never gets
// deeper in than it began.
func TestPenetrationNeverGrows(t *testing.T) {
	const seed = 64
	r := rand.New(rand.NewPCG(seed, 0))
	n := 200 // of each
	if testing.Short() {
		n = 50
	}
	for name, w := range map[string]*World{"hills": hills(t, 24), "crags": crags(t, r, 24)} {
		stopped := 0
		for i := range n {
			at := geom.V(r.Float64()*16-8, 4, r.Float64()*16-8)
			c := geom.Upright(at, geom.Up, .35, .9)
			h, ok := w.SweepCapsule(c, geom.V(0, -9, 0))
			if !ok {
				continue
			}
			c = c.Moved(geom.V(0, -9*h.Fraction-[]float64{1e-6, 1e-4, 5e-3, .05}[i%4], 0))
			before := w.deep(c)
			d := vector(r, 1)
			h, ok = w.SweepCapsule(c, d)
			if !ok {
				h.Fraction = 1
			} else {
				stopped++
			}
			for k := range 11 {
				u := h.Fraction * float64(k) / 10
				if after := w.deep(c.Moved(d.Mul(u))); after > before+1e-6 {
					t.Fatalf("%s, seed %d, case %d: at %g of %v it is %g deep, from %g; stopped %v %+v\n%+v", name, seed, i, u, d, after, before, ok, h, c)
				}
			}
		}
		t.Logf("%s: %d of %d stopped", name, stopped, n)
	}
}

// deep returns how deep the capsule is in the nearest triangle.
func (w *World) deep(c geom.Capsule) float64 {
	least := math.Inf(1)
	for i := range w.tris {
		least = min(least, nearest(c.A, c.B.Sub(c.A), &w.tris[i]).distSq)
	}
	return c.Radius - math.Sqrt(least)
}

// crags is a mesh of n×n cells of 1 m with heights of up to two metres.
func crags(t testing.TB, r *rand.Rand, n int) *World {
	return gridMesh(t, n, func(i, j int) geom.Vec3 { return geom.V(float64(i-n/2), 2*r.Float64(), float64(j-n/2)) })
}
