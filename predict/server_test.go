package predict

import (
	"testing"

	"github.com/backstep-net/backstep/clock"
)

// step is what Next did.
type step struct {
	number uint32
	stamp  clock.Micros // ms
	long   clock.Micros // ms
	filler bool
}

// steps has a make its steps at now and returns them.
func steps(a *toyAuthority, now clock.Micros) (list []step) {
	for a.Next(now) {
		c := a.Command()
		list = append(list, step{c.Number, c.Stamp / ms, c.Duration / ms, a.GapFill()})
	}
	return list
}

// at is a move of 20 ms that ends at stamp ms, held to the right.
func at(number uint32, stamp clock.Micros) toyCommand {
	return toyCommand{Number: number, Stamp: stamp * ms, Duration: 20 * ms, Input: toyInput{X: 1}}
}

// Which moves of a packet are run, when the stamp 1,000 ms of move 10 was reached.
// [SRV-02, SRV-06, TIM-07, TIM-09, TIM-10, TIM-11, GAP-08, GAP-09, HIT-15]
func TestWhichMovesOfAPacketAreRun(t *testing.T) {
	long := func(c toyCommand, d clock.Micros) toyCommand { c.Duration = d * ms; return c }
	for _, c := range []struct {
		name  string
		now   clock.Micros // ms
		moves []toyCommand
		want  []step
		stale int
	}{
		{"the next two", 1040, []toyCommand{at(11, 1020), at(12, 1040)}, []step{{11, 1020, 20, false}, {12, 1040, 20, false}}, 0},
		{"an old one that was run, and the next two", 1040, []toyCommand{at(10, 1000), at(11, 1020), at(12, 1040)},
			[]step{{11, 1020, 20, false}, {12, 1040, 20, false}}, 0},
		{"in disorder", 1060, []toyCommand{at(13, 1060), at(11, 1020), at(12, 1040)},
			[]step{{11, 1020, 20, false}, {12, 1040, 20, false}, {13, 1060, 20, false}}, 0},
		{"one with a stamp before, and one after", 1040, []toyCommand{at(11, 950), at(12, 1020)}, []step{{12, 1020, 20, false}}, 1},
		{"one with the very stamp", 1040, []toyCommand{at(11, 1000), at(12, 1020)}, []step{{12, 1020, 20, false}}, 1},
		{"after a missing one", 1060, []toyCommand{at(12, 1040)}, []step{{12, 1020, 20, true}, {12, 1040, 20, false}}, 0},
		{"after more that are missing than one step covers", 1240, []toyCommand{at(21, 1220)}, []step{{21, 1200, 125, true}, {21, 1220, 20, false}}, 0},
		{"after a frame of half a second", 1500, []toyCommand{long(at(11, 1500), 125)}, []step{{11, 1125, 125, true}, {11, 1250, 125, true}, {11, 1375, 125, true}, {11, 1500, 125, false}}, 0},
		{"after a frame of 1.2 s", 2200, []toyCommand{long(at(11, 2200), 125)}, []step{{11, 2200, 125, false}}, 0},
		{"after two minutes", 121000, []toyCommand{at(11, 121000)}, []step{{11, 121000, 20, false}}, 0},
		{"after more than two minutes", 131000, []toyCommand{at(11, 131000)}, []step{{11, 131000, 20, false}}, 0},
	} {
		a := newToyAuthority(toyState{})
		hand(a, 1000*ms, at(10, 1000))
		steps(a, 1000*ms)
		hand(a, c.now*ms, c.moves...)
		got := steps(a, c.now*ms)
		same := len(got) == len(c.want)
		for i := range got {
			same = same && got[i] == c.want[i]
		}
		last := c.want[len(c.want)-1]
		if !same || a.Counters().Stale != c.stale || a.Stamp() != last.stamp*ms || a.Number() != last.number {
			t.Errorf("%s: %v, want %v\n%+v", c.name, got, c.want, a.Counters())
		}
	}
}

// Five moves of one packet are five steps, one error check after all of them, and one verdict about the
// last. [SRV-03, ACK-01]
func TestOneVerdictForAPacket(t *testing.T) {
	a, o := newToyAuthority(toyState{}), newToyOwner(toyState{})
	now := clock.Second
	for range 5 {
		now += frame60
		o.Advance(now-now%TimeQuantum, frame60, toyInput{X: 1})
	}
	if a.Verdict(now) != nil {
		t.Error("a verdict before the first move")
	}
	if err := open(a, now, sealed(o, 1000)); err != nil {
		t.Fatal(err)
	}
	n := len(steps(a, now))
	v := a.Verdict(now)
	if c := a.Counters(); n != 5 || c.Tested != 1 || v.Number != 5 || v.Correction {
		t.Errorf("%d steps, %+v\n%+v", n, v, c)
	}
}

// ACK-04, GAP-23: a correction whose packets are lost is repeated, with what is true by
// then, although nothing is wrong any more; the first one of an episode goes at once,
// however shortly before another was sent.
func TestCorrectionsOutliveTheirMoves(t *testing.T) {
	a := newToyAuthority(toyState{})
	hand(a, 1000*ms, at(10, 1000))
	steps(a, 1000*ms)
	a.mispredicted(false)
	sent, now := 0, 1000*ms
	for range 50 {
		now += 7 * ms
		if a.Verdict(now).Correction {
			sent++
		}
	}
	confirm(a)
	if a.Verdict(now).Correction || sent < 3 {
		t.Errorf("sent %d times", sent)
	}
	a.mispredicted(false)
	if !a.Verdict(now).Correction {
		t.Error("the next episode waits")
	}
	confirm(a)
	a.mispredicted(false)
	if !a.Verdict(now).Correction {
		t.Error("the one after it, at the same instant, waits")
	}
}

// TIM-09, GAP-10: stamps and numbers that would be resets of the reference are not: a
// clock that goes back by two minutes is stale until it is corrected, one that goes on
// by two minutes is set back, and nothing is gained by either. [TIM-06, TIM-08]
func TestClocksThatJump(t *testing.T) {
	a := newToyAuthority(toyState{})
	hand(a, 130000*ms, at(10, 130000))
	steps(a, 130000*ms)
	hand(a, 130020*ms, at(11, 9900))
	if got := steps(a, 130020*ms); len(got) != 0 || a.Counters().Stale != 1 || !a.correcting {
		t.Errorf("back: %v\n%+v", got, a.Counters())
	}
	hand(a, 130040*ms, at(12, 250040))
	if got := steps(a, 130040*ms); len(got) != 1 || got[0] != (step{12, 130020, 20, false}) {
		t.Errorf("forth: %v", got)
	}
	if d := a.Discrepancy(); !d.Resolving || d.Episodes != 1 {
		t.Errorf("forth: %+v", d)
	}
	hand(a, 130060*ms, at(13, 130060))
	if got := steps(a, 130060*ms); len(got) != 1 || got[0] != (step{13, 130060, 20, false}) || a.Discrepancy().Resolving {
		t.Errorf("right again: %v %+v", got, a.Discrepancy())
	}
}
