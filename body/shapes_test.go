package body

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// The functions that find contacts against oracles that sample: slow, and too simple to be wrong.

func randomVec(r *rand.Rand, most float64) geom.Vec3 {
	part := func() float64 { return (2*r.Float64() - 1) * most }
	return geom.V(part(), part(), part())
}

func randomRotation(r *rand.Rand) geom.Quat {
	return geom.Quat{X: r.NormFloat64(), Y: r.NormFloat64(), Z: r.NormFloat64(), W: r.NormFloat64()}.Unit()
}

// randomSegment returns a segment within 2 m of the origin; one in four is a point, and one in four is
// parallel to an axis, where formulas divide by zero.
func randomSegment(r *rand.Rand) (a, b geom.Vec3) {
	a, b = randomVec(r, 2), randomVec(r, 2)
	switch r.IntN(4) {
	case 0:
		b = a
	case 1:
		b = a.Add(axisVector(r.IntN(3), false).Mul(2 * r.Float64()))
	}
	return a, b
}

func distanceToBox(p, half geom.Vec3) float64 { return p.Dist(p.Max(half.Neg()).Min(half)) }

// The closest points of two segments lie on them, and no pair of a grid of places is closer.
func TestClosestPointsAgainstAGrid(t *testing.T) {
	const steps = 60
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		a, b := randomSegment(r)
		c, d := randomSegment(r)
		if seed%5 == 0 {
			d = c.Add(b.Sub(a).Mul(r.Float64())) // parallel
		}
		p, q := closestPoints(a, b, c, d)
		for _, s := range []struct{ p, a, b geom.Vec3 }{{p, a, b}, {q, c, d}} {
			if off := s.a.Dist(s.p) + s.p.Dist(s.b) - s.a.Dist(s.b); off > 1e-9 {
				t.Fatalf("seed %d: %v is %g m off the segment %v … %v", seed, s.p, off, s.a, s.b)
			}
		}
		least := math.Inf(1)
		for i := range steps + 1 {
			for j := range steps + 1 {
				least = min(least, a.Lerp(b, float64(i)/steps).Dist(c.Lerp(d, float64(j)/steps)))
			}
		}
		if got := p.Dist(q); got > least+1e-6 {
			t.Fatalf("seed %d: %g m apart, the grid has %g", seed, got, least)
		}
	}
}

// The part of a segment inside a box is the part whose samples are inside.
func TestClipToBoxAgainstSamples(t *testing.T) {
	const steps = 1000
	crossed := 0
	for seed := range uint64(1000) {
		r := rand.New(rand.NewPCG(seed, 2))
		a, b := randomSegment(r)
		half := randomVec(r, 1.5).Max(geom.V(0.4, 0.4, 0.4))
		from, to := clipToBox(a, b.Sub(a), half)
		if from <= to {
			crossed++
		}
		for i := range steps + 1 {
			s := float64(i) / steps
			inside, want := distanceToBox(a.Lerp(b, s), half) == 0, s >= from && s <= to
			if inside != want && math.Abs(s-from) > 1e-9 && math.Abs(s-to) > 1e-9 {
				t.Fatalf("seed %d: at %g of the way inside %v; clipped to %g … %g", seed, s, inside, from, to)
			}
		}
	}
	if crossed < 80 {
		t.Errorf("%d segments cross their box: too few to say anything", crossed)
	}
}

// A capsule's core outside a box: no sample of it is nearer to the box than its distance says, and
// the nearest point is that far away along the normal.
func TestCapsuleToBoxAgainstSamples(t *testing.T) {
	const steps = 400
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 3))
		a, b := randomSegment(r)
		half := geom.V(0.1+r.Float64(), 0.1+r.Float64(), 0.1+r.Float64())
		dist, n, on := capsuleToBox(geom.Capsule{A: a, B: b}, half)
		least := math.Inf(1)
		for i := range steps + 1 {
			least = min(least, distanceToBox(a.Lerp(b, float64(i)/steps), half))
		}
		if math.Abs(n.Len()-1) > 1e-9 || distanceToBox(on, half) > 1e-9 {
			t.Fatalf("seed %d: normal %v, point %v: want a unit vector and a point of the box", seed, n, on)
		}
		if least > 0 && (dist > least+1e-6 || dist < least-a.Dist(b)/steps) {
			t.Fatalf("seed %d: %g m apart, the samples have %g", seed, dist, least)
		}
		if least == 0 && dist > 1e-9 {
			t.Fatalf("seed %d: %g m apart, but it crosses the box", seed, dist)
		}
		if dist > 0 {
			p, q := closestPoints(a, b, on, on)
			if p.Dist(q.MulAdd(n, dist)) > 1e-6 {
				t.Fatalf("seed %d: %v is not %g m along %v from the core", seed, on, dist, n)
			}
		}
	}
}

