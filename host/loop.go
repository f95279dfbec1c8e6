package host

import (
	"context"
	"log/slog"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/track"
	"github.com/backstep-net/backstep/transport"
)

// maxPeers bounds the connections of a match, joined or not: all seats of the largest match, and those that are about to
// join.
const maxPeers = session.MaxPlayers + 256

// The reasons for closing connections that did nothing wrong.
const (
	reasonStopping = "host: the server is stopping"
	reasonFailed   = "host: the match has failed"
	reasonCrowded  = "host: too many connections"
)

// loop runs one match and its connections.
type loop struct {
	config MatchConfig
	level  atomic.Pointer[string] // hash of its level
	door   *door
	log    *slog.Logger
	tracer trace.Tracer
	start  time.Time     // when match time is zero; set by run
	ticks  *ticks        // of all matches
	dueIn  atomic.Int64  // when it ticks next, in ns since ticks.epoch; 0 if it has no connection
	done   chan struct{} // closed when the match has ended
	woken  chan struct{} // a connection waits
	quiet  int           // ticks since there was a connection

	mu        sync.Mutex
	waiting   []connection // connections without a peer number yet
	endReason string       // why new connections are refused; "" while the match runs
	banned    []Ban        // new bans, for the next tick

	connections []connection // by peer number, ascending
	last        session.Peer
	drained     []transport.Packet
	set         [][]byte
	meter       meter
	checkpoints *checkpoints        // nil without a file
	warnings    track.ByID[warning] // by player
	status      atomic.Pointer[Status]
	failed      atomic.Bool
	ticked      atomic.Int64 // when the last tick began, in ns since 1970
	requests    chan func()  // of other goroutines, for the next tick
	metrics     *matchMetrics
	draining    *drain
	told        bool        // the match has been notified of draining
	finished    atomic.Bool // the match, for the sake of draining
}

func newLoop(seat MatchConfig, door *door, ticks *ticks, draining *drain, log *slog.Logger) *loop {
	if seat.TickRate == 0 {
		seat.TickRate = 60
	}
	l := &loop{config: seat, door: door, ticks: ticks, draining: draining, log: log.With("match", seat.Name), tracer: noTracer, requests: make(chan func(), 16), done: make(chan struct{}), woken: make(chan struct{}, 1)}
	l.setLevel()
	l.ticked.Store(time.Now().UnixNano())
	l.status.Store(&Status{
		Name: seat.Name, Level: *l.level.Load(), State: Running, TickRate: seat.TickRate,
		Transports: map[string]int{}, Players: []any{},
	})
	return l
}

// setLevel publishes the match's level if it is another one.
func (l *loop) setLevel() {
	if hash := l.config.Match.LevelHash(); l.level.Load() == nil || *l.level.Load() != hash {
		l.level.Store(&hash)
	}
}

// join queues a connection for the match.
func (l *loop) join(g connection) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.endReason != "":
		g.close(l.endReason)
	case len(l.waiting) >= maxPeers:
		g.close(reasonCrowded)
	default:
		l.waiting = append(l.waiting, g)
		select {
		case l.woken <- struct{}{}:
		default: // it will be woken for another one
		}
	}
}

// run ticks until the context ends or the match panics. A panic is logged with its stack
// and ends this match only, because the state of the match may be inconsistent. Match time
// follows the clock: after a late tick the match skips the ticks it missed, however many. With nobody there it ticks
// less often; see next.
func (l *loop) run(ctx context.Context) {
	defer l.close()
	l.checkpoints = newCheckpoints(l)
	from := l.checkpoints.begin()
	l.start = l.ticks.align(ahead(time.Now(), from), l)
	timer := l.ticks.alarm.timer()
	last := clock.TickAt(from, l.config.TickRate)
	for n := last + 1; ; {
		due := l.start.Add(duration(clock.TickTime(n, l.config.TickRate)))
		l.publish(due)
		timer.reset(due)
		select {
		case <-ctx.Done():
		case <-timer.c:
		case <-l.woken:
			// Before its first tick a match from a checkpoint is up to a tick behind it: no tick comes twice.
			n = min(n, max(last, clock.TickAt(l.matchTime(time.Now()), l.config.TickRate))+1)
			continue
		}
		if ctx.Err() != nil { // checked again: when both are ready, select picks either
			return
		}
		begun := time.Now()
		l.ticked.Store(begun.UnixNano())
		at := max(n, clock.TickAt(l.matchTime(begun), l.config.TickRate))
		l.tick(clock.TickTime(at, l.config.TickRate), begun)
		l.checkpoints.tick(l.matchTime(begun))
		took, late := time.Since(begun), begun.Sub(due)
		l.meter.tick(took, late, at-n)
		l.metrics.ticked(took, late, at-n)
		if l.config.Ticked != nil {
			l.config.Ticked(took, late)
		}
		if !l.idle() { // nobody sees that it is late
			l.ticks.late.count(begun, late, time.Second/time.Duration(l.config.TickRate))
		}
		l.report(at)
		last, n = at, l.next(at)
	}
}

// A match that has had no connection for idleAfter seconds of ticks ticks idleRate times a second until one comes:
// nobody sees the ticks between. A seat waits as long for a player whose connection is lost.
const (
	idleAfter = 10
	idleRate  = 10
)

// next returns the number of the tick after one.
func (l *loop) next(at int64) int64 {
	if l.quiet++; len(l.connections) > 0 {
		l.quiet = 0
	}
	if !l.idle() {
		return at + 1
	}
	return at + int64(max(1, l.config.TickRate/idleRate))
}

// idle reports whether the match has had no connection for idleAfter seconds.
func (l *loop) idle() bool { return l.quiet >= idleAfter*l.config.TickRate }

