package predict

import "github.com/backstep-net/backstep/clock"

// maxLinkDelay is the longest link delay for which the authority waits when an owner is silent.
// An owner further behind is simulated even while its moves arrive.
const maxLinkDelay = 2 * clock.Second

// silence is the time that was simulated without the owner.
type silence struct {
	lastArrival clock.Micros // when the newest packet with a new move arrived
	simulated   clock.Micros // since the last move that was run
	until       clock.Micros // stamp up to which time was simulated
	tolerated   wait         // for late moves, beyond SilenceTimeout
	active      bool         // time was simulated since the last move that was run
	timedOut    bool         // time was simulated since the last claim that agreed exactly
	stepping    bool         // the step that Next made is such time
}

// HeldReleaser is an optional method of Rules. ReleaseHeld releases everything that an input holds and
// keeps the rest, such as the direction of the view. It makes the input of an owner that is
// silent for longer than Limits.InputHoldTime; without ReleaseHeld that input is the zero C.
type HeldReleaser[C any] interface {
	ReleaseHeld(c *C)
}

// ServerDriven reports whether Next simulated time without the owner, which was silent (GAP-11).
// Command then has the number of the newest move that was run or refused, and the stamp at
// which the step ends.
func (a *Authority[S, C]) ServerDriven() bool { return a.silence.stepping }

// reached reports whether stamp was reached without the owner. Its next move may have begun
// before that.
func (s *silence) reached(stamp clock.Micros) bool { return s.active && stamp == s.until }

// passed reports whether the time of a move was simulated before it arrived.
func (s *silence) passed(stamp clock.Micros) bool { return s.active && stamp <= s.until }

// simulateSilence simulates time without an owner that is silent, and reports whether it did.
// Before its first move an owner is not silent. The time trails the match by the link's delay
// and silenceTimeout, so a move that arrives in time is never overtaken.
func (a *Authority[S, C]) simulateSilence(now clock.Micros) bool {
	if a.limits.SilenceTimeout == 0 || !a.started {
		return false
	}
	trail := max(a.silenceTimeout(now), a.InputDelay)
	if a.waiting > 0 || now-a.silence.lastArrival <= trail {
		trail = max(a.limits.SilenceTimeout, a.InputDelay)
		if a.stamp >= now-trail-maxLinkDelay {
			return false
		}
	}
	behind := now - trail - min(a.minDelay(), maxLinkDelay) - a.stamp
	if behind > maxLinkDelay { // Next was not called for that long: skip the time
		a.stamp += (behind - MaxDuration) / TimeQuantum * TimeQuantum
		behind = MaxDuration
	}
	d := min(behind, MaxDuration, a.budget.time, a.budget.total)
	if d -= d % TimeQuantum; d <= 0 {
		return false
	}
	a.drive(d)
	return true
}

// silenceTimeout returns how long to wait for an owner: SilenceTimeout, or twice the longest recent
// run of lost packets if that is longer. The time beyond SilenceTimeout is at most the owner's unused
// discrepancy, so that it can hold back no more time in all than any other owner (TIM-16).
func (a *Authority[S, C]) silenceTimeout(now clock.Micros) clock.Micros {
	most := a.limits.SilenceTimeout + max(a.budget.credit, 0)
	return max(a.limits.SilenceTimeout, a.silence.tolerated.length(now, most))
}

// noteLostRun measures how long packets were lost before one whose new moves end between two stamps.
// After a link that held packets, or a page that froze, no packet has such moves. An outage longer than
// any wait counts for nothing.
func (a *Authority[S, C]) noteLostRun(first, last, arrived clock.Micros) {
	most := a.limits.SilenceTimeout + a.limits.MaxTimeDiscrepancy
	if run := min(last-first, arrived-a.silence.lastArrival); a.started && run <= most {
		a.silence.tolerated.raise(2*run, arrived, most)
	}
}

// drive simulates d without the owner.
func (a *Authority[S, C]) drive(d clock.Micros) {
	a.absence.begin(&a.state, a.stamp, a.last)
	s, c := &a.silence, a.current
	if !s.active || s.simulated < a.limits.InputHoldTime {
		a.rules.ClearOneTime(&c.Input)
	} else if a.optional.releaser != nil {
		a.optional.releaser.ReleaseHeld(&c.Input)
	} else {
		var none C
		c.Input = none
	}
	c.Number, c.Stamp, c.Duration = a.last, a.stamp+d, d
	a.gapFill, s.stepping = true, true
	a.step()
	a.stamp += d
	a.budget.spend(d)
	s.until, s.active, s.timedOut = a.stamp, true, true
	s.simulated += d
	a.count.ServerDriven++
}

// end ends the silence: a move was run.
func (s *silence) end() { s.simulated, s.active = 0, false }
