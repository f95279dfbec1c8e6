package session

import "github.com/backstep-net/backstep/clock"

// Limits for links with too little bandwidth.
const (
	// worthSending is the least size of a datagram, in bytes, on a link with a limit: its header is
	// then an eighth of it.
	worthSending = 120
	// leastBudget is how many bytes of entities a snapshot may take however narrow the link, so that every
	// entity is sent eventually.
	leastBudget = 40
	// firstBudget is how many bytes of entities a client is sent before it has acknowledged any: they are the
	// largest, because they are not delta-coded.
	firstBudget = 4000
	// behindAfter is how much longer than the round trip nothing new may be acknowledged before the link
	// counts as stalled. Then a snapshot each behindInterval tests it.
	behindAfter    = 250 * clock.Millisecond
	behindInterval = 100 * clock.Millisecond
)

// behind reports whether a snapshot has to wait, because the link has queued those before it.
func (l *link) behind(line *timeline, now clock.Micros) bool {
	return l.down.capacity.Full() && now-line.at(l.acked) > l.roundTrip.shortest+behindAfter && now-l.down.spent < behindInterval
}

// budget returns how many bytes of entities the next snapshot may have; 0: as many as the match's rules allow.
func (l *link) budget() int {
	if l.acked == 0 {
		return max(firstBudget-l.first, leastBudget)
	}
	return l.down.budget(l.head)
}

// sendPacing limits one end to the capacity of its link: a token bucket of bytes. It is below zero after
// something that had to be sent, such as a correction.
type sendPacing struct {
	capacity clock.Capacity
	bytes    int
	at       clock.Micros // of advance
	spent    clock.Micros // when a datagram was sent last
	rest     int64        // of a byte, in millionths
}

// advance adds what the link has carried until a time, and reports whether a datagram may be sent.
// It may if the link has no limit.
func (a *sendPacing) advance(now clock.Micros) bool {
	limit := a.capacity.Limit()
	if limit == 0 {
		a.bytes, a.at = 0, now
		return true
	}
	a.rest += int64(limit) * int64(min(now-a.at, clock.Second))
	a.bytes += int(a.rest / int64(clock.Second))
	a.rest %= int64(clock.Second)
	a.at = now
	// What is saved up would be sent at once after a pause, and wait in the queue of the link.
	a.bytes = min(a.bytes, 2*worthSending+limit/30)
	return a.bytes >= worthSending
}

// spend records a datagram that is sent.
func (a *sendPacing) spend(number uint32, at clock.Micros, bytes int) {
	a.capacity.Sent(number, at, bytes)
	a.spent = at
	if a.capacity.Limit() > 0 {
		a.bytes -= bytes
	}
}

// budget returns how many bytes of something may be in the next datagram, of which head go to the rest;
// 0: as many as are wanted.
func (a *sendPacing) budget(head int) int {
	if a.capacity.Limit() == 0 {
		return 0
	}
	return max(a.bytes-head, leastBudget)
}
