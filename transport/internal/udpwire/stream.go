package udpwire

import (
	"time"

	"github.com/backstep-net/backstep/transport/internal/pump"
)

// outSegment is a segment that is under way.
type outSegment struct {
	data    []byte
	sentAt  time.Time
	tries   int
	arrived bool // acknowledged, though one before it is not
	lost    bool // to be sent again at the next opportunity
}

// sendStream is the sending half of the reliable stream: framed messages, cut into numbered segments of at most
// maxSegment bytes. At most window of them are under way, fewer at the beginning and after losses.
type sendStream struct {
	queue     [][]byte // framed messages, oldest first
	offset    int      // of the first of them, what is in segments already
	payloads  []int    // of the messages of which not all is sent, for the counts
	segments  [window]outSegment
	base      uint64 // the oldest segment that is not acknowledged
	next      uint64 // the next to be sent for the first time
	flight    int    // how many may be under way
	threshold int    // below it flight grows by one for each acknowledged segment, above it by one a flight
	grown     int
	cutAt     uint64    // losses of segments before this one have been answered
	progress  time.Time // when base last moved
	free      []byte    // the buffer of the last acknowledged segment
}

func (s *sendStream) at(n uint64) *outSegment { return &s.segments[n%window] }

// idle reports whether nothing waits or is under way.
func (s *sendStream) idle() bool { return s.base == s.next && len(s.queue) == 0 }

// push queues a framed message.
func (s *sendStream) push(frame []byte, now time.Time) {
	if s.idle() {
		s.progress = now
	}
	if s.flight == 0 {
		s.flight, s.threshold = firstFlight, window
	}
	s.queue = append(s.queue, frame)
}

// cut makes the next segment of what is queued, and reports whether there was something and room for it. taken is
// how many messages it ended.
func (s *sendStream) cut() (taken int, ok bool) {
	if len(s.queue) == 0 || s.next-s.base >= uint64(min(s.flight, window)) {
		return 0, false
	}
	data := s.free[:0]
	if s.free = nil; data == nil {
		data = make([]byte, 0, maxSegment)
	}
	for len(s.queue) > 0 && len(data) < maxSegment {
		n := min(maxSegment-len(data), len(s.queue[0])-s.offset)
		data = append(data, s.queue[0][s.offset:s.offset+n]...)
		if s.offset += n; s.offset == len(s.queue[0]) {
			s.queue[0] = nil
			s.queue, s.offset = s.queue[1:], 0
			taken++
		}
	}
	*s.at(s.next) = outSegment{data: data}
	s.next++
	return taken, true
}

// due returns a segment to send again: one that was found lost, or the oldest when nothing was acknowledged for
// too long.
func (s *sendStream) due(now time.Time, timeout time.Duration) (n uint64, ok bool) {
	for n := s.base; n < s.next; n++ {
		g := s.at(n)
		if g.lost || !g.arrived && now.Sub(g.sentAt) > backoff(timeout, g.tries) {
			return n, true
		}
	}
	if s.base < s.next { // all have arrived, but the other side has not taken them: is there room again?
		if g := s.at(s.base); g.arrived && now.Sub(g.sentAt) > backoff(timeout, g.tries) {
			return s.base, true
		}
	}
	return 0, false
}

// backoff returns how long to wait after that many tries.
func backoff(timeout time.Duration, tries int) time.Duration {
	return min(timeout<<min(max(tries-1, 0), 6), maxRetransmit)
}

// sent notes that a segment goes out.
func (s *sendStream) sent(n uint64, now time.Time) {
	g := s.at(n)
	if g.tries > 0 && n >= s.cutAt { // a loss: fewer under way, once for all that are
		s.cutAt = s.next
		s.flight = max(minFlight, s.flight/2)
		s.threshold = s.flight
	}
	g.sentAt, g.lost = now, false
	g.tries++
}

// acknowledge takes an acknowledgement: all before next have arrived and been taken, and those of the mask have
// arrived. sample is the round trip of the newest segment that was sent once, 0 without one.
func (s *sendStream) acknowledge(next uint16, mask uint64, now time.Time) (sample time.Duration) {
	to := s.base + uint64(next-uint16(s.base))
	if to > s.next {
		return 0 // old, or of another stream
	}
	for ; s.base < to; s.base++ {
		g := s.at(s.base)
		if g.tries == 1 && !g.arrived {
			sample = now.Sub(g.sentAt)
		}
		s.free = g.data[:0]
		*g = outSegment{}
		s.progress = now
		s.grow()
	}
	above := 0 // how many later ones have arrived
	for i := window - 1; i >= 0; i-- {
		n := to + 1 + uint64(i)
		if n >= s.next {
			continue
		}
		if g := s.at(n); mask>>i&1 != 0 {
			if g.tries == 1 && !g.arrived {
				sample = now.Sub(g.sentAt)
			}
			g.arrived, g.lost = true, false
			above++
		} else if above >= 3 && g.tries == 1 && !g.arrived {
			g.lost = true
		}
	}
	if g := s.at(to); to < s.next && above >= 3 && g.tries == 1 && !g.arrived {
		g.lost = true
	}
	if s.base == s.next {
		s.free = nil // an idle stream holds no memory
	}
	return sample
}

// grow lets more be under way, after a segment was acknowledged.
func (s *sendStream) grow() {
	if s.flight >= window {
		return
	}
	if s.grown++; s.flight < s.threshold || s.grown >= s.flight {
		s.flight++
		s.grown = 0
	}
}

// receiveStream is the receiving half: segments in order, out of which messages are made.
type receiveStream struct {
	segments [window][]byte
	next     uint64 // the first that has not been taken
	message  []byte // the bytes that have been taken and are not a whole message yet
}

// put takes a segment. It is dropped if it is there already or beyond the window.
func (s *receiveStream) put(number uint16, data []byte) {
	n := s.next + uint64(number-uint16(s.next))
	if at := &s.segments[n%window]; n-s.next < window && *at == nil {
		*at = append(make([]byte, 0, len(data)), data...)
	}
}

// ack returns what to acknowledge.
func (s *receiveStream) ack() (next uint16, mask uint64) {
	for i := range uint64(window - 1) {
		if s.segments[(s.next+1+i)%window] != nil {
			mask |= 1 << i
		}
	}
	return uint16(s.next), mask
}

// take hands out whole messages, in order, as long as put takes them. It takes no segment while one waits. The error
// is pump.ErrPrefix: the stream cannot be read on.
func (s *receiveStream) take(put func(message []byte) bool) error {
	for {
		n, prefix, err := pump.FrameLength(s.message)
		if err != nil {
			return err
		}
		if prefix > 0 && len(s.message) >= prefix+n {
			if !put(append(make([]byte, 0, n), s.message[prefix:prefix+n]...)) {
				return nil
			}
			if s.message = s.message[prefix+n:]; len(s.message) == 0 {
				s.message = nil
			}
			continue
		}
		at := &s.segments[s.next%window]
		if *at == nil {
			return nil
		}
		s.message = append(s.message, *at...)
		*at = nil
		s.next++
	}
}

// waits reports whether a segment or a message waits to be taken.
func (s *receiveStream) waits() bool { return len(s.message) > 0 || s.segments[s.next%window] != nil }
