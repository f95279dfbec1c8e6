package movement

import (
	"fmt"
	"math"
	"testing"

	"github.com/backstep-net/backstep/geom"
)

func TestBrakingByDistance(t *testing.T) { // VEL-15
	for _, tune := range []struct {
		what string
		set  func(m *Model)
	}{
		{"vanilla", func(*Model) {}},
		{"by friction and little else", func(m *Model) { m.BrakingDeceleration = 2 }},
		{"by deceleration alone", func(m *Model) { m.GroundFriction = 0 }},
	} {
		everyArrival(t, tune.what, tune.set)
	}
}

// everyArrival lets walkers at 1 … 6 m/s stop at distances from just above their stop
// distance on, at 30 … 240 Hz.
func everyArrival(t *testing.T, what string, set func(m *Model)) {
	for _, hz := range rates {
		for speed := 1.0; speed <= 6; speed += .5 {
			for _, spare := range []float64{.001, .01, .05, .1, .17, .3, 1, 3} {
				b := in(t, hz, geom.V(0, 0, 0), nothing)
				set(&b.m)
				b.step()
				b.s.Velocity = geom.V(0, 0, -speed)
				dt := b.dt.Seconds()
				way := b.m.StopDistance(speed, dt) + spare
				goal, start := b.s.Position.Z-way, b.now
				for moved := false; (!b.s.Velocity.IsZero() || !moved) && b.now < start+30; moved = true {
					left := b.s.Position.Z - goal
					b.c.Request = geom.V(0, 0, -b.m.ArrivalSpeed(b.s.Velocity.Len(), left, dt))
					b.c.Quantise()
					was := b.s.Position.Z
					if b.step(); b.s.Position.Z > was {
						t.Fatalf("%s: reversed at %v m before the goal", what, left)
					}
				}
				_, stops := b.m.StopsIn(speed)
				situation := fmt.Sprintf("%s, %v Hz, %v m/s, %v m to go", what, hz, speed, way)
				if off := b.s.Position.Z - goal; math.Abs(off) > .01 || !b.s.Velocity.IsZero() {
					t.Errorf("%s: stopped %.4f m before the goal, %v m/s after %.2f s", situation, off, b.s.Velocity.Len(), b.now-start)
				}
				if late := b.now - start - spare/speed - stops; late > 3*dt {
					t.Errorf("%s: %v s later than at full speed to the last instant, want 3 moves at most", situation, late)
				}
			}
		}
	}
}
