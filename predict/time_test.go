package predict

import (
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/clock"
)

// hand gives moves to a as if a packet with them had come at arrived, without a claim
// that could be tested.
func hand(a *toyAuthority, arrived clock.Micros, moves ...toyCommand) {
	if !a.checked {
		a.check()
	}
	a.in.epoch, a.in.count = (a.epoch+32)&(1<<epochBits-1), copy(a.in.moves[:], moves)
	a.enqueuePacket(arrived)
}

// confirm tells a that its newest correction was applied.
func confirm(a *toyAuthority) {
	a.in.epoch, a.in.count = a.epoch&(1<<epochBits-1), 0
	a.enqueuePacket(a.receivedAt)
}

// meter watches that an authority keeps to what it promises of time.
type meter struct {
	a      *toyAuthority
	seed   uint64
	grains bool         // all that is said is on the grain, and so what is run should be
	began  clock.Micros // first tick
	now    clock.Micros
	run    clock.Micros // simulated
	origin clock.Micros // stamp at which the first step began
	stamp  clock.Micros
	least  clock.Micros // of run − match time, after any tick
	window clock.Micros // most that was simulated beyond a window's own length and a tenth
	slow   clock.Micros // tick at which a discrepancy was first resolved
}

// tick has the authority make its steps.
func (m *meter) tick(t *testing.T, now clock.Micros) {
	t.Helper()
	if m.now == 0 {
		m.began, m.least = now, -now
	}
	last := max(m.now, m.began)
	m.now = now
	for m.a.Next(now) {
		c := m.a.Command()
		if m.run == 0 {
			m.origin = c.Stamp - c.Duration
		}
		m.run += c.Duration
		if most := c.Stamp - m.origin + m.a.limits.MaxTimeDiscrepancy; m.run > most {
			t.Fatalf("seed %d: at %d %d µs were run up to stamp %d, want at most %d", m.seed, now, m.run, c.Stamp, most)
		}
		if c.Duration < 1 || c.Duration > MaxDuration || c.Stamp < m.stamp || c.Stamp > now+EarlyTolerance || m.a.Stamp() < m.stamp {
			t.Fatalf("seed %d: at %d a step of %d to %d after %d", m.seed, now, c.Duration, c.Stamp, m.stamp)
		}
		if m.grains && (c.Stamp%TimeQuantum != 0 || c.Duration%TimeQuantum != 0) {
			t.Fatalf("seed %d: at %d a step of %d to %d, off the grain", m.seed, now, c.Duration, c.Stamp)
		}
		m.stamp = c.Stamp
	}
	m.least += (now - last) / refillRatio
	m.window = max(m.window, m.run-now-m.least)
	m.least = min(m.least, m.run-now)
	if m.gain() > m.a.limits.atOnce()-MaxDuration {
		t.Fatalf("seed %d: at %d %d µs more than passed were run in all", m.seed, now, m.gain())
	}
	if limit := m.a.limits.atOnce(); m.window > limit {
		t.Fatalf("seed %d: at %d a window with %d µs more than its length, want at most %d", m.seed, now, m.window, limit)
	}
	if m.slow == 0 && m.a.Discrepancy().Resolving {
		m.slow = now
	}
}

// gain is what was simulated beyond the time that passed since the first tick.
func (m *meter) gain() clock.Micros { return m.run - (m.now - m.began) }

// cheat is a player at 60 frames a second whose moves or whose clock are too fast.
type cheat struct {
	speed  float64
	clock  bool         // its stamps run fast, not only what its moves last
	way    clock.Micros // up to the server; down is the same
	jitter clock.Micros // ± on the way up
	hold   clock.Micros // its packets are held for this long, then let go at once
	known  bool         // RoundTrip is told
}

