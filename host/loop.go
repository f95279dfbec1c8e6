package host

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/transport"
)

// maxPeers is how many connections a match holds at most, seated or not.
const maxPeers = 256

// loop is one match and the connections in it.
type loop struct {
	seat  Seat
	log   *slog.Logger
	start time.Time // of match time
	done  chan struct{}

	mu      sync.Mutex
	waiting []guest // connections that have not met the match yet

	guests  []guest // by peer number, ascending
	last    session.Peer
	drained []transport.Packet
	set     [][]byte
	meter   meter
	status  atomic.Pointer[Status]
}

// guest is one connection in a match.
type guest struct {
	peer  session.Peer
	conn  transport.Conn
	first []transport.Packet
}

func newLoop(seat Seat, log *slog.Logger) *loop {
	l := &loop{seat: seat, log: log.With("match", seat.Name), start: time.Now(), done: make(chan struct{})}
	l.status.Store(&Status{Name: seat.Name, TickRate: seat.TickRate, Level: seat.Level, Players: []any{}})
	return l
}

// join puts a connection, and what it has said already, before the match.
func (l *loop) join(conn transport.Conn, first []transport.Packet) {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-l.done:
		conn.Close("host: the server is stopping")
		return
	default:
	}
	if len(l.waiting) >= maxPeers {
		conn.Close("host: too many connections")
		return
	}
	l.waiting = append(l.waiting, guest{conn: conn, first: first})
}

// run ticks until the context ends. A late tick is not made up for: match time
// follows the clock, and the match skips the ticks it missed.
func (l *loop) run(ctx context.Context) {
	defer l.stop()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for n := int64(1); ; {
		due := l.start.Add(duration(clock.TickTime(n, l.seat.TickRate)))
		timer.Reset(time.Until(due))
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		begun := time.Now()
		now := clock.Micros(begun.Sub(l.start).Microseconds())
		at := max(n, tickAt(now, l.seat.TickRate))
		l.tick(clock.TickTime(at, l.seat.TickRate))
		l.meter.tick(time.Since(begun), at-n)
		l.report(at)
		n = at + 1
	}
}

// tickAt returns the number of the last tick that is due at now.
func tickAt(now clock.Micros, rate int) int64 {
	n := int64(now) * int64(rate) / int64(clock.Second)
	for clock.TickTime(n+1, rate) <= now {
		n++
	}
	return n
}

func duration(m clock.Micros) time.Duration { return time.Duration(m) * time.Microsecond }

// tick is one turn of the match: what has arrived, the match's own, what goes out.
func (l *loop) tick(now clock.Micros) {
	l.welcome()
	for i := range l.guests {
		g := &l.guests[i]
		l.feed(g, g.first, now)
		g.first = nil
		l.drained = g.conn.Drain(l.drained[:0])
		l.feed(g, l.drained, now)
	}
	l.farewell()
	l.seat.Match.Tick(now)
	l.send()
	for _, k := range l.seat.Match.Kicked() {
		if g := l.find(k.Peer); g != nil {
			l.log.Info("kicked", "peer", k.Peer, "from", g.conn.Remote(), "why", k.Text)
			g.conn.Close(k.Text)
		}
	}
}

// welcome gives the connections that wait their numbers.
func (l *loop) welcome() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, g := range l.waiting {
		if len(l.guests) >= maxPeers {
			g.conn.Close("host: too many connections")
			continue
		}
		l.last++
		g.peer = l.last
		l.guests = append(l.guests, g)
		l.log.Info("connected", "peer", g.peer, "from", g.conn.Remote(), "kind", g.conn.Kind())
	}
	l.waiting = l.waiting[:0]
}

// feed hands packets to the match, each with its arrival in match time.
func (l *loop) feed(g *guest, packets []transport.Packet, now clock.Micros) {
	for _, p := range packets {
		l.meter.in += uint64(len(p.Bytes))
		at := min(clock.Micros(p.At.Sub(l.start).Microseconds()), now)
		if err := l.seat.Match.Receive(g.peer, session.Channel(p.Channel), at, p.Bytes); err != nil {
			l.log.Debug("bad packet", "peer", g.peer, "from", g.conn.Remote(), "why", err)
		}
	}
}

// farewell drops the connections that have ended.
func (l *loop) farewell() {
	kept := l.guests[:0]
	for _, g := range l.guests {
		if g.conn.Closed() {
			l.log.Info("disconnected", "peer", g.peer, "from", g.conn.Remote(), "why", g.conn.Err())
			l.seat.Match.Disconnect(g.peer)
			continue
		}
		kept = append(kept, g)
	}
	clear(l.guests[len(kept):])
	l.guests = kept
}

// send hands over what the tick has to say: the datagrams of one peer as one set.
func (l *loop) send() {
	packets := l.seat.Match.Outgoing()
	for i := 0; i < len(packets); {
		g := l.find(packets[i].Peer)
		l.set = l.set[:0]
		peer := packets[i].Peer
		for ; i < len(packets) && packets[i].Peer == peer; i++ {
			l.meter.out += uint64(len(packets[i].Bytes))
			if packets[i].Channel == session.Datagram {
				l.set = append(l.set, packets[i].Bytes)
				continue
			}
			if g == nil {
				continue
			}
			if err := g.conn.Stream(packets[i].Bytes); err != nil {
				g.conn.Close(err.Error())
			}
		}
		if g != nil && len(l.set) > 0 {
			g.conn.Datagrams(l.set...)
		}
	}
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

// stop says goodbye to everybody.
func (l *loop) stop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	close(l.done)
	for _, g := range append(l.guests, l.waiting...) {
		g.conn.Close("host: the server is stopping")
	}
}
