package melee

import (
	"testing"
	"time"

	"github.com/backstep-net/backstep/check"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/serve"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/transport/mem"
)

// The rules are right in what the compiler cannot see.
func TestTheRules(t *testing.T) {
	start := Fighter{State: movement.Spawn(geom.V(0, 0.1, 9), 0), Loadout: swords.Loadout()}
	check.Game(t, Rules(), check.Play[Fighter, Input]{Start: start, World: Courtyard(), Moves: 5000})
}

// On a fast screen over a bad line, a player that swings its sword all the time sends hardly more than one
// that walks: winding up and cooling down are no news to others. Two thirds of the bytes are parts of the cut, of which each is judged. [CMD-10]
func TestASwingOnAFastScreen(t *testing.T) {
	config := Config()
	config.Bots = 0
	m, err := serve.New(Rules(), config)
	if err != nil {
		t.Fatal(err)
	}
	const seconds = 20
	clients := check.Bots(t, Rules(), check.Match[Fighter, Input]{
		Server: m, World: Courtyard(), Players: 1, FrameRate: 144, Duration: seconds * clock.Second,
		Network: mem.Network{RTT: 100 * time.Millisecond, Loss: 0.05},
		Think: func(*session.Client[Fighter, Input]) Input {
			return Input{Command: movement.Command{Forward: 1}, Trigger: shot.Trigger{Claim: shot.Claim{Fire: true}}}
		},
	})
	s := clients[0].Stats()
	datagrams, moves, bytes := s.Out.Datagrams/seconds, s.Moves.Made/seconds, s.Out.Bytes/seconds
	t.Logf("%d datagrams, %d moves and %d bytes a second", datagrams, moves, bytes)
	if datagrams > 52 || moves > 75 || bytes > 3000 {
		t.Errorf("got %d datagrams, %d moves and %d bytes a second, want at most 52, 75 and 3,000", datagrams, moves, bytes)
	}
}

// Four bots fight for two minutes at 150 ms. Blades hit, shields stop blades, fighters die and come back.
// Without loss every blade is judged as its owner saw it, and predictions are wrong only where a fighter was
// hit or its blade stopped, which nobody can foresee.
func TestAMatchOfBots(t *testing.T) {
	for _, loss := range []float64{0, 0.05} {
		config := Config()
		config.Bots = 0
		hits, blocked, interrupted, otherwise, judged := 0, 0, 0, 0, 0
		onShot := config.OnShot
		config.OnShot = func(m *match, by session.PlayerID, r *shot.Receipt) {
			judged++
			if r.Verdict == shot.Hit {
				hits++
			}
			if r.Outcome.HitGroup == rig.Shield {
				blocked++
			}
			if s, _ := m.State(by); r.Verdict == shot.Refused && !able(&s) {
				interrupted++ // it was hit, or had been blocked, before its client knew
			} else if !r.Agrees {
				otherwise++
				t.Logf("loss %v: part %d of a swing of %d was not judged as seen: %v, %v", loss, r.Shot, by, r.Verdict, r.Reason)
			}
			onShot(m, by, r)
		}
		m, err := serve.New(Rules(), config)
		if err != nil {
			t.Fatal(err)
		}
		clients := check.Bots(t, Rules(), check.Match[Fighter, Input]{
			Server: m, World: Courtyard(), Think: Think, Players: 4, Duration: 120 * clock.Second,
			Network: mem.Network{RTT: 150 * time.Millisecond, Loss: loss},
		})
		score := int64(0)
		for _, c := range clients {
			stats := c.Stats().Moves
			score += m.Number(c.ID(), "score")
			t.Logf("loss %v: player %d: score %d, %d corrections, %d by a blow or a block", loss, c.ID(), m.Number(c.ID(), "score"), stats.Corrections, stats.ServerForces)
			if loss == 0 && stats.Corrections != 0 {
				t.Errorf("player %d: got %d mispredictions without loss, want none", c.ID(), stats.Corrections)
			}
		}
		t.Logf("loss %v: %d parts of swings judged, %d interrupted, %d not as seen; %d hits, %d blocked, %d deaths", loss, judged, interrupted, otherwise, hits, blocked, score)
		if loss == 0 && otherwise != 0 {
			t.Errorf("got %d of %d judged otherwise without loss, want none", otherwise, judged)
		}
		if hits < 20 || blocked < 5 || score < 5 {
			t.Errorf("got %d hits, %d blocked, %d deaths: too little happens", hits, blocked, score)
		}
	}
}
