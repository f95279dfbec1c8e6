// Package udp implements the client's end of the UDP transport: encrypted datagrams on the server's QUIC port, for
// native clients, with less overhead than QUIC. Start at [Dial]; the server's end is transport/udp/udpserver.
//
// The answer to the join request, over HTTPS, contains a [Ticket] that opens one connection within 30 s. A handshake
// of two round trips validates the client's address before the server keeps any state, and agrees on keys. After it
// each packet is sealed with ChaCha20-Poly1305, which adds 23 bytes to a datagram (19 from the server). Datagrams
// are never delayed. The reliable stream has numbered segments, selective acknowledgement and retransmission, and at
// most 64 segments in flight. docs/protocol.md, "UDP", defines every byte.
package udp

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"time"

	"github.com/backstep-net/backstep/transport"
	"github.com/backstep-net/backstep/transport/internal/udpwire"
	"github.com/backstep-net/backstep/transport/join"
)

// Ticket opens one connection.
type Ticket = udpwire.Ticket

// receiveBuffer is what the kernel is asked to hold of what has arrived, in bytes.
const receiveBuffer = 512 << 10

// ErrNoAnswer means that the server did not answer the handshake: the network drops UDP, or the ticket has expired,
// was used or is another server's.
var ErrNoAnswer = errors.New("udp: the server does not answer: UDP is blocked, or the ticket is not valid any more")

// ParseTicket reads the ticket of a join answer.
func ParseTicket(u *join.UDP) (*Ticket, error) {
	t := &Ticket{}
	for _, f := range []struct {
		name, text string
		to         []byte
	}{{"ticket", u.Ticket, t.Bytes[:]}, {"secret", u.Secret, t.Secret[:]}, {"key", u.Key, t.Server[:]}} {
		if b, err := hex.DecodeString(f.text); err != nil || copy(f.to, b) != len(f.to) || len(b) != len(f.to) {
			return nil, fmt.Errorf("udp: the join answer's udp.%s is not %d bytes in hex: %q", f.name, len(f.to), f.text)
		}
	}
	return t, nil
}

// Dial connects to a server's UDP address, "host:port". ctx bounds the handshake only, which takes 2 s at most. The
// server accepts the connection when the first stream message arrives: send one.
func Dial(ctx context.Context, addr string, ticket *Ticket) (transport.Conn, error) {
	to, err := transport.ResolveUDP(ctx, addr)
	if err != nil {
		return nil, fmt.Errorf("udp: address %q: %w", addr, err)
	}
	h, err := udpwire.NewHandshake(ticket)
	if err != nil {
		return nil, err
	}
	socket, err := net.ListenUDP("udp", nil)
	if err != nil {
		return nil, fmt.Errorf("udp: %w", err)
	}
	_ = socket.SetReadBuffer(receiveBuffer) // less is worse, and no fault
	c := &client{socket: socket, to: to}
	if err := c.open(ctx, h); err != nil {
		socket.Close()
		return nil, fmt.Errorf("udp: dialing %s: %w", addr, err)
	}
	return c.conn, nil
}

// client is a client's socket. It ends with its connection.
type client struct {
	socket *net.UDPConn
	to     netip.AddrPort
	conn   *udpwire.Conn
	buffer [2048]byte
}

// Send implements udpwire.Sender. What the kernel refuses is lost, as on the way: a network that is away for a moment
// comes back.
func (c *client) Send(packet []byte, to netip.AddrPort) {
	_, _ = c.socket.WriteToUDPAddrPort(packet, to)
}

// Flush implements udpwire.Sender.
func (c *client) Flush() {}

// open makes the handshake and starts the connection.
func (c *client) open(ctx context.Context, h *udpwire.Handshake) error {
	stop := context.AfterFunc(ctx, func() { c.socket.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	began := time.Now()
	for time.Since(began) < udpwire.HandshakeTimeout {
		c.Send(h.Packet(), c.to)
		established, err := c.await(ctx, h, time.Now().Add(udpwire.Resend))
		if err != nil {
			return err
		}
		if established {
			stop()
			c.socket.SetReadDeadline(time.Time{})
			go c.read()
			go c.sweep()
			return nil
		}
	}
	return ErrNoAnswer
}

// await waits for the answer to what was sent. It reports whether the connection is established; else a packet is
// to be sent again, or the next.
func (c *client) await(ctx context.Context, h *udpwire.Handshake, until time.Time) (established bool, err error) {
	c.socket.SetReadDeadline(until)
	for {
		if ctx.Err() != nil {
			return false, context.Cause(ctx)
		}
		n, _, err := c.socket.ReadFromUDPAddrPort(c.buffer[:])
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		now := time.Now()
		if h.Receive(c.buffer[:n]) {
			return false, nil
		}
		if c.conn == nil && h.Responded() {
			c.conn = udpwire.New(udpwire.Config{Sender: c, Keys: h.Keys, ID: h.ID, Remote: c.to}, now)
		}
		if c.conn != nil && c.conn.Receive(c.buffer[:n], c.to, now) {
			return true, nil
		}
	}
}

// read receives until the connection is finished.
func (c *client) read() {
	for {
		n, from, err := c.socket.ReadFromUDPAddrPort(c.buffer[:])
		select {
		case <-c.conn.Finished():
			return
		default:
		}
		if err != nil {
			if errors.Is(err, net.ErrClosed) {
				return
			}
			time.Sleep(udpwire.SweepInterval) // an ICMP error of an earlier packet, or a network that is away
			continue
		}
		now := time.Now()
		c.conn.Receive(c.buffer[:n], from, now)
		c.conn.Answer(now)
	}
}

// sweep calls the connection's timers until it is finished, then closes the socket.
func (c *client) sweep() {
	tick := time.NewTicker(udpwire.SweepInterval)
	defer tick.Stop()
	defer c.socket.Close()
	for {
		select {
		case <-c.conn.Finished():
			return
		case now := <-tick.C:
			if !c.conn.Sweep(now) {
				return
			}
		}
	}
}
