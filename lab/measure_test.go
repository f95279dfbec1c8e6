package lab

import (
	"math"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/track"
)

// Percentiles are nearest ranks; nothing has none.
func TestSpread(t *testing.T) {
	var s Spread
	if s.Mean() != 0 || s.Max() != 0 || s.Count() != 0 {
		t.Error("nothing has figures")
	}
	for i := range 200 {
		s.add(float64((i*7)%200 + 1))
	}
	s.sort()
	for _, c := range []struct{ p, want float64 }{{0, 1}, {0.5, 1}, {1, 2}, {50, 100}, {99, 198}, {99.9, 200}, {100, 200}} {
		if got := s.Percentile(c.p); got != c.want {
			t.Errorf("%v %%: got %v, want %v", c.p, got, c.want)
		}
	}
	if s.Mean() != 100.5 || s.Max() != 200 || s.Count() != 200 {
		t.Errorf("mean %v, max %v of %d", s.Mean(), s.Max(), s.Count())
	}
}

// runner is the truth of player 1, who runs at 6 m/s along +X, turns back after a
// second, and is put elsewhere after two.
func runner() *Truth {
	t := &Truth{}
	x, v := 0.0, 6.0
	for i := range 200 {
		s := track.Sample{At: clock.Micros(i) * 16 * clock.Millisecond, Velocity: geom.V(v, 0, 0)}
		if s.At >= clock.Second {
			v = -6
		}
		if s.At >= 2*clock.Second {
			s.Teleport = 1
		}
		s.Position = geom.V(x+100*float64(s.Teleport), 0, 0)
		t.Trace(1, s)
		x += float64(v * 0.016)
	}
	return t
}

// The truth is known between two samples of one path, and nowhere else.
func TestTruth(t *testing.T) {
	truth := runner()
	if s, ok := truth.At(1, 500*clock.Millisecond); !ok || math.Abs(s.Position.X-3) > 1e-9 {
		t.Errorf("after half a second: %v, %v; want 3 m", s.Position, ok)
	}
	for _, at := range []clock.Micros{-1, 2*clock.Second - 1, 60 * clock.Second} {
		if _, ok := truth.At(1, at); ok {
			t.Errorf("at %d something is known", at)
		}
	}
	if _, ok := truth.At(2, clock.Second); ok {
		t.Error("something is known of nobody")
	}
	for _, c := range []struct {
		at   clock.Micros
		want geom.Vec3
		ok   bool
	}{{500_000, geom.V(1, 0, 0), true}, {1_010_000, geom.Vec3{}, false}, {1_500_000, geom.V(-1, 0, 0), true}, {1 << 40, geom.Vec3{}, false}} {
		if dir, ok := truth.Steady(1, c.at, 50*clock.Millisecond); dir != c.want || ok != c.ok {
			t.Errorf("direction at %d: %v, %v; want %v, %v", c.at, dir, ok, c.want, c.ok)
		}
	}
}

// A picture that goes back against a steady run is a reversal, one that leaps is a
// snap; a turn of the runner's own, and a placement, are neither.
func TestReversalsAndSnaps(t *testing.T) {
	truth := runner()
	for _, c := range []struct {
		what             string
		push             func(at clock.Micros) float64
		reversals, snaps int
	}{
		{"as it was", func(clock.Micros) float64 { return 0 }, 0, 0},
		{"3 cm off throughout", func(clock.Micros) float64 { return 0.03 }, 0, 0},
		{"pulled back by 30 cm once", func(at clock.Micros) float64 { return back(at >= 500_000, -0.3) }, 1, 0},
		{"thrown by 2 m once", func(at clock.Micros) float64 { return back(at >= 500_000, 2) }, 0, 1},
	} {
		f := &Figures{}
		for at := clock.Micros(100_000); at < 2_900_000; at += 10_000 {
			s, ok := truth.At(1, at)
			if ok {
				f.drawn = append(f.drawn, drawn{1, at, s.Position.Add(geom.V(c.push(at), 0, 0)), [2]uint8{0, s.Teleport}})
			}
		}
		f.compare(truth)
		if f.Reversals != c.reversals || f.Snaps != c.snaps {
			t.Errorf("%s: %d reversals and %d snaps, want %d and %d", c.what, f.Reversals, f.Snaps, c.reversals, c.snaps)
		}
		f.RemoteError.sort()
		if worst := f.RemoteError.Max(); math.Abs(worst-math.Abs(c.push(1_800_000))) > 1e-9 {
			t.Errorf("%s: error up to %v", c.what, worst)
		}
	}
}

func back(when bool, by float64) float64 {
	if when {
		return by
	}
	return 0
}
