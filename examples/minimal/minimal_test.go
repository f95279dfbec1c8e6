package minimal

import (
	"testing"
	"time"

	"github.com/backstep-net/backstep/check"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/lab"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/serve"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/transport/mem"
)

// The rules are right in what the compiler cannot see.
func TestTheRules(t *testing.T) {
	check.Game(t, Rules(), check.Play[movement.State, movement.Command]{
		Start: movement.Spawn(geom.V(0, 0.1, 0), 0), World: collide.Floor(500),
	})
}

// Two players walk at 150 ms of round trip and see each other, without a correction.
func TestTwoPlayersSeeEachOther(t *testing.T) {
	m, err := serve.New(Rules(), serve.Config[movement.State, movement.Command]{
		Session: session.ServerConfig{World: collide.Floor(50)},
		OnJoin: func(m *serve.Match[movement.State, movement.Command], e session.Event) {
			m.SetState(e.Player, movement.Spawn(geom.V(float64(e.Player), 0.1, 0), 0))
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	experiment := lab.Experiment{Server: m, TickRate: 60, Duration: 4 * clock.Second, Seed: 1}
	var clients []*session.Client[movement.State, movement.Command]
	for _, name := range []string{"Ann", "Bob"} {
		c := session.NewClient(Rules(), session.ClientConfig{})
		c.Hello(name, session.Key{})
		clients = append(clients, c)
		experiment.Players = append(experiment.Players, lab.Player{
			Name: name, Client: c, Network: mem.Network{RTT: 150 * time.Millisecond},
			Play: func(local, _ clock.Micros) {
				for _, e := range c.Events() {
					if e.Kind == session.Welcomed {
						c.EnterWorld(collide.Floor(50))
					}
				}
				c.Frame(local, &movement.Command{Forward: 1})
			},
		})
	}
	r, err := lab.Run(experiment)
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"Ann", "Bob"} {
		others := clients[i].Remotes()
		if n := r.Players[name].Corrections; n != 0 || len(others) != 1 || others[0].Position.Z > -5 {
			t.Errorf("%s: got %d corrections and sees %v, want none and the other one far along −Z", name, n, others)
		}
	}
}
