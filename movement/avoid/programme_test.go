package avoid

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The programme against trying out many velocities: none allowed is nearer to the
// wish than the one chosen, and where none is allowed none violates less. [VOL-07]
func TestTheProgrammeAgainstTryingAll(t *testing.T) {
	const seed = 3
	r := rand.New(rand.NewPCG(seed, seed))
	full, none := 0, 0
	for round := range 3000 {
		var c Crowd
		for range 1 + r.IntN(7) {
			a := 2 * math.Pi * r.Float64()
			c.lines = append(c.lines, line{vec{r.NormFloat64(), r.NormFloat64()}.mul(2), vec{math.Cos(a), math.Sin(a)}})
		}
		wish, speed := vec{r.NormFloat64() * 4, r.NormFloat64() * 4}, 4.0
		v := c.choose(wish, speed)
		if l := math.Sqrt(v.lenSq()); l > speed+1e-9 {
			t.Fatalf("seed %d, round %d: %.9f m/s is over %v", seed, round, l, speed)
		}
		off := v.sub(wish).lenSq()
		worst := worstOf(c.lines, v)
		best := math.Inf(1)
		for range 4000 {
			a, s := 2*math.Pi*r.Float64(), speed*math.Sqrt(r.Float64())
			u := vec{s * math.Cos(a), s * math.Sin(a)}
			w := worstOf(c.lines, u)
			best = math.Min(best, w)
			if worst < 1e-9 && w < 0 && u.sub(wish).lenSq() < off-1e-6 {
				t.Fatalf("seed %d, round %d: chose %v for %v, but %v is allowed and nearer", seed, round, v, wish, u)
			}
		}
		if worst < 1e-9 {
			full++
		} else if none++; worst > best+0.02 {
			t.Fatalf("seed %d, round %d: chose %v, %.4f outside; %.4f would do", seed, round, v, worst, best)
		}
	}
	t.Logf("%d rounds with room, %d without", full, none)
}

// worstOf is how far v is outside the line it violates most; below zero inside all.
func worstOf(lines []line, v vec) float64 {
	w := math.Inf(-1)
	for i := range lines {
		w = math.Max(w, lines[i].outside(v))
	}
	return w
}
