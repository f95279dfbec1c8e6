package arena

import (
	"math"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/lab"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/transport/mem"
)

// yard is a small court full of what a walker can meet: stairs with 0.15 and
// 0.30 m risers, ramps of 20°, 40° and 50°, crates, a low beam, walls, and more
// walls around.
func yard(t testing.TB) *collide.World {
	t.Helper()
	var b collide.Builder
	plain := collide.Surface{}
	b.Box(geom.V(0, -1, 0), geom.V(14, 1, 14), geom.NoTurn, plain)
	for i := range 4 {
		turn := geom.YawQuat(float64(i) * math.Pi / 2)
		b.Box(turn.Rotate(geom.V(0, 2, -14)), geom.V(14.5, 2, 0.5), turn, plain)
	}
	b.Stairs(geom.V(-6, 0, -4), 4, 0.30, 0.30, 8, 0, plain)
	b.Box(geom.V(-6, 1.2, -8.4), geom.V(2, 1.2, 2), geom.NoTurn, plain)
	b.Stairs(geom.V(-2.5, 0, -8.4), 3, 0.15, 0.30, 8, math.Pi/2, plain)
	b.Ramp(geom.V(6, 0, -3), 4, 1.82, 5, 0, plain)            // 20°
	b.Ramp(geom.V(10, 0, 2), 3, 2.1, 2.5, -math.Pi/2, plain)  // 40°
	b.Ramp(geom.V(-11, 0, 4), 3, 2.98, 2.5, math.Pi/2, plain) // 50°
	b.Box(geom.V(3, 0.2, 5), geom.V(1, 0.2, 1), geom.YawQuat(0.4), plain)
	b.Box(geom.V(5, 0.5, 7), geom.V(0.5, 0.5, 0.5), geom.YawQuat(1), plain)
	b.Box(geom.V(-4, 1.6, 6), geom.V(3, 0.4, 1), geom.NoTurn, plain) // to crouch under
	b.Box(geom.V(0, 1.5, 1), geom.V(2, 1.5, 0.2), geom.YawQuat(0.7), plain)
	w, err := b.Bake()
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// stage is a match in virtual time.
type stage struct {
	match   *Match
	players []*Player
	exp     lab.Experiment
}

// newStage sets up a match in the world, with spawn points in a row.
func newStage(world *collide.World, spawns ...Spawn) *stage {
	s := &stage{exp: lab.Experiment{TickRate: 60, Seed: 1, Truth: &lab.Truth{}}}
	s.match = NewMatch(MatchConfig{
		ServerConfig: session.ServerConfig{World: world, LevelHash: "test", NewKey: keys(),
			Cap: 400 * clock.Millisecond},
		Spawns: spawns, KillHeight: -50, Seed: 1,
	})
	s.match.Watch(s.exp.Truth.Trace)
	s.exp.Server = s.match
	return s
}

// keys counts: a test needs no secrets.
func keys() func() session.Key {
	n := byte(0)
	return func() session.Key { n++; return session.Key{n} }
}

// join adds a player; hands is asked each frame from time zero on.
func (s *stage) join(frame int, net mem.Network, hands func(p *Player, t clock.Micros) Input) *Player {
	p := NewPlayer(session.ClientConfig{})
	p.Hello("tester", session.Key{})
	s.players = append(s.players, p)
	s.exp.Players = append(s.exp.Players, lab.Player{
		Client: p, Frame: frame, Network: net,
		Play: func(local, t clock.Micros) {
			in := Input{}
			if t >= 0 {
				in = hands(p, t)
			}
			p.Play(local, in)
			for _, e := range p.News {
				if e.Kind == session.Welcomed {
					p.Enter(s.match.config.World)
				}
			}
		},
	})
	return p
}

func (s *stage) run(d clock.Micros) *lab.Result {
	s.exp.Duration = d
	return lab.Run(s.exp)
}

// tour is a minute of turns, jumps, slopes, stairs and walls: the view turns with
// the time, and about when something is in the way. It looks at nothing but the
// player's own state, so that it is the same on every machine.
func tour(p *Player, t clock.Micros) Input {
	sec := t.Seconds()
	leg := math.Floor(sec / 1.9)
	in := Input{Forward: 1, Yaw: geom.WrapAngle(float64(leg*2.4) + float64(0.3*math.Mod(sec, 1.9)))}
	in.Jump = math.Mod(sec, 3.1) < 0.2
	in.Crouch = math.Mod(sec, 7) > 5.5
	if math.Mod(sec, 5) > 4 {
		in.Right, in.Forward = 1, 0
	}
	if math.Mod(sec, 11) > 10.5 {
		in.Forward, in.Right = 0, 0
	}
	return in
}
