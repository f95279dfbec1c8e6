package movement

import (
	"math"
	"math/rand"
	"testing"

	"github.com/backstep-net/backstep/geom"
)

func TestFacing(t *testing.T) { // BAS-04
	everyRate(t, func(what string, hz float64, dice func() *rand.Rand) {
		for _, c := range []struct {
			what   string
			policy FacingPolicy
			cmd    Command
			takes  float64 // seconds
			want   float64 // radians
		}{
			{"to the view at once", FaceView, Command{Yaw: 3}, 0, 3},
			{"to the view at a rate", TurnToView, Command{Yaw: -math.Pi}, .5, -math.Pi},
			{"the shorter way", TurnToView, Command{Yaw: -math.Pi / 2}, .25, -math.Pi / 2},
			{"to the motion", TurnToMotion, Command{Right: 1}, .25, -math.Pi / 2},
			{"to the motion, relative to the view", TurnToMotion, Command{Forward: 1, Yaw: 1}, 1 / (2 * math.Pi), 1},
			{"to the motion asked for", TurnToMotion, Command{Request: geom.V(0, 0, 2)}, .5, -math.Pi},
			{"no motion, no turn", TurnToMotion, Command{Yaw: 1}, 0, 0},
		} {
			b := in(t, hz, geom.Vec3{}, nothing)
			b.dice, b.m.Facing = dice(), c.policy
			b.step()
			b.c, b.now = c.cmd, 0
			b.c.Quantise()
			b.step()
			for geom.WrapAngle(b.s.Yaw-c.want) != 0 && math.Abs(geom.WrapAngle(b.s.Yaw-c.want)) > 1e-4 && b.now < 2 {
				b.frame()
			}
			if late := b.now - c.takes; late < -.001 || late > .042 {
				t.Errorf("%s, %s: took %v s, want %v", what, c.what, b.now, c.takes)
			}
			at := b.s.Yaw
			b.run(.5)
			if math.Abs(geom.WrapAngle(b.s.Yaw-at)) > 1e-4 || c.policy == TurnToView && b.s.Yaw != b.c.Yaw {
				t.Errorf("%s, %s: goes on from %v to %v, want it to stop exactly", what, c.what, at, b.s.Yaw)
			}
		}
	})
	b := in(t, 60, geom.Vec3{}, nothing)
	b.m.Facing, b.m.TurnRate, b.c.Yaw = TurnToView, 0, 1
	if b.run(1); b.s.Yaw != 0 {
		t.Errorf("a turn rate of 0 turns to %v", b.s.Yaw)
	}
}
