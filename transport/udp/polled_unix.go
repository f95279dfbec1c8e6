//go:build unix

package udp

import (
	"context"
	"syscall"
	"time"

	"github.com/backstep-net/backstep/transport"
	"github.com/backstep-net/backstep/transport/internal/udpwire"
)

// DialPolled is [Dial] for a program that plays for many, such as a load generator. Only Drain reads the socket, so no
// packet wakes a goroutine, and packets count as arriving when Drain is called: call it each frame. On systems other than
// Unix it is Dial.
func DialPolled(ctx context.Context, addr string, ticket *Ticket) (transport.Conn, error) {
	c, err := dial(ctx, addr, ticket)
	if err != nil {
		return nil, err
	}
	p := &polled{Conn: c.conn, client: c}
	p.read = p.readAll
	if p.socket, err = c.socket.SyscallConn(); err != nil {
		c.socket.Close()
		return nil, err
	}
	go c.sweep(4 * udpwire.SweepInterval) // Drain looks after timers, but it is not called while the connection closes
	return p, nil
}

// polled is a connection whose socket is read by Drain.
type polled struct {
	*udpwire.Conn
	client *client
	socket syscall.RawConn
	read   func(fd uintptr) bool // readAll
}

// Drain implements transport.Conn.
func (p *polled) Drain(into []transport.Packet) []transport.Packet {
	_ = p.socket.Read(p.read) // the socket is closed: the connection is finished
	now := time.Now()
	p.Answer(now)
	p.Sweep(now)
	return p.Conn.Drain(into)
}

// readAll receives what has arrived. It never waits.
func (p *polled) readAll(fd uintptr) bool {
	now := time.Now()
	for {
		n, err := syscall.Read(int(fd), p.client.buffer[:])
		if err != nil || n <= 0 {
			return true
		}
		p.Receive(p.client.buffer[:n], p.client.to, now)
	}
}
