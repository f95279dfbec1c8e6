package host

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/transport"
)

// errNoHello refuses a connection whose first message is not a hello.
var errNoHello = errors.New("host: no hello")

// admit adds each accepted connection to the match that its hello names. A connection that
// names an unknown match is closed with the reason.
func (h *Host) admit(ctx context.Context, listener transport.Listener) {
	for {
		conn, err := listener.Accept(ctx)
		if err != nil {
			return
		}
		first := conn.Drain(nil)
		l, err := h.matchFor(first)
		if err == nil {
			err = h.door.enter(conn, time.Now())
		}
		if err != nil {
			h.config.Log.Info("refused", "from", conn.Remote(), "kind", conn.Kind(), "why", err)
			conn.Close(err.Error())
			continue
		}
		l.join(conn, first)
	}
}

// matchFor returns the match that a connection's hello names.
func (h *Host) matchFor(first []transport.Packet) (*loop, error) {
	for _, p := range first {
		if p.Channel != transport.Stream {
			continue
		}
		name, err := session.ReadMatch(p.Bytes)
		if err != nil {
			return nil, err
		}
		if l := h.matchNamed(name); l != nil {
			return l, nil
		}
		return nil, fmt.Errorf("host: no match %q here", name)
	}
	return nil, errNoHello
}

// matchNamed returns the match of that name, the first match for "", nil for an unknown
// name.
func (h *Host) matchNamed(name string) *loop {
	for _, l := range h.loops {
		if name == "" || name == l.config.Name {
			return l
		}
	}
	return nil
}
