package nav_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/nav"
)

// corridor is two floors 4 m wide with a gap of 4 m along X between them, the second one at
// a height, and what is built into the gap.
func corridor(t testing.TB, high float64, build func(b *collide.Builder)) *collide.World {
	t.Helper()
	var b collide.Builder
	for _, f := range []geom.Vec3{geom.V(-5, -0.5, 0), geom.V(5, high-0.5, 0)} {
		b.Box(f, geom.V(3, 0.5, 2), geom.IdentityQuat, collide.Surface{})
	}
	build(&b)
	return b.MustBake()
}

// What connects two floors: steps, slopes, gaps, doors and roofs, on both sides of the
// limits of the body, which steps 0.45 m, walks up 44.8°, is 0.68 m wide and 1.76 m high, or
// 0.8 m crouched.
func TestWhatConnectsTwoFloors(t *testing.T) {
	none := collide.Surface{}
	box := func(b *collide.Builder, lo, hi geom.Vec3, s collide.Surface) {
		b.Box(lo.Add(hi).Mul(0.5), hi.Sub(lo).Mul(0.5), geom.IdentityQuat, s)
	}
	// floor fills the gap from x to the far end at a height.
	floor := func(from, high float64, s collide.Surface) func(b *collide.Builder) {
		return func(b *collide.Builder) { box(b, geom.V(from, high-1, -2), geom.V(2, high, 2), s) }
	}
	// bridge fills the gap at height 0, with more on it.
	bridge := func(more func(b *collide.Builder)) func(b *collide.Builder) {
		return func(b *collide.Builder) { floor(-2, 0, none)(b); more(b) }
	}
	ramp := func(degrees float64, s collide.Surface) (float64, func(b *collide.Builder)) {
		run := 1 / math.Tan(degrees*math.Pi/180)
		return 1, func(b *collide.Builder) {
			floor(-2, 0, none)(b)
			floor(run, 1, none)(b)
			b.Ramp(geom.V(0, 0, 0), 4, 1, run, -math.Pi/2, s)
		}
	}
	door := func(width float64) func(b *collide.Builder) {
		return bridge(func(b *collide.Builder) {
			for _, side := range []float64{-1, 1} {
				b.Box(geom.V(0, 1.5, side*(width/2+2)), geom.V(0.1, 1.5, 2), geom.IdentityQuat, none)
			}
		})
	}
	roof := func(high float64) func(b *collide.Builder) {
		return bridge(func(b *collide.Builder) { box(b, geom.V(-0.5, high, -2), geom.V(0.5, high+1, 2), none) })
	}
	stairs := func(rise float64, steps int) (float64, func(b *collide.Builder)) {
		return rise * float64(steps), func(b *collide.Builder) {
			floor(-2, 0, none)(b)
			b.Stairs(geom.V(-0.2, 0, 0), 4, rise, 2.2/float64(steps), steps, -math.Pi/2, none)
		}
	}
	steep, wall := collide.Surface{Walk: collide.Always}, collide.Surface{Walk: collide.Never}
	for _, c := range []struct {
		name        string
		high        float64
		build       func(b *collide.Builder)
		drop        float64
		there, back bool
	}{
		{name: "nothing but a gap of 4 m", build: func(*collide.Builder) {}},
		{name: "level ground", build: floor(-2, 0, none), there: true, back: true},
		{name: "a step of 0.44 m", high: 0.44, build: floor(-2, 0.44, none), there: true, back: true},
		{name: "a step of 0.47 m", high: 0.47, build: floor(-2, 0.47, none)},
		{name: "a step of 0.47 m, and jumping down is allowed", high: 0.47, build: floor(-2, 0.47, none), drop: 1, back: true},
		{name: "a drop of 2 m", high: 2, build: floor(-2, 2, none), drop: 2.1, back: true},
		{name: "a drop deeper than allowed", high: 2, build: floor(-2, 2, none), drop: 1.9},
		{name: "a kerb of 0.3 m that is not for stepping on", high: 0.3, build: floor(-2, 0.3, collide.Surface{StepOn: collide.Never})},
		{name: "a floor that is not for walking", build: floor(-2, 0, wall)},
		{name: "a gap of a hand", build: floor(-1.95, 0, none), there: true, back: true},
		{name: "a gap of 0.7 m", build: floor(-1.3, 0, none)},
		{name: "a door of 1.1 m", build: door(1.1), there: true, back: true},
		{name: "a door of 0.64 m", build: door(0.64)},
		{name: "a roof at 1.9 m", build: roof(1.9), there: true, back: true},
		{name: "a roof at 1.2 m, to crouch under", build: roof(1.2), there: true, back: true},
		{name: "a roof at 0.75 m", build: roof(0.75)},
	} {
		connects(t, c.name, corridor(t, c.high, c.build), c.high, c.drop, c.there, c.back)
	}
	for _, c := range []struct {
		name    string
		degrees float64
		s       collide.Surface
		want    bool
	}{
		{"a ramp of 30°", 30, none, true},
		{"a ramp of 44°", 44, none, true},
		{"a ramp of 46°", 46, none, false},
		{"a ramp of 55° that is always walkable", 55, steep, true},
		{"a ramp of 30° that never is", 30, wall, false},
	} {
		high, build := ramp(c.degrees, c.s)
		connects(t, c.name, corridor(t, high, build), high, 0, c.want, c.want)
	}
	for _, c := range []struct {
		name  string
		rise  float64
		steps int
		want  bool
	}{{"five stairs of 0.3 m", 0.3, 5, true}, {"four stairs of 0.43 m", 0.43, 4, true}, {"four stairs of 0.5 m", 0.5, 4, false}} {
		high, build := stairs(c.rise, c.steps)
		connects(t, c.name, corridor(t, high, build), high, 0, c.want, c.want)
	}
}