// A segment that crosses a box is out of it after the returned way, and no random direction gets it
// out sooner.
func TestSegmentOutOfBoxIsTheShortestWay(t *testing.T) {
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 4))
		half := geom.V(0.2+r.Float64(), 0.2+r.Float64(), 0.2+r.Float64())
		inside := geom.V((2*r.Float64()-1)*half.X, (2*r.Float64()-1)*half.Y, (2*r.Float64()-1)*half.Z)
		way := randomVec(r, 1.5)
		a, b := inside.Sub(way), inside.Add(way)
		dist, n, _ := segmentOutOfBox(a, b, half)
		if dist > 0 {
			t.Fatalf("seed %d: %g m: it crosses the box, so the distance must be negative", seed, dist)
		}
		out := n.Mul(-dist + 1e-6)
		if crossesBox(a.Add(out), b.Add(out), half) {
			t.Fatalf("seed %d: moved by %v it still crosses", seed, out)
		}
		for range 300 {
			d := randomVec(r, 1).Unit().Mul(-dist * 0.98)
			if !crossesBox(a.Add(d), b.Add(d), half) {
				t.Fatalf("seed %d: %v is shorter than %g and gets it out", seed, d, -dist)
			}
		}
	}
}

// A point on its way to a sphere is just on it at the share that sweepPoint returns, and outside
// before; where it returns none, no sample is inside.
func TestSweepPointAgainstSamples(t *testing.T) {
	hits := 0
	for seed := range uint64(1500) {
		r := rand.New(rand.NewPCG(seed, 5))
		p, way, radius := randomVec(r, 2), randomVec(r, 6), 0.3+r.Float64()
		if p.Len() <= radius {
			continue
		}
		share, ok := sweepPoint(p, way, radius)
		if ok {
			hits++
			if off := p.MulAdd(way, share).Len() - radius; math.Abs(off) > 1e-9 {
				t.Fatalf("seed %d: %g m off the sphere at %g", seed, off, share)
			}
		} else {
			share = 1
		}
		for i := range 500 {
			if s := share * float64(i) / 500; p.MulAdd(way, s).Len() < radius-1e-9 {
				t.Fatalf("seed %d: inside at %g, want not before %g (hit %v)", seed, s, share, ok)
			}
		}
	}
	if hits < 80 {
		t.Errorf("%d of 1500 hit: too few to say anything", hits)
	}
	if _, ok := sweepPoint(geom.V(2, 0, 0), geom.Vec3{}, 1); ok {
		t.Error("a point that does not move hits")
	}
}

// randomHulls returns a box and a second box or a triangle, near each other. way is a displacement of
// the first.
func randomHulls(r *rand.Rand) (a, b hull, way geom.Vec3) {
	size := func() geom.Vec3 { return geom.V(0.1+r.Float64(), 0.1+r.Float64(), 0.1+r.Float64()) }
	a.box(randomVec(r, 2), randomRotation(r), size())
	if r.IntN(3) > 0 {
		b.box(geom.Vec3{}, randomRotation(r), size())
		return a, b, randomVec(r, 4)
	}
	f := collide.Face{A: randomVec(r, 1.5), B: randomVec(r, 1.5), C: randomVec(r, 1.5)}
	f.Normal = f.B.Sub(f.A).Cross(f.C.Sub(f.A)).Unit()
	n := f.Normal
	if n.Dot(a.corner[0].Sub(f.A)) < 0 {
		n = n.Neg()
	}
	b.triangle(&f, n)
	return a, b, randomVec(r, 4)
}

// gapAlong returns by how much b ends before a begins, along n.
func gapAlong(a, b *hull, n geom.Vec3) float64 {
	lo, _ := a.extent(n)
	_, hi := b.extent(n)
	return lo - hi
}

