package avoid_test

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement/avoid"
)

// meet are two who run at each other along X, 3 m apart.
func meet() []avoid.Agent {
	a := avoid.Agent{Position: geom.V(-1.5, 0, 0), Velocity: geom.V(4, 0, 0), Wish: geom.V(4, 0, 0), Radius: 0.4, MaxSpeed: 6}
	b := avoid.Agent{Position: geom.V(1.5, 0, 0.1), Velocity: geom.V(-4, 0, 0), Wish: geom.V(-4, 0, 0), Radius: 0.4, MaxSpeed: 6}
	return []avoid.Agent{a, b}
}

// BAS-09: those whom a wall separates walk as if alone, those on one side avoid each other.
func TestWallsSeparateWalkers(t *testing.T) {
	list := append(meet(), meet()...)
	for i := 2; i < 4; i++ { // beyond a wall at z = 0.5
		list[i].Position.Z++
	}
	crowd := avoid.Crowd{Separated: func(i, j int) bool {
		return (list[i].Position.Z < .5) != (list[j].Position.Z < .5)
	}}
	both := crowd.Solve(list, 1.0/60, nil)
	var apart avoid.Crowd
	alone := append(apart.Solve(list[:2], 1.0/60, nil), apart.Solve(list[2:], 1.0/60, nil)...)
	for i := range both {
		if both[i] != alone[i] || both[i] == list[i].Wish {
			t.Errorf("agent %d: got %v, want %v as without those behind the wall, and not %v", i, both[i], alone[i], list[i].Wish)
		}
	}
	if n := testing.AllocsPerRun(50, func() { both = crowd.Solve(list, 1.0/60, both[:0]) }); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
}

// Who gives way, and how much: the velocity that each changes by. [VOL-07]
func TestWhoGivesWay(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(a, b *avoid.Agent)
		check  func(a, b float64) bool
	}{
		{"both, alike", func(a, b *avoid.Agent) {}, func(a, b float64) bool { return a > 0.1 && math.Abs(a-b) < 0.3 }},
		{"the lighter more", func(a, b *avoid.Agent) { b.Weight = 4 }, func(a, b float64) bool { return a > 1.2*b && b > 0 }},
		{"nobody for one he ignores", func(a, b *avoid.Agent) { b.Groups, a.Ignores = 2, 2 }, func(a, b float64) bool { return a == 0 && b > 0.1 }},
		{"everybody for one in another group", func(a, b *avoid.Agent) { b.Groups, a.Ignores = 1, 2 }, func(a, b float64) bool { return a > 0.1 && b > 0.1 }},
		{"a player not at all", func(a, b *avoid.Agent) { b.Still = true }, func(a, b float64) bool { return a > 0.2 && b == 0 }},
		{"nobody on another floor", func(a, b *avoid.Agent) { b.Position.Y = 3 }, func(a, b float64) bool { return a == 0 && b == 0 }},
		{"nobody beyond 5 m", func(a, b *avoid.Agent) { b.Position.X = 3.6 }, func(a, b float64) bool { return a == 0 && b == 0 }},
		{"nobody who parts", func(a, b *avoid.Agent) { a.Position, b.Position = b.Position, a.Position }, func(a, b float64) bool { return a < 1e-9 && b < 1e-9 }},
	} {
		list := meet()
		c.change(&list[0], &list[1])
		var crowd avoid.Crowd
		v := crowd.Solve(list, 1.0/60, nil)
		a, b := v[0].Dist(list[0].Wish), v[1].Dist(list[1].Wish)
		if !c.check(a, b) {
			t.Errorf("%s: they change by %.3f and %.3f m/s", c.name, a, b)
		}
	}
}

// Those who stand in each other part at once, even on the very same spot.
func TestOverlapsPart(t *testing.T) {
	for _, at := range []geom.Vec3{{}, {X: 0.2}, {X: -0.1, Z: 0.3}} {
		list := []avoid.Agent{{Radius: 0.4, MaxSpeed: 6}, {Position: at, Radius: 0.4, MaxSpeed: 6}}
		var crowd avoid.Crowd
		v := crowd.Solve(list, 1.0/60, nil)
		before := at.Len()
		if after := at.Add(v[1].Sub(v[0]).Mul(1.0 / 60)).Len(); after < before+0.1 {
			t.Errorf("%v apart: %.3f m, and after 1/60 s %.3f m", at, before, after)
		}
	}
}

// crush is a crowd thrown together at random.
func crush(seed uint64, n int, half float64) []avoid.Agent {
	r := rand.New(rand.NewPCG(seed, 2))
	var list []avoid.Agent
	for range n {
		list = append(list, avoid.Agent{
			Position: geom.V((r.Float64()*2-1)*half, 0, (r.Float64()*2-1)*half),
			Velocity: geom.V((r.Float64()*2-1)*6, 0, (r.Float64()*2-1)*6),
			Wish:     geom.V((r.Float64()*2-1)*6, 0, (r.Float64()*2-1)*6),
			Radius:   0.4, MaxSpeed: 6, Weight: float64(r.IntN(3)),
		})
	}
	return list
}

// Every processor finds the same velocities.
func TestGolden(t *testing.T) {
	const want = uint64(0x81e07db8d2e63039)
	sum := fnv.New64a()
	var crowd avoid.Crowd
	for seed := range uint64(20) {
		for _, v := range crowd.Solve(crush(seed, 60, 4+float64(seed)), 1.0/60, nil) {
			fmt.Fprintf(sum, "%x %x %x\n", math.Float64bits(v.X+0), math.Float64bits(v.Y+0), math.Float64bits(v.Z+0))
			if !v.Finite() || v.Len() > 6+1e-9 {
				t.Errorf("seed %d: %v", seed, v)
			}
		}
	}
	if got := sum.Sum64(); got != want {
		t.Errorf("%#x, want %#x", got, want)
	}
}

func TestSolveAllocatesNothing(t *testing.T) {
	list := crush(1, 100, 10)
	var crowd avoid.Crowd
	into := crowd.Solve(list, 1.0/60, nil)
	if n := testing.AllocsPerRun(100, func() { into = crowd.Solve(list, 1.0/60, into[:0]) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkSolve(b *testing.B) {
	for _, n := range []int{20, 100, 500} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			list := crush(1, n, math.Sqrt(float64(n)*4))
			var crowd avoid.Crowd
			into := crowd.Solve(list, 1.0/60, nil)
			for b.Loop() {
				into = crowd.Solve(list, 1.0/60, into[:0])
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/agent")
		})
	}
}
