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

// yard is flat ground with a wall, stairs, a ramp and a crate: enough to meet
// every kind of surface.
func yard(t testing.TB) *collide.World {
	t.Helper()
	var b collide.Builder
	b.Box(geom.V(0, -1, 0), geom.V(60, 1, 60), geom.NoTurn, collide.Surface{})
	b.Stairs(geom.V(0, 0, -6), 4, 0.3, 0.3, 8, 0, collide.Surface{})
	b.Box(geom.V(0, 1.2, -11), geom.V(2, 1.2, 2.6), geom.NoTurn, collide.Surface{})
	b.Ramp(geom.V(10, 0, -4), 4, 2, 5, 0, collide.Surface{})
	b.Box(geom.V(-8, 1.5, 0), geom.V(0.3, 1.5, 8), geom.NoTurn, collide.Surface{})
	b.Box(geom.V(5, 0.2, 4), geom.V(1, 0.2, 1), geom.YawQuat(0.4), collide.Surface{})
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
			Cap: 400 * clock.Millisecond, Trace: s.exp.Truth.Trace},
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

// tour is a minute of turns, jumps, slopes, stairs and walls as a function of
// time alone.
func tour(_ *Player, t clock.Micros) Input {
	sec := t.Seconds()
	in := Input{Forward: 1, Yaw: geom.WrapAngle(math.Floor(sec/1.7) * 0.9)}
	in.Yaw = geom.WrapAngle(in.Yaw + 0.4*math.Mod(sec, 1.7))
	in.Jump = math.Mod(sec, 2.3) < 0.2
	in.Crouch = math.Mod(sec, 7) > 5.5
	if math.Mod(sec, 5) > 4 {
		in.Right, in.Forward = 1, 0
	}
	if math.Mod(sec, 11) > 10 {
		in.Forward, in.Right = 0, 0
	}
	return in
}
