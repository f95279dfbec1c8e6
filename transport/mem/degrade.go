package mem

import (
	"errors"
	"sync"
	"time"

	"github.com/backstep-net/backstep/transport"
)

// Lagged is a connection behind a bad network, in real time; [Degrade] makes
// one. What comes in is held back until it is due when somebody drains; what
// goes out is sent by a timer.
type Lagged struct {
	transport.Conn
	mu       sync.Mutex
	begin    time.Time
	up, down *Link
	timer    *time.Timer
	armed    time.Duration // when the timer goes off; 0 when it is not set
	packets  []transport.Packet
	arrivals []Arrival
	sending  []Arrival
	set      [][]byte
	due      [][]byte // messages that the connection had no room for
	owed     int      // bytes in due
	refused  uint64
}

// fullAgain is how long to wait before offering a message again.
const fullAgain = 5 * time.Millisecond

// Degrade puts a bad network between the caller and a connection: n for each
// direction, on top of what the connection itself does. The same seed gives
// each packet, counted per direction, the same luck; when they are sent is
// real time's matter. It panics when the network is out of range.
//
// Close is not delayed, and what is still under way then is lost.
func Degrade(c transport.Conn, n Network, seed uint64) *Lagged {
	l := &Lagged{Conn: c, begin: time.Now(), up: NewLink(n, seed), down: NewLink(n, seed+1)}
	l.timer = time.AfterFunc(time.Hour, l.release)
	l.timer.Stop()
	return l
}

var _ transport.Conn = (*Lagged)(nil)

// Change makes the network a different one, each way, for what is sent from
// now on. It panics when the network is out of range.
func (l *Lagged) Change(n Network) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.up.Change(n)
	l.down.Change(n)
}

// Datagrams implements transport.Conn.
func (l *Lagged) Datagrams(set ...[]byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Since(l.begin)
	for i, b := range set {
		if len(b) == 0 {
			continue
		}
		if len(b) > transport.MaxDatagram || i >= transport.MaxSet {
			l.refused++
			continue
		}
		l.up.Send(now, transport.Datagram, b)
	}
	l.arm(now)
}

// Stream implements transport.Conn.
func (l *Lagged) Stream(msg []byte) error {
	if len(msg) > transport.MaxMessage {
		return transport.ErrTooLong
	}
	if l.Closed() {
		return transport.ErrClosed
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.up.UnderWay()+l.owed+len(msg) > transport.MaxQueued {
		return transport.ErrFull
	}
	now := time.Since(l.begin)
	l.up.Send(now, transport.Stream, msg)
	l.arm(now)
	return nil
}

// arm sets the timer for the next packet out.
func (l *Lagged) arm(now time.Duration) {
	at, ok := l.up.Next()
	if again := now + fullAgain; len(l.due) > 0 && (!ok || again < at) {
		at, ok = again, true
	}
	if !ok || l.Closed() {
		return
	}
	if l.armed != 0 && l.armed <= at {
		return
	}
	l.armed = max(at, 1)
	l.timer.Reset(max(at-now, 0))
}

// release sends what is due.
func (l *Lagged) release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.armed = 0
	now := time.Since(l.begin)
	l.sending = l.up.Deliver(now, l.sending[:0])
	l.set = l.set[:0]
	for _, a := range l.sending {
		if a.Channel == transport.Datagram {
			l.set = append(l.set, a.Bytes)
		} else {
			l.due = append(l.due, append([]byte(nil), a.Bytes...))
			l.owed += len(a.Bytes)
		}
	}
	l.Conn.Datagrams(l.set...)
	l.sendDue()
	l.arm(now)
}

// sendDue sends the messages that are due, as far as the connection takes
// them.
func (l *Lagged) sendDue() {
	for len(l.due) > 0 {
		err := l.Conn.Stream(l.due[0])
		if errors.Is(err, transport.ErrFull) {
			return
		}
		l.owed -= len(l.due[0])
		l.due[0] = nil
		l.due = l.due[1:]
	}
}

// Drain implements transport.Conn.
func (l *Lagged) Drain(into []transport.Packet) []transport.Packet {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.down.UnderWay() < transport.MaxInboxMessages { // else it waits in there
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

// Stats implements transport.Conn. It counts what really passed, after the
// bad network on the way out and before it on the way in.
func (l *Lagged) Stats() transport.Stats {
	s := l.Conn.Stats()
	l.mu.Lock()
	defer l.mu.Unlock()
	s.Refused += l.refused
	return s
}
