package jetpack

import (
	"math"
	"testing"
	"time"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
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
	var p collide.Path
	for i := range 9 {
		a := float64(i) * (math.Pi / 4)
		p.Keys = append(p.Keys, collide.Key{At: clock.Micros(i) * clock.Second, Position: geom.V(4*math.Cos(a), 2, 4*math.Sin(a))})
	}
	p.Keys[8].Position, p.Loop, p.Smooth = p.Keys[0].Position, true, true
	model := movement.DefaultModel()
	model.Paths = []collide.Path{p}
	world := collide.Floor(50)
	server := &carousel{match: newMatch(Game(&model), world)}
	onPath, off := 0, 0.0
	f := flight{
		server: server, model: &model, world: world, network: mem.Network{RTT: 150 * time.Millisecond, Loss: .05}, duration: 21 * clock.Second, seed: 3,
		input: func(now clock.Micros) (c Command) {
			c.Forward, c.Yaw = 1, float64(now)/4e6
			return c
		},
		drawn: func(c *session.Client[Hero, Command]) {
			if h := c.Self(); h.Rail.Path == 1 {
				p := model.Paths[0].Pose(c.World().At - h.Rail.Start).Translation
				off = max(off, p.Dist(h.Position))
				onPath++
			}
		},
	}
	_, rider := f.play(t)
	t.Logf("%d hand-overs, %d frames on the path, %d corrections, %d altered, off by %v m", server.rounds, onPath, rider.Corrections, rider.ServerForces, off)
	if onPath < 300 || off > .02 || rider.Corrections > rider.ServerForces || rider.ServerForces > server.rounds {
		t.Errorf("%d frames on the path, off by %v m; %d corrections in %d hand-overs, want one each at most", onPath, off, rider.Corrections, server.rounds)
	}
}
