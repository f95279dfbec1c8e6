package movement

import (
	"math"
	"math/rand"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

func TestInputWhileSwimmingOrFlying(t *testing.T) { // INP-04, INP-06
	half := math.Sqrt(.5)
	m := DefaultModel()
	for _, mode := range []Mode{Swimming, Flying} {
		for _, c := range []struct {
			cmd    Command
			want   geom.Vec3
			analog float64
		}{
			{Command{Forward: 1, Pitch: math.Pi / 4}, geom.V(0, 20.48*half, -20.48*half), 1},
			{Command{Forward: .6, Up: .8}, geom.V(0, 16.384, -12.288), 1},
			{Command{Up: -1}, geom.V(0, -20.48, 0), 1},
			{Command{Up: .5}, geom.V(0, 10.24, 0), .5},
			{Command{Right: 1, Pitch: 1}, geom.V(20.48, 0, 0), 1},
			{Command{Forward: 1, Right: 1}, geom.V(20.48*half, 0, -20.48*half), 1},
			{Command{Forward: 1, Yaw: math.Pi / 2, Pitch: -math.Pi / 4}, geom.V(-20.48*half, -20.48*half, 0), 1},
		} {
			f := StepContext{Body: Body{State: &State{Mode: mode}, Model: &m, Up: geom.Up}, Command: &c.cmd}
			f.moveStart().steer()
			near(t, mode.String(), f.Acceleration, c.want)
			if math.Abs(f.Analog-c.analog) > 1e-12 {
				t.Errorf("%v, %+v: analog %v want %v", mode, c.cmd, f.Analog, c.analog)
			}
		}
	}
	f := StepContext{Body: Body{State: &State{Mode: Walking}, Model: &m, Up: geom.Up}, Command: &Command{Up: 1}}
	if f.moveStart().steer(); !f.Acceleration.IsZero() || f.Analog != 0 {
		t.Errorf("a walker pushed upwards: %v, want nothing", f.Acceleration)
	}
}

func TestFlight(t *testing.T) { // VOL-03, GAP-55
	everyRate(t, func(what string, hz float64, dice func() *rand.Rand) {
		b := inOnly(t, hz, geom.V(0, 100, 0), ground())
		b.dice, b.s.Mode = dice(), Flying
		b.c.Up = 1
		b.run(2)
		if v := b.s.Velocity; v.Dist(geom.V(0, 6, 0)) > 1e-9 || b.s.Position.Y < 100+2*6-1.1 {
			t.Errorf("%s: up for 2 s: %v m/s at %v, want 6 upwards", what, v, b.s.Position)
		}
		high := b.s.Position.Y
		b.c.Up = 0
		b.run(3.2)
		rose := b.s.Position.Y - high
		if !b.s.Velocity.IsZero() || math.Abs(rose-9) > .15 {
			t.Errorf("%s: stops %v m further at %v m/s, want 9 and 0", what, rose, b.s.Velocity)
		}
		high = b.s.Position.Y
		b.run(10)
		if b.s.Position.Y != high || b.s.Mode != Flying {
			t.Errorf("%s: does not hover: %v after %v", what, b.s.Position.Y, high)
		}
	})
}

func TestFlyersMeetWalls(t *testing.T) { // VOL-03
	for _, hz := range rates {
		for _, c := range []struct {
			what string
			at   geom.Vec3
			cmd  Command
			want func(b *body) bool
		}{
			{"into the floor", geom.V(0, 3, 0), Command{Up: -1}, func(b *body) bool {
				return b.s.Velocity.Len() < 1e-9 && b.s.Position.Y < .01
			}},
			{"along a wall", geom.V(8, 3, 0), Command{Forward: 1, Right: 1}, func(b *body) bool {
				return b.s.Velocity.X < 1e-6 && b.s.Velocity.Z < -3
			}},
			{"over a crate of 0.4 m", geom.V(0, .1, 0), Command{Forward: 1}, func(b *body) bool {
				return b.s.Position.Z < -6 && b.s.Velocity.Len() > 5.9
			}},
			{"not over one of 0.6 m", geom.V(-8, .01, 0), Command{Forward: 1}, func(b *body) bool {
				return b.s.Position.Z > -4 && b.s.Velocity.Len() < .1
			}},
		} {
			b := in(t, hz, c.at, func(b *collide.Builder) {
				box(b, geom.V(10, 0, -90), geom.V(11, 9, 90), collide.Surface{})
				box(b, geom.V(-2, 0, -5), geom.V(2, .4, -4), collide.Surface{})
				box(b, geom.V(-10, 0, -5), geom.V(-6, .6, -4), collide.Surface{})
			})
			b.s.Mode, b.c = Flying, c.cmd
			b.run(2)
			if !c.want(b) || b.s.Mode != Flying {
				t.Errorf("%s at %v Hz: at %v with %v in mode %v", c.what, hz, b.s.Position, b.s.Velocity, b.s.Mode)
			}
		}
	}
}

func TestFlyingThroughRandomTriangles(t *testing.T) { // STP-03, VOL-03
	for seed := range int64(6) {
		r := rand.New(rand.NewSource(seed))
		w := level()
		randomTriangles(r, 150)(w)
		b := inOnly(t, 60, geom.V(0, 8, 0), w)
		for b.inside() {
			b.s.Position = geom.V(16*r.Float64()-8, 1+6*r.Float64(), 16*r.Float64()-8)
		}
		b.s.Mode = Flying
		for range 2000 {
			wander(r, &b.c)
			b.c.Up, b.c.Pitch = 2*r.Float64()-1, r.Float64()-.5
			b.dt = clock.Micros(1000 + r.Intn(50000))
			b.step()
			check(b)
			if p := b.s.Position; math.Abs(p.X) > 10 || math.Abs(p.Z) > 10 || p.Y < 0 || p.Y > 10 {
				t.Fatalf("seed %v: left the room at %v", seed, p)
			}
		}
	}
}

func TestPathFollowingByRequest(t *testing.T) { // VEL-02, VOL-06, PRF-13
	for _, hz := range rates {
		b := in(t, hz, geom.V(0, 0, 0), nothing)
		b.run(.1)
		b.c.Request = geom.V(2, 1, 0)
		b.c.Forward = 1 // counts for nothing beside it
		b.run(1)
		if v := b.s.Velocity; v.Dist(geom.V(2, 0, 0)) > 1e-9 || b.s.Mode != Walking {
			t.Errorf("%v Hz: asked for 2 m/s along X, got %v", hz, v)
		}
		b.c.Request = geom.V(0, 0, 100)
		b.run(1)
		if v := b.s.Velocity; v.Dist(geom.V(0, 0, 6)) > 1e-9 {
			t.Errorf("%v Hz: asked for 100 m/s, got %v want the 6 of the model", hz, v)
		}
		b.c = Command{}
		b.run(1)
		if !b.s.Velocity.IsZero() {
			t.Errorf("%v Hz: asked for nothing, got %v", hz, b.s.Velocity)
		}
		b.s.Mode, b.s.Position.Y = Flying, 20
		b.c.Request = geom.V(0, 3, 1)
		b.run(1)
		near(t, "flying", b.s.Velocity, geom.V(0, 3, 1))
		b.s.Mode, b.s.Velocity = Falling, geom.Vec3{}
		b.c.Request = geom.V(6, 0, 0)
		b.run(.5)
		if got := b.s.Velocity.X; math.Abs(got-6*.05*20.48/12) > .02 {
			t.Errorf("%v Hz: in the air a request gives %v m/s, want what air control allows", hz, got)
		}
	}
}
