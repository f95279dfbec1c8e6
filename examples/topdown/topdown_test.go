package topdown

import (
	"testing"
	"time"

	"github.com/backstep-net/backstep/check"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/serve"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/transport/mem"
)

// The rules are right in what the compiler cannot see.
func TestTheRules(t *testing.T) {
	start := Runner{State: movement.Spawn(floors[0], 0), Loadout: blaster.Loadout()}
	check.Game(t, Rules(), check.Play[Runner, Input]{Start: start, World: level, Moves: 5000})
}

// Three bots play for a minute at 150 ms: they gather coins and hit each other, and without loss
// no prediction is wrong but for being pushed by a hit.
func TestAMatchOfBots(t *testing.T) {
	for _, loss := range []float64{0, 0.05} {
		config := Config()
		hits, coins := 0, int64(0)
		onShot := config.OnShot
		config.OnShot = func(m *match, by session.PlayerID, r *shot.Receipt) {
			if r.Verdict == shot.Hit {
				hits++
			}
			onShot(m, by, r)
		}
		m, err := serve.New(Rules(), config)
		if err != nil {
			t.Fatal(err)
		}
		clients := check.Bots(t, Rules(), check.Match[Runner, Input]{
			Server: m, World: level, Think: Think, Network: mem.Network{RTT: 150 * time.Millisecond, Loss: loss}, Seed: 3,
		})
		for _, c := range clients {
			moves, id := c.Stats().Moves, c.ID()
			coins += m.Number(id, "coins") + 15*m.Number(id, "wins")
			t.Logf("loss %v: player %d: %d mispredictions, %d pushes, %d coins, %d wins", loss, id, moves.Corrections, moves.ServerForces, m.Number(id, "coins"), m.Number(id, "wins"))
			if loss == 0 && moves.Corrections != 0 {
				t.Errorf("player %d: got %d mispredictions without loss, want none", id, moves.Corrections)
			}
		}
		if t.Logf("loss %v: %d hits", loss, hits); hits < 3 || coins < 10 {
			t.Errorf("loss %v: got %d hits and %d coins: too little happens", loss, hits, coins)
		}
	}
}
