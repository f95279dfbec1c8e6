package jetpack

import (
	"math"
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

// carousel is a match that puts its only player on a path every other second.
type carousel struct {
	match
	rounds int
	aboard bool
}

func (c *carousel) Tick(now clock.Micros) {
	aboard := now/clock.Second%2 == 1
	if _, in := c.State(1); in && aboard != c.aboard {
		c.aboard = aboard
		c.rounds++
		c.Modify(1, func(h *Hero) {
			if aboard {
				h.EnterPath(1, now)
			} else {
				h.LeavePath()
			}
		})
	}
	c.match.Tick(now)
}

// A character goes on and off a path that the server sets, 20 times, over 150 ms of
// round trip and 5 % of loss: each time is one correction that tells so, and none
// besides; on the path both ends have it where the path is (VOL-05, MOD-01, MOD-03).
func TestOnAndOffAPath(t *testing.T) {
	var b collide.Builder
	b.Box(geom.V(0, -1, 0), geom.V(50, 1, 50), geom.IdentityQuat, collide.Surface{})
	world, err := b.Bake()
	if err != nil {
		t.Fatal(err)
	}
	var p collide.Path
	for i := range 9 {
		a := float64(i) * (math.Pi / 4)
		p.Keys = append(p.Keys, collide.Key{At: clock.Micros(i) * clock.Second, Position: geom.V(4*math.Cos(a), 2, 4*math.Sin(a))})
	}
	p.Keys[8].Position, p.Loop, p.Smooth = p.Keys[0].Position, true, true
	model := movement.DefaultModel()
	model.Paths = []collide.Path{p}
	server := &carousel{match: match{session.NewServer(Game(&model), session.ServerConfig{
		World: world, NewKey: func() session.Key { return session.Key{1} },
	})}}
	client := session.NewClient(Game(&model), session.ClientConfig{})
	client.Hello("rider", session.Key{})
	onPath, off := 0, 0.0
	r, err := lab.Run(lab.Experiment{
		Server: server, TickRate: 60, Duration: 21 * clock.Second, Seed: 3,
		Players: []lab.Player{{
			Name: "rider", Client: client,
			Network: mem.Network{RTT: 150 * time.Millisecond, Loss: .05},
			Play: func(local, now clock.Micros) {
				for _, e := range client.Events() {
					if e.Kind == session.Welcomed {
						client.EnterWorld(world)
					}
				}
				var c Command
				c.Forward, c.Yaw = 1, float64(now)/4e6
				client.Frame(local, &c)
				if h := client.Self(); h != nil && h.Rail.Path == 1 {
					p := model.Paths[0].Pose(client.World().At - h.Rail.Start).Translation
					off = max(off, p.Dist(h.Position))
					onPath++
				}
			},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	rider := r.Players["rider"]
	t.Logf("%d hand-overs, %d frames on the path, %d corrections, %d altered, off by %v m", server.rounds, onPath, rider.Corrections, rider.ServerForces, off)
	if onPath < 300 || off > .02 || rider.Corrections > rider.ServerForces || rider.ServerForces > server.rounds {
		t.Errorf("%d frames on the path, off by %v m; %d corrections in %d hand-overs, want one each at most", onPath, off, rider.Corrections, server.rounds)
	}
}
