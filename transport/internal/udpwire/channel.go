package udpwire

import (
	"net/netip"
	"time"

	"github.com/backstep-net/backstep/transport"
	"github.com/backstep-net/backstep/transport/internal/pump"
)

// Datagrams implements transport.Conn. A batch leaves at once, or with the next Flush of a connection of the same
// server; none is ever held back or replaced.
func (c *Conn) Datagrams(set ...[]byte) {
	now := time.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended != nil {
		return
	}
	sent := 0
	for _, b := range set {
		if pump.IsProbe(b) {
			continue
		}
		if len(b) > transport.MaxDatagram || sent == transport.MaxBatch {
			c.counts.Refused++
			continue
		}
		p := packet{has: hasDatagram, datagram: b}
		c.send(&p, now)
		sent++
		c.counts.DatagramsOut++
		c.counts.BytesOut += uint64(len(b))
	}
	if sent > 0 && !c.c.Held {
		c.c.Sender.Flush()
	}
}

// Flush implements transport.Flusher.
func (c *Conn) Flush() { c.c.Sender.Flush() }

// Stream implements transport.Conn.
func (c *Conn) Stream(msg []byte) error {
	if len(msg) > transport.MaxMessage {
		return transport.ErrTooLong
	}
	now := time.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended != nil {
		return transport.ErrClosed
	}
	if c.stored+len(msg)+messageOverhead > transport.MaxQueued {
		return transport.ErrFull
	}
	c.out.push(pump.AppendFrame(make([]byte, 0, len(msg)+3), msg), now)
	c.out.payloads = append(c.out.payloads, len(msg))
	c.stored += len(msg) + messageOverhead
	c.sendSegments(now)
	c.c.Sender.Flush()
	return nil
}

// Drain implements transport.Conn. Messages that had no room come after it.
func (c *Conn) Drain(into []transport.Packet) []transport.Packet {
	into = c.in.Drain(into)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.phase == open && c.stream.waits() {
		now := time.Now()
		before := c.stream.next
		if c.takeMessages(now); c.stream.next != before && c.phase == open {
			c.ackNow = true
			c.send(&packet{}, now)
			c.c.Sender.Flush()
		}
	}
	return into
}

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
func (c *Conn) Close(reason string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.end(false, reason, nil, time.Now())
	c.c.Sender.Flush()
}

// Finished is closed when nothing is to be sent any more.
func (c *Conn) Finished() <-chan struct{} { return c.over }

// Remote implements transport.Conn.
func (c *Conn) Remote() string { return c.Address().String() }

// Address returns the other side's address, by the last path that was validated.
func (c *Conn) Address() netip.AddrPort {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.remote
}

// Kind implements transport.Conn.
func (c *Conn) Kind() string { return "udp" }

// Stats implements transport.Conn.
func (c *Conn) Stats() transport.Stats {
	s := c.in.Counts()
	c.mu.Lock()
	defer c.mu.Unlock()
	s.DatagramsOut, s.MessagesOut, s.BytesOut = c.counts.DatagramsOut, c.counts.MessagesOut, c.counts.BytesOut
	s.Refused += c.counts.Refused
	s.RTT, s.PacketsIn, s.EncryptedIn = c.ping.smoothed, c.counts.PacketsIn, c.counts.EncryptedIn
	return s
}
