package client_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/backstep-net/backstep/client"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/transport"
	"github.com/backstep-net/backstep/transport/join"
)

// Two players join over both transports, walk for three seconds, see each other, and leave:
// their seats are free at once.
func TestTwoPlayersJoinPlayAndLeave(t *testing.T) {
	t.Parallel()
	level := box(60)
	m := newMatch(level, 2)
	s := open(t, level, m)
	ada := dial(t, s.url, client.Config{})
	bea := dial(t, s.url, client.Config{Name: "Bea", Match: "field", Transports: []client.Transport{client.WebSocket}})
	if a, b := ada.Transport(), bea.Transport(); a != "udp" || b != "websocket" {
		t.Errorf("connected by %s and %s, want udp and websocket", a, b)
	}
	playing(t, ada, bea)
	start := *ada.Self()
	ada.input.Forward = 1
	play(3*time.Second, ada, bea)
	walked := func(p geom.Vec3) bool { return p.Dist(start.Position) > 5 }
	until(t, "Ada has walked 5 m", func() bool { return walked(ada.Self().Position) }, ada, bea)
	until(t, "Bea sees it", func() bool { return len(bea.Remotes()) == 1 && walked(bea.Remotes()[0].Position) }, ada, bea)
	if r := bea.Remotes(); r[0].ID != ada.ID() || ada.err != nil || ada.Stats().Bad != 0 {
		t.Errorf("Bea sees player %d, want %d; Ada's error %v, bad packets %d", r[0].ID, ada.ID(), ada.err, ada.Stats().Bad)
	}
	if n := bea.count(session.Welcomed); n != 1 || !ada.Connected() || ada.Server().Version != "v1.2.3" {
		t.Errorf("%d Welcomed, want 1; Ada connected %v to %+v", n, ada.Connected(), ada.Server())
	}
	ada.Close()
	ada.Close()
	if err := ada.Frame(&ada.input); !errors.Is(err, client.ErrClosed) || ada.Connected() {
		t.Errorf("a frame after Close: %v, connected %v", err, ada.Connected())
	}
	dial(t, s.url, client.Config{Name: "Cleo"}) // takes Ada's seat
}

// A player of the game's own makes the frame itself; the local time is what Frame would have
// passed on.
func TestAGameMakesTheFrame(t *testing.T) {
	t.Parallel()
	level := box(60)
	s := open(t, level, newMatch(level, 2))
	p := dial(t, s.url, client.Config{Level: level})
	calls, last := 0, clock.Micros(0)
	for deadline := time.Now().Add(patience); p.Phase() != session.Playing && time.Now().Before(deadline); time.Sleep(time.Second / 60) {
		if err := p.FrameFunc(func(local clock.Micros) {
			if calls++; local < last || local > p.Local() {
				t.Errorf("frame %d at %d, after %d", calls, local, last)
			}
			last = local
			p.Client.Client.Frame(local, &p.input)
		}); err != nil {
			t.Fatal(err)
		}
	}
	if p.Phase() != session.Playing {
		t.Errorf("after %d frames: phase %d, want Playing", calls, p.Phase())
	}
	p.Close()
	before := calls
	if err := p.FrameFunc(func(clock.Micros) { calls++ }); !errors.Is(err, client.ErrClosed) || calls != before {
		t.Errorf("after Close: %v, frame called %d times", err, calls-before)
	}
}

// cable is a transport with connections that the test can cut.
type cable struct {
	mu   sync.Mutex
	conn transport.Conn
	made int
	dead int // so many of the next connections end before there is an answer
}

func (c *cable) dial(ctx context.Context, s *client.Server) (transport.Conn, error) {
	conn, err := client.QUIC(ctx, s)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.conn = conn; err == nil {
		c.made++
		if c.dead > 0 {
			c.dead--
			conn.Close("the cable is loose")
		}
	}
	return conn, err
}

// cut ends the connection, and so many of the next ones.
func (c *cable) cut(dead int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.dead = dead
	c.conn.Close("the cable is cut")
}

