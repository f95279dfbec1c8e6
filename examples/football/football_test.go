package football

import (
	"testing"
	"time"

	"github.com/backstep-net/backstep/bodies"
	"github.com/backstep-net/backstep/check"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/serve"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/transport/mem"
)

type client = session.Client[Player, Input]

// newMatch returns a match without bots of its own.
func newMatch(t *testing.T) *match {
	config := Config()
	config.Bots = 0
	m, err := serve.New(Rules(), config)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// The rules are right in what the compiler cannot see.
func TestTheRules(t *testing.T) {
	check.Game(t, Rules(), check.Play[Player, Input]{Start: Player{State: movement.Spawn(geom.V(0, 0.1, 7), 0)}, World: Pitch(), Moves: 5000})
}

// Two against two play for three minutes at 150 ms: goals are scored, and without loss no prediction of a
// player's own is wrong, whatever it kicks and runs into.
func TestAMatchOfBots(t *testing.T) {
	for _, loss := range []float64{0, 0.05} {
		m, kicks := newMatch(t), 0
		clients := check.Bots(t, Rules(), check.Match[Player, Input]{
			Server: m, World: Pitch(), Think: Think, Players: 4, Duration: 180 * clock.Second,
			Network: mem.Network{RTT: 150 * time.Millisecond, Loss: loss},
			Each: func(c *client, _ clock.Micros) {
				if c.Self() != nil && c.Self().Kick > kickTime-17*clock.Millisecond {
					kicks++
				}
			},
		})
		for _, c := range clients {
			stats := c.Stats().Moves
			t.Logf("loss %v: player %d: %d goals, %d corrections in %d moves", loss, c.ID(), m.Number(c.ID(), "goals"), stats.Corrections, stats.Made)
			if loss == 0 && stats.Corrections != 0 {
				t.Errorf("player %d: got %d corrections without loss, want none", c.ID(), stats.Corrections)
			}
		}
		red, blue := m.Number(session.OfMatch, "red"), m.Number(session.OfMatch, "blue")
		t.Logf("loss %v: %d : %d, %d kicks", loss, red, blue, kicks)
		if red+blue == 0 || kicks < 20 {
			t.Errorf("got %d : %d and %d kicks: too little happens", red, blue, kicks)
		}
		if seen := clients[0].Number(session.OfMatch, "red"); seen != red && loss == 0 {
			t.Errorf("player 1 sees %d goals of red, want %d", seen, red)
		}
	}
}

// A player at 150 ms runs up to the ball and kicks it with all its force: on its own screen the ball
// leaves in the frame of the touch, at the speed that it has on the server.
func TestAKickAnswersAtOnce(t *testing.T) {
	m := newMatch(t)
	var screen *bodies.Client
	var touched, left clock.Micros
	fastest := 0.0
	kick := func(c *client) (in Input) {
		in.Forward = 1
		in.Yaw = geom.Atan2(c.Position().X, c.Position().Z) // towards the middle
		in.Kick = c.Position().Len() > 1.6
		return in
	}
	check.Bots(t, Rules(), check.Match[Player, Input]{
		Server: m, World: Pitch(), Think: kick, Players: 1, Duration: 4 * clock.Second,
		Network: mem.Network{RTT: 150 * time.Millisecond},
		Each: func(c *client, local clock.Micros) {
			if screen == nil {
				screen = Balls.Join(c)
			}
			screen.Step(local)
			for _, b := range screen.Drawn() {
				if touched == 0 && c.Self() != nil && b.Position.Sub(c.Position()).Flat(geom.Up).Len() < 0.26+0.34+0.05 {
					touched = local
				}
				if left == 0 && b.Velocity.Len() > 5 {
					left = local
				}
				fastest = max(fastest, b.Velocity.Len())
			}
		},
	})
	t.Logf("drawn away %d ms after the touch, at %.1f m/s", (left-touched)/clock.Millisecond, fastest)
	if touched == 0 || left == 0 || left-touched > 50*clock.Millisecond || fastest < 12 {
		t.Errorf("got a touch at %v, a ball that leaves at %v with %.1f m/s", touched, left, fastest)
	}
}
