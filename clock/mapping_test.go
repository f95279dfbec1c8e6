package clock

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// PRF-12: moves that arrive in bursts, with 30 ms of jitter, at 60 and 144 a
// second, with a clock off by 500 ppm: mapped stamps differ by the durations ±2 %,
// increase, and are never later than the arrival.
func TestMappingTakesOutBursts(t *testing.T) {
	for _, d := range []Micros{16667, 6944} {
		for _, ppm := range []Micros{-500, 0, 500} {
			for seed := range uint64(20) {
				worst, delay := mapBursts(t, seed, d, ppm)
				if seed == 0 {
					t.Logf("%d µs moves, %d ppm: durations within %.2f %%, at most %d µs behind the least delay", d, ppm, worst, delay)
				}
				if worst > 2.01 {
					t.Errorf("seed %d, %d µs moves, %d ppm: durations within %.2f %%, want 2 %%", seed, d, ppm, worst)
				}
			}
		}
	}
}

// mapBursts sends two moves a packet, each packet carrying the moves of the eight
// before it too, so a move arrives with the first packet that has it.
func mapBursts(t *testing.T, seed uint64, d, ppm Micros) (worst float64, behind Micros) {
	r := rand.New(rand.NewPCG(seed, 3))
	n := int(20 * Second / d / 2)
	packets := make([]Micros, n+8)
	for i := range packets {
		made := Micros(2*i+2) * d
		packets[i] = made + made*ppm/1e6 + 50*Millisecond + Micros(r.IntN(30000))
	}
	var m Mapping
	var last Micros
	for i := range 2 * n {
		stamp := Micros(i+1) * d
		arrived := slices.Min(packets[i/2 : i/2+8])
		got := m.Map(stamp, arrived)
		late := Micros(0)
		if stamp < 2*Second {
			late = 10
		}
		if got <= last || got > arrived+late {
			t.Fatalf("seed %d: stamp %d arrived %d maps to %d after %d", seed, stamp, arrived, got, last)
		}
		if stamp > 2*Second {
			worst = max(worst, 100*(math.Abs(float64(got-last-d))-1)/float64(d))
			behind = max(behind, stamp+stamp*ppm/1e6+50*Millisecond-got)
		}
		last = got
	}
	return worst, behind
}

// A network that stalls for 5 s delivers 5 s of moves at one instant: they map to
// when they were made.
func TestMappingThroughAStall(t *testing.T) {
	var m Mapping
	const d = 16667
	for stamp := Micros(d); stamp < 5*Second; stamp += d {
		m.Map(stamp, stamp+40*Millisecond)
	}
	for stamp := 5 * Second; stamp < 10*Second; stamp += d {
		m.Map(stamp, 10*Second+40*Millisecond)
	}
	got := m.Map(10*Second, 10*Second+40*Millisecond)
	if e := got - 10*Second - 37*Millisecond; e != 0 {
		t.Errorf("after the stall off by %d µs", e)
	}
}

// Steps of the owner's clock start over: forward at once, backward after a second,
// and results still increase. [SRV-06]
func TestMappingStepsOfTheClock(t *testing.T) {
	for _, step := range []Micros{400 * Millisecond, -400 * Millisecond, -200 * Millisecond} {
		var m Mapping
		var last Micros
		for now := Micros(0); now < 30*Second; now += 10 * Millisecond {
			stamp := now
			if now >= 4*Second {
				stamp += step
			}
			if got := m.Map(stamp, now+30*Millisecond); got < last || got > now+31*Millisecond {
				t.Fatalf("step %d at %d: %d after %d", step, now, got, last)
			} else {
				last = got
			}
		}
		if e := last - 30*Second - 18*Millisecond; e < -8*Millisecond || e > 3*Millisecond {
			t.Errorf("step %d: result off by %d µs at the end", step, e)
		}
	}
}

func TestMappingAllocatesNothing(t *testing.T) {
	var m Mapping
	now := Micros(0)
	if n := testing.AllocsPerRun(1000, func() {
		now += 10000
		m.Map(now, now+20000)
	}); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
}

func BenchmarkMap(b *testing.B) {
	var m Mapping
	now := Micros(0)
	for b.Loop() {
		now += 10000
		m.Map(now, now+20000)
	}
}