// matchTime returns the match time at t, 0 before the match began.
func (l *loop) matchTime(t time.Time) clock.Micros {
	return max(clock.Micros(t.Sub(l.start).Microseconds()), 0)
}

func duration(m clock.Micros) time.Duration { return time.Duration(m) * time.Microsecond }

// tick runs one tick: receive what arrived, advance the match, send.
func (l *loop) tick(now clock.Micros, begun time.Time) {
	l.admitWaiting()
	for i := range l.connections {
		g := &l.connections[i]
		l.receive(g, g.greeting)
		g.greeting = nil
		l.drained = g.conn.Drain(l.drained[:0])
		l.receive(g, l.drained)
		if r, ok := g.conn.(transport.Releaser); ok {
			r.Release(l.drained)
		}
		clear(l.drained) // lets the collector free the bytes
	}
	l.closeDue(begun)
	l.answerRequests()
	l.applyBans(begun)
	l.config.Match.Tick(now)
	l.setLevel()
	l.send()
	l.reportEvents(now, begun) // first, because a player may be kicked in the tick in which it joins
	for _, k := range l.config.Match.Kicked() {
		l.closeLater(&k, begun)
	}
	l.drainMatch(begun)
}

// warnInterval is the least time between two warnings about one player: a client that
// alternates between a discrepancy and its repayment would fill the log.
const warnInterval = 10 * time.Second

// warning is the state of the log about one player.
type warning struct {
	at    time.Time  // of the last warning
	level slog.Level // at which the newest discrepancy was logged; its end uses the same level
}

// reportEvents counts shots, and logs the identity of a new player, and the begin and end of a player's time
// discrepancy: as a warning once per warnInterval, else as Debug. [TIM-12, THR-36]
func (l *loop) reportEvents(at clock.Micros, now time.Time) {
	match, ok := l.config.Match.(EventSource)
	if !ok {
		return
	}
	events := match.HostEvents()
	for i := range events {
		e := &events[i]
		if e.Kind == session.Shot {
			l.metrics.judged(&e.Receipt, at)
			continue
		}
		w, d := l.warnings.At(e.Player), e.Discrepancy
		attrs := []any{"player", e.Player, "name", e.Name, "peer", e.Peer, "times", d.Episodes}
		switch e.Kind {
		case session.Joined:
			if g := l.find(e.Peer); g != nil {
				g.player = e.Player
				g.join.seated(e.Player, e.Reconnected)
				l.metrics.add("backstep_joins_total", 1)
				l.log.Info("joined", "player", e.Player, "name", e.Name, "account", e.Account, "peer", e.Peer, "from", g.conn.Remote(), "reconnected", e.Reconnected)
			}
		case session.TimeDiscrepancy:
			w.level = slog.LevelDebug
			if now.Sub(w.at) >= warnInterval {
				w.at, w.level = now, slog.LevelWarn
			}
			l.log.Log(context.Background(), w.level, "time discrepancy", append(attrs, "ahead", duration(d.Error))...)
		case session.Mispredicting:
			l.log.Warn("mispredicting", "player", e.Player, "name", e.Name, "peer", e.Peer, "corrections", e.Count)
		case session.TimeDiscrepancyCleared:
			l.log.Log(context.Background(), w.level, "time discrepancy repaid", append(attrs, "cut", duration(d.Lifetime))...)
		}
	}
}

// receive passes packets to the match with their arrival in match time, exactly: set back to the time of a tick that
// begins late, they would make round trips too short. A peer that is being closed is ignored. [TIM-17]
func (l *loop) receive(g *connection, packets []transport.Packet) {
	for _, p := range packets {
		l.meter.in += uint64(len(p.Bytes))
		if g.closing() {
			continue
		}
		if err := l.config.Match.Receive(g.peer, session.Channel(p.Channel), l.matchTime(p.At), p.Bytes); err != nil {
			l.logBadPacket(g, err)
		}
	}
}

// logBadPacket logs a malformed packet if Debug is enabled.
func (l *loop) logBadPacket(g *connection, err error) {
	if l.log.Enabled(context.Background(), slog.LevelDebug) {
		l.log.Debug("bad packet", "peer", g.peer, "player", g.player, "from", g.conn.Remote(), "why", err)
	}
}

// send sends the packets of the tick: the datagrams of one peer as one batch.
func (l *loop) send() {
	packets := l.config.Match.Outgoing()
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
				g.conn.Close(err.Error()) // its queue of reliable messages is full
			}
		}
		if len(l.set) > 0 {
			g.conn.Datagrams(l.set...)
		}
	}
	l.flush()
}

// flush sends what connections hold until all of a tick is there; those of one listener hold it together.
func (l *loop) flush() {
	for i := range l.connections {
		if f, ok := l.connections[i].conn.(transport.Flusher); ok {
			f.Flush()
		}
	}
}

// close ends the match: it refuses new connections and closes the existing ones with the
// reason.
func (l *loop) close() {
	why, state := reasonStopping, Stopped
	if p := recover(); p != nil {
		why, state = reasonFailed, Failed
		l.failed.Store(true)
		l.log.Error("match failed", "tick", l.status.Load().Tick, "panic", p, "stack", string(debug.Stack()))
	}
	l.mu.Lock()
	l.endReason = why
	everybody := append(l.connections, l.waiting...)
	l.connections, l.waiting = nil, nil
	l.mu.Unlock()
	for i := range everybody {
		everybody[i].close(why)
	}
	l.checkpoints.close(state == Failed) // after the players know: the disk takes its time
	l.dueIn.Store(0)
	last := *l.status.Load()
	last.State, last.Connections, last.Transports = state, 0, map[string]int{}
	last.Players, last.Peers = []any{}, []Peer{}
	l.status.Store(&last)
	close(l.done)
}
