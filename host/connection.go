package host

import (
	"time"

	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/transport"
)

// closeDelay is how long a connection stays open after the match has dropped it, so that
// its last stream messages (a refusal, for example) arrive before the close.
const closeDelay = 250 * time.Millisecond

// connection is one connection of a match.
type connection struct {
	peer     session.Peer
	conn     transport.Conn
	greeting []transport.Packet // packets that arrived before the match added it
	who      session.Identity
	player   session.PlayerID // its seat, for the log; 0 before it has joined
	join     joinSpan
	counted  transport.Stats // of which the metrics have the drops

	closeAt time.Time // when it is closed at the latest; zero while the match uses it
	reason  string
}

// close closes the connection.
func (g *connection) close(why string) {
	g.join.failed(why)
	g.conn.Close(why)
}

func (g *connection) closing() bool { return !g.closeAt.IsZero() }

// admitWaiting gives each waiting connection a peer number.
func (l *loop) admitWaiting() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, g := range l.waiting {
		if len(l.connections) >= maxPeers {
			g.close(reasonCrowded)
			continue
		}
		l.last++
		g.peer = l.last
		g.join.at(l.config.Name, g.peer)
		l.config.Match.Identify(g.peer, g.who)
		l.connections = append(l.connections, g)
		l.log.Info("connected", "peer", g.peer, "from", g.conn.Remote(), "kind", g.conn.Kind())
	}
	clear(l.waiting)
	l.waiting = l.waiting[:0]
}

// closeLater removes a peer from the match and closes its connection after closeDelay. The address of one
// that was kicked is refused for a while.
func (l *loop) closeLater(kick *session.Event, now time.Time) {
	g := l.find(kick.Peer)
	if g == nil || g.closing() {
		return
	}
	l.log.Info("removed from match", "peer", kick.Peer, "player", g.player, "from", g.conn.Remote(), "why", kick.Text)
	switch {
	case g.player != 0:
	case g.who.Refused == errDraining.Error():
		l.metrics.refused(causeDrain)
	case g.who.Refused != "":
		l.metrics.refused(causeToken)
	default:
		l.metrics.refused(causeFull)
	}
	if kick.Expelled {
		l.door.pause(g.conn, g.who.Account, now)
	}
	g.join.failed(kick.Text)
	g.closeAt, g.reason = now.Add(closeDelay), kick.Text
	l.config.Match.Disconnect(kick.Peer)
}

// refusePeer removes a peer from the match and sends it the reason: its client does not come back.
func (l *loop) refusePeer(g *connection, why string, now time.Time) {
	_ = g.conn.Stream(session.RefusalMessage(why)) // an error closes it
	l.closeLater(&session.Event{Peer: g.peer, Text: why}, now)
}

// closeDue closes the connections whose closeDelay is over and forgets those that have
// ended.
func (l *loop) closeDue(now time.Time) {
	kept := l.connections[:0]
	for _, g := range l.connections {
		if g.closing() && !now.Before(g.closeAt) {
			g.conn.Close(g.reason)
		}
		if !g.conn.Closed() {
			kept = append(kept, g)
			continue
		}
		g.join.failed("disconnected")
		l.countDrops(&g)
		l.log.Info("disconnected", "peer", g.peer, "player", g.player, "from", g.conn.Remote(), "why", g.conn.Err())
		if !g.closing() {
			l.config.Match.Disconnect(g.peer)
		}
	}
	clear(l.connections[len(kept):])
	l.connections = kept
}

// countDrops counts the datagrams that a connection has dropped.
func (l *loop) countDrops(g *connection) {
	now := g.conn.Stats()
	l.metrics.dropped(&now, &g.counted)
	g.counted = now
}

// find returns the connection of a peer, nil if there is none.
func (l *loop) find(peer session.Peer) *connection {
	for i := range l.connections {
		if l.connections[i].peer == peer {
			return &l.connections[i]
		}
	}
	return nil
}
