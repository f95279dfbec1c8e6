package topdown

import (
	"testing"
	"time"

	"github.com/backstep-net/backstep/check"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/serve"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/transport/mem"
)

// The rules are right in what the compiler cannot see.
func TestTheRules(t *testing.T) {
	start := Runner{State: movement.Spawn(mazes[0].floors[0], 0), Loadout: blaster.Loadout()}
	check.Game(t, Rules(), check.Play[Runner, Input]{Start: start, World: mazes[0].world, Moves: 5000})
}

// Three bots play at 150 ms for a minute and a half: they gather coins and hit each other, the first with 15 coins leads
// all into the other maze, where each has its seat and its stars, and without loss no prediction is wrong but for being
// pushed by a hit.
func TestAMatchOfBots(t *testing.T) {
	for _, loss := range []float64{0, 0.05} {
		config := Config()
		config.Bots = 0
		hits, mazesPlayed, coins, stars := 0, 0, int64(0), int64(0)
		onShot, onStart := config.OnShot, config.OnStart
		config.OnShot = func(m *match, by session.PlayerID, r *shot.Receipt) {
			if r.Verdict == shot.Hit {
				hits++
			}
			onShot(m, by, r)
		}
		config.OnStart = func(m *match) {
			mazesPlayed++
			onStart(m)
		}
		m, err := serve.New(Rules(), config)
		if err != nil {
			t.Fatal(err)
		}
		wrong := map[session.PlayerID]int{} // mispredictions on the newest maze of each
		check.Bots(t, Rules(), check.Match[Runner, Input]{
			Server: m, World: mazes[0].world, Think: Think, Network: mem.Network{RTT: 150 * time.Millisecond, Loss: loss}, Seed: 3, Duration: 90 * clock.Second,
			Each: func(c *session.Client[Runner, Input], _ clock.Micros) {
				if n := c.Stats().Moves.Corrections; n > wrong[c.ID()] {
					wrong[c.ID()] = n
				}
			},
		})
		for _, p := range m.Players(nil) {
			coins, stars = coins+m.Number(p.ID, "coins"), stars+m.Number(p.ID, "wins")
			t.Logf("loss %v: player %d: at most %d mispredictions in a maze, %d coins, %d wins", loss, p.ID, wrong[p.ID], m.Number(p.ID, "coins"), m.Number(p.ID, "wins"))
			if loss == 0 && wrong[p.ID] != 0 {
				t.Errorf("player %d: got %d mispredictions without loss, want none", p.ID, wrong[p.ID])
			}
		}
		t.Logf("loss %v: %d hits in %d mazes", loss, hits, mazesPlayed)
		if hits < 3 || mazesPlayed < 2 || stars != int64(mazesPlayed-1) || m.LevelIndex != (mazesPlayed-1)%2 {
			t.Errorf("loss %v: got %d hits, %d coins, %d stars in %d mazes, the last of which is %d: want 3 hits, and a star for each maze but the last", loss, hits, coins, stars, mazesPlayed, m.LevelIndex)
		}
	}
}
