package predict

import "github.com/backstep-net/backstep/clock"

// How long missing moves are waited for.
const (
	lateForget = 600 // a wait of d is forgotten in 600 d: 50 ms in half a minute
	lateLook   = 64  // how far ahead the move is looked for that came before a late one
)

// lateness is for how long a line has been seen to bring late what was missing.
type lateness struct {
	most clock.Micros
	at   clock.Micros // when most was seen
}

// saw notes at now that a move came d after it was missed.
func (l *lateness) saw(d, now, limit clock.Micros) {
	if d += d / 4; d > l.wait(now, limit) {
		l.most, l.at = min(d, limit), now
	}
}

// wait is for how long a move waits for missing ones before it, 0 … limit.
func (l *lateness) wait(now, limit clock.Micros) clock.Micros {
	return min(max(l.most-(now-l.at)/lateForget, 0), limit)
}

// noteLate notes that a move comes after a newer one.
func (a *Authority[S, C]) noteLate(number uint32) {
	a.count.Late++
	for n := number + 1; n != number+lateLook; n++ {
		if q := &a.queue[n%queueMoves]; q.used && q.Number == n {
			a.late.saw(a.came-q.arrived, a.came, a.Limits.MaxReorderWait)
			return
		}
	}
}

// tooLate notes a move that comes when its time was over, unless it had come before.
func (a *Authority[S, C]) tooLate(q *queued[C], c *Command[C]) {
	if q.full || q.used && newer(c.Number, q.Number) <= 0 {
		return
	}
	q.hold(c, a.came)
	a.noteLate(c.Number)
}

// lineDelay is the least by which the newest moves came after their stamps in the last
// 2 s, not below 0: no move is waited for less.
func (a *Authority[S, C]) lineDelay() clock.Micros { return max(a.line.Delay(), 0) }

// Lateness returns by how much later the newest move came than newest moves come at best,
// over the last 2 s, if it came at that match time; else 0.
func (a *Authority[S, C]) Lateness(came clock.Micros) clock.Micros {
	if a.silence.heard != came {
		return 0
	}
	return a.lateness
}
