package udpclients

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/backstep-net/backstep/transport"
	"github.com/backstep-net/backstep/transport/internal/udpwire"
	"github.com/backstep-net/backstep/transport/udp"
)

// firstAddress is the first client's, 127.1.0.0; the next client has the next address.
const firstAddress = 127<<24 | 1<<16

// errRemote is a server on another machine.
var errRemote = errors.New("the server's address is not one of IPv4's loopback")

// Socket is a socket of many clients. Any goroutine may call its methods.
type Socket struct {
	in  *batch
	out outbox

	mu      sync.Mutex
	clients []*client // by address; nil where the address is free
	free    []int     // indices of the free addresses
	swept   time.Time
}

// client is one connection, from its handshake on. It implements udpwire.Sender.
type client struct {
	out       *outbox
	source    [sourceBytes]byte // control data by which its packets leave from its address
	server    netip.AddrPort
	conn      *udpwire.Conn
	handshake *udpwire.Handshake // nil once the connection is established
	joined    chan struct{}      // closed when it is
}

// Send implements udpwire.Sender.
func (c *client) Send(packet []byte, to netip.AddrPort) { c.out.send(packet, to, &c.source) }

// Flush implements udpwire.Sender.
func (c *client) Flush() { c.out.flush() }

// New opens a socket.
func New() (*Socket, error) {
	fd, err := open()
	if err != nil {
		return nil, fmt.Errorf("udpclients: %w", err)
	}
	return &Socket{in: newBatch(), out: outbox{fd: fd, batch: newBatch()}}, nil
}

// Dial is [udp.Dial] for one more client, of a server on a loopback address of IPv4. It waits for calls of Receive.
func (s *Socket) Dial(ctx context.Context, addr string, ticket *udp.Ticket) (transport.Conn, error) {
	server, err := net.ResolveUDPAddr("udp4", addr)
	if err != nil {
		return nil, fmt.Errorf("udpclients: address %q: %w", addr, err)
	}
	h, err := udpwire.NewHandshake(ticket)
	if err != nil {
		return nil, err
	}
	to := server.AddrPort()
	c := &client{out: &s.out, server: netip.AddrPortFrom(to.Addr().Unmap(), to.Port()), handshake: h, joined: make(chan struct{})}
	if !c.server.Addr().IsLoopback() {
		return nil, fmt.Errorf("udpclients: dialing %s: %w", addr, errRemote)
	}
	c.conn = udpwire.New(udpwire.Config{Sender: c, Keys: h.Keys, ID: h.ID, Remote: c.server, Held: true}, time.Now())
	i := s.add(c)
	if err := s.join(ctx, c); err != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.remove(i)
		return nil, fmt.Errorf("udpclients: dialing %s: %w", addr, err)
	}
	return c.conn, nil
}

// add gives a client an address and returns its index.
func (s *Socket) add(c *client) (i int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.free); n > 0 {
		i, s.free = s.free[n-1], s.free[:n-1]
	} else {
		i, s.clients = len(s.clients), append(s.clients, nil)
	}
	var from [4]byte
	binary.BigEndian.PutUint32(from[:], uint32(firstAddress+i))
	c.source, s.clients[i] = sourceControl(from), c
	return i
}

// remove frees an address.
func (s *Socket) remove(i int) { s.clients[i], s.free = nil, append(s.free, i) }

// join sends the handshake again and again until the connection is established.
func (s *Socket) join(ctx context.Context, c *client) error {
	again := time.NewTicker(udpwire.Resend)
	defer again.Stop()
	for began := time.Now(); time.Since(began) < udpwire.HandshakeTimeout; {
		s.mu.Lock()
		if c.handshake != nil {
			c.Send(c.handshake.Packet(), c.server)
			c.Flush()
		}
		s.mu.Unlock()
		select {
		case <-c.joined:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-again.C:
		}
	}
	return udp.ErrNoAnswer
}

// Receive takes what has arrived for all clients, calls their timers, and sends their answers: call it before each
// frame, and every 10 ms at least. It never waits.
func (s *Socket) Receive() {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, now := batchSize, time.Now()
	for n == batchSize {
		n, now = s.in.receive(s.out.fd), time.Now()
		for i := range n {
			to, at := s.in.info(i, now)
			if k := int(to) - firstAddress; k >= 0 && k < len(s.clients) && s.clients[k] != nil {
				s.clients[k].receive(s.in.packet(i), at)
			}
		}
	}
	if now.Sub(s.swept) >= udpwire.SweepInterval {
		s.swept = now
		for i, c := range s.clients {
			if c != nil && c.handshake == nil && !c.conn.Sweep(now) {
				s.remove(i)
			}
		}
	}
	s.out.flush()
}

// receive takes a packet that was sent to the client's address.
func (c *client) receive(b []byte, at time.Time) {
	if c.handshake != nil && c.handshake.Receive(b) {
		c.Send(c.handshake.Packet(), c.server)
	} else if c.conn.Receive(b, c.server, at) {
		if c.handshake != nil {
			c.handshake = nil
			close(c.joined)
		}
		c.conn.Answer(at)
	}
}

// Flush sends the datagrams that the clients have made since the last call: call it after the frames of a turn.
func (s *Socket) Flush() { s.out.flush() }

// Close closes the socket, without a word to the servers: close the connections before, and call Receive until they
// have ended.
func (s *Socket) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.out.close()
}
