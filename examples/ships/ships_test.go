package ships

import (
	"testing"
	"time"

	"github.com/backstep-net/backstep/check"
	"github.com/backstep-net/backstep/serve"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/transport/mem"
)

// The rules are right in what the compiler cannot see.
func TestTheRules(t *testing.T) {
	check.Game(t, Rules(), check.Play[Ship, Input]{Start: launch(1), World: Space(), Moves: 5000})
}

// Three bots play for a minute at 150 ms: ships are hit and destroyed. Every shot is judged as it was seen, but for
// those of players who do not know yet that they are destroyed, and without loss no prediction is wrong but for that.
func TestAMatchOfBots(t *testing.T) {
	for _, loss := range []float64{0, 0.05} {
		config := Config()
		shots, hits, late, otherwise := 0, 0, 0, 0
		onShot := config.OnShot
		config.OnShot = func(m *match, by session.PlayerID, r *shot.Receipt) {
			shots++
			if r.Verdict == shot.Hit {
				hits++
			}
			switch {
			case r.Reason == shot.ShooterDead:
				late++
			case !r.Agrees:
				otherwise++
				t.Logf("loss %v: shot %d of %d was not judged as seen: %v, %v", loss, r.Shot, by, r.Verdict, r.Reason)
			}
			onShot(m, by, r)
		}
		m, err := serve.New(Rules(), config)
		if err != nil {
			t.Fatal(err)
		}
		destroyed := int64(0)
		for _, c := range check.Bots(t, Rules(), check.Match[Ship, Input]{
			Server: m, World: Space(), Think: Think, Network: mem.Network{RTT: 150 * time.Millisecond, Loss: loss}, Seed: 3,
		}) {
			moves := c.Stats().Moves
			destroyed += m.Number(c.ID(), "score")
			t.Logf("loss %v: player %d: %d mispredictions, %d corrections by the server", loss, c.ID(), moves.Corrections, moves.ServerForces)
			if loss == 0 && moves.Corrections != 0 {
				t.Errorf("player %d: got %d mispredictions without loss, want none: %v", c.ID(), moves.Corrections, c.LastCorrection().Differences)
			}
		}
		t.Logf("loss %v: %d shots, %d of them too late, %d hits, %d ships destroyed", loss, shots, late, hits, destroyed)
		if hits < 20 || destroyed < 3 {
			t.Errorf("loss %v: got %d hits and %d ships destroyed: too little happens", loss, hits, destroyed)
		}
		if otherwise > 0 {
			t.Errorf("loss %v: got %d of %d shots judged otherwise than seen, want none", loss, otherwise, shots)
		}
	}
}
