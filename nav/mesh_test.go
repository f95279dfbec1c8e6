package nav_test

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/internal/benchscene"
	"github.com/backstep-net/backstep/nav"
)

// yard is two floors 6 m wide, one 2 m above the other, with a gap between them.
func yard() *collide.World {
	var b collide.Builder
	b.Box(geom.V(0, -0.5, 0), geom.V(3, 0.5, 3), geom.IdentityQuat, collide.Surface{})
	b.Box(geom.V(6.2, 1.5, 0), geom.V(3, 0.5, 3), geom.IdentityQuat, collide.Surface{})
	return b.MustBake()
}

// The links of a level lead where no body can walk, and only in their direction.
func TestLinksOfTheLevel(t *testing.T) {
	low, high := geom.V(1, 0, 0), geom.V(5, 2, 1)
	for _, c := range []struct {
		name     string
		links    []nav.Link
		avoid    uint32
		up, down bool
	}{
		{"none", nil, 0, false, false},
		{"a jump pad", []nav.Link{{From: low, To: high, Kind: nav.JumpPad}}, 0, true, false},
		{"a lift", []nav.Link{{From: low, To: high, Kind: nav.Lift, Bidirectional: true}}, 0, true, true},
		{"a lift, out of order", []nav.Link{{From: low, To: high, Kind: nav.Lift, Bidirectional: true}}, 1 << nav.Lift, false, false},
	} {
		p := params()
		p.Links, p.MaxDrop, p.Seeds = c.links, 0, nil
		q := nav.Query{Mesh: bake(t, yard(), p), Avoid: c.avoid}
		way, up := q.Path(geom.V(-2, 0, 0), geom.V(8, 2, 0), nil)
		_, down := q.Path(geom.V(8, 2, 0), geom.V(-2, 0, 0), nil)
		if up != c.up || down != c.down {
			t.Errorf("%s: up %t, down %t; want %t, %t", c.name, up, down, c.up, c.down)
		}
		if up && (len(way) != 3 || way[0].Kind != c.links[0].Kind || way[0].At.Dist(low) > 1e-6 ||
			way[1].At.Dist(high) > 1e-6 || way[1].Kind != nav.Walk) {
			t.Errorf("%s: the way is %+v", c.name, way)
		}
	}
	p := params()
	p.Links = []nav.Link{{From: low, To: geom.V(3, 9, 9), Kind: nav.JumpPad}}
	if _, err := nav.Bake(yard(), p); err == nil || !strings.Contains(err.Error(), "Links[0]") {
		t.Errorf("a link that ends nowhere: %v", err)
	}
}

// If there is a ledge within MaxDrop, a path leads down it and none up.
func TestDropLinks(t *testing.T) {
	var b collide.Builder
	b.Box(geom.V(0, -0.5, 0), geom.V(8, 0.5, 8), geom.IdentityQuat, collide.Surface{})
	b.Box(geom.V(0, 1, 0), geom.V(2, 1, 2), geom.IdentityQuat, collide.Surface{})
	w := b.MustBake()
	p := params()
	p.Seeds = []geom.Vec3{{Y: 2}}
	for _, drop := range []float64{0, 1.9, 2.1} {
		p.MaxDrop = drop
		q := nav.Query{Mesh: bake(t, w, p)}
		_, down := q.Path(geom.V(0, 2, 0), geom.V(5, 0, 0), nil)
		_, up := q.Path(geom.V(5, 0, 0), geom.V(0, 2, 0), nil)
		if down != (drop > 2) || up {
			t.Errorf("Drop %.1f: down a ledge of 2 m %t, up it %t", drop, down, up)
		}
	}
}