// The axis of two boxes separates them best: no random direction has a larger gap, but for the bias
// towards faces. Its gap is what it says.
func TestSeparationIsTheLargestGap(t *testing.T) {
	apart := 0
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 6))
		a, b, _ := randomHulls(r)
		if b.corners == 3 {
			continue
		}
		x, _ := separation(&a, &b, geom.Vec3{})
		if got := gapAlong(&a, &b, x.n); math.Abs(got-x.gap) > 1e-9 || math.Abs(x.n.Len()-1) > 1e-9 {
			t.Fatalf("seed %d: the gap along %v is %g, want %g", seed, x.n, got, x.gap)
		}
		if x.gap > 0 {
			apart++
			continue // the largest gap of two hulls that are apart may be between two corners
		}
		for range 500 {
			if n := randomVec(r, 1).Unit(); gapAlong(&a, &b, n) > x.gap+1.5*faceBias {
				t.Fatalf("seed %d: along %v the gap is %g, the best axis has %g", seed, n, gapAlong(&a, &b, n), x.gap)
			}
		}
	}
	if apart < 50 || apart > 450 {
		t.Errorf("%d pairs are apart: too few of one kind", apart)
	}
}

// While a box moves, it overlaps the other hull at no instant before the share that separation
// returns; above 1 it never does.
func TestEntryIsNotBeforeTheShare(t *testing.T) {
	const steps = 100
	entered := 0
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 7))
		a, b, way := randomHulls(r)
		if x, _ := separation(&a, &b, geom.Vec3{}); x.gap <= 0 {
			continue
		}
		_, enter := separation(&a, &b, way)
		for i := range steps + 1 {
			share := float64(i) / steps
			moved := a
			moved.move(way.Mul(share))
			x, _ := separation(&moved, &b, geom.Vec3{})
			if x.gap < -0.01 && share < enter && b.corners == 8 {
				t.Fatalf("seed %d: overlap of %g m at %g of the way, want none before %g", seed, -x.gap, share, enter)
			}
			if x.gap < -0.01 {
				entered++
				break
			}
		}
	}
	if entered < 40 {
		t.Errorf("%d boxes ran into another: too few to say anything", entered)
	}
}

// The contact points of hulls lie on the second hull, and the gap leads from there to the first.
func TestContactPointsLieOnBothHulls(t *testing.T) {
	found := 0
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 8))
		a, b, _ := randomHulls(r)
		x, _ := separation(&a, &b, geom.Vec3{})
		a.move(x.n.Mul(0.01*r.Float64() - x.gap)) // nearly touching
		x, _ = separation(&a, &b, geom.Vec3{})
		if x.gap > margin || x.gap > 0 && x.face < 0 && b.corners == 3 {
			continue // another axis separates them now, or two corners are nearest and no edge of the triangle
		}
		for _, p := range hullPoints(&a, &b, &x, nil) {
			found++
			_, hi := b.extent(x.n)
			if off := x.n.Dot(p.at) - hi; off > 1e-6 {
				t.Fatalf("seed %d: a point %g m outside the second hull", seed, off)
			}
			lo, _ := a.extent(x.n)
			if off := x.n.Dot(p.at) + p.gap - lo; off < -1e-6 || p.gap > margin+1e-9 {
				t.Fatalf("seed %d: a gap of %g m ends %g m before the first hull", seed, p.gap, -off)
			}
		}
	}
	if found < 1000 {
		t.Errorf("%d points in 2000 pairs", found)
	}
}

// A clipped polygon lies below the plane, and keeps what was below: its area and that of the part
// cut off add up.
func TestClippingKeepsTheArea(t *testing.T) {
	area := func(g *polygon) float64 {
		sum := geom.Vec3{}
		for i := 2; i < g.n; i++ {
			sum = sum.Add(g.p[i-1].Sub(g.p[0]).Cross(g.p[i].Sub(g.p[0])))
		}
		return sum.Len() / 2
	}
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 9))
		var g polygon
		corners, turn := 3+r.IntN(4), randomRotation(r)
		for i := range corners {
			s, c := geom.SinCos(float64(i) * 2 * math.Pi / float64(corners))
			g.add(turn.Rotate(geom.V(c, 0, s)))
		}
		whole := area(&g)
		n, w := randomVec(r, 1).Unit(), 2*r.Float64()-1
		below, above := g, g
		below.clip(n, w)
		above.clip(n.Neg(), -w)
		for i := range below.n {
			if over := n.Dot(below.p[i]) - w; over > 1e-9 {
				t.Fatalf("seed %d: a corner %g m above the plane", seed, over)
			}
		}
		if sum := area(&below) + area(&above); math.Abs(sum-whole) > 1e-9 {
			t.Fatalf("seed %d: %g + %g m², want %g", seed, area(&below), area(&above), whole)
		}
	}
}

