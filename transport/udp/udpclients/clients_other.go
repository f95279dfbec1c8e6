//go:build !linux

package udpclients

import (
	"context"

	"github.com/backstep-net/backstep/transport"
	"github.com/backstep-net/backstep/transport/udp"
)

// Socket is a socket of many clients on Linux. Here each connection has its own.
type Socket struct{}

// New returns a Socket.
func New() (*Socket, error) { return &Socket{}, nil }

// Dial is udp.Dial.
func (*Socket) Dial(ctx context.Context, addr string, ticket *udp.Ticket) (transport.Conn, error) {
	return udp.Dial(ctx, addr, ticket)
}

// Receive does nothing.
func (*Socket) Receive() {}

// Flush does nothing.
func (*Socket) Flush() {}

// Close does nothing: a connection closes its own socket.
func (*Socket) Close() error { return nil }
