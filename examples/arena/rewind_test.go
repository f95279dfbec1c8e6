package arena

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	docs "github.com/backstep-net/backstep/internal/figures"
	"github.com/backstep-net/backstep/lab"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
	"github.com/backstep-net/backstep/transport/mem"
)

// shooting is a server without rules, that notes each verdict and where the target
// stood when it was given.
type shooting struct {
	*session.Server[Hero, Command]
	game    *Game
	runner  session.PlayerID
	receipt []shot.Receipt
	now     []track.Sample // the target, in the present of that receipt
}

func (s *shooting) Tick(now clock.Micros) {
	s.Server.Tick(now)
	for _, e := range s.Events() {
		switch e.Kind {
		case session.Joined:
			at := geom.V(0, 0.02, 0)
			if e.Name == "runner" {
				s.runner, at = e.Player, geom.V(-30, 0.02, -15)
			}
			s.SetState(e.Player, s.game.Spawn(at, 0, 1))
		case session.Shot:
			h, _ := s.State(s.runner)
			s.receipt = append(s.receipt, e.Receipt)
			s.now = append(s.now, s.game.Pose(&h))
		}
	}
	s.Send()
}

// E2E-07: a target runs across at 6 m/s; the shooter aims exactly at what it
// draws. Judged in the past it saw, the shots hit at any round trip; judged in the
// present they would not.
func TestWithoutRewindingRunnersAreMissed(t *testing.T) {
	for _, c := range []struct {
		rtt   time.Duration
		frame int
	}{{20, 60}, {100, 144}, {180, 60}} {
		world, truth := court(), &lab.Truth{}
		s := &shooting{game: NewGame()}
		s.Server = session.NewServer(s.game.Rules(), session.ServerConfig{World: world, LevelHash: "test", NewKey: keys()})
		shooter, runner := NewPlayer(session.ClientConfig{}), NewPlayer(session.ClientConfig{})
		var fired []Fired
		inputs := func(p *Player, at clock.Micros) Input {
			fired = append(fired, p.Shots...) // of the frame before
			in := Input{}
			for _, e := range p.Remotes() {
				in.Yaw, in.Pitch = Aim(p.Eye(), e.Position.MulAdd(geom.Up, 1))
				in.Fire = at < 60*clock.Second
			}
			return in
		}
		east := true
		run := func(p *Player, _ clock.Micros) Input {
			if x := p.Self().Position.X; math.Abs(x) > 30 {
				east = x < 0
			}
			if east {
				return Input{Right: 1}
			}
			return Input{Right: -1}
		}
		line := mem.Network{RTT: c.rtt * time.Millisecond}
		_, err := lab.Run(lab.Experiment{
			Server: s, Seed: 1, Truth: truth, Duration: 61 * clock.Second,
			Players: []lab.Player{
				shooterOf(world, shooter, "shooter", c.frame, line, inputs),
				shooterOf(world, runner, "runner", 60, mem.Network{RTT: 50 * time.Millisecond}, run),
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		report(t, c.rtt, world, truth, s, fired)
	}
}

// shooterOf is a participant.
func shooterOf(world *collide.World, p *Player, name string, frame int, line mem.Network, inputs func(*Player, clock.Micros) Input) lab.Player {
	p.Hello(name, session.Key{})
	return lab.Player{Name: name, Client: p, Frames: []float64{float64(frame)}, Network: line, Play: func(local, at clock.Micros) {
		in := Input{}
		if at >= 0 {
			in = inputs(p, at)
		}
		p.Play(local, in)
		for _, e := range p.Notices {
			if e.Kind == session.Welcomed {
				p.Enter(world)
			}
		}
	}}
}

// report compares the verdicts with what a cast in the present would have met.
func report(t *testing.T, rtt time.Duration, world *collide.World, truth *lab.Truth, s *shooting, fired []Fired) {
	if len(fired) < 300 || len(s.receipt) != len(fired) {
		t.Fatalf("RTT %d: %d shots and %d verdicts; want as many, at least 300", rtt, len(fired), len(s.receipt))
	}
	view := &collide.WorldAt{World: world}
	var past, present, moved float64
	for i, r := range s.receipt {
		if r.Verdict == shot.Hit {
			past++
		}
		target := []track.Entity{{ID: s.runner, Sample: s.now[i]}}
		dir := fired[i].Outcome.Point.Sub(fired[i].From).Unit()
		if cast(view, target, fired[i].From, dir, 100).Kind == rewind.Player {
			present++
		}
		if then, ok := truth.At(s.runner, r.ViewGranted); ok {
			moved += then.Position.Dist(s.now[i].Position)
		}
	}
	n := float64(len(fired))
	docs.Check(t, fmt.Sprint(int(rtt), " ms"), 0.1, "%d ms, %d shots: rewound %.1f %% hit, in the present %.1f %% would; the target had moved by %.2f m",
		int(rtt), len(fired), 100*past/n, 100*present/n, moved/n)
	if past/n < 0.99 {
		t.Errorf("RTT %d: %.1f %% hit, want at least 99", rtt, 100*past/n)
	}
	if rtt >= 100 && present/n > 0.2 {
		t.Errorf("RTT %d: %.1f %% would hit in the present: rewinding makes no difference here", rtt, 100*present/n)
	}
	if rtt == 180 && moved/n < 0.54 {
		t.Errorf("RTT 180: the target moves %.2f m, want at least 0.54", moved/n)
	}
}

// cast shoots into a scene of these targets.
func cast(w *collide.WorldAt, targets []track.Entity, from, dir geom.Vec3, reach float64) rewind.Outcome {
	s := rewind.NewScene(nil)
	s.Set(*w, targets)
	return s.Ray(from, dir, reach, rewind.HeadFirst)
}
