package jetpack

import (
	"testing"
	"time"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/transport/mem"
)

// 100 presses, each of a single frame of 1/144 s while running about, are 100 jumps
// on the server: none is lost to combining, delaying or a lost packet, and none
// counts twice (JMP-03).
func TestEveryPressJumpsOnce(t *testing.T) {
	for _, loss := range []float64{0, .05} {
		world, model, seen := collide.Floor(500), movement.DefaultModel(), map[movement.EventKind]int{}
		presses, held := 0, clock.Micros(-1)
		f := flight{
			server: newMatch(counting(&model, seen), world), model: &model, world: world, duration: 104 * clock.Second, seed: 5,
			frames: []float64{144}, network: mem.Network{RTT: 80 * time.Millisecond, Loss: loss},
			input: func(now clock.Micros) (c Command) {
				c.Forward, c.Yaw = 1, float64(now)/3e6
				if second := now / clock.Second; second > held && second >= 2 && presses < 100 {
					c.Jump, held = true, second
					presses++
				}
				return c
			},
		}
		_, jumper := f.play(t)
		if presses != 100 || seen[movement.Jumped] != 100 || jumper.Corrections != 0 {
			t.Errorf("%v %% loss: %d presses, %d jumps, %d corrections; want 100, 100 and none", 100*loss, presses, seen[movement.Jumped], jumper.Corrections)
		}
	}
}
