package collide

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/geom"
)

// Of 100,000 rays from inside closed movers through points on their edges and
// vertices, none gets out unseen.
func TestRaysAreWatertight(t *testing.T) {
	const seed = 21
	r := rand.New(rand.NewPCG(seed, 0))
	n := 100000
	if testing.Short() {
		n = 10000
	}
	var b Builder
	var middles []geom.Vec3
	for i := range 12 {
		at := vector(r, 200)
		var p []geom.Vec3
		for range 8 + 20*i {
			p = append(p, at.Add(vector(r, 1).Unit().Mul(3)))
		}
		if _, err := b.Hull(p, Surface{}); err != nil {
			t.Fatal(err)
		}
		b.Box(at.Neg(), geom.V(1, 2, 3), geom.AxisAngle(vector(r, 1).Unit(), 1), Surface{})
		sum := geom.Vec3{}
		for _, q := range p {
			sum = sum.Add(q.Div(float64(len(p))))
		}
		middles = append(middles, sum, at.Neg())
	}
	w := b.MustBake()
	for i := range n {
		shape := r.IntN(len(middles))
		tr := &w.tris[w.triIndex[r.IntN(len(w.tris))]]
		for int(tr.shape) != shape {
			tr = &w.tris[r.IntN(len(w.tris))]
		}
		target := tr.a
		switch i % 3 {
		case 0:
			target = tr.a.Lerp(tr.b, r.Float64())
		case 1:
			target = tr.b.Lerp(tr.c, 0.5)
		}
		from := middles[shape].Add(vector(r, 0.1))
		d := target.Sub(from)
		h, ok := w.Ray(from, d.Mul(1+r.Float64()))
		if !ok {
			t.Fatalf("seed %d, ray %d: from %v to %v on triangle %d gets through", seed, i, from, target, tr.number)
		}
		if h.Point.Dist(target) > 1e-9 {
			t.Fatalf("seed %d, ray %d: hit %v, not the point aimed at, %v", seed, i, h.Point, target)
		}
	}
}

// Rays straight down at a mesh, at its vertices and along its edges: axis-aligned rays hit
// what axis-aligned edges hide best.
func TestRaysDownOnVertices(t *testing.T) {
	w := hills(t, 24)
	for x := -11.5; x <= 11.5; x += 0.25 {
		for z := -11.5; z <= 11.5; z += 0.25 {
			h, ok := w.Ray(geom.V(x, 5, z), geom.V(0, -10, 0))
			if !ok || h.FaceNormal.Y <= 0 || h.Normal != h.FaceNormal || h.Point.X != x {
				t.Fatalf("down at %v, %v: %v %+v", x, z, ok, h)
			}
			h, ok = w.Ray(geom.V(x, -5, z), geom.V(0, 10, 0))
			if !ok || h.FaceNormal.Y >= 0 {
				t.Fatalf("up at %v, %v: %v %+v; both sides collide", x, z, ok, h)
			}
		}
	}
}

// Queries with NaN, without motion or of nothing hit nothing.
func TestInvalidQueriesHitNothing(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	w := hills(t, 4)
	empty := new(Builder).MustBake()
	for _, v := range []geom.Vec3{{}, {X: nan}, {Y: inf}, {Z: -inf}, {X: 1e200}} {
		for _, world := range []*World{w, empty} {
			if h, ok := world.Ray(geom.V(0, 5, 0), v); ok {
				t.Errorf("ray of %v hits %+v", v, h)
			}
			c := geom.Capsule{A: geom.V(0, 5, 0), B: geom.V(0, 6, 0), Radius: 0.3}
			if h, ok := world.SweepCapsule(c, v); ok {
				t.Errorf("sweep of %v hits %+v", v, h)
			}
			if v.IsZero() {
				continue
			}
			c.A = v
			if h, ok := world.SweepCapsule(c, geom.V(0, -1, 0)); ok {
				t.Errorf("sweep from %v hits %+v", v, h)
			}
			if world.Overlaps(c) {
				t.Errorf("overlap at %v", v)
			}
			world.Contacts(c, 0.1, make([]Contact, 0, 8))
			(&WorldAt{World: world}).Depenetrate(c, 1)
		}
	}
	if _, ok := w.Ray(geom.V(0.3, 1e9, 0.3), geom.V(0, -1e12, 0)); !ok {
		t.Error("a ray of a billion kilometres misses the ground below it")
	}
	if h, ok := w.SweepCapsule(geom.Capsule{A: geom.V(0.3, 1e6, 0.3), B: geom.V(0.3, 1e6+1, 0.3), Radius: 0.3}, geom.V(0, -1e7, 0)); !ok || h.Normal.Y < 0.1 {
		t.Errorf("a sweep of ten thousand kilometres misses the ground below it: %v %+v", ok, h)
	}
}

// Blocked says of a line what Ray says of it, whichever triangle blocked the line before: in random
// worlds, also for lines without length, and of numbers that are not finite.
func TestBlockedIsRay(t *testing.T) {
	const seed = 23
	r := rand.New(rand.NewPCG(seed, 0))
	for _, p := range places(t, r) {
		var last BlockedCache
		blocked := 0
		for i := range 20000 {
			from, d := vector(r, p.reach), vector(r, p.reach)
			switch i % 50 {
			case 0:
				d = geom.Vec3{}
			case 1:
				from.X = math.NaN()
			case 2:
				d.Y = math.Inf(1)
			case 3, 4, 5, 6:
				d = d.Mul(1e-3)
			}
			_, want := p.world.Ray(from, d)
			if want {
				blocked++
			}
			if got := p.world.Blocked(from, d, &last); got != want {
				t.Fatalf("seed %d, %s, line %d from %v along %v: blocked %v, want %v", seed, p.name, i, from, d, got, want)
			}
		}
		if blocked < 1000 || blocked > 19000 {
			t.Errorf("%s: %d of 20,000 lines are blocked: too few cases of one kind", p.name, blocked)
		}
	}
	var empty World
	if empty.Blocked(geom.Vec3{}, geom.V(1, 0, 0), new(BlockedCache)) {
		t.Error("an empty world blocks")
	}
}
