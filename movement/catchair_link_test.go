package movement_test

import (
	"math"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement"
)

// Over crests for 20 s, on a line of 150 ms with 5 % loss.
func TestCatchingAirIsPredicted(t *testing.T) { // AIR-08
	var b collide.Builder
	b.Box(geom.V(0, -1, 0), geom.V(100, 1, 100), geom.IdentityQuat, collide.Surface{})
	for i := range 6 {
		z := float64(-4 - 14*i)
		b.Ramp(geom.V(0, 0, z), 20, 2, 6, 0, collide.Surface{})
		b.Ramp(geom.V(0, 0, z-12), 20, 2, 6, math.Pi, collide.Surface{})
	}
	world := b.MustBake()
	for _, frame := range []clock.Micros{33 * clock.Millisecond, 16 * clock.Millisecond, 7 * clock.Millisecond} {
		w := newLink(t, frame)
		w.game.view.World, w.game.model.CatchAir, w.drop = world, 2, 20
		w.begin(movement.Spawn(geom.V(0, .02, 0), 0))
		flown, walked := 0, true
		w.run(20*clock.Second, func() {
			s := w.owner.State()
			if s.Mode == movement.Falling && walked {
				flown++
			}
			walked = s.Mode == movement.Walking
			w.input.Forward = 1
			if s.Position.Z < -80 {
				w.input.Yaw = math.Pi / 2
			}
			w.input.Quantise()
		})
		w.settle()
		if c := w.owner.Counters(); c.Corrections != 0 || flown < 6 {
			t.Errorf("frames of %d ms: %d corrections in %d flights, want 0 in 6 at least", frame/1000, c.Corrections, flown)
		}
	}
}
