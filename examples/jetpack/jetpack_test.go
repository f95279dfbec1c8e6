package jetpack

import (
	"testing"
	"time"

	"github.com/backstep-net/backstep/check"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/lab"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/transport/mem"
)

// match is a server that puts each player that joins on the ground with 2 s of fuel.
type match struct {
	*session.Server[Hero, Command]
}

func newMatch(game session.Game[Hero, Command], world *collide.World) match {
	return match{session.NewServer(game, session.ServerConfig{World: world, NewKey: func() session.Key { return session.Key{1} }})}
}

func (m match) Tick(now clock.Micros) {
	m.Server.Tick(now)
	for _, e := range m.Events() {
		if e.Kind == session.Joined {
			m.SetState(e.Player, Hero{State: movement.Spawn(geom.V(0, 0.1, 0), 0), Fuel: 2 * clock.Second})
		}
	}
	m.Send()
}

// flight is a match of one player in virtual time.
type flight struct {
	server   lab.Server
	model    *movement.Model
	world    *collide.World
	network  mem.Network
	frames   []float64 // display rates; nil means 60
	duration clock.Micros
	seed     uint64
	// input returns the input of a frame; drawn, if not nil, is called after it.
	input func(now clock.Micros) Command
	drawn func(c *session.Client[Hero, Command])
}

// play plays the match, and returns the client and what was measured of it.
func (f *flight) play(t *testing.T) (*session.Client[Hero, Command], *lab.Figures) {
	t.Helper()
	client := session.NewClient(Game(f.model), session.ClientConfig{})
	client.Hello("flyer", session.Key{})
	r, err := lab.Run(lab.Experiment{
		Server: f.server, Duration: f.duration, Seed: f.seed,
		Players: []lab.Player{{
			Name: "flyer", Client: client, Frames: f.frames, Network: f.network,
			Play: func(local, now clock.Micros) {
				for _, e := range client.Events() {
					if e.Kind == session.Welcomed {
						client.EnterWorld(f.world)
					}
				}
				c := f.input(now)
				client.Frame(local, &c)
				if client.Self() != nil && f.drawn != nil {
					f.drawn(client)
				}
			},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return client, r.Players["flyer"]
}

// A game of one's own flies by prediction as others walk: through 100 ms of round trip without a single
// correction. [MOD-04]
func TestFlyingIsPredicted(t *testing.T) {
	world, model, top := collide.Floor(50), movement.DefaultModel(), 0.0
	server := newMatch(Game(&model), world)
	f := flight{
		server: server, model: &model, world: world, network: mem.Network{RTT: 100 * time.Millisecond}, duration: 4 * clock.Second, seed: 1,
		input: func(now clock.Micros) Command { return Command{Jet: now > clock.Second && now < 2*clock.Second} },
		drawn: func(c *session.Client[Hero, Command]) { top = max(top, c.Self().Position.Y) },
	}
	client, flyer := f.play(t)
	t.Logf("flew %.1f m high, %d corrections", top, flyer.Corrections)
	if top < 4 || flyer.Corrections != 0 {
		t.Errorf("got %.1f m and %d corrections, want over 4 m and none", top, flyer.Corrections)
	}
	if h, _ := server.State(client.ID()); h.Fuel != client.Self().Fuel {
		t.Errorf("fuel: server %v, client %v", h.Fuel, client.Self().Fuel)
	}
}

// The game is right in what the compiler cannot see.
func TestTheRules(t *testing.T) {
	model := movement.DefaultModel()
	start := Hero{State: movement.Spawn(geom.V(0, 0.1, 0), 0), Fuel: 20 * clock.Second}
	check.Game(t, Game(&model), check.Play[Hero, Command]{Start: start, World: collide.Floor(500)})
}
