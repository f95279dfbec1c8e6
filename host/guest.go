package host

import (
	"time"

	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/transport"
)

// parting is how long a dismissed connection stays open, so that what it was
// told on its stream (a refusal, say) arrives before the end does.
const parting = 250 * time.Millisecond

// guest is one connection in a match.
type guest struct {
	peer  session.Peer
	conn  transport.Conn
	first []transport.Packet // what it said before it met the match

	until time.Time // dismissed: when it is closed at the latest
	why   string
}

func (g *guest) dismissed() bool { return !g.until.IsZero() }

// welcome gives the connections that wait their numbers.
func (l *loop) welcome() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, g := range l.waiting {
		if len(l.guests) >= maxPeers {
			g.conn.Close(sayCrowded)
			continue
		}
		l.last++
		g.peer = l.last
		l.guests = append(l.guests, g)
		l.log.Info("connected", "peer", g.peer, "from", g.conn.Remote(), "kind", g.conn.Kind())
	}
	clear(l.waiting)
	l.waiting = l.waiting[:0]
}

// dismiss parts with a peer: the match has nothing more to do with it, and its
// connection closes soon.
func (l *loop) dismiss(peer session.Peer, why string, now time.Time) {
	g := l.find(peer)
	if g == nil || g.dismissed() {
		return
	}
	l.log.Info("dismissed", "peer", peer, "from", g.conn.Remote(), "why", why)
	g.until, g.why = now.Add(parting), why
	l.seat.Match.Disconnect(peer)
}

// farewell closes the connections whose parting is over, and drops those that
// have ended.
func (l *loop) farewell(now time.Time) {
	kept := l.guests[:0]
	for _, g := range l.guests {
		if g.dismissed() && !now.Before(g.until) {
			g.conn.Close(g.why)
		}
		if !g.conn.Closed() {
			kept = append(kept, g)
			continue
		}
		l.log.Info("disconnected", "peer", g.peer, "from", g.conn.Remote(), "why", g.conn.Err())
		if !g.dismissed() {
			l.seat.Match.Disconnect(g.peer)
		}
	}
	clear(l.guests[len(kept):])
	l.guests = kept
}

// find returns the connection of a peer, nil where it has gone.
func (l *loop) find(peer session.Peer) *guest {
	for i := range l.guests {
		if l.guests[i].peer == peer {
			return &l.guests[i]
		}
	}
	return nil
}
