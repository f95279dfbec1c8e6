// Package pump is the part of a connection that every real road shares: an
// inbox, a mailbox for the latest set of datagrams, a queue of messages, and
// the one goroutine that sends, so that a tick never waits for the network.
// Start with [New], to which a road gives its [Wire].
package pump

import (
	"errors"
	"sync"
	"time"

	"github.com/backstep-net/backstep/transport"
)

// Wire is what a road must be able to do. Datagram, Write and Clear are
// called from the sender goroutine only.
type Wire interface {
	// Kind is transport.Conn's.
	Kind() string
	// Remote is transport.Conn's.
	Remote() string
	// AppendFrame appends a stream message as the road frames it.
	AppendFrame(dst, msg []byte) []byte
	// Datagram sends one datagram. ErrTooLarge counts it and goes on; any
	// other error ends the connection.
	Datagram(b []byte) error
	// Clear reports whether a set may go out: those handed over before have
	// left this machine, and somebody seems to be listening. While it is
	// false, the waiting set is looked after every few milliseconds.
	Clear() bool
	// Write writes framed bytes until `until` and returns how many it took.
	// Running out of time is no error.
	Write(b []byte, until time.Time) (int, error)
	// Shut ends the road with a reason of at most MaxReason bytes. It is
	// called once, from a goroutine of its own, and may take seconds.
	Shut(reason string)
	// Explain turns the road's error into words: what the other side gave
	// as its reason, or what went wrong.
	Explain(err error) string
	// RTT is the road's estimate, zero if it has none.
	RTT() time.Duration
}

// ErrTooLarge is how a Wire says that one datagram does not fit its path.
var ErrTooLarge = errors.New("transport: datagram too large for this path")

// batch is one set of datagrams, flat.
type batch struct {
	bytes []byte
	ends  []int
	at    time.Time
}

// framed is a message as the road frames it, and how long it was before.
type framed struct {
	bytes   []byte
	payload int
}

// Conn is a transport.Conn over a Wire.
type Conn struct {
	wire  Wire
	in    *Inbox
	wake  chan struct{} // something to send; holds one
	done  chan struct{} // closed when the connection ends
	gone  chan struct{} // closed when the wire is shut and the sender is out
	hello chan struct{} // closed at the first message

	mu      sync.Mutex
	set     batch
	queue   []framed // oldest first
	queued  int      // what the queue costs, the message being written included
	ended   *transport.Ended
	greeted bool
	counts  transport.Stats
}

var _ transport.Conn = (*Conn)(nil)

// New starts the sender. The road's readers call Arrive and End.
func New(w Wire) *Conn {
	c := &Conn{
		wire: w, in: NewInbox(), wake: make(chan struct{}, 1), done: make(chan struct{}),
		gone: make(chan struct{}), hello: make(chan struct{}),
	}
	go c.run()
	return c
}

// run sends until the connection ends, then shuts the wire.
func (c *Conn) run() {
	defer close(c.gone)
	shut := make(chan struct{})
	go func() { // apart, since a write may be stuck until the wire is shut
		defer close(shut)
		<-c.done
		c.wire.Shut(c.ended.Reason)
	}()
	s := sender{c: c}
	s.run()
	<-shut
}

// Arrive takes what a reader has read; the bytes belong to the connection
// from now on. With a message it waits until the inbox has room, so that the
// road's flow control holds the other side back. It reports false when the
// connection has ended.
func (c *Conn) Arrive(ch transport.Channel, b []byte) bool {
	for !c.in.Put(ch, b, time.Now()) {
		select {
		case <-c.in.Room():
		case <-c.done:
			return false
		}
	}
	if ch == transport.Stream {
		c.greet()
	}
	return !c.Closed()
}

// greet notes the first message.
func (c *Conn) greet() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.greeted {
		c.greeted = true
		close(c.hello)
	}
}

// End ends the connection; only the first call counts.
func (c *Conn) End(remote bool, reason string, cause error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended != nil {
		return
	}
	c.ended = &transport.Ended{Remote: remote, Reason: Clip(reason), Cause: cause}
	c.set, c.queue, c.queued = batch{}, nil, 0
	close(c.done)
}

// Fail ends the connection for an error that the road met.
func (c *Conn) Fail(err error) { c.End(true, c.wire.Explain(err), err) }

// Done is closed when the connection ends.
func (c *Conn) Done() <-chan struct{} { return c.done }

// Gone is closed when the wire is shut too and the sender has returned.
func (c *Conn) Gone() <-chan struct{} { return c.gone }

// Datagrams implements transport.Conn.
func (c *Conn) Datagrams(set ...[]byte) {
	if len(set) == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended != nil {
		return
	}
	c.counts.DroppedOut += uint64(len(c.set.ends))
	c.set.bytes, c.set.ends, c.set.at = c.set.bytes[:0], c.set.ends[:0], time.Now()
	for _, b := range set {
		if IsProbe(b) {
			continue
		}
		if len(b) > transport.MaxDatagram || len(c.set.ends) == transport.MaxSet {
			c.counts.Refused++
			continue
		}
		c.set.bytes = append(c.set.bytes, b...)
		c.set.ends = append(c.set.ends, len(c.set.bytes))
	}
	c.nudge()
}

// Stream implements transport.Conn.
func (c *Conn) Stream(msg []byte) error {
	if len(msg) > transport.MaxMessage {
		return transport.ErrTooLong
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended != nil {
		return transport.ErrClosed
	}
	if c.queued+len(msg)+messageCost > transport.MaxQueued {
		return transport.ErrFull
	}
	frame := c.wire.AppendFrame(make([]byte, 0, len(msg)+maxPrefix), msg)
	c.queue = append(c.queue, framed{frame, len(msg)})
	c.queued += len(msg) + messageCost
	c.nudge()
	return nil
}

// nudge wakes the sender, if it is not already to be woken.
func (c *Conn) nudge() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// Drain implements transport.Conn.
func (c *Conn) Drain(into []transport.Packet) []transport.Packet { return c.in.Drain(into) }

// Closed implements transport.Conn.
func (c *Conn) Closed() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

// Err implements transport.Conn.
func (c *Conn) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended == nil {
		return nil
	}
	return c.ended
}

// Close implements transport.Conn.
func (c *Conn) Close(reason string) { c.End(false, reason, nil) }

// Remote implements transport.Conn.
func (c *Conn) Remote() string { return c.wire.Remote() }

// Kind implements transport.Conn.
func (c *Conn) Kind() string { return c.wire.Kind() }

// Stats implements transport.Conn.
func (c *Conn) Stats() transport.Stats {
	s := c.in.Counts()
	c.mu.Lock()
	defer c.mu.Unlock()
	s.DatagramsOut, s.MessagesOut, s.BytesOut = c.counts.DatagramsOut, c.counts.MessagesOut, c.counts.BytesOut
	s.DroppedOut = c.counts.DroppedOut
	s.Refused += c.counts.Refused
	s.RTT = c.wire.RTT()
	return s
}

// Clip shortens a reason to what every road can carry, at a whole character.
func Clip(reason string) string {
	if len(reason) <= transport.MaxReason {
		return reason
	}
	cut := 0
	for i := range reason {
		if i > transport.MaxReason {
			break
		}
		cut = i
	}
	return reason[:cut]
}
