package session

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/track"
)

// sequences is how many of its last datagrams' send times a client remembers: as
// many as the low bits tell apart.
const sequences = 1 << sequenceBits

// ahead is by how many numbers a datagram may be in front of the newest one received,
// where nothing else shows the order; beyond that it is an older one that was overtaken.
const ahead = sequences - sequences/8

// sendTimes remembers when a client's datagrams were sent, by number from 1.
type sendTimes struct {
	newest uint32
	times  [sequences]clock.Micros
}

// next gives a number to a datagram that is sent at a local time.
func (s *sendTimes) next(local clock.Micros) uint32 {
	s.newest++
	s.times[s.newest%sequences] = local
	return s.newest
}

// at returns when the datagram of that number was sent. It must be one of the remembered ones, as
// ackCodec.pack resolves it.
func (s *sendTimes) at(number uint32) clock.Micros { return s.times[number%sequences] }

// certain reports whether a number's low bits mean that number and no older one: not
// if so many datagrams were sent in a short time that the acknowledgement of an old one may still arrive.
func (s *sendTimes) certain(local clock.Micros) bool {
	return s.newest < sequences || local-s.times[(s.newest+1)%sequences] > maxAckAge
}

// maxAckAge is the largest age of a datagram that an acknowledgement may name.
const maxAckAge = 10 * clock.Second

// arrivals is which of a client's datagrams have arrived at the server.
type arrivals struct {
	arrived
	// inTime is the same without what arrived after the time of the tick that reads it, which begins late.
	inTime arrived
}

// arrived is which datagrams have arrived at some time.
type arrived struct {
	received track.Received // by number
	at       clock.Micros   // when the newest arrived
}

// ack returns what the snapshot of a tick at match time now answers. A datagram that arrived later is answered by the
// next one: it could not say when it arrived, and no round trip follows from such an answer. [TIM-17]
func (a *arrivals) ack(now clock.Micros) *arrived {
	if a.at > now {
		return &a.inTime
	}
	return &a.arrived
}

// full returns the number of a datagram from its low bits, and whether it is newer than any
// before. newest is what it acknowledges and acked what the newest one before acknowledged: that
// never decreases, so it orders datagrams best. Number 0 means unknown.
func (a *arrivals) full(low, newest, acked uint32) (number uint32, newer bool) {
	last := a.received.Newest
	front := (low - last) % sequences
	switch {
	case last == 0:
		newer = true
	case newest == acked:
		newer = front != 0 && front < ahead
	default:
		newer = newest > acked
	}
	back := (sequences - front) % sequences
	switch {
	// The same low bits and newer: all numbers in between were lost.
	case newer && front == 0:
		return last + sequences, true
	case newer:
		return last + front, true
	case back < last:
		return last - back, false
	}
	return 0, false
}

// note records a datagram that arrived at a match time. next is that of the next tick.
func (a *arrivals) note(number uint32, newer bool, at, next clock.Micros) {
	if newer && at > next && a.at <= next {
		a.inTime = a.arrived
	}
	if newer {
		a.at = at
	}
	if newer || a.received.Newest-number <= track.ReceivedWindow {
		a.received.Mark(number)
	}
}
