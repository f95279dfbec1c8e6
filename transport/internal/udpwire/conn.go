package udpwire

import (
	"crypto/rand"
	"encoding/binary"
	"net/netip"
	"sync"
	"time"

	"github.com/backstep-net/backstep/transport"
	"github.com/backstep-net/backstep/transport/internal/pump"
)

// Sender sends packets. Send copies the packet's bytes and does not block; a packet that cannot be sent is lost.
type Sender interface {
	Send(packet []byte, to netip.AddrPort)
	// Flush sends what Send has only queued.
	Flush()
}

// Config makes a Conn.
type Config struct {
	Sender Sender         // how packets leave; required
	Keys   Keys           // of the handshake; required
	ID     uint32         // the connection's, in each packet to the server; zero is a number like any other
	Remote netip.AddrPort // the other side's address; required
	// Server is whether this is the server's end; false means the client's.
	Server bool
	// Held is whether Datagrams waits for a call of Flush, so that one system call sends those of many connections.
	// False means that it sends at once.
	Held bool
	// Hello is called at the first message of the stream, from Receive. Nil calls nothing.
	Hello func(*Conn)
}

// phase is how far a connection is.
type phase uint8

const (
	open      phase = iota
	closing         // closed here; the close is repeated
	lingering       // closed by the other side; its close is confirmed again
	finished
)

// Conn is one end of a connection. It implements [transport.Conn]; Receive and Sweep belong to the owner of the
// socket.
type Conn struct {
	c      Config
	header int // of what it sends
	in     *pump.Inbox
	done   chan struct{} // closed when the connection ends
	over   chan struct{} // closed when nothing is to be sent any more

	mu         sync.Mutex
	seal       sealer
	opener     opener
	received   packet // scratch
	scratch    [MaxPacket + 64]byte
	out        sendStream
	stream     receiveStream
	stored     int // bytes of messages that are not sent, or not acknowledged
	ended      *transport.CloseError
	phase      phase
	tries      int // of the close
	closeAt    time.Time
	helloSeen  bool
	remote     netip.AddrPort
	path       newPath
	receivedAt time.Time // of the last packet that could be opened
	sentAt     time.Time // of the last packet
	ackNow     bool      // an acknowledgement waits
	ping       ping
	counts     transport.Stats
	free       [][]byte // of datagrams, given back by Release
}

// ping measures the round trip.
type ping struct {
	number    uint16    // of the last one sent
	sentAt    time.Time // zero: it was answered, or none was sent
	lastAt    time.Time // when it was sent
	due       uint16    // the other side's, to be answered
	dueSince  time.Time // zero: none
	smoothed  time.Duration
	variation time.Duration
}

// newPath is an address from which a packet has come, though it is not the connection's. Until it returns the token
// it gets no more bytes than came from it.
type newPath struct {
	address        netip.AddrPort
	token          uint64
	received, sent int
	askedAt        time.Time
}

var _ transport.Conn = (*Conn)(nil)

// New returns an open connection.
func New(config Config, now time.Time) *Conn {
	c := &Conn{
		c: config, in: pump.NewInbox(), done: make(chan struct{}), over: make(chan struct{}),
		remote: config.Remote, receivedAt: now, sentAt: now, header: upHeader,
	}
	send, receive := &config.Keys.Up, &config.Keys.Down
	if config.Server {
		send, receive, c.header = receive, send, downHeader
	}
	c.seal, c.opener = newSealer(send), newOpener(receive)
	return c
}

// Receive takes a data packet, which it changes, from an address. It reports whether the packet is the other side's;
// any other changes nothing.
func (c *Conn) Receive(b []byte, from netip.AddrPort, now time.Time) bool {
	header := upHeader + downHeader - c.header
	c.mu.Lock()
	if len(b) < header || b[0] != kindData || c.phase == finished {
		c.mu.Unlock()
		return false
	}
	plain, newest, err := c.opener.open(b, header)
	if err != nil {
		c.mu.Unlock()
		return false
	}
	c.counts.PacketsIn++
	c.counts.EncryptedIn += uint64(len(b))
	hello := c.receive(plain, newest, len(b), from, now)
	c.mu.Unlock()
	if hello && c.c.Hello != nil {
		c.c.Hello(c)
	}
	return true
}

// receive takes what a packet of size bytes says; it reports whether the first message has come.
func (c *Conn) receive(plain []byte, newest bool, size int, from netip.AddrPort, now time.Time) (hello bool) {
	p := &c.received
	if p.parse(plain) != nil {
		c.end(false, "malformed packet", errPacket, now)
		return false
	}
	if silent := now.Sub(c.receivedAt); silent > keepAlive { // the other side could take nothing meanwhile
		if c.out.progress = c.out.progress.Add(silent); c.out.progress.After(now) {
			c.out.progress = now
		}
	}
	c.receivedAt = now
	c.checkPath(p, from, newest, size, now)
	if p.has&hasClose != 0 {
		c.receiveClose(p, now)
	}
	if c.phase != open {
		return false
	}
	c.receivePing(p, now)
	if p.has&hasAck != 0 {
		c.receiveAck(p, now)
	}
	if p.has&hasDatagram != 0 {
		c.in.Put(transport.Datagram, c.copyDatagram(p.datagram), now)
	}
	if p.has&hasSegment == 0 {
		return false
	}
	c.stream.put(p.segment, p.data)
	c.takeMessages(now)
	c.ackNow = true
	if hello = !c.helloSeen && c.in.Counts().MessagesIn > 0; hello {
		c.helloSeen = true
	}
	return hello
}

