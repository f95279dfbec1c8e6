package predict

import (
	"math"

	"github.com/backstep-net/backstep/clock"
)

// Next makes the next step at match time now and reports whether there was one:
//
//	for a.Next(now) {
//		… a.Before(), a.Command(), a.State(), a.Filler()
//	}
//
// A step is the queued move of the lowest number whose time has come; or, where moves
// before it are missing and were waited for (Limits.MaxReorderWait), first the time they covered:
// at most MaxDuration with what Carry leaves of the next input; or, where the owner is
// silent, time without it (Limits.SilenceTimeout).
//
// Since the first move no more is simulated than the time that passed and Limits.MaxTimeDiscrepancy
// (or Silent, where that is more); at once no more than that and MaxDuration, and so
// much again ten times as long after; stamps only grow, and nothing is simulated that is more
// than Early in the future. A move that would break this is cut or refused, and its
// owner corrected, as one of whom too much came too late. One whose moves last longer than
// their stamps advance by more than Slack in all, or whose clock is ahead by more, is
// detected (Discrepancy): its moves are cut until it has paid back, with a correction
// for every verdict (TIM-12, TIM-13, GAP-12). So nobody gains more than that once,
// whatever the rate, and who stays within gains nothing that lasts.
func (a *Authority[S, C]) Next(now clock.Micros) bool {
	a.silence.now = false
	if a.staged && a.missing > 0 {
		a.fill()
		return true
	}
	if a.staged {
		a.staged, a.filler = false, false
		a.run()
		return true
	}
	a.pay(now)
	for {
		q := a.front()
		if q == nil || !a.due(q, now) {
			return a.carryOn(now)
		}
		q.full = false
		a.waits--
		if !a.admit(q, now) {
			continue
		}
		if a.missing > 0 {
			a.fill()
		} else {
			a.run()
		}
		return true
	}
}

// admit makes q the next move, with as much of its time as its owner may have. A move
// of which nothing is left is done with.
func (a *Authority[S, C]) admit(q *queued[C], now clock.Micros) bool {
	*a.next = q.Command
	a.proof, a.arrived, a.filler = q.proof, q.arrived, false
	if !a.started {
		a.begin(now)
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
		a.cut(c.Duration)
		a.pass(c.Number)
	case progress < 1: // TIM-07
		a.count.Stale++
		a.follow(c)
		a.refuse(now)
	case now-c.Stamp > a.Limits.MaxMoveAge, a.budget.tokens < int64(clock.Second):
		a.count.Refused++
		a.refuse(now)
	case !a.book(progress):
		a.stamp = c.Stamp
		a.pass(c.Number)
	default:
		return true
	}
	return false
}

// refuse passes over the next move without running it. The time its stamp claims
// counts as passed unless it is yet to come. Its owner is corrected, but not for what
// was overtaken while it was silent: its next claim tells whether that made a
// difference.
func (a *Authority[S, C]) refuse(now clock.Micros) {
	c := a.next
	overtaken := a.silence.missed(c.Stamp)
	if c.Stamp > a.stamp && c.Stamp <= now {
		a.budget.bank = min(a.budget.bank+c.Stamp-a.stamp, a.Limits.MaxTimeDiscrepancy)
		a.stamp = c.Stamp
	}
	a.pass(c.Number)
	if !a.correcting && !overtaken {
		a.wrong(true)
	}
}

// pass makes number the newest move that is done with.
func (a *Authority[S, C]) pass(number uint32) {
	a.count.Missing += newer(number, a.last) - 1
	a.last = number
}

// fill simulates the missing time before the next move, a step of at most MaxDuration, and
// stages that for the steps after it: where moves are missing with what that one holds, and
// a gap with what its owner held before.
func (a *Authority[S, C]) fill() {
	c := a.current
	if c.Number = a.next.Number; c.Number != a.last+1 {
		c.Input = a.next.Input
	} else {
		a.leave()
	}
	a.filler, a.staged = true, true
	c.Duration = min(a.missing, MaxDuration)
	a.missing -= c.Duration
	c.Stamp = a.next.Stamp - a.next.Duration - a.missing
	a.rules.Carry(&c.Input)
	a.step()
	a.stamp = c.Stamp
	a.count.GapFills++
}

// run makes the next move.
func (a *Authority[S, C]) run() {
	a.current, a.next = a.next, a.current
	c := a.current
	a.began = c.Stamp - c.Duration
	if c.Number == a.last+1 {
		a.began = a.stamp
	}
	a.comeBack(c)
	a.step()
	a.stamp = c.Stamp
	a.pass(c.Number)
	a.silence.spoke()
	a.count.Executed++
	a.judge()
}

func (a *Authority[S, C]) step() {
	if a.unaware.steps(a.current.Number, a.current.Duration) {
		a.rules.Step(&a.unaware.state, a.current)
	}
	a.before = a.state
	a.rules.Step(&a.state, a.current)
}

// judge compares the state with the claim that came with the move, if it was the
// newest of its packet (SRV-03) and made after the newest correction was applied.
func (a *Authority[S, C]) judge() {
	if !a.proof.made || a.correcting || a.proof.epoch != a.epoch&(1<<epochBits-1) {
		return
	}
	a.count.Tested++
	at := a.rules.Position(&a.state)
	d, same := a.proof.against(at, a.rules.Digest(&a.state), a.current.Number)
	if same && a.trust(at, math.Sqrt(d)) {
		d = 0
	}
	if !same || !(d <= a.Limits.MaxErrorSquared) {
		a.wrong(d > float64(a.Limits.LargeError*a.Limits.LargeError))
	}
	a.silence.overtook = false
}

// Verdict returns what to tell the owner at match time now, valid until the next
// call, or nil before the first move. A correction is sent at once and then again,
// with the newest state, until a packet shows that it was applied (GAP-23, ACK-03).
// Call it once for each packet that goes out.
func (a *Authority[S, C]) Verdict(now clock.Micros) *Verdict[S] {
	if !a.started && !a.correcting {
		return nil
	}
	v := &a.verdict
	v.Correction = false
	if a.budget.resolving {
		a.slow()
	}
	if !a.correcting {
		v.Number = a.last
		return v
	}
	if !a.fresh && now-a.sentAt <= a.patience() {
		// Its number stays, so that the correction it repeats is never older than
		// what the owner knows as acknowledged, however packets are reordered.
		a.count.Throttled++
		return v
	}
	a.fresh, a.sentAt = false, now
	a.count.CorrectionsSent++
	*v = Verdict[S]{a.last, true, a.cause, a.places, a.epoch, *a.known()}
	return v
}

// patience is how long to wait before a correction is repeated.
func (a *Authority[S, C]) patience() clock.Micros {
	if a.large {
		return min(a.Limits.CorrectionInterval, a.Limits.LargeCorrectionInterval)
	}
	return max(a.Limits.CorrectionInterval, a.Limits.LargeCorrectionInterval)
}
