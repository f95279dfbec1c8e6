package predict

import (
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/clock"
)

const ms = clock.Millisecond

// line hands over moves of 20 ms, numbered from 1 and ending at 20, 40, … ms of a second
// of match time, and says at which ms each is run.
type line struct {
	a       *toyAuthority
	ran     map[uint32]clock.Micros
	fillers int
}

func newLine() *line {
	return &line{a: newToyAuthority(toyState{}), ran: map[uint32]clock.Micros{}}
}

const lineBegin = 100 * clock.Second

// hand has moves come at at ms.
func (l *line) hand(at clock.Micros, numbers ...uint32) {
	for _, n := range numbers {
		hand(l.a, lineBegin+at*ms, toyCommand{Number: n, Stamp: lineBegin + clock.Micros(n)*20*ms, Duration: 20 * ms})
	}
}

// run has the authority make its steps at at ms.
func (l *line) run(at clock.Micros) {
	for l.a.Next(lineBegin + at*ms) {
		if l.a.GapFill() {
			l.fillers++
			continue
		}
		l.ran[l.a.Number()] = at
	}
}

// A move waits for its stamp, unless it is early by no more than 5 ms. [GAP-12, THR-22]
func TestMovesWaitForTheirStamp(t *testing.T) {
	for _, c := range []struct{ early, want clock.Micros }{{0, 20}, {5, 15}, {6, 15}, {19, 15}} {
		l := newLine()
		l.hand(20-c.early, 1)
		for at := 20 - c.early; at < 25; at++ {
			l.run(at)
		}
		if l.ran[1] != max(c.want, 20-c.early) {
			t.Errorf("early by %d ms: run at %d ms, want %d", c.early, l.ran[1], c.want)
		}
	}
}

// On an orderly link nothing waits for a missing move. Where a move came late, the next gaps wait a
// little longer than that, at most 50 ms, and not at all with MaxReorderWait at zero. The wait decays.
func TestTheWaitForMissingMoves(t *testing.T) {
	for _, c := range []struct {
		late, wait clock.Micros // ms
		after      clock.Micros // s
		second     clock.Micros // ms for which the one after the second gap waited
	}{
		{0, 50, 1, 0}, {20, 50, 1, 25}, {36, 50, 1, 45}, {60, 50, 1, 50}, {20, -1, 1, 0},
		{40, 50, 15, 25}, {40, 50, 31, 0},
	} {
		l := newLine()
		l.a.Limits.MaxReorderWait = c.wait * ms
		l.a.Limits.SilenceTimeout = -1
		l.hand(20, 1)
		l.run(20)
		l.hand(60, 3)
		if l.run(60); l.ran[3] != 60 {
			t.Errorf("%+v: the first gap was waited for until %d", c, l.ran[3])
		}
		if c.late > 0 {
			l.hand(60+c.late, 2)
			l.run(60 + c.late)
		}
		n := uint32(3 + c.after*50)
		for i := uint32(4); i < n; i++ {
			l.hand(clock.Micros(i)*20, i)
			l.run(clock.Micros(i) * 20)
		}
		at := clock.Micros(n+1) * 20
		l.hand(at, n+1)
		for i := range clock.Micros(60) {
			l.run(at + i)
		}
		if got := l.ran[n+1] - at; got < c.second-1 || got > c.second+1 {
			t.Errorf("%+v: the second gap was waited for for %d ms", c, got)
		}
	}
}

// A late move that arrives while it is waited for is run in its turn.
func TestALateMoveIsRunInItsTurn(t *testing.T) {
	l := newLine()
	l.hand(20, 1)
	l.run(20)
	l.hand(60, 3)
	l.run(60)
	l.hand(85, 2) // too late
	l.hand(80, 4)
	l.run(90)
	l.hand(120, 6)
	l.run(120)
	l.hand(145, 5)
	l.run(146)
	if c := l.a.Counters(); l.ran[5] != 146 || l.ran[6] != 146 || l.fillers != 1 || c.Late != 2 || c.Missing != 1 {
		t.Errorf("run at %v with %d fillers\n%+v", l.ran, l.fillers, c)
	}
}

// Input delay is a player's own choice: every move waits until its stamp, the least time of the link and
// the delay are over, so that a packet that is late by less is no gap.
func TestInputDelay(t *testing.T) {
	for _, hold := range []clock.Micros{0, 100} {
		l := newLine()
		l.a.InputDelay = hold * ms
		r := rand.New(rand.NewPCG(1, uint64(hold)))
		come := map[clock.Micros][]uint32{}
		for n := range uint32(500) {
			at := clock.Micros(n+1)*20 + 30
			if r.IntN(5) == 0 {
				at += clock.Micros(r.IntN(90))
			}
			come[at] = append(come[at], n+1)
		}
		early := 0
		for at := range clock.Micros(10200) {
			l.hand(at, come[at]...)
			l.run(at)
			if n := l.a.Number(); l.ran[n] == at && at > 2000 && at < clock.Micros(n)*20+30+hold {
				early++
			}
		}
		c := l.a.Counters()
		t.Logf("hold of %d ms: %d missing, %d late", hold, c.Missing, c.Late)
		if early != 0 || (c.Missing == 0) != (hold > 0) || c.ServerDriven != 0 {
			t.Errorf("hold of %d ms: %d before their time\n%+v", hold, early, c)
		}
	}
}

// While a time discrepancy is repaid every verdict is a correction, although the position is right, each
// as soon as the one before is known to be applied, with the cause Throttle. Afterwards none is. [TIM-13]
func TestEveryVerdictCorrectsWhileDebtIsRepaid(t *testing.T) {
	a := newToyAuthority(toyState{})
	now := 10 * clock.Second
	corrections, plain, resolved := 0, 0, false
	for n := uint32(1); n <= 400; n++ {
		now += frame60
		d := frame60
		if n <= 60 {
			d = 2 * frame60
		}
		hand(a, now, toyCommand{Number: n, Stamp: now, Duration: d})
		for a.Next(now) {
		}
		if v := a.Verdict(now); a.Discrepancy().Resolving {
			if corrections++; !v.Correction || v.Cause != Throttle {
				t.Fatalf("move %d: %+v", n, v)
			}
		} else if !v.Correction {
			plain++
		}
		confirm(a)
		resolved = resolved || n > 60 && !a.Discrepancy().Resolving
	}
	if d := a.Discrepancy(); corrections < 20 || plain < 300 || !resolved || d.Resolving || d.Error != 0 || d.Episodes != 1 && d.Episodes != 2 || d.Lifetime < 700*ms {
		t.Errorf("%d corrections, %d acknowledgements, %+v", corrections, plain, d)
	}
}