// takeMessages moves whole messages into the inbox.
func (c *Conn) takeMessages(now time.Time) {
	err := c.stream.take(func(m []byte) bool { return c.in.Put(transport.Stream, m, now) })
	if err != nil {
		c.end(false, err.Error(), err, now)
	}
}

// copyDatagram copies a datagram into a buffer of its receiver's.
func (c *Conn) copyDatagram(b []byte) []byte {
	var to []byte
	if n := len(c.free); n > 0 {
		to, c.free[n-1] = c.free[n-1], nil
		c.free = c.free[:n-1]
	}
	return append(to[:0], b...)
}

// Release gives the buffers of drained datagrams back, for those to come: their bytes must not be used any more. A
// caller need not.
func (c *Conn) Release(packets []transport.Packet) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range packets {
		if p := &packets[i]; p.Channel == transport.Datagram && len(c.free) < 8 {
			c.free = append(c.free, p.Bytes)
			p.Bytes = nil
		}
	}
}

// receiveAck takes an acknowledgement. Answer sends what there is room for then.
func (c *Conn) receiveAck(p *packet, at time.Time) {
	if sample := c.out.acknowledge(p.ackNext, p.ackMask, at); sample > 0 {
		c.ping.measured(sample)
	}
}

// receivePing notes a ping and measures by a pong.
func (c *Conn) receivePing(p *packet, now time.Time) {
	if p.has&hasPing != 0 {
		c.ping.due, c.ping.dueSince = p.ping, now
	}
	if g := &c.ping; p.has&hasPong != 0 && p.pong == g.number && !g.sentAt.IsZero() {
		g.measured(max(now.Sub(g.sentAt)-time.Duration(p.held)*holdUnit*time.Microsecond, 0))
		g.sentAt = time.Time{}
	}
}

// measured takes one measured round trip, by RFC 6298.
func (g *ping) measured(d time.Duration) {
	if d = max(d, time.Microsecond); g.smoothed == 0 {
		g.smoothed, g.variation = d, d/2
		return
	}
	g.variation += (max(d-g.smoothed, g.smoothed-d) - g.variation) / 4
	g.smoothed += (d - g.smoothed) / 8
}

// timeout returns after which time a segment counts as lost.
func (g *ping) timeout() time.Duration {
	if g.smoothed == 0 {
		return 4 * minRetransmit
	}
	return max(g.smoothed+4*g.variation+maxHold, minRetransmit)
}

// checkPath looks after the address of the other side. A client's address changes when its network does; the new
// one counts once it has returned a token, since anyone that has seen a packet can send it from a false address.
func (c *Conn) checkPath(p *packet, from netip.AddrPort, newest bool, size int, now time.Time) {
	if p.has&hasPathChallenge != 0 && !c.c.Server {
		c.send(&packet{has: hasPathResponse, response: p.challenge}, now)
	}
	n := &c.path
	if !c.c.Server || from == c.remote || !newest && n.address != from {
		return
	}
	if n.address != from {
		var token [8]byte
		rand.Read(token[:]) // never fails
		*n = newPath{address: from, token: binary.BigEndian.Uint64(token[:])}
	}
	n.received += size
	if p.has&hasPathResponse != 0 && p.response == n.token && n.sent > 0 {
		c.remote, *n = from, newPath{}
		return
	}
	challenge := packet{has: hasPathChallenge, challenge: n.token}
	if cost := c.header + 1 + 8 + tagBytes; n.sent+cost <= n.received && now.Sub(n.askedAt) >= pathInterval {
		n.sent += cost
		n.askedAt = now
		c.sendTo(from, &challenge, now)
	}
}

// receiveClose ends the connection and confirms the close.
func (c *Conn) receiveClose(p *packet, now time.Time) {
	if p.confirms {
		if c.phase == closing {
			c.finish()
		}
		return
	}
	c.send(&packet{has: hasClose, confirms: true}, now)
	if c.phase == closing {
		c.finish()
	} else if c.phase == open {
		c.setEnded(true, string(p.reason), nil)
		c.phase, c.closeAt = lingering, now.Add(linger)
	}
}

// setEnded notes why the connection ended.
func (c *Conn) setEnded(remote bool, reason string, cause error) {
	c.ended = &transport.CloseError{Remote: remote, Reason: pump.ClipReason(reason), Cause: cause}
	c.out, c.stream, c.stored, c.free = sendStream{}, receiveStream{}, 0, nil
	close(c.done)
}

