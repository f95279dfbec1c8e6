package arena

import (
	"math"
	"strconv"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/lab"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/transport/mem"
)

// yard is the lab's own: stairs, ramps, crates, a low beam and walls.
func yard(t testing.TB) *collide.World {
	t.Helper()
	w, err := lab.Yard()
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// stage is a match in virtual time.
type stage struct {
	t       testing.TB
	match   *Match
	players []*Player
	exp     lab.Experiment
}

// watched is a match of which a test sees each move, beside the lab.
type watched struct {
	*Match
	moved func(*session.MoveStep)
}

func (w watched) Observe(lab session.Observer) { w.Match.Observe(tee{lab, w.moved}) }

type tee struct {
	session.Observer
	moved func(*session.MoveStep)
}

func (t tee) ObserveMove(m *session.MoveStep) {
	t.moved(m)
	t.Observer.ObserveMove(m)
}

// newStage sets up a match in the world, with spawn points in a row.
func newStage(t testing.TB, world *collide.World, spawns ...Spawn) *stage {
	t.Helper()
	s := &stage{t: t, exp: lab.Experiment{Seed: 1, World: world}}
	s.match = NewMatch(MatchConfig{
		ServerConfig: session.ServerConfig{World: world, LevelHash: "test", NewKey: keys(),
			MaxRewind: shot.LongestRewind},
		Spawns: spawns, KillHeight: -50, Seed: 1,
	})
	s.exp.Server = s.match
	return s
}

// keys counts: a test needs no secrets.
func keys() func() session.Key {
	n := byte(0)
	return func() session.Key { n++; return session.Key{n} }
}

// join adds a player; inputs is called each frame from time zero on.
func (s *stage) join(frame int, net mem.Network, inputs func(p *Player, t clock.Micros) Input) *Player {
	p := NewPlayer(session.ClientConfig{})
	p.Hello("tester", session.Key{})
	s.add(p, lab.Player{Frames: []float64{float64(frame)}, Network: net}, inputs)
	return p
}

// add makes a player a participant.
func (s *stage) add(p *Player, player lab.Player, inputs func(p *Player, t clock.Micros) Input) {
	s.players = append(s.players, p)
	player.Name, player.Client = strconv.Itoa(len(s.players)-1), p
	player.Play = func(local, t clock.Micros) {
		in := Input{}
		if t >= 0 {
			in = inputs(p, t)
		}
		p.Play(local, in)
		for _, e := range p.Notices {
			if e.Kind == session.Welcomed {
				p.Enter(s.match.config.World)
			}
		}
	}
	s.exp.Players = append(s.exp.Players, player)
}

func (s *stage) run(d clock.Micros) *lab.Result {
	s.exp.Duration = d
	r, err := lab.Run(s.exp)
	if err != nil {
		s.t.Fatal(err)
	}
	return r
}

// stop is a place on a tour.
type stop struct {
	x, z   float64
	crouch bool
}

// inYard is a tour of the yard: up the steep stairs and down the gentle ones, up
// ramps of 20° and 40°, against one of 50°, over and into crates, under the beam,
// along walls and into corners.
var inYard = []stop{
	{-6, -3, false}, {-6, -8.4, false}, {-3.5, -8.4, false}, {1, -8.4, false},
	{6, -2, false}, {6, -7.5, false}, {6, -12, false}, {13.9, -13.9, false},
	{9, 2, false}, {12, 2, false}, {13, 6, false}, {4, 5, false}, {5, 8.5, false},
	{-4, 8, true}, {-4, 4, true}, {-8, 4, false}, {-13, 4, false}, {-13.9, 13.9, false},
	{0, 3, false}, {0.5, -0.5, false}, {-9, -2, false},
}

// inArena is a tour of the real level: the whole course, up a tower, over the
// bridge, down the other, through the pool and out by its ramp, against walls,
// and down the lane with the overhangs and the corridor.
var inArena = []stop{
	{-31, 22, false}, {-31, 9, false}, {-31, -3, false}, {-31, -9, false}, {-31, -14, false}, {-31, -19, false},
	{-24, -17, false}, {-13, -16, false}, {-17, -12, false}, {-17, 1, false}, {-12, 0, false}, {0, 0.9, false}, {12, 0, false},
	{13, -1, false}, {13, -14, false}, {8, -9, false}, {4, -3, false}, {-4.6, -2, false}, {-4.6, 7, false},
	{1, 17, false}, {13, 17, false}, {14, 8, false}, {25, 19, false}, {31, 19, false}, {31, 13, true}, {31, 9, false},
	{32, 0, false}, {31, -9, false}, {31, -12, true}, {31, -18, true}, {39, -39, false}, {20, -30, false}, {0, -31, false},
}

// tourInput returns inputs that go from stop to stop, jumping now and then, looking
// about, and giving up on a stop after 5 s. What they do depends on the player's
// own state and the time alone, so it is the same on every machine. A first stop
// below zero is the nearest.
func tourInput(stops []stop, first int) func(*Player, clock.Micros) Input {
	next, since := first, clock.Micros(0)
	return func(p *Player, t clock.Micros) Input {
		self := p.Self()
		if next < 0 {
			next = nearest(stops, self.Position)
		}
		stop := stops[next%len(stops)]
		way := geom.V(stop.x, self.Position.Y, stop.z).Sub(self.Position)
		if way.Len() < 0.5 || t-since > 5*clock.Second {
			next, since = next+1, t
		}
		look := float64(0.6 * geom.Sin(t.Seconds()))
		yaw := geom.Yaw(way)
		in := Input{Yaw: geom.WrapAngle(yaw + look), Crouch: stop.crouch}
		in.Forward, in.Right = geom.Cos(look), geom.Sin(look)
		in.Jump = !stop.crouch && math.Mod(t.Seconds(), 3.1) < 0.2
		if math.Mod(t.Seconds(), 9) > 8.6 {
			in.Forward, in.Right = 0, 0
		}
		return in
	}
}

func nearest(stops []stop, feet geom.Vec3) (best int) {
	reach := math.Inf(1)
	for i, s := range stops {
		if d := geom.V(s.x, feet.Y, s.z).Dist(feet); d < reach {
			best, reach = i, d
		}
	}
	return best
}
