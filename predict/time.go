package predict

import "github.com/backstep-net/backstep/clock"

// Discrepancy is how far an owner's time has run ahead of match time (TIM-12).
type Discrepancy struct {
	// Error is the current discrepancy, 0 … Limits.MaxTimeDiscrepancy: how much longer the moves
	// lasted than their stamps advanced, or how far the owner's clock is ahead, whichever is
	// more. For an honest owner it is 0 within the error of its clock.
	Error clock.Micros
	// Lifetime is the total time of moves that was cut or refused.
	Lifetime clock.Micros
	// Resolving is true from the detection until the error is paid back (TIM-13).
	Resolving bool
	// Episodes counts detections.
	Episodes int
}

// budget is the time that the moves of an owner may use.
type budget struct {
	tokens     int64        // moves that may be run now, 10⁶ for each
	time       clock.Micros // that may be simulated now, 0 … Limits.atOnce plus a tick
	total      clock.Micros // the same since the first move; grows only with match time
	refilledAt clock.Micros // match time of the last refill
	credit     clock.Micros // how much longer moves may still last than their stamps advance
	used       clock.Micros // of that, by an earlier authority of the owner
	lifetime   clock.Micros // see Discrepancy
	resolving  bool
	episodes   int
}

// lead is how far an owner's clock is ahead of match time.
type lead struct {
	by        clock.Micros // of the newest move; about 0 for an honest owner
	ahead     bool         // it exceeded MaxTimeDiscrepancy, and stamps are still set back
	roundTrip clock.Micros // RoundTrip with its rise limited …
	at        clock.Micros // … at that match time
}

// roundTripRise limits the rise of a round trip to a hundredth of the time. After a freeze the
// only recent clock samples are those that the freeze held, and with their round trips an honest clock
// would look ahead.
const roundTripRise = 100

// maxUplink is the largest time that is added to a lead for the uplink, so that a change of
// route cannot make an honest clock that was set by a sample of 300 ms look too far ahead.
const maxUplink = 100 * clock.Millisecond

// Discrepancy returns how far the owner's time is ahead.
func (a *Authority[S, C]) Discrepancy() Discrepancy {
	b := &a.budget
	d := Discrepancy{Lifetime: b.lifetime, Resolving: b.resolving, Episodes: b.episodes}
	if a.started {
		d.Error = min(max(a.limits.MaxTimeDiscrepancy-b.credit, a.lead.by, 0), a.limits.MaxTimeDiscrepancy)
	}
	return d
}

// noteArrival notes the arrival of the newest move of a packet, and how far its owner's clock is
// ahead.
//
// An honest clock is set to the midpoint of its best sample, so it is wrong by half of the
// difference between uplink and downlink, and its stamps are early or late by as much. With
// half of the round trip added the lead is zero on any asymmetric link, and packets that arrive
// late only lower it.
func (a *Authority[S, C]) noteArrival(q *queued[C]) {
	a.silence.lastArrival = max(a.silence.lastArrival, q.arrived)
	if q.Number != a.newest {
		return
	}
	a.lateness = q.arrived - q.Stamp - a.linkDelay.Note(q.arrived, q.arrived-q.Stamp)
	a.lead.updateRoundTrip(a.RoundTrip, q.arrived)
	a.lead.by = a.leadOf(q)
	if a.lead.by > a.limits.MaxTimeDiscrepancy {
		a.lead.ahead = true
		a.detect()
	} else if a.lead.by <= a.limits.MaxTimeDiscrepancy/2 {
		a.lead.ahead = false
	}
}

// leadOf returns how much earlier a move arrived than that of an honest owner could.
func (a *Authority[S, C]) leadOf(q *queued[C]) clock.Micros {
	return q.Stamp - q.arrived + a.lead.uplink()
}

// uplink returns the time that is added for the uplink. An honest clock is off by up to half of
// the round trip of its best sample, which after a change of route differs from the current
// shortest one; without a bound the two errors together could look like a lead.
func (l *lead) uplink() clock.Micros { return min(l.roundTrip/2, maxUplink) }

// updateRoundTrip follows a round trip: down at once, up slowly.
func (l *lead) updateRoundTrip(trip, now clock.Micros) {
	if l.roundTrip > 0 {
		trip = min(trip, l.roundTrip+max(now-l.at, 0)/roundTripRise)
	}
	l.roundTrip, l.at = trip, now
}

// due reports whether a move may be run: not before its stamp, not while moves missing before it
// may still arrive, not while the budget does not cover it, and not before InputDelay is over.
func (a *Authority[S, C]) due(q *queued[C], now clock.Micros) bool {
	if a.started && q.Number != a.last+1 {
		if wait := a.reorder.length(now, a.limits.MaxReorderWait); wait > 0 && now-q.arrived < wait {
			return false
		}
	}
	if a.isAhead(q) {
		return true
	}
	if a.waitsForBudget(q, now) {
		return false
	}
	return q.Stamp <= now+EarlyTolerance && (a.InputDelay == 0 || now-q.Stamp >= a.minDelay()+a.InputDelay)
}

// waitsForBudget reports whether a move waits because more late ones arrived than may be simulated at
// one instant. It is cut only after a wait of silenceTimeout. A move that is longer than the total
// budget, or than its stamp advances, does not wait.
func (a *Authority[S, C]) waitsForBudget(q *queued[C], now clock.Micros) bool {
	b, d := &a.budget, q.Duration
	return a.started && !b.resolving && d > b.time && d <= b.total && d <= q.Stamp-a.stamp &&
		now-q.Stamp <= a.silenceTimeout(now)+a.minDelay()
}

// isAhead reports whether the owner's clock is too far ahead with this move. Then the move does
// not wait for its stamp, which is set back instead.
func (a *Authority[S, C]) isAhead(q *queued[C]) bool {
	return a.lead.ahead || a.leadOf(q) > a.limits.MaxTimeDiscrepancy
}

