package predict

import (
	"math"

	"github.com/backstep-net/backstep/clock"
)

// Next makes the next step at match time now and reports whether there was one:
//
//	for a.Next(now) {
//		… a.StateBefore(), a.Command(), a.State(), a.GapFill()
//	}
//
// A step is the queued move with the lowest number, once its stamp has been reached. Where moves
// before it are missing, and Limits.MaxReorderWait is over, the time that they covered comes
// first: at most MaxDuration, with the next input as Rules.ClearOneTime leaves it. Where the owner is
// silent a step is time without it (Limits.SilenceTimeout).
//
// Since the first move at most the time that passed plus Limits.MaxTimeDiscrepancy (or
// SilenceTimeout, if longer) is simulated; at one instant at most that and MaxDuration, and as
// much again only ten times as long later. Stamps only grow, and nothing is simulated that is
// more than EarlyTolerance in the future. A move beyond that is cut or refused and its owner
// corrected. If the moves of an owner last longer than their stamps advance by more than
// MaxTimeDiscrepancy in all, or its clock is ahead by more, that is detected (Discrepancy): its
// moves are cut until that is paid back, and every verdict is a correction (TIM-12, TIM-13,
// GAP-12). So an owner gains at most that much, once, at any rate, and an owner that stays
// below the limit gains nothing lasting.
func (a *Authority[S, C]) Next(now clock.Micros) bool {
	a.silence.stepping = false
	if a.staged && a.missing > 0 {
		a.fillGap()
		return true
	}
	if a.staged {
		a.staged, a.gapFill = false, false
		a.runMove()
		return true
	}
	a.refill(now)
	for {
		q := a.front()
		if q == nil || !a.due(q, now) {
			return a.simulateSilence(now)
		}
		a.remove(q)
		if !a.admit(q, now) {
			continue
		}
		if a.missing > 0 {
			a.fillGap()
		} else {
			a.runMove()
		}
		return true
	}
}

// admit makes q the next move, cut to the time that its owner may use, and reports whether
// there is anything left to run.
func (a *Authority[S, C]) admit(q *queued[C], now clock.Micros) bool {
	*a.next = q.Command
	a.claim, a.arrived, a.gapFill = q.claim, q.arrived, false
	if !a.started {
		a.start(now)
	}
	ahead := a.isAhead(q)
	if ahead {
		a.detect()
		a.setBack(now)
	}
	c := a.next
	progress := c.Stamp - a.stamp
	switch {
	case progress < 1 && ahead:
		a.noteCut(c.Duration)
		a.complete(c.Number)
	case progress < 1: // TIM-07
		a.count.Stale++
		a.runTooLate(c)
		a.refuse(now)
	case now-c.Stamp > a.limits.MaxMoveAge, a.budget.tokens < int64(clock.Second):
		a.count.Refused++
		a.refuse(now)
	case !a.charge(progress):
		a.stamp = c.Stamp
		a.complete(c.Number)
	default:
		return true
	}
	return false
}

// refuse skips the next move. Time up to its stamp counts as passed unless the stamp is in the
// future. The owner is corrected, but not where the move arrived after its time was simulated
// in silence: the next claim shows whether that made a difference.
func (a *Authority[S, C]) refuse(now clock.Micros) {
	c := a.next
	overtaken := a.silence.passed(c.Stamp)
	if c.Stamp > a.stamp && c.Stamp <= now {
		a.budget.credit = min(a.budget.credit+c.Stamp-a.stamp, a.limits.MaxTimeDiscrepancy)
		a.stamp = c.Stamp
	}
	a.complete(c.Number)
	if !a.correcting && !overtaken {
		a.mispredicted(true)
	}
}

// complete makes number the newest move that was run or refused.
func (a *Authority[S, C]) complete(number uint32) {
	a.count.Missing += newer(number, a.last) - 1
	a.last = number
}

