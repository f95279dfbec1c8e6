package mem

import (
	"sync"
	"time"

	"github.com/backstep-net/backstep/transport"
	"github.com/backstep-net/backstep/transport/internal/pump"
)

// pair is what the two ends of a Pipe share.
type pair struct {
	mu     sync.Mutex
	closed bool
	reason string
	closer *end
	ends   [2]end
}

// end is one end of a Pipe.
type end struct {
	pair *pair
	in   *pump.Inbox
	name string
	out  transport.Stats // guarded by pair.mu
}

var _ transport.Conn = (*end)(nil)

// Pipe returns two connected ends in this process. What one end sends is in the other's
// inbox at once, and no goroutine is needed: for tests of a host.
func Pipe() (a, b transport.Conn) {
	p := &pair{}
	p.ends[0] = end{pair: p, in: pump.NewInbox(), name: "pipe-a"}
	p.ends[1] = end{pair: p, in: pump.NewInbox(), name: "pipe-b"}
	return &p.ends[0], &p.ends[1]
}

// other returns the far end.
func (e *end) other() *end {
	if e == &e.pair.ends[0] {
		return &e.pair.ends[1]
	}
	return &e.pair.ends[0]
}

// Datagrams implements transport.Conn.
func (e *end) Datagrams(set ...[]byte) {
	e.pair.mu.Lock()
	defer e.pair.mu.Unlock()
	if e.pair.closed {
		return
	}
	sent := 0
	for _, b := range set {
		if len(b) == 0 {
			continue
		}
		if len(b) > transport.MaxDatagram || sent == transport.MaxBatch {
			e.out.Refused++
			continue
		}
		sent++
		e.out.DatagramsOut++
		e.out.BytesOut += uint64(len(b))
		e.other().in.Put(transport.Datagram, append([]byte(nil), b...), time.Now())
	}
}

// Stream implements transport.Conn.
func (e *end) Stream(msg []byte) error {
	if len(msg) > transport.MaxMessage {
		return transport.ErrTooLong
	}
	e.pair.mu.Lock()
	defer e.pair.mu.Unlock()
	if e.pair.closed {
		return transport.ErrClosed
	}
	if !e.other().in.Put(transport.Stream, append([]byte(nil), msg...), time.Now()) {
		return transport.ErrFull
	}
	e.out.MessagesOut++
	e.out.BytesOut += uint64(len(msg))
	return nil
}

// Drain implements transport.Conn.
func (e *end) Drain(into []transport.Packet) []transport.Packet { return e.in.Drain(into) }

// Closed implements transport.Conn.
func (e *end) Closed() bool {
	e.pair.mu.Lock()
	defer e.pair.mu.Unlock()
	return e.pair.closed
}

// Err implements transport.Conn.
func (e *end) Err() error {
	e.pair.mu.Lock()
	defer e.pair.mu.Unlock()
	if !e.pair.closed {
		return nil
	}
	return &transport.CloseError{Remote: e.pair.closer != e, Reason: e.pair.reason}
}

// Close implements transport.Conn.
func (e *end) Close(reason string) {
	e.pair.mu.Lock()
	defer e.pair.mu.Unlock()
	if !e.pair.closed {
		e.pair.closed, e.pair.reason, e.pair.closer = true, pump.ClipReason(reason), e
	}
}

// Remote implements transport.Conn.
func (e *end) Remote() string { return e.other().name }

// Kind implements transport.Conn.
func (e *end) Kind() string { return "mem" }

// Stats implements transport.Conn.
func (e *end) Stats() transport.Stats {
	s := e.in.Counts()
	e.pair.mu.Lock()
	defer e.pair.mu.Unlock()
	s.DatagramsOut, s.MessagesOut, s.BytesOut = e.out.DatagramsOut, e.out.MessagesOut, e.out.BytesOut
	s.Refused += e.out.Refused
	return s
}
