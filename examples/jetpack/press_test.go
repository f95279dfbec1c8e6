package jetpack

import (
	"testing"
	"time"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/lab"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/transport/mem"
)

// 100 presses, each of a single frame of 1/144 s while running about, are 100 jumps
// on the server: none is lost to combining, delaying or a lost packet, and none
// counts twice (JMP-03).
func TestEveryPressJumpsOnce(t *testing.T) {
	for _, loss := range []float64{0, .05} {
		var b collide.Builder
		b.Box(geom.V(0, -1, 0), geom.V(500, 1, 500), geom.IdentityQuat, collide.Surface{})
		world, err := b.Bake()
		if err != nil {
			t.Fatal(err)
		}
		model, seen := movement.DefaultModel(), map[movement.EventKind]int{}
		server := match{session.NewServer(counting(&model, seen), session.ServerConfig{
			World: world, NewKey: func() session.Key { return session.Key{1} },
		})}
		client := session.NewClient(Game(&model), session.ClientConfig{})
		client.Hello("jumper", session.Key{})
		presses, held := 0, clock.Micros(-1)
		r, err := lab.Run(lab.Experiment{
			Server: server, TickRate: 60, Duration: 104 * clock.Second, Seed: 5,
			Players: []lab.Player{{
				Name: "jumper", Client: client, Frames: []float64{144},
				Network: mem.Network{RTT: 80 * time.Millisecond, Loss: loss},
				Play: func(local, now clock.Micros) {
					for _, e := range client.Events() {
						if e.Kind == session.Welcomed {
							client.EnterWorld(world)
						}
					}
					var c Command
					c.Forward, c.Yaw = 1, float64(now)/3e6
					if second := now / clock.Second; second > held && second >= 2 && presses < 100 {
						c.Jump, held = true, second
						presses++
					}
					client.Frame(local, &c)
				},
			}},
		})
		if err != nil {
			t.Fatal(err)
		}
		if presses != 100 || seen[movement.Jumped] != 100 || r.Players["jumper"].Corrections != 0 {
			t.Errorf("%v %% loss: %d presses, %d jumps, %d corrections; want 100, 100 and none", 100*loss, presses, seen[movement.Jumped], r.Players["jumper"].Corrections)
		}
	}
}
