package bodies_test

import (
	"strconv"
	"testing"

	"github.com/backstep-net/backstep/bodies"
	"github.com/backstep-net/backstep/body"
	"github.com/backstep-net/backstep/character"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/lab"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/remote"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/track"
	"github.com/backstep-net/backstep/transport/mem"
)

// walk is a game of people who walk, and nothing else.
func walk() session.Game[movement.State, movement.Command] {
	var g session.Game[movement.State, movement.Command]
	character.Fill(&g, &model)
	return g
}

var model = movement.DefaultModel()

// puckKind is the kind of pucks, rink the config that they are declared in.
const puckKind track.Kind = 1

var rink = bodies.Config{
	Kinds:  map[track.Kind]body.Body{puckKind: puck()},
	Follow: remote.BodyRules{Time: 200 * clock.Millisecond},
}

// puck is a flat box that slides far.
func puck() body.Body {
	b := body.NewBox(geom.V(.2, .08, .2), 2)
	b.Friction, b.Restitution, b.Kick, b.MaxSpeed = .1, .5, .3, 12
	return b
}

// rinkLevel is a floor of 30 by 20 m with walls.
func rinkLevel() *collide.World {
	var b collide.Builder
	for _, box := range [][2]geom.Vec3{
		{geom.V(0, -1, 0), geom.V(16, 1, 11)}, {geom.V(0, 1, -10.5), geom.V(16, 1, .5)}, {geom.V(0, 1, 10.5), geom.V(16, 1, .5)},
		{geom.V(-15.5, 1, 0), geom.V(.5, 1, 11)}, {geom.V(15.5, 1, 0), geom.V(.5, 1, 11)},
	} {
		b.Box(box[0], box[1], geom.IdentityQuat, collide.Surface{})
	}
	return b.MustBake()
}

// match is the server's end of the game.
type match struct {
	*session.Server[movement.State, movement.Command]
	field  *bodies.Server
	spawns []geom.Vec3
	ticked func(now clock.Micros)
	events []bodies.Event // of all ticks
}

func newMatch(level *collide.World, spawns ...geom.Vec3) *match {
	m, n := &match{spawns: spawns}, byte(0)
	m.Server = session.NewServer(walk(), session.ServerConfig{
		World: level, LevelHash: "rink", NewKey: func() session.Key { n++; return session.Key{n} },
		Simulate: func(now clock.Micros) {
			m.field.Step(now)
			m.events = append(m.events, m.field.Events()...)
		},
	})
	m.field = rink.Serve(m.Server, level)
	return m
}

func (m *match) Tick(now clock.Micros) {
	m.Server.Tick(now)
	for _, e := range m.Server.Events() {
		if e.Kind == session.Joined {
			m.SetState(e.Player, movement.Spawn(m.spawns[e.Player-1], 0))
		}
	}
	if m.ticked != nil {
		m.ticked(now)
	}
	m.Send()
}

// player is a client's end.
type player struct {
	*session.Client[movement.State, movement.Command]
	screen *bodies.Client
	level  *collide.World
	input  movement.Command
}

func newPlayer(level *collide.World) *player {
	p := &player{Client: session.NewClient(walk(), session.ClientConfig{}), level: level}
	p.screen = rink.Join(p.Client)
	p.Hello("tester", session.Key{})
	return p
}

// play runs one frame.
func (p *player) play(local clock.Micros, c movement.Command) {
	for _, e := range p.Events() {
		if e.Kind == session.Welcomed {
			p.EnterWorld(p.level)
		}
	}
	p.input = c
	p.Frame(local, &p.input)
	p.screen.Step(local)
}

// experiment plays a match in virtual time: input is called for each player in each frame, from time
// zero on.
func experiment(t testing.TB, m *match, level *collide.World, net mem.Network, d clock.Micros, input func(i int, p *player, local, at clock.Micros) movement.Command) {
	t.Helper()
	e := lab.Experiment{Server: m, Seed: 1, Duration: d, World: level}
	for i := range m.spawns {
		p := newPlayer(level)
		e.Players = append(e.Players, lab.Player{Name: strconv.Itoa(i), Client: p, Network: net, Play: func(local, at clock.Micros) {
			c := movement.Command{}
			if at >= 0 {
				c = input(i, p, local, at)
			}
			p.play(local, c)
		}})
	}
	if _, err := lab.Run(e); err != nil {
		t.Fatal(err)
	}
}
