package collide

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/geom"
)

// place is a world for random queries, and the range of their positions.
type place struct {
	name  string
	world *World
	reach float64
}

// soup is loose triangles of all sizes, some of them degenerate.
func soup(t testing.TB, r *rand.Rand, n int, reach float64) *World {
	var v []geom.Vec3
	var idx []uint32
	for i := range n {
		tr := triangle(r)
		at := vector(r, reach)
		v = append(v, tr.a.Add(at), tr.b.Add(at), tr.c.Add(at))
		idx = append(idx, uint32(3*i), uint32(3*i+1), uint32(3*i+2))
	}
	var b Builder
	if _, err := b.Triangles(v, idx, Surface{}); err != nil {
		t.Fatal(err)
	}
	return b.MustBake()
}

// gridMesh is a mesh of n×n cells; neighbours share vertices; vertex returns the corner i, j.
func gridMesh(t testing.TB, n int, vertex func(i, j int) geom.Vec3) *World {
	var v []geom.Vec3
	var idx []uint32
	for j := range n + 1 {
		for i := range n + 1 {
			v = append(v, vertex(i, j))
		}
	}
	for j := range n {
		for i := range n {
			a := uint32(j*(n+1) + i)
			c := a + uint32(n) + 1
			idx = append(idx, a, c, a+1, a+1, c, c+1)
		}
	}
	var b Builder
	if _, err := b.Triangles(v, idx, Surface{}); err != nil {
		t.Fatal(err)
	}
	return b.MustBake()
}

// hills is a wavy mesh of cells of 1 m.
func hills(t testing.TB, n int) *World {
	return gridMesh(t, n, func(i, j int) geom.Vec3 {
		x, z := float64(i)-float64(n)/2, float64(j)-float64(n)/2
		return geom.V(x, math.Round(math.Sin(x)*math.Cos(z)*256)/256, z)
	})
}

// pile is many overlapping solids: hulls, rotated boxes, stairs, ramps.
func pile(t testing.TB, r *rand.Rand) *World {
	var b Builder
	b.Box(geom.V(0, -1, 0), geom.V(20, 1, 20), geom.IdentityQuat, Surface{})
	for range 40 {
		at := vector(r, 6)
		var p []geom.Vec3
		for range 4 + r.IntN(40) {
			p = append(p, at.Add(vector(r, 1)))
		}
		b.Hull(p, Surface{})
		turn := geom.AxisAngle(vector(r, 1).Unit(), r.Float64()*6)
		b.Box(vector(r, 6), vector(r, 1).Max(vector(r, 1)).Max(geom.V(.05, .05, .05)), turn, Surface{})
	}
	b.Stairs(geom.V(2, 0, 2), 2, 0.3, 0.3, 8, 1, Surface{})
	b.Ramp(geom.V(-3, 0, 2), 3, 2, 4, 2, Surface{})
	return b.MustBake()
}

func places(t testing.TB, r *rand.Rand) []place {
	return []place{
		{"soup", soup(t, r, 600, 10), 12},
		{"hills", hills(t, 24), 12},
		{"pile", pile(t, r), 8},
	}
}

// bruteSweep tests every triangle.
func bruteSweep(w *World, c geom.Capsule, d geom.Vec3) (Hit, bool) {
	var s sweep
	if !s.begin(c, d) {
		return Hit{}, false
	}
	var f earliestHits
	core := coreBox(c.A, c.B)
	search := func() {
		w.sweepSolids(&s, &f, new(traversal), &core)
		for i := range w.tris {
			t := &w.tris[i]
			if u, pen, ok := s.meets(t, f.limit); ok && (t.solid < 0 || w.hinders(&s, t, u)) && !(s.skipInnerEdges && w.atInnerEdge(&s, t, u)) {
				w.addTouch(&s, &f, candidate{fraction: u, tri: int32(i), pen: pen})
			}
		}
	}
	search()
	var h Hit
	ok := w.firstTouch(&s, &f, &h)
	if ok && (s.startsDeep || s.grazes(&h)) && w.onInnerEdge(&s, &h) {
		s.skipInnerEdges, s.startsIn, s.overlapped, f = true, solidSet{}, solidSet{}, earliestHits{}
		search()
		ok = w.firstTouch(&s, &f, &h)
	}
	return h, ok
}

// bruteRay tests every triangle.
func bruteRay(w *World, from, d geom.Vec3) (Hit, bool) {
	var f earliestHits
	f.begin(d.Len())
	s := shearAlong(from, d)
	for i := range w.tris {
		if u, ok := s.meets(&w.tris[i], f.limit); ok {
			w.addCrossing(&f, candidate{fraction: u, tri: int32(i)}, from, d)
		}
	}
	return w.firstCrossing(&f, from, d)
}

// The tree loses nothing: 102,000 sweeps and 102,000 rays give the same hit, including the
// triangle, as testing every triangle.
func TestTreeMatchesEveryTriangle(t *testing.T) {
	const seed = 12
	r := rand.New(rand.NewPCG(seed, 0))
	n := 34_000 // in each of three worlds: 10⁵ sweeps and 10⁵ rays
	if testing.Short() {
		n = 1000
	}
	for _, p := range places(t, r) {
		hits := 0
		for i := range n {
			c, d := randomCapsule(r, p.reach), motion(r)
			got, ok := p.world.SweepCapsule(c, d)
			want, should := bruteSweep(p.world, c, d)
			if ok != should || got != want {
				t.Fatalf("%s, seed %d, sweep %d: got %v %+v\nwant %v %+v\n%+v %v", p.name, seed, i, ok, got, should, want, c, d)
			}
			if ok {
				hits++
			}
			got, ok = p.world.Ray(c.A, d)
			if want, should = bruteRay(p.world, c.A, d); ok != should || got != want {
				t.Fatalf("%s, seed %d, ray %d: got %v %+v\nwant %v %+v\n%+v %v", p.name, seed, i, ok, got, should, want, c, d)
			}
		}
		t.Logf("%s: %d triangles, %d of %d sweeps hit", p.name, len(p.world.tris), hits, n)
	}
}

// Among many triangles too, the sweep stops where the search says: no triangle is nearer
// than the radius, and one is at it.
func TestSweepStopsAtTheFirstOfMany(t *testing.T) {
	const seed = 13
	r := rand.New(rand.NewPCG(seed, 0))
	n := 150
	if testing.Short() {
		n = 30
	}
	for _, p := range places(t, r) {
		for i := range n {
			c, d := randomCapsule(r, p.reach), motion(r)
			if p.world.Overlaps(c) {
				continue
			}
			h, ok := p.world.SweepCapsule(c, d)
			stop := c.Moved(d.Mul(h.Fraction))
			if !ok {
				stop = c.Moved(d)
			}
			least := math.Inf(1)
			for k := range p.world.tris {
				least = min(least, coreTriangle(stop, &p.world.tris[k])-c.Radius)
			}
			if ok && math.Abs(least) > 1e-6 || !ok && least < -1e-6 {
				t.Fatalf("%s, seed %d, case %d: stops %g from the nearest (hit %v)\n%+v %v\n%+v", p.name, seed, i, least, ok, c, d, h)
			}
			if half := c.Moved(d.Mul(h.Fraction * r.Float64())); ok && p.world.Overlaps(half) {
				t.Fatalf("%s, seed %d, case %d: overlaps on the way\n%+v %v", p.name, seed, i, c, d)
			}
		}
	}
}
