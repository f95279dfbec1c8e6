package pump

import (
	"errors"
	"time"

	"github.com/backstep-net/backstep/transport"
)

// How the sender shares its one goroutine between the two channels.
const (
	// writeSlice is how long one write of a message may delay the datagrams.
	writeSlice = 10 * time.Millisecond
	// blockedPause is how long the sender leaves a message alone after a slice in which it
	// could write nothing.
	blockedPause = 40 * time.Millisecond
	// minPoll and maxPoll bound the growing intervals between polls of Wire.Ready.
	minPoll = 250 * time.Microsecond
	maxPoll = 5 * time.Millisecond
	// stallTimeout is how long a message may make no progress before the connection ends:
	// the other side has stopped reading.
	stallTimeout = 10 * time.Second
)

// sender is the state of the sending goroutine.
type sender struct {
	c          *Conn
	out        batch         // the batch being sent; swapped with Conn.batch
	pollWait   time.Duration // interval to the next poll of Wire.Ready; 0: no batch waits for it
	frame      []byte        // the unwritten rest of the message
	payload    int           // of the whole message
	progressAt time.Time     // when the message last made progress
	blocked    bool          // the last slice made no progress
}

// run sends until the connection ends.
func (s *sender) run() {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for !s.c.Closed() {
		s.sendBatch()
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

// wait returns how long there is nothing to do unless wakeSender is called.
func (s *sender) wait() time.Duration {
	w := time.Hour
	if s.pollWait > 0 {
		w = s.pollWait
	}
	if s.frame != nil {
		if !s.blocked {
			return 0
		}
		w = min(w, blockedPause)
	}
	return w
}

// sendBatch sends the waiting batch unless it is too old or the wire is not ready.
func (s *sender) sendBatch() {
	if !s.takeBatch() {
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

// takeBatch swaps the waiting batch into s.out, or reports that none may be sent now.
func (s *sender) takeBatch() bool {
	if !s.hasBatch() {
		s.pollWait = 0
		return false
	}
	if !s.c.wire.Ready() {
		s.pollWait = min(max(2*s.pollWait, minPoll), maxPoll)
		return false
	}
	s.c.mu.Lock()
	defer s.c.mu.Unlock()
	s.pollWait = 0
	s.out, s.c.batch = s.c.batch, s.out
	s.c.batch.bytes, s.c.batch.ends = s.c.batch.bytes[:0], s.c.batch.ends[:0]
	return true
}

// hasBatch reports whether a batch waits. It drops a batch older than MaxAge.
func (s *sender) hasBatch() bool {
	s.c.mu.Lock()
	defer s.c.mu.Unlock()
	set := &s.c.batch
	if len(set.ends) > 0 && time.Since(set.at) > transport.MaxAge {
		s.c.counts.DroppedOut += uint64(len(set.ends))
		set.bytes, set.ends = set.bytes[:0], set.ends[:0]
	}
	return len(set.ends) > 0
}

// sendMessage writes the oldest message for at most one slice.
func (s *sender) sendMessage() {
	if s.frame == nil && !s.nextMessage() {
		return
	}
	now := time.Now()
	n, err := s.c.wire.Write(s.frame, now.Add(writeSlice))
	if err != nil {
		s.c.Fail(err)
		return
	}
	s.blocked = n == 0
	if n > 0 {
		s.progressAt = now
	} else if now.Sub(s.progressAt) > stallTimeout {
		s.c.End(false, "the other side does not read", nil)
		return
	}
	if s.frame = s.frame[n:]; len(s.frame) == 0 {
		s.frame = nil
		s.messageSent()
	}
}

// nextMessage takes the oldest message from the queue; its bytes count as queued until it
// is written.
func (s *sender) nextMessage() bool {
	s.c.mu.Lock()
	defer s.c.mu.Unlock()
	if len(s.c.queue) == 0 {
		return false
	}
	s.frame, s.payload = s.c.queue[0].bytes, s.c.queue[0].payload
	s.c.queue[0].bytes = nil
	s.c.queue = s.c.queue[1:]
	s.progressAt, s.blocked = time.Now(), false
	return true
}

// messageSent counts the written message and frees its share of the queue.
func (s *sender) messageSent() {
	s.c.mu.Lock()
	defer s.c.mu.Unlock()
	s.c.queued = max(0, s.c.queued-s.payload-messageOverhead)
	s.c.counts.MessagesOut++
	s.c.counts.BytesOut += uint64(s.payload)
	if len(s.c.queue) > 0 {
		s.c.wakeSender()
	}
}
