package client

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/transport"
)

const (
	// answerPoll is how often Dial and Close look for the server's answer.
	answerPoll = 2 * time.Millisecond
	// closeTimeout is how long Close waits for the server to close the connection, which it
	// does a quarter of a second after it has received the farewell.
	closeTimeout = time.Second
	// frozen is a time between two frames after which silence is counted anew: a program that
	// stood still may not have been handed yet what has arrived.
	frozen = time.Second
)

// player is the part of a session.Client that a link drives.
type player interface {
	SetMatch(name string)
	SetToken(token string)
	Hello(name string, key session.Key)
	Reset()
	Key() session.Key
	QueuePlace() int
	Leave()
	Receive(ch session.Channel, local clock.Micros, b []byte) error
	Outgoing() []session.Packet
	Phase() session.Phase
	LevelHash() string
	Refusal() string
	EnterWorld(world *collide.World)
	Format() uint32
}

// link connects a player to its match, again and again. It belongs to the goroutine of its
// Client.
type link struct {
	player player
	name   string
	queued func(place int)
	place  int       // in the queue, as Queued got it
	began  time.Time // when the local time was 0
	err    error     // why the client has ended; nil before

	conn    transport.Conn // nil while there is none
	server  *Server        // of conn
	world   *collide.World // of server
	heardAt time.Time      // when the last packet arrived
	frameAt time.Time      // when receive was last called
	restart restartWatch

	reconnect time.Duration // Config.Reconnect
	lostAt    time.Time     // when the client last played; zero while it does
	connector connector     // of the goroutine that reconnects while there is one
	arrivals  chan arrival  // from that goroutine; nil while there is none
	cancel    context.CancelFunc

	inbox []transport.Packet // scratch
	set   [][]byte           // scratch
}

// join finds the match, connects, and says hello. It returns when there is a seat.
func (l *link) join(ctx context.Context, p player, address string, config Config) error {
	l.player, l.name, l.queued, l.began, l.reconnect = p, config.Name, config.Queued, time.Now(), config.Reconnect
	if l.reconnect == 0 {
		l.reconnect = 30 * time.Second
	}
	if config.Queued == nil {
		soon, cancel := context.WithTimeout(ctx, joinTimeout)
		defer cancel()
		ctx = soon
	}
	l.connector = newConnector(address, p.Format(), config)
	err := l.joinOnce(ctx, config, config.Key)
	if err != nil && p.Phase() == session.Loading { // the match has changed its level since its join request
		p.Reset()
		l.place = 0
		err = l.joinOnce(ctx, config, p.Key())
	}
	return err
}

// joinOnce is one try, with the key of a seat or none.
func (l *link) joinOnce(ctx context.Context, config Config, key session.Key) error {
	soon, cancel := context.WithTimeout(ctx, joinTimeout)
	defer cancel()
	within := soon
	if config.Queued != nil {
		within = ctx // at a front door it waits in the queue
	}
	a := l.connector.connect(within)
	if a.err != nil {
		return a.err
	}
	if config.Queued != nil {
		soon, cancel = context.WithTimeout(ctx, joinTimeout)
		defer cancel()
	}
	l.use(a, key)
	l.send()
	err := l.awaitSeat(ctx, soon)
	if err != nil {
		l.conn.Close("client: could not join")
	}
	return err
}

// awaitSeat waits for the server's welcome: in the queue as long as ctx, otherwise as long as soon.
func (l *link) awaitSeat(ctx, soon context.Context) error {
	wait := soon
	for {
		closed := l.conn.Closed()
		l.drain()
		switch l.player.Phase() {
		case session.Ended:
			return &RefusedError{l.player.Refusal()}
		case session.Outside:
			if l.tellPlace(); l.place > 0 && l.queued != nil {
				wait = ctx
			}
		default:
			return l.checkLevel()
		}
		if closed {
			return fmt.Errorf("client: %s: %w", l.server.URL, l.conn.Err())
		}
		switch err := sleep(wait, answerPoll); {
		case err != nil && l.place > 0:
			return fmt.Errorf("client: %s: still waiting for a seat, in place %d: %w", l.server.URL, l.place, err)
		case err != nil:
			return fmt.Errorf("client: %s: no answer to the hello: %w", l.server.URL, err)
		}
	}
}

// checkLevel compares the level that was loaded with that of the welcome: between the two the
// server may have been started again with another.
func (l *link) checkLevel() error {
	if hash := l.player.LevelHash(); hash != l.server.Level {
		return fmt.Errorf("client: %s: the match plays level %q, and its join request named %q", l.server.URL, hash, l.server.Level)
	}
	return nil
}

// use takes a new connection and says hello over it.
func (l *link) use(a arrival, key session.Key) {
	l.conn, l.server, l.world, l.heardAt = a.conn, a.server, a.world, time.Now()
	l.player.SetMatch(a.server.Match) // a front door or the server has chosen it, and the token is for it
	l.player.SetToken(a.token)
	l.player.Hello(l.name, key)
}

// tellPlace tells the game its place in the queue, once.
func (l *link) tellPlace() {
	if place := l.player.QueuePlace(); place != l.place {
		if l.place = place; l.queued != nil {
			l.queued(place)
		}
	}
}

// receive takes what has arrived and looks after the connection. It returns false when the
// client has ended.
func (l *link) receive() bool {
	if l.err != nil {
		return false
	}
	l.arrive()
	if l.conn != nil {
		closed := l.conn.Closed() // before the drain: what came before the end is drained too
		l.drain()
		l.watch(closed)
	}
	return l.err == nil
}

