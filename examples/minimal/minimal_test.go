package minimal

import (
	"testing"
	"time"

	"github.com/backstep-net/backstep/check"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/serve"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/transport/mem"
)

// The rules are right in what the compiler cannot see.
func TestTheRules(t *testing.T) {
	check.Game(t, Rules(), check.Play[movement.State, movement.Command]{
		Start: movement.Spawn(geom.V(0, 0.1, 0), 0), World: collide.Floor(500),
	})
}

// Two players walk at 150 ms of round trip and see each other, without a correction.
func TestTwoPlayersSeeEachOther(t *testing.T) {
	m, err := serve.New(Rules(), serve.Config[movement.State, movement.Command]{
		Session: session.ServerConfig{World: collide.Floor(50)},
		OnJoin: func(m *serve.Match[movement.State, movement.Command], e session.Event) {
			m.SetState(e.Player, movement.Spawn(geom.V(float64(e.Player), 0.1, 0), 0))
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	clients := check.Bots(t, Rules(), check.Match[movement.State, movement.Command]{
		Server: m, World: collide.Floor(50), Players: 2, Duration: 4 * clock.Second, Network: mem.Network{RTT: 150 * time.Millisecond},
		Think: func(*session.Client[movement.State, movement.Command]) movement.Command {
			return movement.Command{Forward: 1}
		},
	})
	for _, c := range clients {
		others, moves := c.Remotes(), c.Stats().Moves
		if n := moves.Corrections + moves.Timeouts + moves.Throttles; n != 0 || len(others) != 1 || others[0].Position.Z > -5 {
			t.Errorf("player %d: got %d corrections and sees %v, want none and the other one far along −Z", c.ID(), n, others)
		}
	}
}