// play runs the cheat for a while and returns what the authority did.
func (c cheat) play(t *testing.T, long clock.Micros) *meter {
	t.Helper()
	r := rand.New(rand.NewPCG(1, uint64(c.speed*1000)))
	a := newToyAuthority(toyState{})
	if c.known {
		a.RoundTrip = 2 * c.way
	}
	m := &meter{a: a, seed: 1}
	begin := 10 * clock.Second
	var mail []packed
	number, stamp := uint32(0), begin-16667
	for n := int64(0); n < int64(long*60/clock.Second); n++ {
		now := begin + clock.TickTime(n, 60)
		left := clock.Micros(16667 * c.speed)
		for left > 0 {
			d := min(left, MaxDuration)
			left -= d
			number++
			p := packed{now + c.way, toyCommand{Number: number, Stamp: stamp + d, Duration: d}}
			stamp += d
			if !c.clock {
				stamp = now
				p.move.Stamp = now - left/1000
			}
			if c.jitter > 0 {
				p.at += clock.Micros(r.Int64N(2*int64(c.jitter))) - c.jitter
			}
			if c.hold > 0 {
				p.at = max(p.at, begin+(now-begin+c.hold)/c.hold*c.hold+c.way)
			}
			mail = append(mail, p)
		}
		mail = due(mail, now, func(p packed) { hand(a, p.at, p.move) })
		m.tick(t, now)
		a.Verdict(now)
		confirm(a)
	}
	return m
}

type packed struct {
	at   clock.Micros
	move toyCommand
}

// due hands over what arrives by now, in the order of its arrival.
func due(mail []packed, now clock.Micros, take func(packed)) []packed {
	for {
		first := -1
		for i := range mail {
			if mail[i].at <= now && (first < 0 || mail[i].at < mail[first].at) {
				first = i
			}
		}
		if first < 0 {
			return mail
		}
		take(mail[first])
		mail = append(mail[:first], mail[first+1:]...)
	}
}

// How soon a player is flagged that makes more time than there is, by moves that last too long or by a
// clock that is too fast, and what it gains in 60 s. A player on time is never flagged.
// [TIM-12, E2E-04, GAP-12]
func TestHowSoonADiscrepancyIsFlagged(t *testing.T) {
	ms := clock.Millisecond
	for _, c := range []struct {
		cheat
		soon clock.Micros // noticed within 100 ms before it; 0: never
	}{
		{cheat{speed: 1.05}, 5100 * ms},
		{cheat{speed: 1.10}, 2600 * ms},
		{cheat{speed: 2.00}, 300 * ms},
		{cheat{speed: 1.05, clock: true, known: true}, 5100 * ms},
		{cheat{speed: 1.10, clock: true, known: true}, 2600 * ms},
		{cheat{speed: 2.00, clock: true, known: true}, 300 * ms},
		{cheat{speed: 1.05, clock: true, known: true, way: 80 * ms}, 5200 * ms},
		{cheat{speed: 1.00, jitter: 100 * ms}, 0},
		{cheat{speed: 1.00, jitter: 100 * ms, way: 100 * ms, clock: true, known: true}, 0},
	} {
		m := c.play(t, 60*clock.Second)
		d, noticed := m.a.Discrepancy(), clock.Micros(0)
		if m.slow > 0 {
			noticed = m.slow - m.began
		}
		t.Logf("%+v: noticed after %.3f s, gained %.3f s in 60 s, %d episodes, %.3f s cut", c.cheat, noticed.Seconds(), m.gain().Seconds(), d.Episodes, d.Lifetime.Seconds())
		if noticed > c.soon || noticed < c.soon-200*ms || m.gain() > 600*ms || (c.soon == 0) != (d.Episodes == 0) {
			t.Errorf("%+v: noticed after %d µs, want %d; gained %d µs, %d episodes", c.cheat, noticed, c.soon, m.gain(), d.Episodes)
		}
	}
}

// What fast clocks, long moves and lag switches gain in 60 s: never a rate, and never more than the
// allowance. [THR-18, THR-19, TIM-12, GAP-12, E2E-04]
func TestGainsOfCheats(t *testing.T) {
	for _, speed := range []float64{1, 1.01, 1.05, 1.1, 1.5, 2, 10} {
		for _, hold := range []clock.Micros{0, 250 * clock.Millisecond, clock.Second, 5 * clock.Second} {
			for _, fast := range []bool{false, true} {
				c := cheat{speed: speed, clock: fast, way: 40 * clock.Millisecond, known: true, hold: hold}
				m := c.play(t, 60*clock.Second)
				d := m.a.Discrepancy()
				t.Logf("%5.2f×, fast clock %-5v, held %4d ms: gain %7.3f s, most in a window %.3f s, %d episodes, %.3f s cut",
					speed, fast, hold/1000, m.gain().Seconds(), m.window.Seconds(), d.Episodes, d.Lifetime.Seconds())
				if m.gain() > m.a.limits.MaxTimeDiscrepancy {
					t.Errorf("%+v: gained %d µs", c, m.gain())
				}
			}
		}
	}
}