// MoveAlong equals many small steps, ends on the mesh, and never leaves it; Height agrees
// with Nearest.
func TestMoveAlongMatchesSmallSteps(t *testing.T) {
	const half = 8
	for seed := uint64(1); seed <= 4; seed++ {
		p := params()
		p.Seeds = nil
		m := bake(t, clutter(seed, half, 20), p)
		r := rand.New(rand.NewPCG(seed, 6))
		free := 0
		for range 2000 {
			ref, from := somewhere(m, r, half)
			to := from.Add(geom.V(r.NormFloat64(), 0, r.NormFloat64()))
			end, at, blocked := m.MoveAlong(ref, from, to)
			if near, q, ok := m.Nearest(at, 0.01); !ok || q.Dist(at) > 0.005 || !m.Connected(near, end) {
				t.Fatalf("seed %d: %v to %v ends off the mesh, at %v", seed, from, to, at)
			}
			if h := m.Height(end, at); math.Abs(h-at.Y) > 1e-9 {
				t.Fatalf("seed %d: height %v at %v", seed, h, at)
			}
			_, hit, wall := m.Raycast(ref, from, to)
			if wall != blocked {
				t.Fatalf("seed %d: %v to %v: Along blocked %t, Raycast %t", seed, from, to, blocked, wall)
			}
			if wall {
				continue
			}
			free++
			if off := at.Sub(to).Flat(geom.Up).Len(); off > 0 || hit != at {
				t.Fatalf("seed %d: free from %v to %v, but ends at %v and %v", seed, from, to, at, hit)
			}
			step, p := ref, from
			for k := 1; k <= 20; k++ {
				step, p, _ = m.MoveAlong(step, p, from.Lerp(to, float64(k)/20))
			}
			if off := p.Dist(at); off > 0.005 {
				t.Fatalf("seed %d: %v to %v in small steps: %v off, at %v", seed, from, to, off, p)
			}
		}
		if free < 200 {
			t.Errorf("seed %d: only %d of 2000 went unhindered", seed, free)
		}
	}
}