// fillGap simulates missing time before the next move, in a step of at most MaxDuration, and
// stages that move for the steps after it. Where moves are missing the held input of the next
// move is used, in a gap of the owner's own frame the held input of the move before.
func (a *Authority[S, C]) fillGap() {
	c := a.current
	if c.Number = a.next.Number; c.Number != a.last+1 {
		c.Input = a.next.Input
	} else {
		a.absence.begin(&a.state, a.stamp, a.last)
	}
	a.gapFill, a.staged = true, true
	c.Duration = min(a.missing, MaxDuration)
	a.missing -= c.Duration
	c.Stamp = a.next.Stamp - a.next.Duration - a.missing
	a.rules.ClearOneTime(&c.Input)
	a.step()
	a.stamp = c.Stamp
	a.count.GapFills++
}

// runMove runs the next move.
func (a *Authority[S, C]) runMove() {
	a.current, a.next = a.next, a.current
	c := a.current
	a.began = c.Stamp - c.Duration
	if c.Number == a.last+1 {
		a.began = a.stamp
	}
	a.endAbsence(c)
	a.predictFromAbsence(c)
	a.step()
	a.stamp = c.Stamp
	a.complete(c.Number)
	a.silence.end()
	a.count.Executed++
	a.testClaim()
}

// step runs the current move, and also on the state that its owner predicts without a correction.
func (a *Authority[S, C]) step() {
	if a.stale.beginStep(a.current.Number, a.current.Duration) {
		a.rules.Step(&a.stale.state, a.current)
	}
	a.before = a.state
	a.rules.Step(&a.state, a.current)
}

// testClaim compares the state with the claim for the move, if the move was the newest of its
// packet (SRV-03) and was made after the newest correction was applied.
func (a *Authority[S, C]) testClaim() {
	if !a.claim.made || a.correcting || a.claim.epoch != a.epoch&(1<<epochBits-1) {
		return
	}
	a.count.Tested++
	at := a.rules.Position(&a.state)
	d, same := a.claim.against(at, a.rules.Digest(&a.state), a.current.Number)
	if same && a.adoptClaim(at, math.Sqrt(d)) {
		d = 0
	}
	if !same || !(d <= a.limits.MaxErrorSquared) {
		a.mispredicted(d > float64(a.limits.LargeError*a.limits.LargeError))
	} else {
		a.stale.noteAgreed(a.epoch)
		if d <= gridErrorSquared {
			a.silence.timedOut = false // else the rest of that may yet fail a test
		}
	}
}

// Verdict returns the answer to send to the owner at match time now, valid until the next call,
// or nil before the first move. A correction is sent at once and then repeated, with the newest
// state, until a packet shows it as applied (GAP-23, ACK-03). Call it once for each packet that
// is sent.
func (a *Authority[S, C]) Verdict(now clock.Micros) *Verdict[S] {
	if !a.started && !a.correcting {
		return nil
	}
	v := &a.verdict
	v.Correction = false
	if a.budget.resolving {
		a.throttle()
	}
	if !a.correcting {
		v.Number = a.last
		return v
	}
	if !a.unsent && now-a.sentAt <= a.repeatInterval() {
		// The number stays, so that the correction that is repeated is never older than the
		// owner's newest acknowledgement, however packets are reordered.
		a.count.RepeatsHeld++
		return v
	}
	a.unsent, a.sentAt = false, now
	a.count.CorrectionsSent++
	*v = Verdict[S]{a.last, true, a.cause, a.teleports, a.yaw, a.pitch, a.epoch, *a.correctionState()}
	return v
}

// repeatInterval returns how long to wait before a correction is repeated.
func (a *Authority[S, C]) repeatInterval() clock.Micros {
	if a.large {
		return min(a.limits.CorrectionInterval, a.limits.LargeCorrectionInterval)
	}
	return max(a.limits.CorrectionInterval, a.limits.LargeCorrectionInterval)
}
