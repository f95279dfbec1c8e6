package host

import (
	"context"
	"errors"
	"fmt"

	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/transport"
)

// errNoHello refuses a connection that begins with something else.
var errNoHello = errors.New("host: no hello")

// admit hands each new connection to the match it asks for. One that asks for
// none that is here is closed, and hears why.
func (h *Host) admit(ctx context.Context, door transport.Listener) {
	for {
		conn, err := door.Accept(ctx)
		if err != nil {
			return
		}
		first := conn.Drain(nil)
		l, err := h.matchFor(first)
		if err != nil {
			h.config.Log.Info("refused", "from", conn.Remote(), "kind", conn.Kind(), "why", err)
			conn.Close(err.Error())
			continue
		}
		l.join(conn, first)
	}
}

// matchFor finds the match that a connection's hello asks for.
func (h *Host) matchFor(first []transport.Packet) (*loop, error) {
	for _, p := range first {
		if p.Channel != transport.Stream {
			continue
		}
		name, err := session.ReadMatch(p.Bytes)
		if err != nil {
			return nil, err
		}
		if l := h.named(name); l != nil {
			return l, nil
		}
		return nil, fmt.Errorf("host: no match %q here", name)
	}
	return nil, errNoHello
}

// named is the match of that name, the first for none, nil for an unknown one.
func (h *Host) named(name string) *loop {
	for _, l := range h.loops {
		if name == "" || name == l.seat.Name {
			return l
		}
	}
	return nil
}
