package pump

import (
	"errors"
	"time"

	"github.com/backstep-net/backstep/transport"
)

// How the sender shares its one goroutine between the two channels.
const (
	// slot is how long one write of a message may hold up the datagrams.
	slot = 10 * time.Millisecond
	// rest is how long the sender leaves a message alone after a slot in
	// which nothing could be written.
	rest = 40 * time.Millisecond
	// firstLook and lastLook bound the growing waits between looks at
	// whether the previous set has left.
	firstLook = 250 * time.Microsecond
	lastLook  = 5 * time.Millisecond
	// stall is how long a message may make no progress at all before the
	// connection ends: the other side has stopped reading.
	stall = 10 * time.Second
)

// sender is what the sending goroutine keeps between rounds.
type sender struct {
	c       *Conn
	out     batch         // the set being sent; swapped with Conn.set
	held    time.Duration // how long to wait for the previous set; 0: nothing is held
	frame   []byte        // what is left of the message being written
	payload int           // of the whole message
	moved   time.Time     // when the message last made progress
	blocked bool          // the last slot made none
}

// run sends until the connection ends.
func (s *sender) run() {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for !s.c.Closed() {
		s.sendSet()
		s.sendMessage()
		wait := s.wait()
		if wait == 0 {
			continue
		}
		timer.Reset(wait)
		select {
		case <-s.c.done:
		case <-s.c.wake:
		case <-timer.C:
		}
	}
}

// wait is how long there is nothing to do unless somebody wakes the sender.
func (s *sender) wait() time.Duration {
	w := time.Hour
	if s.held > 0 {
		w = s.held
	}
	if s.frame != nil {
		if !s.blocked {
			return 0
		}
		w = min(w, rest)
	}
	return w
}

// sendSet sends the waiting set, unless it is too old or the one before it
// is still in this machine.
func (s *sender) sendSet() {
	if !s.takeSet() {
		return
	}
	start, sent, bytes := 0, 0, 0
	for _, end := range s.out.ends {
		b := s.out.bytes[start:end]
		start = end
		err := s.c.wire.Datagram(b)
		if err == nil {
			sent++
			bytes += len(b)
		} else if !errors.Is(err, ErrTooLarge) {
			s.c.Fail(err)
			return
		}
	}
	s.c.mu.Lock()
	s.c.counts.DatagramsOut += uint64(sent)
	s.c.counts.BytesOut += uint64(bytes)
	s.c.counts.Refused += uint64(len(s.out.ends) - sent)
	s.c.mu.Unlock()
}

// takeSet swaps the waiting set into s.out, or reports that none may go now.
func (s *sender) takeSet() bool {
	if !s.hasSet() {
		s.held = 0
		return false
	}
	if !s.c.wire.Clear() {
		s.held = min(max(2*s.held, firstLook), lastLook)
		return false
	}
	s.c.mu.Lock()
	defer s.c.mu.Unlock()
	s.held = 0
	s.out, s.c.set = s.c.set, s.out
	s.c.set.bytes, s.c.set.ends = s.c.set.bytes[:0], s.c.set.ends[:0]
	return true
}

// hasSet reports whether a set waits. One that has waited too long is
// dropped here.
func (s *sender) hasSet() bool {
	s.c.mu.Lock()
	defer s.c.mu.Unlock()
	set := &s.c.set
	if len(set.ends) > 0 && time.Since(set.at) > transport.MaxAge {
		s.c.counts.DroppedOut += uint64(len(set.ends))
		set.bytes, set.ends = set.bytes[:0], set.ends[:0]
	}
	return len(set.ends) > 0
}

// sendMessage writes at most one slot's worth of the oldest message.
func (s *sender) sendMessage() {
	if s.frame == nil && !s.nextMessage() {
		return
	}
	now := time.Now()
	n, err := s.c.wire.Write(s.frame, now.Add(slot))
	if err != nil {
		s.c.Fail(err)
		return
	}
	s.blocked = n == 0
	if n > 0 {
		s.moved = now
	} else if now.Sub(s.moved) > stall {
		s.c.End(false, "the other side does not read", nil)
		return
	}
	if s.frame = s.frame[n:]; len(s.frame) == 0 {
		s.frame = nil
		s.messageSent()
	}
}

// nextMessage takes the oldest message from the queue; its bytes stay counted
// as queued until it is written.
func (s *sender) nextMessage() bool {
	s.c.mu.Lock()
	defer s.c.mu.Unlock()
	if len(s.c.queue) == 0 {
		return false
	}
	s.frame, s.payload = s.c.queue[0].bytes, s.c.queue[0].payload
	s.c.queue[0].bytes = nil
	s.c.queue = s.c.queue[1:]
	s.moved, s.blocked = time.Now(), false
	return true
}

// messageSent counts the message just written, and makes room for another.
func (s *sender) messageSent() {
	s.c.mu.Lock()
	defer s.c.mu.Unlock()
	s.c.queued = max(0, s.c.queued-s.payload-messageCost)
	s.c.counts.MessagesOut++
	s.c.counts.BytesOut += uint64(s.payload)
	if len(s.c.queue) > 0 {
		s.c.nudge()
	}
}
