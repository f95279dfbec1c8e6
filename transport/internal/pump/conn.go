// Package pump implements the part of a connection that the network transports share: an inbox, a
// slot for the latest batch of datagrams, a queue of messages, and the one goroutine that
// sends, so that a tick never waits for the network. Start at [New], which takes a
// transport's [Wire].
package pump

import (
	"errors"
	"sync"
	"time"

	"github.com/backstep-net/backstep/transport"
)

// Wire is what a transport implements. Datagram, Write and Ready are called from the sender
// goroutine only.
type Wire interface {
	// Kind is the Conn's.
	Kind() string
	// Remote is the Conn's.
	Remote() string
	// AppendFrame appends a stream message in the transport's framing.
	AppendFrame(dst, msg []byte) []byte
	// Datagram sends one datagram. ErrTooLarge is counted; any other error ends the
	// connection.
	Datagram(b []byte) error
	// Ready reports whether a batch may be sent: the previous one has left this machine,
	// and the other side seems to be receiving. While it is false it is polled every few
	// milliseconds.
	Ready() bool
	// Write writes framed bytes until the deadline `until` and returns how many it took.
	// Reaching the deadline is not an error.
	Write(b []byte, until time.Time) (int, error)
	// Shut closes the transport with a reason of at most MaxReason bytes. It is called
	// once, from a goroutine of its own, and may take seconds.
	Shut(reason string)
	// Cause returns why the connection has ended, for an error of a read or of a write: the other
	// side's reason if it has given one, else the error. A write may fail before the reason has
	// been read, so Cause may wait for it, at most a second.
	Cause(err error) error
	// Explain converts a cause into text: the other side's reason, or what
	// went wrong.
	Explain(err error) string
	// Measure sets what the transport itself measures: RTT, PacketsIn and EncryptedIn.
	Measure(s *transport.Stats)
}

// ErrTooLarge is a Wire's error for a datagram that does not fit its path.
var ErrTooLarge = errors.New("transport: datagram too large for this path")

// batch is one batch of datagrams, their bytes end to end.
type batch struct {
	bytes []byte
	ends  []int
	at    time.Time
}

// framed is a framed message and its length without the frame.
type framed struct {
	bytes   []byte
	payload int
}

// Conn is a transport.Conn over a Wire.
type Conn struct {
	wire     Wire
	in       *Inbox
	wake     chan struct{} // holds one token: there is something to send
	done     chan struct{} // closed when the connection ends
	finished chan struct{} // closed when the wire is shut and the sender has returned
	hello    chan struct{} // closed at the first message

	mu        sync.Mutex
	batch     batch
	queue     []framed // oldest first
	queued    int      // bytes of the queue, including the message being written
	ended     *transport.CloseError
	helloSeen bool
	counts    transport.Stats
}

var _ transport.Conn = (*Conn)(nil)

// New starts the sender. The transport's readers call Receive and End.
func New(w Wire) *Conn {
	c := &Conn{
		wire: w, in: NewInbox(), wake: make(chan struct{}, 1), done: make(chan struct{}),
		finished: make(chan struct{}), hello: make(chan struct{}),
	}
	go c.run()
	return c
}

// run sends until the connection ends, then shuts the wire.
func (c *Conn) run() {
	defer close(c.finished)
	shut := make(chan struct{})
	go func() { // concurrent, since a write may block until the wire is shut
		defer close(shut)
		<-c.done
		c.wire.Shut(c.ended.Reason)
	}()
	s := sender{c: c}
	s.run()
	<-shut
}

// Receive adds a packet that arrived at a time to the inbox and takes over its bytes. A
// message waits until the inbox has room, so that the transport's flow control slows the
// other side. It returns false when the connection has ended.
func (c *Conn) Receive(ch transport.Channel, b []byte, at time.Time) bool {
	for !c.in.Put(ch, b, at) {
		select {
		case <-c.in.Space():
		case <-c.done:
			return false
		}
	}
	if ch == transport.Stream {
		c.signalHello()
	}
	return !c.Closed()
}

// signalHello closes c.hello at the first message.
func (c *Conn) signalHello() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.helloSeen {
		c.helloSeen = true
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
	c.ended = &transport.CloseError{Remote: remote, Reason: ClipReason(reason), Cause: cause}
	c.batch, c.queue, c.queued = batch{}, nil, 0
	close(c.done)
}

// Fail ends the connection with an error of a read or a write.
func (c *Conn) Fail(err error) {
	err = c.wire.Cause(err)
	c.End(true, c.wire.Explain(err), err)
}

// Done is closed when the connection ends.
func (c *Conn) Done() <-chan struct{} { return c.done }

// Finished is closed when the wire is shut and the sender has returned.
func (c *Conn) Finished() <-chan struct{} { return c.finished }

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
	c.counts.DroppedOut += uint64(len(c.batch.ends))
	c.batch.bytes, c.batch.ends, c.batch.at = c.batch.bytes[:0], c.batch.ends[:0], time.Now()
	for _, b := range set {
		if IsProbe(b) {
			continue
		}
		if len(b) > transport.MaxDatagram || len(c.batch.ends) == transport.MaxBatch {
			c.counts.Refused++
			continue
		}
		c.batch.bytes = append(c.batch.bytes, b...)
		c.batch.ends = append(c.batch.ends, len(c.batch.bytes))
	}
	c.wakeSender()
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
	if c.queued+len(msg)+messageOverhead > transport.MaxQueued {
		return transport.ErrFull
	}
	frame := c.wire.AppendFrame(make([]byte, 0, len(msg)+maxPrefix), msg)
	c.queue = append(c.queue, framed{frame, len(msg)})
	c.queued += len(msg) + messageOverhead
	c.wakeSender()
	return nil
}

// wakeSender makes the sender look for work.
func (c *Conn) wakeSender() {
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
	c.wire.Measure(&s)
	return s
}

// ClipReason shortens a reason to MaxReason bytes, at a rune boundary.
func ClipReason(reason string) string {
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