// connects checks which of the ways between the two floors of a corridor exist, and that a
// way stays on the mesh.
func connects(t *testing.T, name string, w *collide.World, high, drop float64, there, back bool) {
	t.Helper()
	p := params()
	p.Seeds, p.MaxDrop = nil, drop
	q := nav.Query{Mesh: bake(t, w, p)}
	a, b := geom.V(-6, 0, 0), geom.V(6, high, 0)
	way, got := q.Path(a, b, nil)
	_, returns := q.Path(b, a, nil)
	if got != there || returns != back {
		t.Errorf("%s: a way there %t, back %t; want %t, %t", name, got, returns, there, back)
		return
	}
	if there {
		ref, at, _ := q.Mesh.Nearest(a, 1)
		if length := onTheMesh(t, q.Mesh, ref, at, way); length < 12-1e-6 || length > 16 {
			t.Errorf("%s: the way is %.2f m long, want 12 … 16", name, length)
		}
	}
}

// Over islands that only links connect, a path costs exactly what the cheapest sequence of
// links costs: the shortest path in the graph of all ends of links, by Bellman and Ford.
func TestLinksAgainstBruteForce(t *testing.T) {
	found := 0
	for seed := uint64(1); seed <= 5; seed++ {
		r := rand.New(rand.NewPCG(seed, 4))
		const side = 4
		island := func(i int) geom.Vec3 { return geom.V(float64(i%side)*8, float64(i*5%7)*0.9, float64(i/side)*8) }
		place := func(i int) geom.Vec3 {
			return island(i).Add(geom.V(math.Round(r.Float64()*16-8)*0.15, 0, math.Round(r.Float64()*16-8)*0.15))
		}
		var b collide.Builder
		for i := range side * side {
			b.Box(island(i).MulAdd(geom.Up, -0.5), geom.V(2, 0.5, 2), geom.IdentityQuat, collide.Surface{})
		}
		w := b.MustBake()
		p := params()
		p.MaxDrop, p.Seeds = 0, nil
		for range 24 {
			i, j := r.IntN(side*side), r.IntN(side*side)
			l := nav.Link{From: place(i), To: place(j), Kind: nav.Kind(1 + r.IntN(5)), Bidirectional: r.IntN(2) == 0}
			if r.IntN(2) == 0 { // no cheaper than the straight line, which the search relies on
				l.Cost = l.From.Dist(l.To) * (1 + r.Float64())
			}
			p.Links = append(p.Links, l)
		}
		m := bake(t, w, p)
		for range 40 {
			q := nav.Query{Mesh: m}
			if r.IntN(3) == 0 {
				q.Avoid = 1 << (1 + r.IntN(5))
			}
			_, from, _ := m.Nearest(place(r.IntN(side*side)), 1)
			_, to, _ := m.Nearest(place(r.IntN(side*side)), 1)
			way, ok := q.Path(from, to, nil)
			best := cheapest(m, from, to, q.Avoid)
			if ok != !math.IsInf(best, 1) {
				t.Fatalf("seed %d: %v to %v: a path %t, the cheapest costs %v", seed, from, to, ok, best)
			}
			if !ok {
				continue
			}
			found++
			if got := cost(m, from, way); math.Abs(got-best) > 1e-6 {
				t.Fatalf("seed %d: %v to %v costs %.4f, the cheapest %.4f: %+v", seed, from, to, got, best, way)
			}
			for _, c := range way {
				if q.Avoid>>c.Kind&1 != 0 {
					t.Fatalf("seed %d: the path uses a link of kind %d, which it should avoid", seed, c.Kind)
				}
			}
		}
	}
	if found < 60 {
		t.Errorf("only %d paths exist", found)
	}
}

