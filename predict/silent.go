package predict

import "github.com/backstep-net/backstep/clock"

// slowest is the largest delay of a line that is allowed for when its owner is silent:
// whoever is further behind is carried on whatever comes.
const slowest = 2 * clock.Second

// silence is what is known of an owner's being silent.
type silence struct {
	heard    clock.Micros // when something new came last
	carried  clock.Micros // time that was simulated since
	until    clock.Micros // the stamp of the newest of it
	ran      bool         // some was simulated since the last move that was run
	overtook bool         // and since the last claim that was tested
	now      bool         // the step that Next made is of it
}

// Resting may be implemented by Rules: Rest lets go of all that an input holds, and
// leaves what is not held, such as where it looks. It is asked for the input of a
// player who has been silent for longer than Limits.InputHoldTime; without it that is the
// zero C.
type Resting[C any] interface {
	Rest(c *C)
}

// ServerDriven reports whether Next simulated time in which the owner was silent (GAP-11).
// Command then has the number of the newest move run or refused and the stamp at which
// the step ends.
func (a *Authority[S, C]) ServerDriven() bool { return a.silence.now }

// straddled reports whether stamp was reached without the owner, whose next move may
// have begun before.
func (s *silence) straddled(stamp clock.Micros) bool { return s.ran && stamp == s.until }

// missed reports whether a move was overtaken by time that was simulated without it.
func (s *silence) missed(stamp clock.Micros) bool { return s.ran && stamp <= s.until }

// carryOn simulates on where the owner has been silent, and reports whether it did.
// Who never made a move is not silent. It trails the match by what the line takes and
// by how long a silence may last, so what comes in time is never overtaken.
func (a *Authority[S, C]) carryOn(now clock.Micros) bool {
	if a.Limits.SilenceTimeout == 0 || !a.started {
		return false
	}
	trail := max(a.Limits.SilenceTimeout, a.Hold)
	quiet := a.waits == 0 && now-a.silence.heard > trail
	if !quiet && a.stamp >= now-trail-slowest {
		return false
	}
	behind := now - trail - min(a.lineDelay(), slowest) - a.stamp
	if behind > slowest { // nobody asked for long: what nobody saw is not simulated
		a.stamp += (behind - MaxDuration) / TimeQuantum * TimeQuantum
		behind = MaxDuration
	}
	d := min(behind, MaxDuration, a.budget.time, a.budget.total)
	if d -= d % TimeQuantum; d <= 0 {
		return false
	}
	a.force(d)
	return true
}

// force simulates d without the owner.
func (a *Authority[S, C]) force(d clock.Micros) {
	a.leave()
	s, c := &a.silence, a.current
	if !s.ran || s.carried < a.Limits.InputHoldTime {
		a.rules.Carry(&c.Input)
	} else if a.optional.resting != nil {
		a.optional.resting.Rest(&c.Input)
	} else {
		c.Input = a.in.none.Input
	}
	c.Number, c.Stamp, c.Duration = a.last, a.stamp+d, d
	a.filler, s.now = true, true
	a.step()
	a.stamp += d
	a.budget.spend(d)
	s.until, s.ran, s.overtook = a.stamp, true, true
	s.carried += d
	a.count.ServerDriven++
}

// spoke notes that a move was run.
func (s *silence) spoke() { s.carried, s.ran = 0, false }
