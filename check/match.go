package check

import (
	"cmp"
	"fmt"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/lab"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/transport/mem"
)

// Match is a match that bots play in virtual time, each over a network of its own.
type Match[S comparable, C any] struct {
	// Server is the match, such as serve.New makes it, and World its level. Required. Of a match of several levels it is
	// the first; the others come from Server (serve.Match.World).
	Server lab.Server
	World  *collide.World
	// Think returns what a player does in a frame, once the server has placed it. Required.
	Think func(c *session.Client[S, C]) C
	// Players is how many play; zero means 3.
	Players int
	// Network is that of each player; zero is a perfect one.
	Network mem.Network
	// FrameRate is how many frames a second each screen draws; zero means 60.
	FrameRate float64
	// Duration is how long they play; zero means a minute.
	Duration clock.Micros
	// Seed is of the networks; zero means 1.
	Seed uint64
	// Each is called after each frame of a player, to look at what its page would draw: also before it has joined,
	// with an ID of 0 and no Self. Its Client.Events are those that came since the frame before. Nil is not called.
	Each func(c *session.Client[S, C], local clock.Micros)

	first string // hash of World
}

// Bots plays a match and returns the clients as they were at the end, in the order of their ids:
// what each saw, and in Stats how often its prediction was corrected. Their LastCorrection names the game's own
// fields too.
func Bots[S comparable, C any](t testing.TB, game session.Game[S, C], match Match[S, C]) []*session.Client[S, C] {
	t.Helper()
	if match.Server == nil || match.World == nil || match.Think == nil {
		t.Fatal("check: Match.Server, World or Think is nil: all three are required")
	}
	game = namingOwn(game)
	match.Players = cmp.Or(match.Players, 3)
	match.FrameRate = cmp.Or(match.FrameRate, 60)
	match.Duration = cmp.Or(match.Duration, 60*clock.Second)
	match.Seed = cmp.Or(match.Seed, 1)
	experiment := lab.Experiment{Server: match.Server, Duration: match.Duration, Seed: match.Seed}
	var clients []*session.Client[S, C]
	for i := range match.Players {
		c := session.NewClient(game, session.ClientConfig{})
		name := fmt.Sprint("Bot ", i+1)
		c.Hello(name, session.Key{})
		clients = append(clients, c)
		experiment.Players = append(experiment.Players, lab.Player{
			Name: name, Client: c, Network: match.Network, Frames: []float64{match.FrameRate},
			Play: func(local, _ clock.Micros) { match.frame(c, local) },
		})
	}
	if _, err := lab.Run(experiment); err != nil {
		t.Fatalf("check: the match: %v", err)
	}
	return clients
}

// level returns the level that a player has to enter.
func (m *Match[S, C]) level(hash string) *collide.World {
	m.first = cmp.Or(m.first, hash)
	if server, ok := lab.As[interface{ World() *collide.World }](m.Server); ok && hash != m.first {
		return server.World()
	}
	return m.World
}

// frame plays a frame of a player.
func (m *Match[S, C]) frame(c *session.Client[S, C], local clock.Micros) {
	if c.Phase() == session.Loading {
		c.EnterWorld(m.level(c.LevelHash()))
	}
	var in C
	if c.Self() != nil {
		in = m.Think(c)
	}
	c.Frame(local, &in)
	if m.Each != nil {
		m.Each(c, local)
	}
	c.Events() // or they would pile up
}
