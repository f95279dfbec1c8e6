//go:build !unix

package udp

import (
	"context"

	"github.com/backstep-net/backstep/transport"
)

// DialPolled is [Dial].
func DialPolled(ctx context.Context, addr string, ticket *Ticket) (transport.Conn, error) {
	return Dial(ctx, addr, ticket)
}
