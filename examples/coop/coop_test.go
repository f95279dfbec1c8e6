package coop

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

type client = session.Client[Guard, Input]

// The rules are right in what the compiler cannot see.
func TestTheRules(t *testing.T) {
	start := Guard{State: movement.Spawn(geom.V(0, 0.1, 3), 0), Loadout: rifles.Loadout()}
	check.Game(t, Rules(), check.Play[Guard, Input]{Start: start, World: Field(), Moves: 5000})
}

// Two bots hold the fort for two minutes at 150 ms: waves come and are shot. Without loss each shot is judged
// as it was seen, at characters that nobody plays too, and the only corrections are deaths.
func TestAMatchOfBots(t *testing.T) {
	for _, loss := range []float64{0, 0.05} {
		config := Config()
		config.Bots = 0
		shots, hits, otherwise := 0, 0, 0
		onShot := config.OnShot
		config.OnShot = func(m *match, by session.PlayerID, r *shot.Receipt) {
			if shots++; r.Verdict == shot.Hit {
				hits++
			}
			if !r.Agrees && r.Reason != shot.ShooterDead { // its client did not know
				otherwise++
				t.Logf("loss %v: shot %d of %d was not judged as seen: %v, %v", loss, r.Shot, by, r.Verdict, r.Reason)
			}
			onShot(m, by, r)
		}
		m, err := serve.New(Rules(), config)
		if err != nil {
			t.Fatal(err)
		}
		wave := int64(0)
		clients := check.Bots(t, Rules(), check.Match[Guard, Input]{
			Server: m, World: Field(), Think: Think, Players: 2, Duration: 120 * clock.Second,
			Network: mem.Network{RTT: 150 * time.Millisecond, Loss: loss},
			Each:    func(c *client, _ clock.Micros) { wave = max(wave, c.Number(session.OfMatch, "wave")) },
		})
		score := int64(0)
		for _, c := range clients {
			stats := c.Stats().Moves
			score += m.Number(c.ID(), "score")
			t.Logf("loss %v: player %d: score %d, %d corrections, %d of them by its death", loss, c.ID(), m.Number(c.ID(), "score"), stats.Corrections+stats.ServerForces, stats.ServerForces)
			if loss == 0 && stats.Corrections != 0 {
				t.Errorf("player %d: got %d mispredictions without loss, want none", c.ID(), stats.Corrections)
			}
		}
		t.Logf("loss %v: wave %d, %d shots, %d hits, %d not as seen, %d attackers shot", loss, wave, shots, hits, otherwise, score)
		if most := int(100 * loss); otherwise*100 > most*shots*2 {
			t.Errorf("got %d of %d shots judged otherwise at %v loss", otherwise, shots, loss)
		}
		if wave < 3 || score < 10 {
			t.Errorf("got wave %d and %d attackers shot: too little happens", wave, score)
		}
	}
}

// A player that stands on the plate in the south shuts that gate, and when it has left the gate opens again.
func TestAPlateHoldsItsGate(t *testing.T) {
	config := Config()
	config.Bots = 0
	m, err := serve.New(Rules(), config)
	if err != nil {
		t.Fatal(err)
	}
	shut, opened := clock.Micros(0), clock.Micros(0)
	check.Bots(t, Rules(), check.Match[Guard, Input]{
		Server: m, World: Field(), Players: 1, Duration: 9 * clock.Second, Network: mem.Network{RTT: 150 * time.Millisecond},
		Think: func(c *client) (in Input) {
			to := geom.V(0, 0, 0.6*fort)
			if c.View().At > 4*clock.Second {
				to = geom.V(5, 0, 0)
			}
			if to = to.Sub(c.Position()).Flat(geom.Up); to.Len() > 0.3 {
				in.Forward, in.Yaw = 1, geom.Yaw(to)
			}
			return in
		},
		Each: func(c *client, local clock.Micros) {
			if w := c.World(); w.World != nil {
				up := w.Pose(2).Translation.Y > 0.6
				if up && shut == 0 {
					shut = local
				}
				if !up && shut != 0 && opened == 0 {
					opened = local
				}
			}
		},
	})
	t.Logf("shut for %.1f s", (opened - shut).Seconds())
	if shut == 0 || opened-shut < 2*clock.Second {
		t.Errorf("got a gate that is shut at %v and opens at %v, want it shut until the player has left", shut, opened)
	}
}
