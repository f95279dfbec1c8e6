package predict

import "github.com/backstep-net/backstep/clock"

// reorderSearch is how many numbers after a late move are searched for one that arrived earlier.
const reorderSearch = 64

// waitDecay is the ratio of the time in which a wait decays to zero to the wait: 50 ms take half a
// minute.
const waitDecay = 600

// wait is how long to wait for moves: as long as some were late, decaying over time. The zero value
// is no wait.
type wait struct {
	longest clock.Micros
	at      clock.Micros // when longest was measured
}

// raise makes the wait at least d, but not longer than limit.
func (w *wait) raise(d, now, limit clock.Micros) {
	if d > w.length(now, limit) {
		w.longest, w.at = min(d, limit), now
	}
}

// length returns how long to wait, 0 … limit.
func (w *wait) length(now, limit clock.Micros) clock.Micros {
	return min(max(w.longest-(now-w.at)/waitDecay, 0), limit)
}

// noteLate records that a move arrived after a newer one. The wait for missing moves becomes a quarter
// longer than that delay.
func (a *Authority[S, C]) noteLate(number uint32) {
	a.count.Late++
	for n := number + 1; n != number+reorderSearch; n++ {
		if q := &a.queue[n%queueMoves]; q.used && q.Number == n {
			d := a.receivedAt - q.arrived
			a.reorder.raise(d+d/4, a.receivedAt, a.limits.MaxReorderWait)
			return
		}
	}
}

// noteTooLate records a move that arrived after its time was simulated, unless it is a duplicate.
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
// it arrived at that match time, and otherwise 0.
func (a *Authority[S, C]) Lateness(arrived clock.Micros) clock.Micros {
	if a.silence.lastArrival != arrived {
		return 0
	}
	return a.lateness
}
