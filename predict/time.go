package predict

import "github.com/backstep-net/backstep/clock"

// Discrepancy is how far an owner's time has run ahead of the match's (TIM-12).
type Discrepancy struct {
	// Error is how far it is now, 0 … Limits.MaxTimeDiscrepancy: what its moves lasted longer than
	// their stamps advanced, or what its clock is ahead, whichever is more. It is 0 for
	// the honest, within what their clocks are off by.
	Error clock.Micros
	// Lifetime is all that was ever cut or refused to keep time, in move time.
	Lifetime clock.Micros
	// Resolving is true from its detection until the error is paid back (TIM-13).
	Resolving bool
	// Episodes is how often it was detected.
	Episodes int
}

// budget is the time that an owner may use.
type budget struct {
	tokens    int64        // moves that may be run now, in microseconds of Rate
	time      clock.Micros // that may be simulated now, 0 … Limits.atOnce and a tick
	total     clock.Micros // likewise, of all since the first move; grows with time alone
	paid      clock.Micros // up to when both were handed out
	bank      clock.Micros // how much longer moves may last than their stamps advance, 0 … Slack
	lifetime  clock.Micros // cut
	resolving bool
	episodes  int
}

// lead is how an owner's clock stands against the match's.
type lead struct {
	by    clock.Micros // of the newest move; about 0 for the honest
	ahead bool         // it was more than Slack and is still set back
	trip  clock.Micros // RoundTrip as it is believed …
	at    clock.Micros // … since then
}

// tripRise is how fast a round trip is believed to rise: by a hundredth of the time.
// After a freeze only echoes that it held are recent, and with what they took an honest
// clock would look ahead.
const tripRise = 100

// mostWay is the most that is added to a lead for the way up, so that no change of
// routes makes an honest clock, set by an echo of 300 ms, seem to be Slack ahead.
const mostWay = 100 * clock.Millisecond

// Discrepancy returns how the owner's time stands.
func (a *Authority[S, C]) Discrepancy() Discrepancy {
	b := &a.budget
	d := Discrepancy{Lifetime: b.lifetime, Resolving: b.resolving, Episodes: b.episodes}
	if a.started {
		d.Error = min(max(a.Limits.MaxTimeDiscrepancy-b.bank, a.lead.by, 0), a.Limits.MaxTimeDiscrepancy)
	}
	return d
}

// hear notes when the newest move of all came, and how its owner's clock stands.
//
// An honest owner's clock is the midpoint of its best echo, so it is wrong by half of
// what the way up takes longer than the way down; its stamp comes that much later or
// earlier. With half the round trip added, the lead is zero however lopsided the line
// is, and packets that are late only lower it.
func (a *Authority[S, C]) hear(q *queued[C]) {
	a.silence.heard = max(a.silence.heard, q.arrived)
	if q.Number != a.newest {
		return
	}
	a.lateness = q.arrived - q.Stamp - a.line.Note(q.arrived, q.arrived-q.Stamp)
	a.lead.believe(a.RoundTrip, q.arrived)
	a.lead.by = a.leads(q)
	if a.lead.by > a.Limits.MaxTimeDiscrepancy {
		a.lead.ahead = true
		a.detect()
	} else if a.lead.by <= a.Limits.MaxTimeDiscrepancy/2 {
		a.lead.ahead = false
	}
}

// leads is by how much a move came earlier than an honest owner's could have.
func (a *Authority[S, C]) leads(q *queued[C]) clock.Micros {
	return q.Stamp - q.arrived + a.lead.way()
}

// way is what is added for the way up. An honest clock is off by up to half of the round
// trip of its best echo, and where routes change since then that may be another than
// the least: added without bound, the two halves could pass for a lead.
func (l *lead) way() clock.Micros { return min(l.trip/2, mostWay) }

// believe takes a round trip, down at once and up slowly.
func (l *lead) believe(trip, now clock.Micros) {
	if l.trip > 0 {
		trip = min(trip, l.trip+max(now-l.at, 0)/tripRise)
	}
	l.trip, l.at = trip, now
}

// due reports whether a move's time has come: not before its stamp, not while what is
// missing before it may yet come, and not before the owner's own Hold.
func (a *Authority[S, C]) due(q *queued[C], now clock.Micros) bool {
	if a.started && q.Number != a.last+1 {
		if wait := a.late.wait(now, a.Limits.MaxReorderWait); wait > 0 && now-q.arrived < wait {
			return false
		}
	}
	if a.isAhead(q) {
		return true
	}
	return q.Stamp <= now+EarlyTolerance && (a.Hold == 0 || now-q.Stamp >= a.lineDelay()+a.Hold)
}

