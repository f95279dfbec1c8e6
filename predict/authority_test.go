package predict

import (
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

// Both sides of each boundary of the error check. The claim is at the origin, the authority's character
// elsewhere, and the move itself stands still. [SRV-11, SRV-12]
func TestErrorTestBoundaries(t *testing.T) {
	for _, c := range []struct {
		off            geom.Vec3
		ammo           int
		correct, large bool
	}{
		{geom.V(0.0173, 0, 0), 0, false, false},
		{geom.V(0.0174, 0, 0), 0, true, false},
		{geom.V(0.0099, 0.0099, 0.0099), 0, false, false},
		{geom.V(0.011, 0.011, 0.01), 0, true, false},
		{geom.V(0, 0, -0.149), 0, true, false},
		{geom.V(0, 0, -0.151), 0, true, true},
		{geom.Vec3{}, 1, true, false},
		{geom.Vec3{}, 0, false, false},
	} {
		a := newToyAuthority(toyState{Pos: c.off, Ammo: c.ammo})
		o := newToyOwner(toyState{})
		o.Advance(20000, 16667, toyInput{})
		open(a, 20000, sealed(o, 100))
		for a.Next(20000) {
		}
		if a.correcting != c.correct || a.large != c.large {
			t.Errorf("off by %v and %d shots: corrected %v, large %v, want %v, %v", c.off, c.ammo, a.correcting, a.large, c.correct, c.large)
		}
	}
}

// ACK-03: a correction that nobody answers, in frames of 7 ms. [GAP-23]
func TestCorrectionsAreRepeated(t *testing.T) {
	for _, c := range []struct {
		large                bool
		repeat, repeatLarge  clock.Micros
		first, second, third clock.Micros // ms
	}{
		{true, 100, 50, 0, 56, 112},
		{false, 100, 50, 0, 105, 210},
		{true, 100, 200, 0, 105, 210},
		{false, 100, 200, 0, 203, 406},
	} {
		a := newToyAuthority(toyState{})
		a.limits.CorrectionInterval, a.limits.LargeCorrectionInterval = c.repeat*clock.Millisecond, c.repeatLarge*clock.Millisecond
		a.correct(c.large, Misprediction)
		var got []clock.Micros
		for now := clock.Micros(0); len(got) < 3; now += 7 {
			if a.Verdict(now * clock.Millisecond).Correction {
				got = append(got, now)
			}
		}
		if got[0] != c.first || got[1] != c.second || got[2] != c.third {
			t.Errorf("%+v: sent at %v ms", c, got)
		}
	}
}

// GAP-19: moves of a grain each, as many as a packet carries, 1,000 packets a second:
// no more are run than Rate and Burst allow, and the queue stays bounded.
func TestFloodOfTinyMoves(t *testing.T) {
	a := newToyAuthority(toyState{})
	number := uint32(1)
	begin := clock.Second
	for now := begin; now < begin+10*clock.Second; now += 1000 {
		var m packet[toyState, toyInput]
		m.count = MaxMoves
		for i := range m.moves {
			m.moves[i] = Command[toyInput]{number, now + clock.Micros(i)*TimeQuantum, TimeQuantum, toyInput{}}
			number++
		}
		var p bits.Packer
		p.Write(make([]byte, 1000))
		m.pack(&p, toy{}, now, nil)
		if err := open(a, now, p.Bytes()); err != nil {
			t.Fatal(err)
		}
		if a.Queued() > queueMoves {
			t.Fatalf("%d queued", a.Queued())
		}
		for a.Next(now) {
		}
	}
	if n := a.Counters().Executed; n > 600*10+1200 {
		t.Errorf("%d moves run in 10 s, want at most 7200", n)
	}
}

// counting is a toy that counts its steps.
type counting struct {
	toy
	steps *int
}

func (c counting) Step(s *toyState, m *toyCommand) { *c.steps++; c.toy.Step(s, m) }

// An owner is silent until the server has simulated time without it, and then sends the moves of that time. They are
// simulated for what the owner draws, but of a flood of tiny ones no more than Burst allows, and of others none that ends
// later than SilenceTimeout after the owner went away. [GAP-19, THR-11]
func TestFloodOfLateMoves(t *testing.T) {
	for _, c := range []struct {
		lasts                       clock.Micros // each
		packets, moves, least, most int
	}{
		{TimeQuantum, 50, MaxMoves, 1100, 1200},
		{10 * clock.Millisecond, 1, MaxMoves, 23, 25},
	} {
		steps, number, now := 0, uint32(0), clock.Second
		a := NewAuthority[toyState, toyInput](counting{steps: &steps}, toyState{}, nil)
		send := func(stamp clock.Micros, moves int) {
			var m packet[toyState, toyInput]
			m.count = moves
			for i := range moves {
				number++
				m.moves[i] = Command[toyInput]{number, stamp + clock.Micros(i)*c.lasts, c.lasts, toyInput{X: 1}}
			}
			var p bits.Packer
			p.Write(make([]byte, 1000))
			m.pack(&p, toy{}, now, nil)
			if err := open(a, now, p.Bytes()); err != nil {
				t.Fatal(err)
			}
			for a.Next(now) {
			}
		}
		begin := now
		send(begin, 1)
		for ; now < begin+1600*clock.Millisecond; now += clock.Second / 60 {
			for a.Next(now) {
			}
		}
		if a.Counters().ServerDriven == 0 {
			t.Fatal("no time was simulated without the owner")
		}
		steps = 0
		for i := range c.packets {
			send(begin+clock.Micros(i*c.moves+1)*c.lasts, c.moves)
		}
		if steps < c.least || steps > c.most {
			t.Errorf("of %d late moves of %d µs %d are simulated, want %d to %d", c.packets*c.moves, c.lasts, steps, c.least, c.most)
		}
	}
}

// More moves than the queue holds, at one instant: the oldest give way, and what
// runs runs in order.
func TestQueueOverflow(t *testing.T) {
	a, o := newToyAuthority(toyState{}), newToyOwner(toyState{})
	a.Limits.SilenceTimeout = -1
	var stamp clock.Micros
	for range 1500 {
		stamp += 3000
		o.Advance(stamp, 3000, toyInput{X: 1})
		open(a, stamp, sealed(o, 1000))
	}
	last := uint32(0)
	for a.Next(stamp) {
		if n := a.Command().Number; !a.GapFill() && n <= last {
			t.Fatalf("move %d after %d", n, last)
		} else if !a.GapFill() {
			last = n
		}
	}
	if c := a.Counters(); last != 1500 || c.Executed != queueMoves || c.Refused != 1500-queueMoves || a.Queued() != 0 {
		t.Errorf("last %d, %d queued\n%+v", last, a.Queued(), c)
	}
}

// Match time stands at 1.04 s while the packets of an owner still arrive, with a move for each of
// the next 200 ms: none runs that ends more than EarlyTolerance after match time, however often
// the match asks. [SRV-07]
func TestNoMoveRunsBeforeItsTime(t *testing.T) {
	a := newToyAuthority(toyState{})
	const lasts, now = 8 * clock.Millisecond, clock.Second + 40*clock.Millisecond
	a.Next(clock.Second)
	for number := uint32(1); number <= 25; number++ {
		var m packet[toyState, toyInput]
		m.count = 1
		m.moves[0] = Command[toyInput]{number, clock.Second + clock.Micros(number)*lasts, lasts, toyInput{}}
		var p bits.Packer
		p.Write(make([]byte, 1000))
		m.pack(&p, toy{}, m.moves[0].Stamp, nil)
		if err := open(a, now, p.Bytes()); err != nil {
			t.Fatal(err)
		}
		for a.Next(now) {
			if c := a.Command(); c.Stamp > now+EarlyTolerance {
				t.Fatalf("at %d a move up to %d was run", now, c.Stamp)
			}
		}
	}
	if n := a.Counters().Executed; n != 5 {
		t.Errorf("%d moves were run by 40 ms, want the 5 of 8 ms that end by then", n)
	}
}
