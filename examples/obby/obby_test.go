package obby

import (
	"testing"
	"time"

	"github.com/backstep-net/backstep/check"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/lab"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/serve"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/transport/mem"
)

// The rules are right in what the compiler cannot see.
func TestTheRules(t *testing.T) {
	check.Game(t, Rules(), check.Play[Jumper, movement.Command]{Start: Spawn(), World: Course(), Moves: 5000})
}

// A bot runs the course from start to finish at 150 ms, without a fall, and without loss not one
// prediction is wrong: ferry, turntable, pad and ladder are simulated alike on both ends.
func TestTheCourseAt150ms(t *testing.T) {
	for _, loss := range []float64{0, 0.05} {
		world := Course()
		m, err := serve.New(Rules(), serve.Config[Jumper, movement.Command]{
			Session: session.ServerConfig{World: world},
			OnJoin:  func(m *serve.Match[Jumper, movement.Command], e session.Event) { m.SetState(e.Player, Spawn()) },
		})
		if err != nil {
			t.Fatal(err)
		}
		c := session.NewClient(Rules(), session.ClientConfig{})
		c.Hello("bot", session.Key{})
		last := Jumper{}
		_, err = lab.Run(lab.Experiment{Server: m, TickRate: 60, Duration: 45 * clock.Second, Seed: 3, Players: []lab.Player{{
			Name: "bot", Client: c, Network: mem.Network{RTT: 150 * time.Millisecond, Loss: loss},
			Play: func(local, now clock.Micros) {
				for _, e := range c.Events() {
					if e.Kind == session.Welcomed {
						c.EnterWorld(world)
					}
				}
				c.Frame(local, new(Think(c)))
				if s := c.Self(); s != nil {
					if s.Checkpoint != last.Checkpoint || s.Falls != last.Falls {
						t.Logf("loss %v: checkpoint %d after %.1f s, %d falls", loss, s.Checkpoint, s.Time.Seconds(), s.Falls)
					}
					last = *s
				}
			},
		}}})
		if err != nil {
			t.Fatal(err)
		}
		s, moves := c.Self(), c.Stats().Moves
		t.Logf("loss %v: %.1f s, %d falls, %d corrections in %d moves, at %.1f", loss, s.Best.Seconds(), s.Falls, moves.Corrections, moves.Made, s.Position)
		if s.Best == 0 {
			t.Errorf("loss %v: the bot is at checkpoint %d, at %.1f, want the finish", loss, s.Checkpoint, s.Position)
		}
		if loss == 0 && (moves.Corrections != 0 || s.Falls != 0) {
			t.Errorf("got %d corrections and %d falls without loss, want none", moves.Corrections, s.Falls)
		}
	}
}