// isAhead reports whether the owner's clock was ahead with this move. Then it does not
// wait for its time, which is set back.
func (a *Authority[S, C]) isAhead(q *queued[C]) bool {
	return a.lead.ahead || a.leads(q) > a.Limits.MaxTimeDiscrepancy
}

// setBack moves the next move's stamp to where the clock of an owner who is ahead
// should have been, and no further than the move lasts: so it is run at the pace of
// the match.
func (a *Authority[S, C]) setBack(now clock.Micros) {
	c := a.next
	honest := min(a.arrived-a.lead.way(), now)
	honest -= honest % TimeQuantum
	if a.started {
		honest = min(honest, a.stamp+c.Duration)
	}
	c.Stamp = min(c.Stamp, honest)
}

// refill is in how many times its length what was run at once may be run at once again.
const refill = 10

// pay hands out the time since the last payment. What was full and then was not asked
// for has a whole tick on top, however long that was: a late tick is not its fault.
func (a *Authority[S, C]) pay(now clock.Micros) {
	b := &a.budget
	full, most := int64(a.Limits.Burst)*int64(clock.Second), a.Limits.atOnce()
	if !a.started {
		b.tokens, b.time, b.bank = full, most, a.Limits.MaxTimeDiscrepancy
		b.total = most - MaxDuration
	} else if d := min(now-b.paid, 3600*clock.Second); d > 0 {
		b.tokens = min(b.tokens+int64(d)*int64(a.Limits.Rate), full)
		b.time = min(b.time+d/refill, most) + d
		b.total += d
	}
	b.paid = max(b.paid, now)
}

// begin starts the count of stamps where the next move, the first of all, began. Who
// comes later than the line and a silence explain was silent: the time before is over.
func (a *Authority[S, C]) begin(now clock.Micros) {
	c := a.next
	late := now - max(a.Limits.held(), a.RoundTrip/2+a.Limits.MaxReorderWait)
	late -= late % TimeQuantum
	a.stamp = min(c.Stamp, now-now%TimeQuantum) - c.Duration
	if a.stamp < late {
		a.stamp = late
		a.silence.until, a.silence.ran, a.silence.overtook = late, true, true
	}
	a.last, a.started = c.Number-1, true
}

// book cuts the next move to the time that its owner may have, given by how much its
// stamp advances, and pays for it and for the missing time before it. It reports
// whether anything is left of it.
func (a *Authority[S, C]) book(progress clock.Micros) bool {
	b, c := &a.budget, a.next
	may := a.mayMiss(c)
	if a.silence.straddled(a.stamp) {
		c.Duration = min(c.Duration, progress)
	}
	if b.bank+progress < c.Duration {
		a.detect()
	}
	if b.resolving {
		a.curb(b.allowed(progress, a.Limits.MaxTimeDiscrepancy))
	}
	claimed := c.Duration // what is overdue was claimed all the same
	most := min(b.time, b.total)
	if c.Duration > most {
		c.Duration = most - most%TimeQuantum
		a.silence.overtook = true
		a.count.Overdue++
	}
	a.missing = 0
	if !b.resolving {
		a.missing = max(min(progress-claimed, may, most-c.Duration), 0)
		a.missing -= a.missing % TimeQuantum
	}
	b.tokens -= int64(clock.Second)
	b.spend(c.Duration + a.missing)
	b.bank = min(b.bank+progress-claimed-a.missing, a.Limits.MaxTimeDiscrepancy)
	if b.resolving {
		a.slow()
		b.resolving = b.bank < a.Limits.MaxTimeDiscrepancy || a.lead.ahead
	}
	return c.Duration > 0
}

// spend pays for time that is simulated.
func (b *budget) spend(d clock.Micros) {
	b.time -= d
	b.total -= d
}

// curb cuts the next move to what is allowed while a discrepancy is resolved.
func (a *Authority[S, C]) curb(allowed clock.Micros) {
	c := a.next
	if asked := c.Duration; allowed < asked {
		c.Duration = allowed - allowed%TimeQuantum
		a.cut(asked - c.Duration)
	}
}

// allowed is how long a move may last while a discrepancy is resolved: half of what
// its stamp advances until all that was borrowed is paid back (GAP-12).
func (b *budget) allowed(progress, slack clock.Micros) clock.Micros {
	if b.bank < slack {
		return progress / 2
	}
	return progress
}

// detect begins an episode.
func (a *Authority[S, C]) detect() {
	if !a.budget.resolving {
		a.budget.resolving = true
		a.budget.episodes++
	}
}

// cut counts time that was not run.
func (a *Authority[S, C]) cut(d clock.Micros) {
	a.budget.lifetime += d
	a.count.Cut++
	a.slow()
}

// slow has the owner corrected, unless it is being.
func (a *Authority[S, C]) slow() {
	if !a.correcting {
		a.correct(true, Throttle)
		a.count.SlowedDown++
	}
}
