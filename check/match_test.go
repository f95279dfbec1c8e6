package check_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/backstep-net/backstep/check"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/examples/jetpack"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/serve"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/transport/mem"
)

// Three bots walk for ten seconds at 100 ms: each sees the others, each frame is looked at, and no
// prediction is wrong.
func TestAMatchOfBots(t *testing.T) {
	p, frames := stage(t), 0
	m, err := serve.New(jetpack.Game(&model), serve.Config[hero, command]{
		Session: session.ServerConfig{World: p.World},
		OnJoin:  func(m *serve.Match[hero, command], e session.Event) { m.SetState(e.Player, p.Start) },
	})
	if err != nil {
		t.Fatal(err)
	}
	clients := check.Bots(t, jetpack.Game(&model), check.Match[hero, command]{
		Server: m, World: p.World, Duration: 10 * clock.Second, Network: mem.Network{RTT: 100 * time.Millisecond},
		Think: func(c *session.Client[hero, command]) command {
			return command{Command: movement.Command{Forward: 1, Yaw: float64(c.ID())}}
		},
		Each: func(*session.Client[hero, command], clock.Micros) { frames++ },
	})
	for i, c := range clients {
		if int(c.ID()) != i+1 || len(c.Remotes()) != 2 || c.Stats().Moves.Corrections != 0 {
			t.Errorf("client %d: got id %d, %d others, %d corrections; want 2 others and none", i, c.ID(), len(c.Remotes()), c.Stats().Moves.Corrections)
		}
	}
	if len(clients) != 3 || frames < 3*600 {
		t.Errorf("got %d clients, %d frames; want 3, at least 1800", len(clients), frames)
	}
}

// A match is played at its own tick rate, and Each gets the events that a page would get.
func TestAMatchOfBotsAtItsTickRate(t *testing.T) {
	p, ticks, messages := stage(t), 0, map[session.PlayerID]int{}
	m, err := serve.New(jetpack.Game(&model), serve.Config[hero, command]{
		Session: session.ServerConfig{World: p.World, TickRate: 30},
		OnJoin:  func(m *serve.Match[hero, command], e session.Event) { m.SetState(e.Player, p.Start) },
		OnTick: func(m *serve.Match[hero, command], _ clock.Micros) {
			if ticks++; m.Every(clock.Second) {
				m.Broadcast([]byte("second"))
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	check.Bots(t, jetpack.Game(&model), check.Match[hero, command]{
		Server: m, World: p.World, Players: 2, Duration: 10 * clock.Second,
		Think: func(*session.Client[hero, command]) (in command) { return in },
		Each: func(c *session.Client[hero, command], _ clock.Micros) {
			for _, e := range c.Events() {
				if e.Kind == session.Message && string(e.Bytes) == "second" {
					messages[c.ID()]++
				}
			}
		},
	})
	if ticks < 299 || ticks > 310 || messages[1] < 9 || messages[1] > 10 || messages[2] != messages[1] {
		t.Errorf("got %d ticks, messages %v; want 300, a few until the end is seen, and 9 or 10 for both", ticks, messages)
	}
}

// A match without a server is refused with what it lacks.
func TestAMatchThatLacksSomething(t *testing.T) {
	defer func() { // a report's Fatal panics
		if got := fmt.Sprint(recover()); !strings.Contains(got, "Match.Server, World or Think is nil") {
			t.Errorf("got %q", got)
		}
	}()
	check.Bots(&report{TB: t}, jetpack.Game(&model), check.Match[hero, command]{})
}