func TestInvalidParams(t *testing.T) {
	for name, spoil := range map[string]func(*nav.Params){
		"Radius":         func(p *nav.Params) { p.Radius = -1 },
		"Height":         func(p *nav.Params) { p.Height = 0.1 },
		"CrouchedHeight": func(p *nav.Params) { p.CrouchedHeight = 3 },
		"StepHeight":     func(p *nav.Params) { p.StepHeight = math.NaN() },
		"WalkableSlope":  func(p *nav.Params) { p.WalkableSlope = 2 },
		"Cell":           func(p *nav.Params) { p.Cell = 0.5 },
		"MaxDrop":        func(p *nav.Params) { p.MaxDrop = math.Inf(1) },
		"MinArea":        func(p *nav.Params) { p.MinArea = -1 },
		"Seeds[0]":       func(p *nav.Params) { p.Seeds = []geom.Vec3{{X: math.NaN()}} },
		"Links[0]":       func(p *nav.Params) { p.Links = []nav.Link{{Kind: nav.Walk}} },
		"Bounds":         func(p *nav.Params) { p.Bounds.Min.X = 1 },
	} {
		p := params()
		spoil(&p)
		if err := p.Check(); err == nil || !strings.Contains(err.Error(), "nav: "+name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	p := params()
	if err := p.Check(); err != nil {
		t.Error(err)
	}
}

// A point that is off the mesh or not finite has no path, and nothing panics.
func TestInvalidPoints(t *testing.T) {
	var none nav.Mesh
	m := bake(t, yard(), params())
	nan := geom.V(math.NaN(), 0, 0)
	for _, m := range []*nav.Mesh{&none, m} {
		q := nav.Query{Mesh: m}
		for _, p := range []geom.Vec3{nan, {X: math.Inf(1)}, {X: 1e9}, {Y: 99}, {X: -1e300}} {
			if _, _, ok := m.Nearest(p, 1); ok {
				t.Errorf("something near %v", p)
			}
			if way, ok := q.Path(p, geom.Vec3{}, nil); ok || len(way) > 0 {
				t.Errorf("a way from %v", p)
			}
		}
		for _, ref := range []nav.Ref{0, 1 << 31, math.MaxUint32} {
			if _, at, blocked := m.MoveAlong(ref, geom.V(1, 2, 3), geom.Vec3{}); at != geom.V(1, 2, 3) || !blocked {
				t.Errorf("Along of no polygon moved to %v", at)
			}
			m.Raycast(ref, geom.Vec3{}, geom.V(1, 0, 0))
			m.Height(ref, geom.Vec3{})
			m.Centre(ref)
			m.CrouchOnly(ref)
		}
	}
	var b collide.Builder
	empty := b.MustBake()
	if m := bake(t, empty, params()); m.Polygons() != 0 {
		t.Errorf("an empty world has %d polygons", m.Polygons())
	}
	p := params()
	p.Cell = 0.01
	p.Bounds = geom.AABB{Min: geom.V(-1e4, -1, -1e4), Max: geom.V(1e4, 1, 1e4)}
	if _, err := nav.Bake(yard(), p); err == nil || !strings.Contains(err.Error(), "MaxSamples") {
		t.Errorf("a mesh of 4·10¹² columns: %v", err)
	}
}

// Every processor makes the same mesh and finds the same paths.
func TestGolden(t *testing.T) {
	const want = uint64(0x49afbcaae29a84bf)
	m := bake(t, clutter(1, 10, 25), params())
	q := nav.Query{Mesh: m}
	r := rand.New(rand.NewPCG(1, 7))
	sum := fnv.New64a()
	write := func(p geom.Vec3) {
		for _, x := range []float64{p.X, p.Y, p.Z} {
			b := math.Float64bits(x + 0)
			for range 8 {
				sum.Write([]byte{byte(b)})
				b >>= 8
			}
		}
	}
	for range 200 {
		_, from := somewhere(m, r, 9)
		ref, to := somewhere(m, r, 9)
		way, _ := q.Path(from, to, nil)
		for _, c := range way {
			write(c.At)
		}
		_, at, _ := m.MoveAlong(ref, to, from)
		write(at)
	}
	if got := sum.Sum64(); got != want {
		t.Errorf("%#x, want %#x", got, want)
	}
}

func TestQueriesAllocateNothing(t *testing.T) {
	const half = 10
	m := bake(t, clutter(1, half, 25), params())
	q := nav.Query{Mesh: m}
	r := rand.New(rand.NewPCG(1, 8))
	way := make([]nav.Corner, 0, 256)
	var f nav.Follower
	f.Speed = 6
	step := func() {
		a, from := somewhere(m, r, half)
		_, to := somewhere(m, r, half)
		way, _ = q.Path(from, to, way[:0])
		f.Follow(way)
		f.Velocity(from)
		m.MoveAlong(a, from, to)
		m.Raycast(a, from, to)
	}
	for range 2000 {
		step()
	}
	if n := testing.AllocsPerRun(1000, step); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// Baking scene B, 60 m of rough ground and boxes, and the arena.
func BenchmarkBake(b *testing.B) {
	scene, err := benchscene.B.World()
	if err != nil {
		b.Fatal(err)
	}
	level, arena := arenaLevel(b)
	for _, c := range []struct {
		name  string
		world *collide.World
		p     nav.Params
	}{{"B", scene, nav.Params{Radius: 0.34, Height: 1.76, StepHeight: 0.45, WalkableSlope: 0.78}}, {"arena", level.World, arena}} {
		b.Run(c.name, func(b *testing.B) {
			var m *nav.Mesh
			for b.Loop() {
				m = bake(b, c.world, c.p)
			}
			b.ReportMetric(m.Area(), "m²")
			b.ReportMetric(float64(m.Bytes())/1024, "kB")
			b.ReportMetric(float64(m.Polygons()), "polygons")
		})
	}
}

// Queries of the mesh of the arena.
func BenchmarkQuery(b *testing.B) {
	_, m := arenaMesh(b)
	q := nav.Query{Mesh: m}
	r := rand.New(rand.NewPCG(1, 9))
	var at []geom.Vec3
	var ref []nav.Ref
	for range 512 {
		a, p := somewhere(m, r, 35)
		at, ref = append(at, p), append(ref, a)
	}
	way := make([]nav.Corner, 0, 256)
	for name, ask := range map[string]func(i, j int){
		"Path":    func(i, j int) { way, _ = q.Path(at[i], at[j], way[:0]) },
		"Nearest": func(i, _ int) { m.Nearest(at[i], 1) },
		"Height":  func(i, _ int) { m.Height(ref[i], at[i]) },
		"Along":   func(i, j int) { m.MoveAlong(ref[i], at[i], at[i].Add(at[j].Sub(at[i]).ClampLen(0.1))) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				n++
				ask(n%512, n*7%512)
			}
		})
	}
}
