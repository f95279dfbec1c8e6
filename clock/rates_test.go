package clock

import (
	"fmt"
	"math"
	"testing"

	"github.com/backstep-net/backstep/internal/figures"
)

// pacedBy is a clock whose rate is a function of true time, off by ppm(m) at m: the sum of it
// over milliseconds.
func pacedBy(long Micros, ppm func(m Micros) float64) func(Micros) Micros {
	ahead := make([]float64, long/Millisecond+2)
	for i := 1; i < len(ahead); i++ {
		ahead[i] = ahead[i-1] + ppm(Micros(i)*Millisecond)/1000
	}
	return func(m Micros) Micros {
		i := int(m / Millisecond)
		part := float64(m%Millisecond) / 1000
		return 1e9 + m + Micros(math.Round(ahead[i]+part*(ahead[i+1]-ahead[i])))
	}
}

// TIM-15: a clock that runs up to 1 % off is followed for ten minutes as well as one that
// is right: within as much as jitter costs anyway. What is between 1 and 2 % is followed
// as well.
func TestSyncFollowsAClockThatIsOff(t *testing.T) {
	rows := map[float64][]any{}
	rates := []float64{.98, .985, .99, .995, .999, 1, 1.001, 1.005, 1.01, 1.015, 1.02}
	for _, line := range []struct {
		name         string
		delay, width Micros
		loss         float64
		start, later Micros // how far off Now may be in the first 20 s, and then
		wide         Micros // in the first 20 s of a clock more than 1 % off
	}{
		{"good", 20 * Millisecond, 3 * Millisecond, 0, 8 * Millisecond, 2 * Millisecond, 12 * Millisecond},
		{"bad", 60 * Millisecond, 40 * Millisecond, 0.1, 25 * Millisecond, 10 * Millisecond, 60 * Millisecond},
		{"awful", 100 * Millisecond, 60 * Millisecond, 0.3, 30 * Millisecond, 12 * Millisecond, 60 * Millisecond},
	} {
		for _, rate := range rates {
			for seed := range uint64(3) {
				w := newLink(seed)
				w.own, w.loss = running((rate-1)*1e6, 1e9), line.loss
				w.up, w.down = w.jittery(line.delay, line.width), w.jittery(line.delay, line.width)
				var start, later Micros
				w.play(0, 600*Second, func(m, ahead Micros) {
					if m > 20*Second {
						later = max(later, magnitude(ahead))
					} else {
						start = max(start, magnitude(ahead))
					}
				})
				want, limit := (1/rate-1)*1e6, line.start
				if math.Abs(rate-1) > 0.0101 {
					limit = line.wide
				}
				if seed == 0 {
					rows[rate] = append(rows[rate], ms(later), ms(start))
				}
				if start > limit || later > line.later || w.s.Jumps() != 0 || math.Abs(w.s.Drift()-want) > 200 {
					t.Errorf("seed %d, %s, %v×: worst %.1f ms in 20 s, %.1f later, drift %.0f ppm, %d jumps; want < %.0f, < %.0f, %.0f, none",
						seed, line.name, rate, ms(start), ms(later), w.s.Drift(), w.s.Jumps(), ms(limit), ms(line.later), want)
				}
			}
		}
	}
	for _, rate := range rates {
		figures.Check(t, fmt.Sprint(rate), 0.1, "%.1f (%.1f) | %.1f (%.1f) | %.1f (%.1f)", rows[rate]...)
	}
}

