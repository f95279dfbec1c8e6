package check

import (
	"fmt"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/lab"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/transport/mem"
)

// Bots are players in a test, each a client of its own over a simulated network.
type Bots[S comparable, C any] struct {
	// Game is the rules of the match, and World its level. Required.
	Game  session.Game[S, C]
	World *collide.World
	// Think returns what a bot does in its next frame. Required.
	Think func(c *session.Client[S, C]) C
	// Count is how many they are; zero means 2.
	Count int
	// Network is between each of them and the server; the zero Network loses and delays nothing.
	Network mem.Network
	// Duration is how long they play, in match time; zero means 10 s.
	Duration clock.Micros
	// Seed is of the network; zero means 1.
	Seed uint64
}

// Play plays a match, such as serve.New returns, in virtual time, and returns the bots' clients.
func (b Bots[S, C]) Play(t testing.TB, match lab.Server) []*session.Client[S, C] {
	t.Helper()
	if b.World == nil || b.Think == nil {
		t.Fatal("check: Bots.World and Bots.Think are required: the level, and what a bot does in a frame")
	}
	e := lab.Experiment{Server: match, TickRate: 60, Duration: orElse(b.Duration, 10*clock.Second), Seed: orElse(b.Seed, 1)}
	var clients []*session.Client[S, C]
	for i := range orElse(b.Count, 2) {
		c := session.NewClient(b.Game, session.ClientConfig{})
		c.Hello(fmt.Sprint("Bot ", i+1), session.Key{})
		clients = append(clients, c)
		e.Players = append(e.Players, lab.Player{Name: fmt.Sprint(i), Client: c, Network: b.Network, Play: func(local, _ clock.Micros) { b.frame(c, local) }})
	}
	if _, err := lab.Run(e); err != nil {
		t.Fatal(err)
	}
	return clients
}

// frame runs a bot's frame.
func (b *Bots[S, C]) frame(c *session.Client[S, C], local clock.Micros) {
	for _, e := range c.Events() {
		if e.Kind == session.Welcomed {
			c.EnterWorld(b.World)
		}
	}
	in := b.Think(c)
	c.Frame(local, &in)
}

// orElse returns v, or the default where it is zero.
func orElse[T comparable](v, otherwise T) T {
	var zero T
	if v == zero {
		return otherwise
	}
	return v
}
