package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/transport"
)

// errNoHello refuses a connection whose first message is not a hello.
var errNoHello = errors.New("host: no hello")

// Causes of refusals, for the metrics.
const (
	causeHello = "hello"     // no hello, or one that cannot be read
	causeMatch = "match"     // no match of that name
	causeDrain = "draining"  // a new player while the server drains
	causeBan   = "banned"    // see Host.Ban
	causeKick  = "kicked"    // a short time ago
	causeLimit = "limit"     // joins or connections of its address
	causeToken = "token"     // none, or one that does not hold
	causeFull  = "session"   // by the match: it is full; the protocol's version, the name
	causeHTTP  = "requests"  // HTTP requests of its address
	causePage  = "origin"    // a page that may not join
	causeAdmin = "admin"     // a request to the admin port without its secret
	causeMute  = "handshake" // it sent no hello in time, or gave way to newer connections
)

// refusal is why a connection does not get to a match, a sentence for its player.
type refusal struct {
	cause string
	why   error
	// later says that the same hello may be accepted in a while, so the client tries again. Otherwise it is told
	// that it was refused, and ends.
	later bool
}

// maxTold is how many connections at once wait for their refusal to arrive; the rest are closed without the
// message, as those are that may come back.
const maxTold = 64

// refuse closes a connection with the reason.
func (h *Host) refuse(conn transport.Conn, r *refusal) {
	h.refused(r.cause)
	h.config.Log.Info("refused", "from", conn.Remote(), "kind", conn.Kind(), "why", r.why)
	if why := r.why.Error(); r.later || !h.tell(conn, why) {
		conn.Close(why)
	}
}

// tell sends a refusal, and closes the connection once that has had the time to arrive. It does nothing, and reports
// false, where too many connections wait for theirs.
func (h *Host) tell(conn transport.Conn, why string) bool {
	if h.told.Add(1) > maxTold {
		h.told.Add(-1)
		return false
	}
	_ = conn.Stream(session.RefusalMessage(why)) // an error closes it
	time.AfterFunc(closeDelay, func() { conn.Close(why); h.told.Add(-1) })
	return true
}

// refused counts a refusal, where there is an admin port.
func (h *Host) refused(cause string) {
	if h.admin != nil {
		h.admin.metrics.refused.WithLabelValues(cause).Inc()
	}
}

// admit adds each accepted connection to the match that its hello names, or refuses it.
func (h *Host) admit(ctx context.Context, listener transport.Listener) {
	for {
		conn, err := listener.Accept(ctx)
		if err != nil {
			return
		}
		first, span := conn.Drain(nil), beginJoin(h.config.Tracer, conn)
		if r := h.admitOne(conn, first, span, time.Now()); r != nil {
			span.failed(r.why.Error())
			h.refuse(conn, r)
		}
	}
}

// admitOne adds a connection to its match, or returns why not.
func (h *Host) admitOne(conn transport.Conn, first []transport.Packet, span joinSpan, now time.Time) *refusal {
	hello, err := readHello(first)
	if err != nil {
		return &refusal{cause: causeHello, why: err, later: true}
	}
	l := h.matchNamed(hello.Match)
	if l == nil {
		return &refusal{cause: causeMatch, why: fmt.Errorf("host: no match %q here", hello.Match)}
	}
	who := h.identify(&hello, l, now)
	if h.isDraining() {
		who.Refused = cmp.Or(who.Refused, errDraining.Error()) // but for a seat of its own, which only the match knows
	}
	if b := h.bans.find(who.Account, conn.Remote(), now); b != nil {
		return &refusal{cause: causeBan, why: b}
	}
	if r := h.door.enter(conn, who.Account, now); r != nil {
		return r
	}
	l.join(connection{conn: conn, greeting: first, who: who, join: span})
	// A ban that came after the search above has not found the connection in the match.
	if b := h.bans.find(who.Account, conn.Remote(), now); b != nil {
		l.ban(*b)
	}
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