// setBack moves the stamp of the next move back, because its owner is ahead: to what an honest
// clock would have said, and to at most the stamp before plus the duration, so that moves run at
// the pace of the match.
func (a *Authority[S, C]) setBack(now clock.Micros) {
	c := a.next
	honest := min(a.arrived-a.lead.uplink(), now)
	honest -= honest % TimeQuantum
	if a.started {
		honest = min(honest, a.stamp+c.Duration)
	}
	c.Stamp = min(c.Stamp, honest)
}

// refillRatio is how many times longer than a burst of simulated time its refill takes.
const refillRatio = 10

// refill adds the time since the last refill to the budget. A full budget still gets the whole
// time of a late tick on top, which is not the owner's fault.
func (a *Authority[S, C]) refill(now clock.Micros) {
	b := &a.budget
	full, most := int64(a.limits.Burst)*int64(clock.Second), a.limits.atOnce()
	if !a.started {
		b.tokens, b.time, b.credit = full, most, a.limits.MaxTimeDiscrepancy-b.used
		b.total = most - MaxDuration
	} else if d := min(now-b.refilledAt, 3600*clock.Second); d > 0 {
		b.tokens = min(b.tokens+int64(d)*int64(a.limits.Rate), full)
		b.time = min(b.time+d/refillRatio, most) + d
		b.total += d
	}
	b.refilledAt = max(b.refilledAt, now)
}

// Continue makes a new authority, before its first Receive, go on where that of an earlier connection ended, at
// match time now. No move begins before now, since the earlier authority has simulated that time, and what the
// owner has used of MaxTimeDiscrepancy and TrustDistance stays used. Without it each new connection would be a
// gain of time and distance.
func (a *Authority[S, C]) Continue(earlier *Authority[S, C], now clock.Micros) {
	a.from, a.stamp, a.budget.used, a.trust = now, earlier.stamp, earlier.budget.used, earlier.trust
	if earlier.started {
		a.budget.used = earlier.limits.MaxTimeDiscrepancy - earlier.budget.credit
	}
}

// start begins the count of stamps where the next move, the first of all, began. If that arrives
// later than the link and a silence explain, the owner counts as silent before.
func (a *Authority[S, C]) start(now clock.Micros) {
	c := a.next
	late := now - max(a.limits.held(), a.RoundTrip/2+a.limits.MaxReorderWait)
	if a.from > 0 {
		late = max(late, a.from)
	}
	late -= late % TimeQuantum
	a.stamp = min(c.Stamp, now-now%TimeQuantum) - c.Duration
	if a.stamp < late {
		a.stamp = late
		a.silence.until, a.silence.active, a.silence.timedOut = late, true, true
	}
	a.last, a.started = c.Number-1, true
}

// charge cuts the next move to the time that its owner may use, given how far its stamp
// advances, and takes that and the missing time before it from the budget. It reports whether
// anything is left to run.
func (a *Authority[S, C]) charge(progress clock.Micros) bool {
	b, c := &a.budget, a.next
	maxMissing := a.maxMissing(c)
	if a.silence.reached(a.stamp) {
		c.Duration = min(c.Duration, progress)
	}
	if b.credit+progress < c.Duration {
		a.detect()
	}
	if b.resolving {
		a.limitMove(b.allowed(progress, a.limits.MaxTimeDiscrepancy))
	}
	claimed := c.Duration // before the cut below
	most := min(b.time, b.total)
	if c.Duration > most {
		c.Duration = most - most%TimeQuantum
		a.silence.timedOut = true
		a.count.Overdue++
	}
	a.missing = 0
	if gap := max(min(progress-claimed, maxMissing), 0); !b.resolving {
		a.missing = min(gap, most-c.Duration)
		a.missing -= a.missing % TimeQuantum
		if c.Number == a.last+1 && a.missing < gap-gap%TimeQuantum {
			a.silence.timedOut = true // the rest of the owner's gap is left out
		}
	}
	b.tokens -= int64(clock.Second)
	b.spend(c.Duration + a.missing)
	b.credit = min(b.credit+progress-claimed-a.missing, a.limits.MaxTimeDiscrepancy)
	if b.resolving {
		a.throttle()
		b.resolving = b.credit < a.limits.MaxTimeDiscrepancy || a.lead.ahead
	}
	return c.Duration > 0
}

// spend takes simulated time from the budget.
func (b *budget) spend(d clock.Micros) {
	b.time -= d
	b.total -= d
}

// limitMove cuts the next move to the duration that is allowed while a discrepancy is resolved.
func (a *Authority[S, C]) limitMove(allowed clock.Micros) {
	c := a.next
	if whole := c.Duration; allowed < whole {
		c.Duration = allowed - allowed%TimeQuantum
		a.noteCut(whole - c.Duration)
	}
}

// allowed returns how long a move may last while a discrepancy is resolved: half of the progress
// of its stamp until everything is paid back (GAP-12).
func (b *budget) allowed(progress, slack clock.Micros) clock.Micros {
	if b.credit < slack {
		return progress / 2
	}
	return progress
}

// detect begins an episode of discrepancy.
func (a *Authority[S, C]) detect() {
	if !a.budget.resolving {
		a.budget.resolving = true
		a.budget.episodes++
	}
}

// noteCut counts time that was cut.
func (a *Authority[S, C]) noteCut(d clock.Micros) {
	a.budget.lifetime += d
	a.count.Cut++
	a.throttle()
}

// throttle begins a correction with that cause, unless one is under way.
func (a *Authority[S, C]) throttle() {
	if !a.correcting {
		a.correct(true, Throttle)
		a.count.Throttles++
	}
}
