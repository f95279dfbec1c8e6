package predict

import "github.com/backstep-net/backstep/clock"

// How long the authority waits for missing moves.
const (
	reorderDecay  = 600 // a wait of d decays to zero in 600 d: 50 ms in half a minute
	reorderSearch = 64  // how many numbers after a late move are searched for one that arrived earlier
)

// reorderWait is how long to wait for missing moves: a quarter longer than the latest move was
// late, decaying over time. The zero value waits for none.
type reorderWait struct {
	longest clock.Micros
	at      clock.Micros // when longest was measured
}

// note notes at now that a move arrived d after a newer one.
func (l *reorderWait) note(d, now, limit clock.Micros) {
	if d += d / 4; d > l.wait(now, limit) {
		l.longest, l.at = min(d, limit), now
	}
}

// wait returns how long a move waits for missing ones before it, 0 … limit.
func (l *reorderWait) wait(now, limit clock.Micros) clock.Micros {
	return min(max(l.longest-(now-l.at)/reorderDecay, 0), limit)
}

// noteLate notes that a move arrived after a newer one.
func (a *Authority[S, C]) noteLate(number uint32) {
	a.count.Late++
	for n := number + 1; n != number+reorderSearch; n++ {
		if q := &a.queue[n%queueMoves]; q.used && q.Number == n {
			a.reorder.note(a.receivedAt-q.arrived, a.receivedAt, a.limits.MaxReorderWait)
			return
		}
	}
}

// noteTooLate notes a move that arrived after its time was simulated, unless it is a duplicate.
func (a *Authority[S, C]) noteTooLate(q *queued[C], c *Command[C]) {
	if q.waiting || q.used && newer(c.Number, q.Number) <= 0 {
		return
	}
	q.store(c, a.receivedAt)
	a.noteLate(c.Number)
}

// minDelay returns the least delay between stamp and arrival of the newest moves of the last
// 2 s, at least 0.
func (a *Authority[S, C]) minDelay() clock.Micros { return max(a.linkDelay.Delay(), 0) }

// Lateness returns how much later the newest move arrived than the fastest of the last 2 s, if
// it arrived at match time came, and otherwise 0.
func (a *Authority[S, C]) Lateness(came clock.Micros) clock.Micros {
	if a.silence.lastArrival != came {
		return 0
	}
	return a.lateness
}
