package client_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/backstep-net/backstep/client"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/examples/jetpack"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/host"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/session"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience is how long a test waits for what must come; nothing is timed by it.
const patience = time.Minute

// game is the rules of every match here.
var game = jetpack.Game(new(movement.DefaultModel()))

// box is a level of one box with its upper side at height 0.
func box(half float64) *collide.World {
	var b collide.Builder
	b.Box(geom.V(0, -1, 0), geom.V(half, 1, half), geom.IdentityQuat, collide.Surface{})
	w, err := b.Bake()
	if err != nil {
		panic(err)
	}
	return w
}

// match is a match of the game at a host. After restart its time runs on, as if its state had
// been saved.
type match struct {
	*session.Server[jetpack.Hero, jetpack.Command]
	kicked  []session.Event
	now     clock.Micros
	before  clock.Micros // match time at the last restart
	peers   map[session.Peer]bool
	spawned int
}

func newMatch(level *collide.World, players int) *match {
	return matchOf(game, level, players)
}

func matchOf(game session.Game[jetpack.Hero, jetpack.Command], level *collide.World, players int) *match {
	return &match{peers: map[session.Peer]bool{}, Server: session.NewServer(game, session.ServerConfig{
		World: level, LevelHash: level.Hash(), Players: players,
		NewKey: func() (k session.Key) { rand.Read(k[:]); return k },
	})}
}

func (m *match) Receive(from session.Peer, ch session.Channel, at clock.Micros, b []byte) error {
	m.peers[from] = true
	return m.Server.Receive(from, ch, m.before+at, b)
}

func (m *match) Tick(now clock.Micros) {
	m.now = m.before + now
	m.Server.Tick(m.now)
	m.kicked = m.kicked[:0]
	for _, e := range m.Server.Events() {
		switch e.Kind {
		case session.Joined:
			if !e.Reconnected {
				m.spawned++
				m.SetState(e.Player, jetpack.Hero{State: movement.Spawn(geom.V(float64(3*m.spawned), 0.1, 0), 0)})
			}
		case session.Kick:
			m.kicked = append(m.kicked, e)
		}
	}
	m.Server.Send()
}

func (m *match) Kicked() []session.Event { return m.kicked }
func (m *match) Report() any             { return m.Server.Players(nil) }

// restart makes the match ready for another host.
func (m *match) restart() {
	m.before = (m.now/clock.Second + 1) * clock.Second // a whole number of ticks
	for p := range m.peers {
		m.Server.Disconnect(p)
	}
	m.peers = map[session.Peer]bool{}
}

// server is a running host.
type server struct {
	url, quic string
	halt      context.CancelFunc
	ended     chan error
}

// open runs a host on loopback until the test ends. addresses are those of HTTP and QUIC, free
// ones by default.
func open(t *testing.T, level *collide.World, m *match, addresses ...string) *server {
	t.Helper()
	return openWith(t, level, m, func(*host.Config) {}, addresses...)
}

// openWith is open with a configuration of its own.
func openWith(t *testing.T, level *collide.World, m *match, with func(*host.Config), addresses ...string) *server {
	t.Helper()
	if addresses == nil {
		addresses = []string{"127.0.0.1:0", "127.0.0.1:0"}
	}
	config := host.Config{
		Addr: addresses[0], QUIC: addresses[1], Version: "v1.2.3", Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
		Matches: []host.MatchConfig{{Name: "field", TickRate: 60, Match: m}},
		Levels:  map[string]host.Level{level.Hash(): {World: level.AppendBinary(nil)}},
	}
	with(&config)
	h, err := host.New(config)
	if err != nil {
		t.Fatal(err)
	}
	s := &server{url: "http://" + h.Addr().String(), quic: h.QUICAddr().String(), ended: make(chan error, 1)}
	ctx, halt := context.WithCancel(context.Background())
	s.halt = halt
	go func() { s.ended <- h.Run(ctx); close(s.ended) }()
	t.Cleanup(s.stop)
	return s
}

// stop ends the host as SIGTERM does.
func (s *server) stop() {
	s.halt()
	<-s.ended
}

// player is a client that the test plays.
type player struct {
	*client.Client[jetpack.Hero, jetpack.Command]
	input  jetpack.Command
	events []session.Event
	err    error // of the last frame
}

// dial joins as Ada unless the config has a name; the test's end closes the client.
func dial(t *testing.T, url string, config client.Config) *player {
	t.Helper()
	p, err := tryDial(t, url, config)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func tryDial(t *testing.T, url string, config client.Config) (*player, error) {
	t.Helper()
	if config.Name == "" {
		config.Name = "Ada"
	}
	config.Log = slog.New(slog.NewTextHandler(t.Output(), nil))
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	c, err := client.Dial(ctx, url, game, config)
	if err != nil {
		return nil, err
	}
	t.Cleanup(c.Close)
	return &player{Client: c}, nil
}

// frame is one frame.
func (p *player) frame() {
	p.err = p.Frame(&p.input)
	p.events = append(p.events, p.Events()...)
}

// count returns how many events of a kind there were.
func (p *player) count(kind session.EventKind) (n int) {
	for _, e := range p.events {
		if e.Kind == kind {
			n++
		}
	}
	return n
}

// play plays for a time.
func play(d time.Duration, players ...*player) {
	frame := time.NewTicker(time.Second / 60)
	defer frame.Stop()
	for end := time.Now().Add(d); time.Now().Before(end); <-frame.C {
		for _, p := range players {
			p.frame()
		}
	}
}

// until plays until something is so.
func until(t *testing.T, what string, is func() bool, players ...*player) {
	t.Helper()
	for deadline := time.Now().Add(patience); !is(); {
		if time.Now().After(deadline) {
			state := ""
			for _, p := range players {
				state += fmt.Sprintf("\nphase %d, connected %v, frame's error %v", p.Phase(), p.Connected(), p.err)
			}
			t.Fatalf("in vain: %s%s", what, state)
		}
		play(20*time.Millisecond, players...)
	}
}

// playing plays until all are in the world.
func playing(t *testing.T, players ...*player) {
	t.Helper()
	until(t, "all play", func() bool {
		for _, p := range players {
			if p.Phase() != session.Playing {
				return false
			}
		}
		return true
	}, players...)
}
