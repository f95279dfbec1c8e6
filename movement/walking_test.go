package movement

import (
	"math"
	"testing"

	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

func nothing(*collide.Builder) {}

func TestWalkingOnTheFlat(t *testing.T) { // FLR-01, FLR-02, VEL-10
	for _, hz := range rates {
		b := in(t, hz, geom.V(0, 0, 0), nothing)
		b.c.Forward = 1
		b.run(2)
		if b.s.Mode != Walking || math.Abs(b.speed()-6) > 1e-9 {
			t.Errorf("%v Hz: got %v m/s in mode %v, want 6 walking", hz, b.speed(), b.s.Mode)
		}
		if g := b.gap(); math.Abs(g-b.s.Floor.Distance) > 1e-9 || math.Abs(g-midFloor) > 1e-4 {
			t.Errorf("%v Hz: gap %v, state says %v, want %v", hz, g, b.s.Floor.Distance, midFloor)
		}
		if b.f.Queries != 2 {
			t.Errorf("%v Hz: %v queries a step on flat ground, want 2", hz, b.f.Queries)
		}
		if b.s.Position.X != 0 || b.s.Position.Z > -11 {
			t.Errorf("%v Hz: at %v, want straight ahead along −Z", hz, b.s.Position)
		}
	}
}

// flight is stairs that climb towards −Z from z = 0, with a landing behind.
func flight(rise, run float64, steps int) func(*collide.Builder) {
	return func(b *collide.Builder) {
		b.Stairs(geom.V(0, 0, 0), 120, rise, run, steps, 0, collide.Surface{})
		box(b, geom.V(-60, -1, -40), geom.V(60, rise*float64(steps), -run*float64(steps)), collide.Surface{})
	}
}

func TestStairsUp(t *testing.T) { // STP-01, GRD-12, GRD-08, GRD-14, GAP-55
	for _, rise := range []float64{.05, .15, .3, .4, .45} {
		for _, hz := range rates {
			for _, speed := range []float64{1, 3, 6} {
				for _, angle := range []float64{0, 15, 45, 75} {
					climb(t, rise, hz, speed, angle)
				}
			}
		}
	}
}

// climb walks up a flight at an angle to the risers and measures the speed over
// the ground between its second and its eighth step.
func climb(t *testing.T, rise, hz, speed, angle float64) {
	t.Helper()
	b := in(t, hz, geom.V(0, 0, .5), flight(rise, .4, 10))
	b.m.MaxWalkSpeed = speed
	b.c.Forward, b.c.Yaw = 1, angle*math.Pi/180
	b.s.Velocity = geom.Forward(b.c.Yaw).Mul(speed)
	way := 3.7 / math.Cos(b.c.Yaw)
	var from geom.Vec3
	var since int
	for range int(hz * (way/speed*1.2 + .5)) {
		b.step()
		if b.s.Position.Z > -.4 {
			from, since = b.s.Position, 0
		}
		since++
		if b.s.Mode == Falling {
			t.Errorf("rise %v at %v Hz, %v m/s, %v°: falling at %v", rise, hz, speed, angle, b.s.Position)
			return
		}
		if b.s.Position.Z < -3.2 {
			break
		}
	}
	made := b.s.Position.Sub(from).Flat(geom.Up).Len() / (float64(since-1) / hz)
	if math.Abs(made/speed-1) > .05 || b.s.Position.Y < 7*rise {
		t.Errorf("rise %v at %v Hz, %v m/s, %v°: at %v, %.3f m/s over the ground", rise, hz, speed, angle, b.s.Position, made)
	}
}

func TestAStepAddsNoSpeed(t *testing.T) { // GRD-14
	for _, keep := range []bool{true, false} {
		for _, hz := range rates {
			b := in(t, hz, geom.V(0, 0, 1), flight(.2, .3, 12))
			b.m.MaintainHorizontal = keep
			b.c.Forward = 1
			for b.s.Position.Z > -3 {
				b.step()
				if b.speed() > 6+1e-9 || b.s.Velocity.Y != 0 {
					t.Fatalf("%v Hz, keep %v: %v on the stairs, want at most 6 m/s, level", hz, keep, b.s.Velocity)
				}
			}
			if b.speed() < 5.7 {
				t.Errorf("%v Hz, keep %v: %v m/s on the stairs, want 6", hz, keep, b.speed())
			}
			if b.total[Stepped] == 0 {
				t.Errorf("%v Hz, keep %v: no step reported", hz, keep)
			}
		}
	}
}
