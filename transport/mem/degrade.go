package mem

import (
	"errors"
	"sync"
	"time"

	"github.com/backstep-net/backstep/transport"
)

// DegradedConn is a connection behind a simulated bad network, in real time; [Degrade]
// makes one. Incoming packets are released by Drain when they are due; outgoing ones are
// sent by a timer.
type DegradedConn struct {
	transport.Conn
	mu          sync.Mutex
	begin       time.Time
	up, down    *Link
	timer       *time.Timer
	timerAt     time.Duration // zero when the timer is not set
	packets     []transport.Packet
	arrivals    []Arrival
	sending     []Arrival
	batch       [][]byte
	dueMessages [][]byte // the wrapped connection's queue was full
	dueBytes    int      // in dueMessages
	refused     uint64
}

// retryInterval is how long to wait before sending a refused message again.
const retryInterval = 5 * time.Millisecond

// Degrade puts a bad network between the caller and a connection: n in each direction, in
// addition to the connection's own. The same seed gives each packet, counted per direction,
// the same loss and delay; the times of sending are real. It panics when the network is out
// of range.
//
// Close is not delayed; packets in flight are lost then.
func Degrade(c transport.Conn, n Network, seed uint64) *DegradedConn {
	l := &DegradedConn{Conn: c, begin: time.Now(), up: NewLink(n, seed), down: NewLink(n, seed+1)}
	l.timer = time.AfterFunc(time.Hour, l.release)
	l.timer.Stop()
	return l
}

var _ transport.Conn = (*DegradedConn)(nil)

// Change replaces the network, in both directions, for packets sent from now on. It panics
// when the network is out of range.
func (l *DegradedConn) Change(n Network) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.up.Change(n)
	l.down.Change(n)
}

// Datagrams implements transport.Conn.
func (l *DegradedConn) Datagrams(set ...[]byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Since(l.begin)
	for i, b := range set {
		if len(b) == 0 {
			continue
		}
		if len(b) > transport.MaxDatagram || i >= transport.MaxBatch {
			l.refused++
			continue
		}
		l.up.Send(now, transport.Datagram, b)
	}
	l.arm(now)
}

// Stream implements transport.Conn.
func (l *DegradedConn) Stream(msg []byte) error {
	if len(msg) > transport.MaxMessage {
		return transport.ErrTooLong
	}
	if l.Closed() {
		return transport.ErrClosed
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.up.InFlight()+l.dueBytes+len(msg) > transport.MaxQueued {
		return transport.ErrFull
	}
	now := time.Since(l.begin)
	l.up.Send(now, transport.Stream, msg)
	l.arm(now)
	return nil
}

// arm sets the timer for the next outgoing packet.
func (l *DegradedConn) arm(now time.Duration) {
	at, ok := l.up.Next()
	if again := now + retryInterval; len(l.dueMessages) > 0 && (!ok || again < at) {
		at, ok = again, true
	}
	if !ok || l.Closed() {
		return
	}
	if l.timerAt != 0 && l.timerAt <= at {
		return
	}
	l.timerAt = max(at, 1)
	l.timer.Reset(max(at-now, 0))
}

// release sends the packets that are due.
func (l *DegradedConn) release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.timerAt = 0
	now := time.Since(l.begin)
	l.sending = l.up.Deliver(now, l.sending[:0])
	l.batch = l.batch[:0]
	for _, a := range l.sending {
		if a.Channel == transport.Datagram {
			l.batch = append(l.batch, a.Bytes)
		} else {
			l.dueMessages = append(l.dueMessages, append([]byte(nil), a.Bytes...))
			l.dueBytes += len(a.Bytes)
		}
	}
	l.Conn.Datagrams(l.batch...)
	l.sendDue()
	l.arm(now)
}

// sendDue sends the messages that are due until the connection's queue is full.
func (l *DegradedConn) sendDue() {
	for len(l.dueMessages) > 0 {
		err := l.Conn.Stream(l.dueMessages[0])
		if errors.Is(err, transport.ErrFull) {
			return
		}
		l.dueBytes -= len(l.dueMessages[0])
		l.dueMessages[0] = nil
		l.dueMessages = l.dueMessages[1:]
	}
}

// Drain implements transport.Conn.
func (l *DegradedConn) Drain(into []transport.Packet) []transport.Packet {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.down.InFlight() < transport.MaxInboxMessages { // else it stays in the link
		l.packets = l.Conn.Drain(l.packets[:0])
		for _, p := range l.packets {
			l.down.Send(max(0, p.At.Sub(l.begin)), p.Channel, p.Bytes)
		}
		clear(l.packets)
	}
	l.arrivals = l.down.Deliver(time.Since(l.begin), l.arrivals[:0])
	for _, a := range l.arrivals {
		into = append(into, transport.Packet{
			Channel: a.Channel, At: l.begin.Add(a.At), Bytes: append([]byte(nil), a.Bytes...),
		})
	}
	return into
}

// Stats implements transport.Conn. It counts the packets of the wrapped connection: after
// the simulated network on the way out, before it on the way in.
func (l *DegradedConn) Stats() transport.Stats {
	s := l.Conn.Stats()
	l.mu.Lock()
	defer l.mu.Unlock()
	s.Refused += l.refused
	return s
}
