package hockey

import (
	"testing"
	"time"

	"github.com/backstep-net/backstep/check"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/serve"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/transport/mem"
)

// The rules are right in what the compiler cannot see.
func TestTheRules(t *testing.T) {
	start := Skater{State: movement.Spawn(geom.V(0, 0.1, 12), 0), Loadout: gun.Loadout(), Stamina: clock.Second}
	check.Game(t, Rules(), check.Play[Skater, Input]{Start: start, World: Rink(), Moves: 5000})
}

// Three bots play for a minute at 150 ms: the puck is hit, players are frozen in turn, the door opens
// for them, and nobody's prediction is wrong but for being frozen. [WIR-18, BAS-13]
func TestAMatchOfBots(t *testing.T) {
	for _, loss := range []float64{0, 0.05} {
		config := Config()
		shots, otherwise, frozen, opened := 0, 0, 0, 0
		hit := config.OnShot
		config.OnShot = func(m *match, by session.PlayerID, r *shot.Receipt) {
			shots++
			if !r.Agrees {
				otherwise++
				t.Logf("loss %v: shot %d of %d was not judged as seen: %v, %v", loss, r.Shot, by, r.Verdict, r.Reason)
			}
			hit(m, by, r)
		}
		m, err := serve.New(Rules(), config)
		if err != nil {
			t.Fatal(err)
		}
		clients := check.Bots(t, Rules(), check.Match[Skater, Input]{
			Server: m, World: Rink(), Think: Think, Network: mem.Network{RTT: 150 * time.Millisecond, Loss: loss}, Seed: 3,
			Each: func(c *session.Client[Skater, Input], _ clock.Micros) {
				if c.Self() != nil && c.Self().Frozen > 0 {
					frozen++
				}
				if c.World().World != nil && c.World().Pose(1).Translation.Y > 2 {
					opened++
				}
			},
		})
		score := int64(0)
		for _, c := range clients {
			n := c.Stats().Moves.Corrections
			score += m.Number(c.ID(), "score")
			t.Logf("loss %v: player %d: %d mispredictions, score %d", loss, c.ID(), n, m.Number(c.ID(), "score"))
			if loss == 0 && n != 0 {
				t.Errorf("player %d: got %d mispredictions without loss, want none", c.ID(), n)
			}
		}
		t.Logf("loss %v: %d shots, frozen in %d frames, door open in %d, score %d", loss, shots, frozen, opened, score)
		if most := int(100 * loss); otherwise*100 > most*shots*2 {
			t.Errorf("got %d of %d shots judged otherwise at %v loss", otherwise, shots, loss)
		}
		if shots < 5 || frozen == 0 || opened == 0 {
			t.Errorf("got %d shots, frozen in %d frames, the door open in %d: too little happens", shots, frozen, opened)
		}
	}
}
