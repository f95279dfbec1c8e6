package collide

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/geom"
)

func vector(r *rand.Rand, size float64) geom.Vec3 {
	return geom.V(r.Float64()*2-1, r.Float64()*2-1, r.Float64()*2-1).Mul(size)
}

// randomCapsule returns a capsule: some are spheres, some upright, some long.
func randomCapsule(r *rand.Rand, reach float64) geom.Capsule {
	c := geom.Capsule{A: vector(r, reach), Radius: 0.05 + r.Float64()*0.5}
	switch r.IntN(4) {
	case 0:
		c.B = c.A
	case 1:
		c.B = c.A.Add(geom.V(0, 1.2, 0))
	default:
		c.B = c.A.Add(vector(r, 1.5))
	}
	return c
}

// motion returns a random delta: some along an axis, some long, some short.
func motion(r *rand.Rand) geom.Vec3 {
	switch r.IntN(5) {
	case 0:
		return geom.V(0, r.Float64()*8-4, 0)
	case 1:
		return geom.V(r.Float64()*8-4, 0, 0)
	case 2:
		return vector(r, 0.3)
	case 3:
		return vector(r, 40)
	}
	return vector(r, 4)
}

// triangle returns a random triangle: some flat on the floor, some slivers, some with a
// vertical edge, so that it is parallel to upright cores.
func triangle(r *rand.Rand) tri {
	t := tri{a: vector(r, 2), b: vector(r, 2), c: vector(r, 2), solid: -1}
	switch r.IntN(6) {
	case 0:
		t.a.Y, t.b.Y, t.c.Y = 0, 0, 0
	case 1:
		t.c = t.a.Lerp(t.b, r.Float64()).Add(vector(r, 1e-4))
	case 2:
		t.b = t.a.Add(geom.V(0, 2, 0))
	case 3:
		t.b, t.c = t.a.Add(vector(r, 0.05)), t.a.Add(vector(r, 0.05))
	}
	return t
}

func one(t tri) *World {
	w := &World{tris: []tri{t}, shapes: make([]shape, 1)}
	w.bake()
	return w
}

// A sweep against one triangle gives the time of touch that a search over distances gives,
// to a millionth of a metre.
func TestSweepMatchesSearch(t *testing.T) {
	const seed = 11
	r := rand.New(rand.NewPCG(seed, 0))
	n := 10000
	if testing.Short() {
		n = 2000
	}
	hits, grazing := 0, 0
	for i := range n {
		c, d, tr := randomCapsule(r, 3), motion(r), triangle(r)
		if r.IntN(4) > 0 { // aim at it, or just beside it
			x, y := r.Float64(), r.Float64()
			aim := tr.a.Add(tr.b.Sub(tr.a).Mul(x)).Add(tr.c.Sub(tr.a).Mul(y * (1 - x)))
			d = aim.Add(vector(r, 0.7)).Sub(c.A.Lerp(c.B, r.Float64())).Mul(0.5 + 2*r.Float64())
		}
		if tr.flat() || coreTriangle(c, &tr) < c.Radius+1e-7 {
			continue
		}
		want, depth, should := oracleSweep(c, d, &tr)
		got, did := one(tr).SweepCapsule(c, d)
		if math.Abs(depth) < 1e-9 {
			grazing++
			continue
		}
		if did != should {
			t.Fatalf("seed %d, case %d: hit %v, search says %v (at %g, depth %g)\n%+v\n%+v\n%+v",
				seed, i, did, should, want, depth, c, d, tr)
		}
		if !should {
			continue
		}
		hits++
		// A shallow touch is ill-conditioned in time; its place in space is not:
		// how far the surfaces are apart where the sweep stops.
		apart := coreTriangle(c.Moved(d.Mul(got.Fraction)), &tr) - c.Radius
		if math.Abs(got.Fraction-want)*d.Len() > 1e-6 && depth > 1e-6 || math.Abs(apart) > 1e-6 {
			t.Fatalf("seed %d, case %d: fraction %.12g, search says %.12g, apart %g, depth %g\n%+v\n%+v\n%+v",
				seed, i, got.Fraction, want, apart, depth, c, d, tr)
		}
		if l := got.Normal.Len(); math.Abs(l-1) > 1e-9 || got.Normal.Dot(d) > 1e-6*d.Len() {
			t.Fatalf("seed %d, case %d: normal %v of length %g along the motion %v", seed, i, got.Normal, l, d)
		}
	}
	t.Logf("%d hits, %d too close to grazing", hits, grazing)
}