// finish is the last that a connection does.
func (c *Conn) finish() {
	c.phase = finished
	close(c.over)
}

// end closes the connection from here.
func (c *Conn) end(remote bool, reason string, cause error, now time.Time) {
	if c.ended != nil {
		return
	}
	c.setEnded(remote, reason, cause)
	c.phase = closing
	c.sendClose(now)
}

// sendClose sends the close, at last for the last time.
func (c *Conn) sendClose(now time.Time) {
	if c.tries == closeTries {
		c.finish()
		return
	}
	c.tries++
	c.closeAt = now.Add(closeInterval)
	c.send(&packet{has: hasClose, reason: []byte(c.ended.Reason)}, now)
}

// Sweep does what time asks for. It returns false once the connection needs no further call.
func (c *Conn) Sweep(now time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch c.phase {
	case finished:
		return false
	case closing:
		if !now.Before(c.closeAt) {
			c.sendClose(now)
		}
		return c.phase != finished
	case lingering:
		if !now.Before(c.closeAt) {
			c.finish()
		}
		return c.phase != finished
	}
	if now.Sub(c.receivedAt) > transport.IdleTimeout {
		c.setEnded(true, "nothing received for too long", nil)
		c.finish()
		return false
	}
	if !c.out.idle() {
		if c.receivedAt.Sub(c.out.progress) > stallTimeout {
			c.end(false, "the other side does not read", nil, now)
			return true
		}
		c.sendSegments(now)
	}
	c.answer(now, maxHold)
	return true
}

// Answer sends acknowledgements that wait, and segments for which acknowledgements have made room: call it after a
// batch of packets was received.
func (c *Conn) Answer(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.phase != open {
		return
	}
	if !c.out.idle() {
		c.sendSegments(now)
	}
	if c.ackNow {
		c.send(&packet{}, now)
	}
}

// answer sends what has waited too long for a packet that goes out anyway, and keep-alives.
func (c *Conn) answer(now time.Time, hold time.Duration) {
	if c.ackNow || !c.ping.dueSince.IsZero() && now.Sub(c.ping.dueSince) >= hold || now.Sub(c.sentAt) > keepAlive {
		c.send(&packet{}, now)
	}
}

// sendSegments sends segments again that were lost, and new ones, at most maxBurst.
func (c *Conn) sendSegments(now time.Time) {
	for range maxBurst {
		n, again := c.out.due(now, c.ping.timeout())
		if !again {
			taken, ok := c.out.cut()
			if !ok {
				return
			}
			c.messagesSent(taken)
			n = c.out.next - 1
		}
		c.out.sent(n, now)
		c.send(&packet{has: hasSegment, segment: uint16(n), data: c.out.at(n).data}, now)
	}
}

// messagesSent counts messages that are in segments, and frees their share of the queue.
func (c *Conn) messagesSent(taken int) {
	for _, n := range c.out.payloads[:taken] {
		c.stored -= n + messageOverhead
		c.counts.MessagesOut++
		c.counts.BytesOut += uint64(n)
	}
	c.out.payloads = c.out.payloads[taken:]
}

// messageOverhead is counted for each waiting message beside its bytes.
const messageOverhead = 64

// send seals and sends a packet to the other side, with what else waits to be said.
func (c *Conn) send(p *packet, now time.Time) {
	if c.phase == open {
		c.addAnswers(p, now)
	}
	c.sendTo(c.remote, p, now)
}

// addAnswers adds an acknowledgement, a pong and a ping that are due.
func (c *Conn) addAnswers(p *packet, now time.Time) {
	g := &c.ping
	if c.ackNow {
		p.has |= hasAck
		p.ackNext, p.ackMask = c.stream.ack()
		c.ackNow = false
	}
	if !g.dueSince.IsZero() {
		p.has |= hasPong
		p.pong, p.held = g.due, uint16(min(now.Sub(g.dueSince)/(holdUnit*time.Microsecond), 0xffff))
		g.dueSince = time.Time{}
	}
	if now.Sub(g.lastAt) > pingInterval {
		g.number++
		g.sentAt, g.lastAt = now, now
		p.has |= hasPing
		p.ping = g.number
	}
}

// sendTo seals and sends a packet to an address.
func (c *Conn) sendTo(to netip.AddrPort, p *packet, now time.Time) {
	b := c.scratch[:c.header]
	b[0] = kindData
	if !c.c.Server {
		binary.BigEndian.PutUint32(b[1:], c.c.ID)
	}
	b = p.appendTo(b)
	c.sentAt = now
	c.c.Sender.Send(c.seal.seal(b, c.header), to)
}

// Greet sends a packet at once: the server's answer to a response, by which the client knows that it is in.
func (c *Conn) Greet(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.phase == open {
		c.send(&packet{}, now)
	}
}