// drain hands the player what has arrived. The player's stats count malformed packets.
func (l *link) drain() {
	l.inbox = l.conn.Drain(l.inbox[:0])
	for _, in := range l.inbox {
		l.heardAt = in.At
		_ = l.player.Receive(session.Channel(in.Channel), l.local(in.At), in.Bytes)
	}
	if r, ok := l.conn.(transport.Releaser); ok {
		r.Release(l.inbox)
	}
	clear(l.inbox) // lets the collector free the bytes
}

// watch reacts to what has become of the connection.
func (l *link) watch(closed bool) {
	now := time.Now()
	if now.Sub(l.frameAt) > frozen {
		l.heardAt = now
	}
	l.frameAt = now
	switch {
	case l.player.Phase() == session.Ended:
		l.end(&RefusedError{l.player.Refusal()})
	case closed:
		l.lose(l.conn.Err())
	case now.Sub(l.heardAt) > l.patience():
		l.lose(errSilent)
	case l.player.QueuePlace() > 0: // which arrives every few seconds
		l.tellPlace()
	case l.restarted(now):
		l.lose(errRestarted)
	case l.player.Phase() == session.Loading:
		if err := l.checkLevel(); err != nil {
			l.lose(err)
			return
		}
		l.lostAt, l.connector.failures = time.Time{}, 0
		l.player.EnterWorld(l.world)
	}
}

// silence is for how long a server that sends every tick may be silent: as long as in a page.
const silence = 3 * time.Second

// patience returns for how long nothing may arrive. A transport notices after transport.IdleTimeout that its
// other end is gone, a WebSocket under GOOS=js never.
func (l *link) patience() time.Duration {
	if l.player.Phase() == session.Playing {
		return silence
	}
	return transport.IdleTimeout
}

// errSilent is a connection on which nothing arrives.
var errSilent = errors.New("client: nothing received for too long")

// end ends the client for good.
func (l *link) end(err error) {
	l.restart.stop()
	if l.err = err; l.conn != nil {
		l.conn.Close("client: " + err.Error())
	}
}

// lose gives the connection up and begins to reconnect, in a goroutine that takes the
// connector.
func (l *link) lose(why error) {
	l.connector.log.Info("connection lost", "server", l.server.URL, "why", why)
	l.conn.Close("client: " + why.Error())
	l.conn = nil
	l.restart.stop()
	if l.lostAt.IsZero() {
		l.lostAt = time.Now()
	}
	deadline := l.lostAt.Add(l.reconnect)
	if !time.Now().Before(deadline) {
		l.err = fmt.Errorf("client: connection lost: %w", why)
		return
	}
	l.player.Reset()
	ctx, cancel := context.WithDeadline(context.Background(), deadline)
	l.cancel, l.arrivals = cancel, make(chan arrival, 1)
	go func(to chan<- arrival) { to <- l.connector.retry(ctx, why) }(l.arrivals)
}

// arrive takes what has come of reconnecting, if that is over.
func (l *link) arrive() {
	if l.arrivals == nil {
		return
	}
	select {
	case a := <-l.arrivals:
		l.cancel()
		if l.arrivals = nil; a.err != nil {
			l.err = a.err
			return
		}
		l.use(a, l.player.Key())
	default:
	}
}

// send sends what the player has to send: its datagrams as one batch.
func (l *link) send() {
	if l.conn == nil || l.err != nil {
		return
	}
	l.set = l.set[:0]
	for _, p := range l.player.Outgoing() {
		if p.Channel == session.Datagram {
			l.set = append(l.set, p.Bytes)
		} else if err := l.conn.Stream(p.Bytes); err != nil {
			l.conn.Close(err.Error())
		}
	}
	if len(l.set) > 0 {
		l.conn.Datagrams(l.set...)
	}
}

// Local returns the local time: how long ago Dial was called, on this machine's monotonic
// clock. Frame has passed it to session.Client.Frame.
func (l *link) Local() clock.Micros { return l.local(time.Now()) }

// local returns the local time at t.
func (l *link) local(t time.Time) clock.Micros {
	return max(clock.Micros(t.Sub(l.began).Microseconds()), 0) + 1
}

// Connected reports whether there is a connection to the server and a seat; false while the
// client reconnects and after its end.
func (l *link) Connected() bool {
	return l.conn != nil && l.err == nil && l.player.Phase() > session.Outside
}

// Transport returns the kind of the connection, "udp", "quic" or "websocket", "" while there is none.
func (l *link) Transport() string {
	if l.conn == nil {
		return ""
	}
	return l.conn.Kind()
}

// Server returns the match as the server last described it.
func (l *link) Server() *Server { return l.server }

// Close leaves the match, so that the seat is free at once. It returns when the server has
// closed the connection, which takes about a quarter of a second and at most a whole one;
// the sockets are closed soon afterwards. A second call does nothing.
func (l *link) Close() {
	l.restart.stop()
	if l.arrivals != nil {
		l.cancel()
		if a := <-l.arrivals; a.conn != nil {
			a.conn.Close("client: closed")
		}
		l.arrivals = nil
	}
	if l.conn != nil && l.err == nil {
		l.player.Leave()
		l.send()
		for deadline := time.Now().Add(closeTimeout); !l.conn.Closed() && time.Now().Before(deadline); {
			l.inbox = l.conn.Drain(l.inbox[:0])
			time.Sleep(answerPoll)
		}
		l.conn.Close("client: closed")
	}
	if l.err == nil {
		l.err = ErrClosed
	}
}
