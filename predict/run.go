package predict

import "github.com/backstep-net/backstep/clock"

// Next makes the next step at match time now and reports whether there was one:
//
//	for a.Next(now) {
//		… a.Before(), a.Command(), a.State(), a.Filler()
//	}
//
// A step is the queued move of the lowest number, or, where moves before it are
// missing, first the time they covered: at most MaxDuration with what Carry leaves
// of the next input. Nothing waits for a missing move, since the packets after it
// carried it too.
//
// Moves are refused (and the owner corrected) where they last longer than their
// stamps advance, are ahead of the match, too old or too many: see Limits. So an
// owner whose clock runs fast, or who invents time, gains Limits.Slack once
// (TIM-12, GAP-12), while one whose packets were held for seconds loses nothing.
func (a *Authority[S, C]) Next(now clock.Micros) bool {
	if a.staged {
		a.staged, a.filler, a.current = false, false, a.next
		a.run()
		return true
	}
	a.pay(now)
	for {
		q := a.front()
		if q == nil {
			return false
		}
		q.full = false
		a.waits--
		if !a.admit(q, now) {
			continue
		}
		a.current, a.proof, a.filler = q.Command, q.proof, false
		if !a.fill() {
			a.run()
		}
		return true
	}
}

// pay hands out tokens for the time since the last payment.
func (a *Authority[S, C]) pay(now clock.Micros) {
	full := int64(a.Limits.Burst) * int64(clock.Second)
	if !a.started {
		a.tokens = full
	} else if d := min(now-a.paid, 3600*clock.Second); d > 0 {
		a.tokens = min(a.tokens+int64(d)*int64(a.Limits.Rate), full)
	}
	a.paid = max(a.paid, now)
}

// admit checks a move's time and books it. A move that fails is done with.
func (a *Authority[S, C]) admit(q *queued[C], now clock.Micros) bool {
	progress := q.Duration
	if a.started {
		progress = q.Stamp - a.stamp
	} else {
		a.bank = a.Limits.Slack
	}
	switch {
	case progress < 1: // TIM-07
		a.count.Stale++
	case q.Stamp-now > a.Limits.Slack, now-q.Stamp > a.Limits.Oldest,
		a.tokens < int64(clock.Second), a.bank+progress < q.Duration:
		a.count.Refused++
	default:
		a.bank = min(a.bank+progress-q.Duration, a.Limits.Slack)
		a.tokens -= int64(clock.Second)
		return true
	}
	a.refuse(q, now)
	return false
}

// refuse passes over a move without running it. The time its stamp claims counts
// as passed unless it is yet to come.
func (a *Authority[S, C]) refuse(q *queued[C], now clock.Micros) {
	if a.started && q.Stamp > a.stamp && q.Stamp <= now {
		a.bank = min(a.bank+q.Stamp-a.stamp, a.Limits.Slack)
		a.stamp = q.Stamp
	} else if !a.started {
		a.stamp = min(q.Stamp, now) - q.Duration
	}
	a.pass(q.Number)
	if !a.correcting {
		a.wrong(true)
	}
}

// pass makes number the newest move that is done with.
func (a *Authority[S, C]) pass(number uint32) {
	if a.started {
		a.count.Missing += newer(number, a.last) - 1
	}
	a.last, a.started = number, true
}

// fill simulates the time between the last move and the current one where moves
// are missing, and stages the current one for the next step. It reports whether
// there was any.
func (a *Authority[S, C]) fill() bool {
	c := &a.current
	begin := c.Stamp - c.Duration
	if !a.started || c.Number == a.last+1 || begin <= a.stamp {
		return false
	}
	a.filler, a.staged, a.next = true, true, *c
	c.Stamp, c.Duration = begin, min(begin-a.stamp, MaxDuration)
	a.rules.Carry(&c.Input)
	a.step()
	a.count.Fillers++
	return true
}

// run makes the current move.
func (a *Authority[S, C]) run() {
	a.began = a.current.Stamp - a.current.Duration
	if a.started && a.current.Number == a.last+1 {
		a.began = a.stamp
	}
	a.step()
	a.stamp = a.current.Stamp
	a.pass(a.current.Number)
	a.count.Executed++
	a.judge()
}

func (a *Authority[S, C]) step() {
	a.before = a.state
	a.rules.Step(&a.state, &a.current)
}

// judge compares the state with the claim that came with the move, if it was the
// newest of its packet (SRV-03) and made after the newest correction was applied.
func (a *Authority[S, C]) judge() {
	if !a.proof.made || a.correcting || a.proof.epoch != a.epoch&(1<<epochBits-1) {
		return
	}
	a.count.Tested++
	at := a.rules.Position(&a.state)
	d := a.proof.distance(at)
	if !(d <= a.Limits.ErrorSquared) || !a.proof.agrees(at, a.rules.Digest(&a.state), a.current.Number) {
		a.wrong(d > float64(a.Limits.Large*a.Limits.Large))
	}
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
	*v = Verdict[S]{a.last, true, a.cause, a.places, a.epoch, a.state}
	return v
}

// patience is how long to wait before a correction is repeated.
func (a *Authority[S, C]) patience() clock.Micros {
	if a.large {
		return min(a.Limits.Repeat, a.Limits.RepeatLarge)
	}
	return max(a.Limits.Repeat, a.Limits.RepeatLarge)
}
