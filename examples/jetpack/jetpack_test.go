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

// match is a server that puts everybody who joins on the ground with 2 s of fuel.
type match struct {
	*session.Server[Hero, Command]
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

// A game of one's own flies by prediction as everybody walks: through 100 ms of
// round trip without a single correction. [MOD-04]
func TestFlyingIsPredicted(t *testing.T) {
	var b collide.Builder
	b.Box(geom.V(0, -1, 0), geom.V(50, 1, 50), geom.IdentityQuat, collide.Surface{})
	world, err := b.Bake()
	if err != nil {
		t.Fatal(err)
	}
	model := movement.DefaultModel()
	server := match{session.NewServer(Game(&model), session.ServerConfig{
		World: world, NewKey: func() session.Key { return session.Key{1} },
	})}
	client := session.NewClient(Game(&model), session.ClientConfig{})
	client.Hello("flyer", session.Key{})
	top := 0.0
	r, err := lab.Run(lab.Experiment{
		Server: server, TickRate: 60, Duration: 4 * clock.Second, Seed: 1,
		Players: []lab.Player{{
			Name: "flyer", Client: client,
			Network: mem.Network{RTT: 100 * time.Millisecond},
			Play: func(local, now clock.Micros) {
				for _, e := range client.Events() {
					if e.Kind == session.Welcomed {
						client.EnterWorld(world)
					}
				}
				c := Command{Jet: now > clock.Second && now < 2*clock.Second}
				client.Frame(local, &c)
				if h := client.Self(); h != nil {
					top = max(top, h.Position.Y)
				}
			},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	flyer := r.Players["flyer"]
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
	var b collide.Builder
	b.Box(geom.V(0, -1, 0), geom.V(500, 1, 500), geom.IdentityQuat, collide.Surface{})
	world, err := b.Bake()
	if err != nil {
		t.Fatal(err)
	}
	model := movement.DefaultModel()
	start := Hero{State: movement.Spawn(geom.V(0, 0.1, 0), 0), Fuel: 20 * clock.Second}
	check.Game(t, Game(&model), check.Play[Hero, Command]{Start: start, World: world})
}
