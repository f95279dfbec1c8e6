package host

import (
	"context"
	"log/slog"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/transport"
)

// maxPeers is how many connections a match holds at most, seated or not.
const maxPeers = 256

// What a connection is told when it ends by no fault of its own.
const (
	sayStopping = "host: the server is stopping"
	sayFailed   = "host: the match has failed"
	sayCrowded  = "host: too many connections"
)

// loop is one match and the connections in it.
type loop struct {
	seat  Seat
	log   *slog.Logger
	start time.Time     // of match time; set by run
	done  chan struct{} // closed when the match has ended

	mu      sync.Mutex
	waiting []guest // connections that have not met the match yet
	over    string  // why nobody is let in any more, "" while the match runs

	guests  []guest // by peer number, ascending
	last    session.Peer
	drained []transport.Packet
	set     [][]byte
	meter   meter
	warned  [session.MaxPlayers + 1]warning // by player
	status  atomic.Pointer[Status]
	failed  atomic.Bool
}

func newLoop(seat Seat, log *slog.Logger) *loop {
	l := &loop{seat: seat, log: log.With("match", seat.Name), done: make(chan struct{})}
	l.status.Store(&Status{
		Name: seat.Name, Level: seat.Level, State: Running, TickRate: seat.TickRate,
		Kinds: map[string]int{}, Players: []any{}, details: []any{},
	})
	return l
}

// join puts a connection, and what it has said already, before the match.
func (l *loop) join(conn transport.Conn, first []transport.Packet) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.over != "":
		conn.Close(l.over)
	case len(l.waiting) >= maxPeers:
		conn.Close(sayCrowded)
	default:
		l.waiting = append(l.waiting, guest{conn: conn, first: first})
	}
}

// run ticks until the context ends or the match panics: a panic is logged with
// its stack and ends this match only, since what the match knows may be half
// changed. A late tick is not made up for: match time follows the clock, and the
// match skips the ticks it missed, however many.
func (l *loop) run(ctx context.Context) {
	defer l.end()
	l.start = time.Now()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for n := int64(1); ; {
		due := l.start.Add(duration(clock.TickTime(n, l.seat.TickRate)))
		timer.Reset(time.Until(due))
		select {
		case <-ctx.Done():
		case <-timer.C:
		}
		if ctx.Err() != nil { // asked again: when both are ready, select takes either
			return
		}
		begun := time.Now()
		at := max(n, tickAt(l.matchTime(begun), l.seat.TickRate))
		l.tick(clock.TickTime(at, l.seat.TickRate), begun)
		l.meter.tick(time.Since(begun), at-n)
		l.report(at)
		n = at + 1
	}
}

// matchTime is the match time at t, 0 before the match began.
func (l *loop) matchTime(t time.Time) clock.Micros {
	return max(clock.Micros(t.Sub(l.start).Microseconds()), 0)
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
func (l *loop) tick(now clock.Micros, begun time.Time) {
	l.welcome()
	for i := range l.guests {
		g := &l.guests[i]
		l.feed(g, g.first, now)
		g.first = nil
		l.drained = g.conn.Drain(l.drained[:0])
		l.feed(g, l.drained, now)
		clear(l.drained) // the bytes are the collector's
	}
	l.farewell(begun)
	l.seat.Match.Tick(now)
	l.send()
	for _, k := range l.seat.Match.Kicked() {
		l.dismiss(k.Peer, k.Text, begun)
	}
	l.warn(begun)
}

// warnEvery is how often one player may fill the log with warnings: whoever runs
// ahead, pays back and runs ahead again does so several times a second.
const warnEvery = 10 * time.Second

// warning is what the log has of a player.
type warning struct {
	at    time.Time  // of the last
	level slog.Level // of the newest, for its end
}

// warn logs whose time runs ahead of the match's, and how it ended (TIM-12): as a
// warning once in warnEvery, else for who wants to know.
func (l *loop) warn(now time.Time) {
	match, ok := l.seat.Match.(Noter)
	if !ok {
		return
	}
	for _, e := range match.Notable() {
		w, d := &l.warned[int(e.Player)%len(l.warned)], e.Discrepancy
		who := []any{"player", e.Player, "name", e.Name, "peer", e.Peer, "times", d.Episodes}
		switch e.Kind {
		case session.TimeDiscrepancy:
			w.level = slog.LevelDebug
			if now.Sub(w.at) >= warnEvery {
				w.at, w.level = now, slog.LevelWarn
			}
			l.log.Log(context.Background(), w.level, "a player's time runs ahead", append(who, "ahead", duration(d.Error))...)
		case session.TimeDiscrepancyCleared:
			l.log.Log(context.Background(), w.level, "a player's time is even again", append(who, "cut", duration(d.Lifetime))...)
		}
	}
}

// feed hands packets to the match, each with its arrival in match time. Whoever
// has been dismissed is not heard any more.
func (l *loop) feed(g *guest, packets []transport.Packet, now clock.Micros) {
	for _, p := range packets {
		l.meter.in += uint64(len(p.Bytes))
		if g.dismissed() {
			continue
		}
		at := min(l.matchTime(p.At), now)
		if err := l.seat.Match.Receive(g.peer, session.Channel(p.Channel), at, p.Bytes); err != nil {
			l.complain(g, err)
		}
	}
}

// complain logs a bad packet, where anybody wants to know.
func (l *loop) complain(g *guest, err error) {
	if l.log.Enabled(context.Background(), slog.LevelDebug) {
		l.log.Debug("bad packet", "peer", g.peer, "from", g.conn.Remote(), "why", err)
	}
}

// send hands over what the tick has to say: the datagrams of one peer as one set.
func (l *loop) send() {
	packets := l.seat.Match.Outgoing()
	for i := 0; i < len(packets); {
		peer := packets[i].Peer
		g := l.find(peer)
		l.set = l.set[:0]
		for ; i < len(packets) && packets[i].Peer == peer; i++ {
			if g == nil {
				continue
			}
			l.meter.out += uint64(len(packets[i].Bytes))
			if packets[i].Channel == session.Datagram {
				l.set = append(l.set, packets[i].Bytes)
			} else if err := g.conn.Stream(packets[i].Bytes); err != nil {
				g.conn.Close(err.Error()) // it reads too slowly to be kept up to date
			}
		}
		if len(l.set) > 0 {
			g.conn.Datagrams(l.set...)
		}
	}
}

// end closes the match: nobody is let in any more, and everybody who is there
// hears why.
func (l *loop) end() {
	why, state := sayStopping, Stopped
	if p := recover(); p != nil {
		why, state = sayFailed, Failed
		l.failed.Store(true)
		l.log.Error("match failed", "tick", l.status.Load().Tick, "panic", p, "stack", string(debug.Stack()))
	}
	l.mu.Lock()
	l.over = why
	everybody := append(l.guests, l.waiting...)
	l.guests, l.waiting = nil, nil
	l.mu.Unlock()
	for _, g := range everybody {
		g.conn.Close(why)
	}
	last := *l.status.Load()
	last.State, last.Connections, last.Kinds = state, 0, map[string]int{}
	last.Players, last.details = []any{}, []any{}
	l.status.Store(&last)
	close(l.done)
}