// Of many points the four that are kept are some of them, the deepest is among them, and a body on
// them stands as on all: they span at least half the area of any four.
func TestReducedManifoldSupportsAsMuch(t *testing.T) {
	span := func(p []contactPoint) float64 { // of the convex quadrilateral of four points
		most := 0.0
		for _, o := range [3][4]int{{0, 1, 2, 3}, {0, 2, 1, 3}, {0, 1, 3, 2}} {
			d, e := p[o[2]].at.Sub(p[o[0]].at), p[o[3]].at.Sub(p[o[1]].at)
			most = max(most, d.Cross(e).Len()/2)
		}
		return most
	}
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 10))
		var all []contactPoint
		for range 5 + r.IntN(4) {
			s, c := geom.SinCos(2 * math.Pi * r.Float64())
			all = append(all, contactPoint{geom.V(c, 0, s), -0.01 * r.Float64()})
		}
		var m manifold
		reduceManifold(geom.Up, all, &m)
		deepest, kept := 0.0, 0.0
		for _, p := range all {
			deepest = min(deepest, p.gap)
		}
		for i := range m.n {
			kept = min(kept, m.points[i].gap)
			if !slices.Contains(all, m.points[i]) {
				t.Fatalf("seed %d: a point that is none of those given", seed)
			}
		}
		if m.n < 3 || m.n > maxPoints || kept != deepest {
			t.Fatalf("seed %d: %d points, the deepest %g m, want %g", seed, m.n, kept, deepest)
		}
		best := 0.0
		for i := range all {
			for j := range i {
				for k := range j {
					for l := range k {
						best = max(best, span([]contactPoint{all[i], all[j], all[k], all[l]}))
					}
				}
			}
		}
		four := append(m.points[:m.n:m.n], m.points[0])[:4]
		if got := span(four); got < best/2 {
			t.Fatalf("seed %d: the points span %g m², the best four %g", seed, got, best)
		}
	}
}

// Volume, inertia and radii of the shapes against a fine grid of small masses.
func TestMassPropertiesAgainstAGrid(t *testing.T) {
	const cells = 60
	inside := func(b *Body, p geom.Vec3) bool {
		if b.Shape == Box {
			return distanceToBox(p, b.Half) == 0
		}
		c := coreCapsule(b, geom.Vec3{}, geom.IdentityQuat)
		on, _ := closestPoints(c.A, c.B, p, p)
		return on.Dist(p) <= b.Half.X
	}
	for name, b := range map[string]Body{
		"ball": NewBall(0.3, 2), "box": NewBox(geom.V(0.2, 0.3, 0.5), 4),
		"capsule": NewCapsule(0.2, 0.7, 3), "short capsule": NewCapsule(0.3, 0.35, 3),
	} {
		var sum geom.Vec3
		count, far := 0.0, 0.0
		step := b.Half.Mul(2.0 / cells)
		for i := range cells * cells * cells {
			n := geom.V(float64(i%cells)+.5, float64(i/cells%cells)+.5, float64(i/cells/cells)+.5)
			p := geom.V(n.X*step.X, n.Y*step.Y, n.Z*step.Z).Sub(b.Half)
			if inside(&b, p) {
				count++
				far = max(far, p.Len())
				sum = sum.Add(geom.V(p.Y*p.Y+p.Z*p.Z, p.X*p.X+p.Z*p.Z, p.X*p.X+p.Y*p.Y))
			}
		}
		volume := count * step.X * step.Y * step.Z
		if got := b.Volume(); math.Abs(got-volume) > 0.01*volume {
			t.Errorf("%s: volume %g m³, the grid has %g", name, got, volume)
		}
		inertia := sum.Mul(b.Mass / count)
		if got := b.Inertia(); got.Dist(inertia) > 0.01*inertia.Len() {
			t.Errorf("%s: inertia %v kg·m², the grid has %v", name, got, inertia)
		}
		if r := b.outerRadius(); far > r+1e-9 || far < 0.94*r {
			t.Errorf("%s: outer radius %g m, the farthest mass is at %g", name, r, far)
		}
	}
}
