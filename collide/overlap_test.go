package collide

import (
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/geom"
)

// A mover overlaps one thing before it moves: any motion out of it, by the direction of its
// one contact, is free however long it is; any motion further in is Penetrating at once, no
// deeper than the contact.
func TestOverlapBlocksOnlyFurtherIn(t *testing.T) {
	const seed = 61
	r := rand.New(rand.NewPCG(seed, 0))
	in, out := 0, 0
	for i := range 20000 {
		w := one(triangle(r))
		if i%2 == 0 {
			var b Builder
			var p []geom.Vec3
			for range 4 + r.IntN(10) {
				p = append(p, vector(r, 1.5))
			}
			b.Hull(p, Surface{})
			b.shapes = b.shapes[:1]
			if b.err != nil {
				continue
			}
			w = b.MustBake()
		}
		c, d := randomCapsule(r, 2), motion(r)
		list := w.Contacts(c, 0, make([]Contact, 0, 64))
		deepest := Contact{Distance: -1e-6}
		for _, x := range list {
			if x.Distance < deepest.Distance {
				deepest = x
			}
		}
		along := deepest.Normal.Dot(d)
		if deepest.Normal.IsZero() || along < 1e-6 && along > -1e-6 {
			continue
		}
		h, hit := w.SweepCapsule(c, d)
		if along > 0 {
			if out++; hit {
				t.Fatalf("seed %d, case %d: a motion out of %+v is hindered by %+v\n%+v %v", seed, i, deepest, h, c, d)
			}
			continue
		}
		if in++; !hit || !h.Penetrating || h.Fraction != 0 || h.Depth <= 0 || h.Depth > 1e-9-deepest.Distance {
			t.Fatalf("seed %d, case %d: a motion further into %+v: %v %+v\n%+v %v", seed, i, deepest, hit, h, c, d)
		}
	}
	t.Logf("%d motions in, %d out", in, out)
}

// Ten kilometres from the origin all results equal those at the origin, to a millionth of a
// metre.
func TestFarFromTheOrigin(t *testing.T) {
	const seed = 62
	far := geom.V(10000, 500, -12000)
	build := func(at geom.Vec3) *World {
		r := rand.New(rand.NewPCG(seed, 0))
		var b Builder
		for range 60 {
			var p []geom.Vec3
			middle := vector(r, 6)
			for range 12 {
				p = append(p, at.Add(middle).Add(vector(r, 1)))
			}
			b.Hull(p, Surface{})
		}
		return b.MustBake()
	}
	here, there := build(geom.Vec3{}), build(far)
	r := rand.New(rand.NewPCG(seed, 1))
	for i := range 3000 {
		c, d := randomCapsule(r, 8), motion(r)
		if here.Overlaps(c) {
			continue
		}
		a, hitA := here.SweepCapsule(c, d)
		b, hitB := there.SweepCapsule(c.Moved(far), d)
		if hitA != hitB || !near(a.Fraction*d.Len(), b.Fraction*d.Len(), 1e-6) || a.Normal.Dist(b.Normal) > 1e-4 {
			t.Errorf("seed %d, case %d: here %v %+v\nthere %v %+v", seed, i, hitA, a, hitB, b)
		}
		x, hitX := here.Ray(c.A, d)
		y, hitY := there.Ray(c.A.Add(far), d)
		if hitX != hitY || !near(x.Fraction*d.Len(), y.Fraction*d.Len(), 1e-6) {
			t.Errorf("seed %d, case %d: ray here %v %+v\nthere %v %+v", seed, i, hitX, x, hitY, y)
		}
	}
}