// TIM-15: a clock whose rate changes, as a machine warms up or is moved to another host,
// and one that is set.
func TestSyncFollowsARateThatChanges(t *testing.T) {
	step := func(ppm float64, when Micros) func(m Micros) float64 {
		return func(m Micros) float64 {
			if m < when {
				return 0
			}
			return ppm
		}
	}
	set := func(by Micros) func(m Micros) float64 {
		return func(m Micros) float64 {
			if m == 60*Second {
				return float64(by) * 1000
			}
			return 0
		}
	}
	for _, c := range []struct {
		name       string
		ppm        func(m Micros) float64
		good, bad  Micros // how far off Now is at most
		gone, long Micros // and for how long by more than 15 ms
	}{
		{"warms up to 500 ppm in two minutes", func(m Micros) float64 { return min(float64(m)/240e6*1000, 500) }, 3 * Millisecond, 15 * Millisecond, 0, 0},
		{"swings by 1 % in two minutes", func(m Micros) float64 { return 1e4 * math.Sin(float64(m)*2*math.Pi/120e6) }, 10 * Millisecond, 60 * Millisecond, 0, 90 * Second},
		{"1 % fast from one minute on", step(1e4, 60*Second), 12 * Millisecond, 60 * Millisecond, 0, 15 * Second},
		{"1 % slow from one minute on", step(-1e4, 60*Second), 12 * Millisecond, 60 * Millisecond, 0, 15 * Second},
		{"2 % slow from one minute on", step(-2e4, 60*Second), 20 * Millisecond, 60 * Millisecond, 4 * Second, 20 * Second},
		{"1 % fast or slow every 20 s", func(m Micros) float64 {
			return float64(1-2*(m/(20*Second)%2)) * 1e4
		}, 40 * Millisecond, 90 * Millisecond, 60 * Second, 180 * Second},
		{"is set by 50 ms", set(50 * Millisecond), 52 * Millisecond, 60 * Millisecond, 3 * Second, 5 * Second},
		{"is set by 150 ms", set(150 * Millisecond), 152 * Millisecond, 160 * Millisecond, 8 * Second, 12 * Second},
		// An echo that is on its way when the clock is set back seems to have taken next to no
		// time. It is believed until its age speaks against it.
		{"is set by −150 ms", set(-150 * Millisecond), 152 * Millisecond, 160 * Millisecond, 8 * Second, 120 * Second},
		{"is set by 240 ms", set(240 * Millisecond), 242 * Millisecond, 250 * Millisecond, 13 * Second, 16 * Second},
		{"is set by 2 s", set(2 * Second), 2002 * Millisecond, 2010 * Millisecond, Second, Second},
	} {
		for _, bad := range []bool{false, true} {
			for seed := range uint64(3) {
				w := newLink(seed)
				w.own = pacedBy(300*Second, c.ppm)
				delay, width, limit, long := 20*Millisecond, 3*Millisecond, c.good, c.gone
				if bad {
					delay, width, w.loss, limit, long = 60*Millisecond, 40*Millisecond, 0.1, c.bad, c.long
				}
				w.up, w.down = w.jittery(delay, width), w.jittery(delay, width)
				var most, off Micros
				w.play(0, 300*Second, func(m, ahead Micros) {
					if most = max(most, magnitude(ahead)); magnitude(ahead) > 15*Millisecond {
						off += 16667
					}
				})
				if seed == 0 {
					t.Logf("%s, bad line %v: worst %.1f ms, off for %.1f s, %d jumps, drift %.0f ppm", c.name, bad, ms(most), off.Seconds(), w.s.Jumps(), w.s.Drift())
				}
				if most > limit || off > long {
					t.Errorf("seed %d, %s, bad line %v: worst %.1f ms, off for %.1f s; want < %.0f, %.1f", seed, c.name, bad, ms(most), off.Seconds(), ms(limit), long.Seconds())
				}
			}
		}
	}
}

// TIM-15, TIM-12: the error of a clock that runs too far off to be followed grows until the
// server has seen it. A good echo does not make Now jump before; beyond a second it does.
func TestAClockThatIsTooFarOffDoesNotJump(t *testing.T) {
	for _, rate := range []float64{0.8, 0.9, 1.1, 1.5} {
		for seed := range uint64(100) {
			w := newLink(seed)
			w.own = running((rate-1)*1e6, 1e9)
			w.up, w.down = w.jittery(30*Millisecond, 5*Millisecond), w.jittery(30*Millisecond, 5*Millisecond)
			seconds := 0.9 / math.Abs(rate-1)
			var most Micros
			w.play(0, Micros(seconds*1e6), func(m, ahead Micros) { most = max(most, magnitude(ahead)) })
			if n := w.s.Jumps(); n != 0 || most < 700*Millisecond {
				t.Errorf("seed %d, %v×: %d jumps, worst error %.0f ms; want none, and over 700", seed, rate, n, ms(most))
			}
		}
	}
}