// A lost connection comes back by itself: the same seat, in the same place, and the other
// player sees one player go on. [THR-08]
func TestALostConnectionComesBack(t *testing.T) {
	t.Parallel()
	level := box(60)
	s := open(t, level, newMatch(level, 2))
	var c cable
	ada := dial(t, s.url, client.Config{Transports: []client.Transport{c.dial}})
	bea := dial(t, s.url, client.Config{Name: "Bea"})
	playing(t, ada, bea)
	ada.input.Forward = 1
	play(time.Second, ada, bea)
	ada.input.Forward = 0
	until(t, "Ada stands", func() bool { return ada.Self().Velocity.Len() == 0 }, ada, bea)
	id, key, at := ada.ID(), ada.Key(), ada.Self().Position
	for cut := 1; cut <= 2; cut++ {
		c.cut(cut - 1)
		until(t, "Ada notices", func() bool { return !ada.Connected() }, ada, bea)
		if ada.Self() != nil || ada.Phase() != session.Outside || ada.Transport() != "" || ada.err != nil {
			t.Errorf("while away: self %v, phase %d, by %q, error %v", ada.Self(), ada.Phase(), ada.Transport(), ada.err)
		}
		playing(t, ada, bea)
		if d := ada.Self().Position.Dist(at); ada.ID() != id || ada.Key() != key || d > 0.05 {
			t.Errorf("cut %d: back as %d, %.2f m from the place; want %d there", cut, ada.ID(), d, id)
		}
		if n := ada.count(session.Welcomed); n != cut+1 {
			t.Errorf("cut %d: %d Welcomed, want %d", cut, n, cut+1)
		}
		if len(bea.Remotes()) != 1 {
			t.Errorf("cut %d: Bea sees %d others, want 1", cut, len(bea.Remotes()))
		}
	}
	ada.input.Forward = 1
	until(t, "Ada walks again", func() bool { return ada.Self().Position.Dist(at) > 2 }, ada, bea)
}

// deaf is a connection that hands over nothing once the test says so, as that to a machine that is gone: no
// transport has noticed yet.
type deaf struct {
	transport.Conn
	gone atomic.Bool
}

func (d *deaf) Drain(into []transport.Packet) []transport.Packet {
	if got := d.Conn.Drain(into); !d.gone.Load() {
		return got
	}
	return into
}

// A player of a server that sends nothing any more knows it after three seconds, as in a page, not when the
// transport does, after fifteen. [THR-09]
func TestASilentServerIsALostConnection(t *testing.T) {
	t.Parallel()
	level := box(60)
	s := open(t, level, newMatch(level, 1))
	d := &deaf{}
	ada := dial(t, s.url, client.Config{Reconnect: -1, Transports: []client.Transport{func(ctx context.Context, s *client.Server) (conn transport.Conn, err error) {
		d.Conn, err = client.QUIC(ctx, s)
		return d, err
	}}})
	playing(t, ada)
	began := time.Now()
	d.gone.Store(true)
	until(t, "Ada notices", func() bool { return !ada.Connected() }, ada)
	if took := time.Since(began); took >= transport.IdleTimeout {
		t.Errorf("noticed after %v, want before %v", took, transport.IdleTimeout)
	}
}

// The server stops and starts again at the same address. A match whose state was kept gives the
// same seat; a new match, with another level, gives a new one. [THR-32]
func TestAServerStartsAgain(t *testing.T) {
	first, second := box(60), box(40)
	m := newMatch(first, 2)
	s := open(t, first, m)
	ada := dial(t, s.url, client.Config{})
	playing(t, ada)
	id, key := ada.ID(), ada.Key()
	s.stop()
	until(t, "Ada notices", func() bool { return !ada.Connected() }, ada)
	m.restart()
	again := open(t, first, m, s.url[len("http://"):], s.quic)
	playing(t, ada)
	if ada.ID() != id || ada.Key() != key {
		t.Errorf("back as %d with key %x, want %d with %x", ada.ID(), ada.Key(), id, key)
	}
	again.stop()
	until(t, "Ada notices", func() bool { return !ada.Connected() }, ada)
	open(t, second, newMatch(second, 2), s.url[len("http://"):], s.quic)
	playing(t, ada)
	if ada.Key() == key || ada.World().World.Hash() != second.Hash() || ada.err != nil {
		t.Errorf("in a new match: the old key %v, level %s, error %v; want a new key and %s",
			ada.Key() == key, ada.World().World.Hash(), ada.err, second.Hash())
	}
	if p := ada.Self().Position; p.Dist(geom.V(3, 0, 0)) > 0.2 {
		t.Errorf("in a new match at %v, want the first spawn", p)
	}
}

