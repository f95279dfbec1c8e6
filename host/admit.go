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

// admit adds each accepted connection to the match that its hello names. One that names an unknown match or
// may not join is closed with the reason.
func (h *Host) admit(ctx context.Context, listener transport.Listener) {
	for {
		conn, err := listener.Accept(ctx)
		if err != nil {
			return
		}
		first := conn.Drain(nil)
		if err := h.admitOne(conn, first, time.Now()); err != nil {
			if h.admin != nil {
				h.admin.metrics.counts["backstep_refused_total"].WithLabelValues().Inc()
			}
			h.config.Log.Info("refused", "from", conn.Remote(), "kind", conn.Kind(), "why", err)
			conn.Close(err.Error())
		}
	}
}

// admitOne adds a connection to its match. The error is why not, a sentence for its player.
func (h *Host) admitOne(conn transport.Conn, first []transport.Packet, now time.Time) error {
	hello, err := readHello(first)
	if err != nil {
		return err
	}
	l := h.matchNamed(hello.Match)
	if l == nil {
		return fmt.Errorf("host: no match %q here", hello.Match)
	}
	if h.isDraining() && !hello.HasKey {
		return errDraining
	}
	who := h.identify(&hello, l, now)
	if b := h.bans.find(who.Account, conn.Remote(), now); b != nil {
		return b
	}
	if err := h.door.enter(conn, who.Account, now); err != nil {
		return err
	}
	l.join(conn, first, who)
	return nil
}

// readHello returns a connection's hello.
func readHello(first []transport.Packet) (session.HelloInfo, error) {
	for _, p := range first {
		if p.Channel == transport.Stream {
			return session.ReadHello(p.Bytes)
		}
	}
	return session.HelloInfo{}, errNoHello
}

// identify returns the identity behind a hello: that of its connect token, or a stranger in open mode. A client without a
// valid token gets no new seat, but may have the key of one: a token is used once, and a lost connection comes
// back with the same.
func (h *Host) identify(hello *session.HelloInfo, l *loop, now time.Time) session.Identity {
	if h.tokens == nil {
		return session.Identity{}
	}
	who, err := h.tokens.Check(hello.Token, l.config.Name, now)
	if err != nil {
		return session.Identity{Refused: err.Error()}
	}
	return who
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
