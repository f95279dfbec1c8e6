package obby

import (
	"testing"
	"time"

	"github.com/backstep-net/backstep/check"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/lab"
	"github.com/backstep-net/backstep/lab/scenario"
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
		last := Jumper{}
		c := check.Bots(t, Rules(), check.Match[Jumper, movement.Command]{
			Server: m, World: world, Think: Think, Players: 1, Duration: 45 * clock.Second, Network: mem.Network{RTT: 150 * time.Millisecond, Loss: loss}, Seed: 3,
			Each: func(c *session.Client[Jumper, movement.Command], _ clock.Micros) {
				if s := c.Self(); s != nil {
					if s.Checkpoint != last.Checkpoint || s.Falls != last.Falls {
						t.Logf("loss %v: checkpoint %d after %.1f s, %d falls", loss, s.Checkpoint, s.Time.Seconds(), s.Falls)
					}
					last = *s
				}
			},
		})[0]
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

// After a client stood still, or was a hidden page, its state agrees with the server's in every field again: the
// game's own clock too. What is corrected is corrected once, by the timeout, and never as a misprediction. [THR-28]
func TestAClockInTheStateAfterAFreeze(t *testing.T) {
	timeouts := 0
	for _, kind := range []string{"freeze", "background"} {
		for _, d := range []clock.Micros{300 * clock.Millisecond, 700 * clock.Millisecond, 2 * clock.Second} {
			for seed := range uint64(4) {
				loss := float64(seed%2) * 0.05
				corrections, timedOut := freezeAndGoOn(t, scenario.Fault{At: 4 * clock.Second, For: d, Kind: kind, Frame: 1, Player: "bot"}, loss, seed)
				timeouts += timedOut
				if corrections > 0 || timedOut > 2 {
					t.Errorf("%s of %v ms, loss %v, seed %d: %d mispredictions, %d timeouts", kind, d/clock.Millisecond, loss, seed, corrections, timedOut)
				}
			}
		}
	}
	if t.Logf("no misprediction, %d timeouts", timeouts); timeouts == 0 {
		t.Error("nothing was corrected: the test shows nothing")
	}
}

// freezeAndGoOn plays a player that runs about until 10 s and then stands, with a fault in between. It compares the
// states of both ends in the end, and returns the server's corrections by cause.
func freezeAndGoOn(t *testing.T, fault scenario.Fault, loss float64, seed uint64) (mispredictions, timeouts int) {
	t.Helper()
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
	_, err = lab.Run(lab.Experiment{Server: m, Duration: 13 * clock.Second, Seed: seed, Faults: []scenario.Fault{fault}, Players: []lab.Player{{
		Name: "bot", Client: c, Network: mem.Network{RTT: 80 * time.Millisecond, Jitter: 10 * time.Millisecond, Loss: loss},
		Play: func(local, now clock.Micros) {
			for _, e := range c.Events() {
				if e.Kind == session.Welcomed {
					c.EnterWorld(world)
				}
			}
			in := movement.Command{Yaw: float64(now/clock.Second) * 0.7}
			if now < 10*clock.Second {
				in.Forward = float64(now / clock.Second % 2)
			}
			c.Frame(local, &in)
		},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	truth, _ := m.State(c.ID())
	self, moves := *c.Self(), m.Server.Players(nil)[0].Moves
	// The server is behind by the commands under way, and so is its clock: what both count is the same.
	if ahead := self.Time - truth.Time; ahead < 0 || ahead > 250*clock.Millisecond || self.Position != truth.Position {
		t.Errorf("%+v, loss %v, seed %d: the client's clock is at %v and at %v, the server's at %v and at %v", fault, loss, seed, self.Time, self.Position, truth.Time, truth.Position)
	}
	return moves.Corrections, moves.Timeouts
}

// A player falls again and again. Nobody sees it fly back: neither its own view nor that of others draws it on the way
// from the void to the start.
func TestNobodyFliesBack(t *testing.T) {
	m, err := serve.New(Rules(), serve.Config[Jumper, movement.Command]{
		Session: session.ServerConfig{World: Course()},
		OnJoin:  func(m *serve.Match[Jumper, movement.Command], e session.Event) { m.SetState(e.Player, Spawn()) },
	})
	if err != nil {
		t.Fatal(err)
	}
	last, jumps := map[string]geom.Vec3{}, map[string]int{}
	drawn := func(who string, now geom.Vec3) {
		if before, ok := last[who]; ok && now.Dist(before) > 2 {
			if jumps[who]++; now.Len() > 1 || before.Y > void+1 {
				t.Errorf("%s was drawn at %.1f and then at %.1f: want a jump from below to the start", who, before, now)
			}
		}
		last[who] = now
	}
	check.Bots(t, Rules(), check.Match[Jumper, movement.Command]{
		Server: m, World: Course(), Players: 2, Duration: 30 * clock.Second, Network: mem.Network{RTT: 100 * time.Millisecond},
		Think: func(c *session.Client[Jumper, movement.Command]) (in movement.Command) {
			if c.ID() == 1 {
				in.Forward = 1 // off the first stone
			}
			return in
		},
		Each: func(c *session.Client[Jumper, movement.Command], _ clock.Micros) {
			if c.ID() == 1 && c.Self() != nil {
				own, _ := c.Drawn()
				drawn("the player itself", own)
			}
			for _, e := range c.Remotes() {
				if e.ID == 1 {
					drawn("the other player", e.Position)
				}
			}
		},
	})
	if t.Log(jumps); jumps["the player itself"] < 5 || jumps["the other player"] < 5 {
		t.Errorf("%v jumps: too few to show anything", jumps)
	}
}
