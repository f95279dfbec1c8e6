package predict

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/backstep-net/backstep/clock"
)

// liar is a player who tries everything with numbers, stamps, durations, arrivals and
// its own settings. Its habits change every so often.
type liar struct {
	r      *rand.Rand
	number uint32
	stamp  clock.Micros

	speed, length float64      // of its clock, and of what its moves last
	lag           clock.Micros // by which its stamps are behind, or ahead
	gap           int          // one in so many numbers is left out
	hold          clock.Micros // its packets are held until then
	back          bool         // its stamps go back at times
}

func (l *liar) change(now clock.Micros) {
	rates := []float64{0, 0.01, 0.5, 1, 1, 1, 1.001, 1.01, 1.1, 2, 10}
	l.speed, l.length = rates[l.r.IntN(len(rates))], rates[l.r.IntN(len(rates))]
	if l.r.IntN(2) == 0 {
		l.lag = clock.Micros(l.r.NormFloat64() * 300e3)
		l.stamp = max(now-l.lag, 1)
	}
	l.gap = l.r.IntN(6)
	l.back = l.r.IntN(8) == 0
	l.hold = 0
	if l.r.IntN(3) == 0 {
		l.hold = now + clock.Micros(l.r.IntN(8e6))
	}
	if l.r.IntN(20) == 0 {
		l.number += uint32(l.r.IntN(3000))
		l.stamp += clock.Micros(l.r.IntN(20e6))
	}
}

// moves are what it says of the next d.
func (l *liar) moves(d clock.Micros) []toyCommand {
	var list []toyCommand
	for range 1 + l.r.IntN(4) {
		l.number++
		if l.gap > 0 && l.r.IntN(l.gap+1) == 0 {
			l.number += uint32(l.r.IntN(4))
		}
		l.stamp += max(clock.Micros(float64(d)*l.speed), 1)
		if l.back && l.r.IntN(10) == 0 {
			l.stamp = max(l.stamp-clock.Micros(l.r.IntN(500e3)), 1)
		}
		long := min(max(clock.Micros(float64(d)*l.length), 1), MaxDuration)
		if l.r.IntN(50) == 0 {
			long = MaxDuration
		}
		stamp := max(l.stamp/TimeQuantum, 1) * TimeQuantum
		long = max(long/TimeQuantum, 1) * TimeQuantum
		list = append(list, toyCommand{Number: l.number, Stamp: stamp, Duration: long, Input: toyInput{X: 1}})
	}
	return list
}

// Whatever a client sends: over every window of time no more is simulated than the window, the
// allowance and one move; simulated time only goes on, and never into the future; afterwards an honest
// player is as welcome as ever. meter checks each tick. PROMISES sets how many players there are.
// [THR-18, THR-19, THR-22, GAP-12, GAP-19]
func TestAnyClientIsBounded(t *testing.T) {
	seeds := 60
	if n, err := strconv.Atoi(os.Getenv("PROMISES")); err == nil {
		seeds = n
	}
	moves, worst, episodes := 0, clock.Micros(0), 0
	for seed := range uint64(seeds) {
		l := liar{r: rand.New(rand.NewPCG(seed, 31)), speed: 1, length: 1}
		a := newToyAuthority(toyState{})
		a.RoundTrip = clock.Micros(l.r.IntN(3)) * 60 * clock.Millisecond
		m := &meter{a: a, seed: seed, grains: true}
		if seed%8 == 7 {
			a.Limits.SilenceTimeout = -1
		}
		now := 10 * clock.Second
		l.stamp = now
		var mail []packed
		for range 1500 {
			d := clock.Micros(1 + l.r.IntN(33000))
			now += d
			if l.r.IntN(100) == 0 {
				l.change(now)
				a.InputDelay = clock.Micros(l.r.IntN(3)) * 125 * clock.Millisecond
			}
			for _, c := range l.moves(d) {
				at := max(now, l.hold) + clock.Micros(l.r.IntN(2)*l.r.IntN(60000))
				mail = append(mail, packed{at, c})
				moves++
			}
			mail = due(mail, now, func(p packed) { hand(a, p.at, p.move) })
			m.tick(t, now)
			if l.r.IntN(5) == 0 {
				a.Verdict(now)
				confirm(a)
			}
		}
		if episodes += a.Discrepancy().Episodes; a.limits.SilenceTimeout > 0 {
			worst = max(worst, m.window)
		}
		welcome(t, m, l.number, now)
	}
	t.Logf("%d players, %d moves, %d episodes: at most %d µs beyond a window", seeds, moves, episodes, worst)
}

// welcome has an honest player go on from number a second later and fails unless all
// its moves are run as they are.
func welcome(t *testing.T, m *meter, number uint32, now clock.Micros) {
	t.Helper()
	for m.a.Queued() > 0 {
		now += clock.Second
		m.tick(t, now)
	}
	for range 300 {
		now += frame60
		number++
		hand(m.a, now, toyCommand{Number: number, Stamp: (now - 30*clock.Millisecond) / TimeQuantum * TimeQuantum, Duration: frame60})
		m.tick(t, now)
	}
	before := m.a.Counters()
	for range 300 {
		now += frame60
		number++
		hand(m.a, now, toyCommand{Number: number, Stamp: (now - 30*clock.Millisecond) / TimeQuantum * TimeQuantum, Duration: frame60})
		m.tick(t, now)
	}
	if c := m.a.Counters(); m.a.Discrepancy().Resolving || c.Executed != before.Executed+300 || c.Cut != before.Cut || c.ServerDriven != before.ServerDriven {
		t.Errorf("seed %d: honest in the end, %+v\n%+v\n%+v", m.seed, m.a.Discrepancy(), before, c)
	}
}