// cost returns what a path costs: its walks in the plan, and its links.
func cost(m *nav.Mesh, at geom.Vec3, way []nav.Corner) float64 {
	sum, linked := 0.0, false
	for _, c := range way {
		if !linked {
			sum += c.At.Sub(at).Flat(geom.Up).Len()
		}
		if linked = c.Kind != nav.Walk; linked {
			l, _ := m.Link(int(c.Link))
			sum += l.Cost
		}
		at = c.At
	}
	return sum
}

// cheapest returns the least cost between two points of islands that are squares: within
// one the way is straight, and links lead from one to another.
func cheapest(m *nav.Mesh, from, to geom.Vec3, avoid uint32) float64 {
	walk := func(a, b geom.Vec3) float64 {
		i, _, _ := m.Nearest(a, 0.1)
		j, _, _ := m.Nearest(b, 0.1)
		if !m.Connected(i, j) {
			return math.Inf(1)
		}
		return a.Sub(b).Flat(geom.Up).Len()
	}
	arrive := make([]float64, m.Links()) // the least cost to come out of each link
	for i := range arrive {
		arrive[i] = math.Inf(1)
	}
	for range m.Links() {
		for i := range arrive {
			l, _ := m.Link(i)
			if avoid>>l.Kind&1 != 0 {
				continue
			}
			arrive[i] = min(arrive[i], walk(from, l.From)+l.Cost)
			for j := range arrive {
				before, _ := m.Link(j)
				arrive[i] = min(arrive[i], arrive[j]+walk(before.To, l.From)+l.Cost)
			}
		}
	}
	best := walk(from, to)
	for i := range arrive {
		l, _ := m.Link(i)
		best = min(best, arrive[i]+walk(l.To, to))
	}
	return best
}

// A query may be used for one mesh after another, of any size, and finds what a new one
// finds.
func TestAQueryMayChangeItsMesh(t *testing.T) {
	p := params()
	p.Seeds = nil
	var q nav.Query
	for seed := uint64(1); seed <= 6; seed++ {
		half := []float64{9, 5, 12}[seed%3]
		m := bake(t, clutter(seed, half, int(2*half)), p)
		q.Mesh = m
		r := rand.New(rand.NewPCG(seed, 5))
		for range 30 {
			a, from := somewhere(m, r, half)
			b, to := somewhere(m, r, half)
			other := nav.Query{Mesh: m}
			way, ok := q.PathBetween(a, from, b, to, nil)
			want, found := other.PathBetween(a, from, b, to, nil)
			if ok != found || len(way) != len(want) {
				t.Fatalf("seed %d: %d corners (%t), a new query %d (%t)", seed, len(way), ok, len(want), found)
			}
			for i := range way {
				if way[i] != want[i] {
					t.Fatalf("seed %d: corner %d is %+v, of a new query %+v", seed, i, way[i], want[i])
				}
			}
			for _, bad := range [][2]nav.Ref{{0, b}, {a, 0}, {a, math.MaxUint32}} {
				if _, ok := q.PathBetween(bad[0], from, bad[1], to, nil); ok {
					t.Fatalf("a path between polygons %v", bad)
				}
			}
			if _, ok := q.PathBetween(a, geom.V(math.NaN(), 0, 0), b, to, nil); ok {
				t.Fatal("a path from a point that is no number")
			}
		}
	}
}