// The match has another level by the time a player gets its seat, such as one that has waited in the queue: it asks again,
// loads that level, and has the one seat.
func TestTheLevelChangesBeforeASeat(t *testing.T) {
	t.Parallel()
	before, level := box(40), box(60)
	m := newMatch(level, 2)
	s := open(t, level, m)
	asked := 0
	ada := dial(t, s.url, client.Config{Fetch: func(ctx context.Context, url string) ([]byte, error) {
		if strings.HasSuffix(url, before.Hash()) {
			return before.AppendBinary(nil), nil
		}
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return nil, err
		}
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			return nil, err
		}
		defer res.Body.Close()
		b, err := io.ReadAll(res.Body)
		if strings.Contains(url, join.Path) {
			if asked++; asked == 1 {
				b = bytes.ReplaceAll(b, []byte(level.Hash()), []byte(before.Hash()))
			}
		}
		return b, err
	}})
	defer http.DefaultClient.CloseIdleConnections()
	playing(t, ada)
	if got := ada.World().World.Hash(); got != level.Hash() || ada.ID() != 1 || ada.err != nil {
		t.Errorf("player %d plays level %s with the error %v, want player 1 and %s", ada.ID(), got, ada.err, level.Hash())
	}
}

// A server that does not come back ends the client, with both reasons, within Reconnect; below
// zero at once.
func TestAServerThatStaysAway(t *testing.T) {
	t.Parallel()
	level := box(60)
	for _, c := range []struct {
		reconnect time.Duration
		least     time.Duration
		want      string
	}{
		{700 * time.Millisecond, 600 * time.Millisecond, "could not be reached again"},
		{-1, 0, "the server is stopping"},
	} {
		s := open(t, level, newMatch(level, 2))
		p := dial(t, s.url, client.Config{Reconnect: c.reconnect})
		playing(t, p)
		began := time.Now()
		s.stop()
		until(t, "the client gives up", func() bool { return p.err != nil }, p)
		if d := time.Since(began); d < c.least || !contains(p.err, c.want) || !contains(p.err, "the server is stopping") {
			t.Errorf("Reconnect %v: gave up after %v with %v; want after %v, with %q", c.reconnect, d, p.err, c.least, c.want)
		}
		last := p.err
		if p.frame(); p.err != last {
			t.Errorf("Reconnect %v: then %v, want the same error again", c.reconnect, p.err)
		}
		p.Close()
	}
}

// A player that the server throws out, here because the same player joined again by its key, has
// the reason and does not come back. The second client has the seat.
func TestAPlayerThatIsThrownOutStaysOut(t *testing.T) {
	t.Parallel()
	level := box(60)
	s := open(t, level, newMatch(level, 1))
	var c cable
	p := dial(t, s.url, client.Config{Transports: []client.Transport{c.dial}})
	playing(t, p)
	again := dial(t, s.url, client.Config{Key: p.Key()})
	if again.ID() != p.ID() {
		t.Errorf("by its key as %d, want %d", again.ID(), p.ID())
	}
	until(t, "the end", func() bool { return p.err != nil }, p)
	var refused *client.RefusedError
	if !errors.As(p.err, &refused) || refused.Reason != "session: you joined from elsewhere" || p.count(session.Refused) != 1 {
		t.Errorf("ended with %v and %d Refused, want the reason and one", p.err, p.count(session.Refused))
	}
	play(700*time.Millisecond, p)
	if c.made != 1 || p.Connected() {
		t.Errorf("%d connections, connected %v; want one and no", c.made, p.Connected())
	}
}