// The bounds of a mesh are those of its polygons; a follower that is stopped asks for
// nothing.
func TestBoundsAndStop(t *testing.T) {
	p := params()
	p.Seeds, p.MaxDrop, p.LedgeMargin = nil, 0, -1
	m := bake(t, yard(), p)
	if b := m.Bounds(); b.Min.Dist(geom.V(-3, 0, -3)) > 0.5 || b.Max.Dist(geom.V(9.2, 2, 3)) > 0.5 {
		t.Errorf("bounds %v, want about −3 0 −3 … 9.2 2 3", b)
	}
	var none nav.Mesh
	if b := none.Bounds(); b.Min.X <= b.Max.X {
		t.Errorf("the empty mesh has the bounds %v", b)
	}
	f := nav.Follower{Speed: 3, CornerRadius: 1, Acceleration: 20}
	f.Follow(corners(5, 0, 5, 5))
	if v := f.Velocity(geom.Vec3{}); v.X < 2.9 || f.Next().At != geom.V(5, 0, 0) {
		t.Errorf("velocity %v to %v, want 3 m/s to 5 0 0", v, f.Next().At)
	}
	if f.Velocity(geom.V(4.1, 0, 0)); f.Passed() != 1 {
		t.Errorf("%d corners passed within a radius of 1 m, want 1", f.Passed())
	}
	f.Stop()
	if v := f.Velocity(geom.V(4.1, 0, 0)); !f.Done() || !v.IsZero() {
		t.Errorf("stopped: done %t, velocity %v", f.Done(), v)
	}
}

// A link without a cost costs its length: one that is as long as a walk, and leads off the way, is not taken; one
// that is cheap is, also backwards if it is bidirectional. An end off the mesh is an error that names the link.
func TestCostsOfLinks(t *testing.T) {
	var b collide.Builder
	b.Box(geom.V(0, -1, 0), geom.V(9, 1, 3), geom.IdentityQuat, collide.Surface{})
	w := b.MustBake()
	for _, c := range []struct {
		cost     float64
		back     bool
		from, to float64
		want     bool
	}{{0, true, -7, 7, false}, {30, true, -7, 7, false}, {1, true, -7, 7, true}, {1, true, 7, -7, true}, {1, false, 7, -7, false}} {
		p := params()
		p.Links = []nav.Link{{From: geom.V(-6, 0, 2), To: geom.V(6, 0, 2), Kind: nav.Jump, Cost: c.cost, Bidirectional: c.back}}
		q := nav.Query{Mesh: bake(t, w, p)}
		way, ok := q.Path(geom.V(c.from, 0, 0), geom.V(c.to, 0, 0), nil)
		if got := slices.ContainsFunc(way, func(c nav.Corner) bool { return c.Kind == nav.Jump }); !ok || got != c.want {
			t.Errorf("cost %v, bidirectional %v, from %v to %v: by the link %v, want %v: %v", c.cost, c.back, c.from, c.to, got, c.want, way)
		}
	}
	for _, l := range []nav.Link{{From: geom.V(0, 9, 0), To: geom.V(1, 0, 0), Kind: nav.Jump}, {From: geom.V(0, 0, 0), To: geom.V(1, 9, 0), Kind: nav.Jump}} {
		p := params()
		p.Links = []nav.Link{l}
		if _, err := nav.Bake(w, p); err == nil || !strings.Contains(err.Error(), "Links[0]") {
			t.Errorf("from %v to %v: error %v, want one that names Links[0]", l.From, l.To, err)
		}
	}
}
