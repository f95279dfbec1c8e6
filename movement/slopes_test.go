package movement

import (
	"fmt"
	"math"
	"testing"

	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// hill is a wedge of the given angle in degrees that climbs towards −Z from
// z = 0 and is 20 m long, seen from above.
func hill(angle float64) func(*collide.Builder) {
	return func(b *collide.Builder) {
		b.Ramp(geom.V(0, 0, 0), 40, 20*math.Tan(angle*math.Pi/180), 20, 0, collide.Surface{})
	}
}

func TestHighStepBlocks(t *testing.T) { // GRD-12, STP-01
	for _, rise := range []float64{.46, .6} {
		for _, hz := range rates {
			for _, speed := range []float64{1, 3, 6} {
				for _, angle := range []float64{0., 15, 45} {
					b := in(t, hz, geom.V(0, 0, 1), flight(rise, 2, 2))
					b.m.MaxWalkSpeed = speed
					b.c.Forward, b.c.Yaw = 1, angle*math.Pi/180
					b.run(3)
					if b.s.Position.Y > .03 || b.s.Position.Z < .33 || b.s.Mode != Walking {
						t.Errorf("rise %v at %v Hz, %v m/s, %v°: got to %v", rise, hz, speed, angle, b.s.Position)
					}
				}
			}
		}
	}
}

func TestStepsNotTaken(t *testing.T) { // GRD-12, GRD-13, STP-01, GRD-07
	for _, c := range []struct {
		what  string
		build func(*collide.Builder)
		up    bool
	}{
		{"a 40 cm box", func(b *collide.Builder) {
			box(b, geom.V(-5, 0, -9), geom.V(5, .4, 0), collide.Surface{})
		}, true},
		{"the same under a ceiling 20 cm above the head", func(b *collide.Builder) {
			box(b, geom.V(-5, 0, -9), geom.V(5, .4, 0), collide.Surface{})
			box(b, geom.V(-5, 1.98, -9), geom.V(5, 3, 9), collide.Surface{})
		}, false},
		{"40 cm onto 60°", func(b *collide.Builder) {
			box(b, geom.V(-5, 0, -9), geom.V(5, .4, 0), collide.Surface{})
			b.Ramp(geom.V(0, .4, 0), 10, 9*math.Tan(math.Pi/3), 9, 0, collide.Surface{})
		}, false},
		{"a box that forbids it", func(b *collide.Builder) {
			box(b, geom.V(-5, 0, -9), geom.V(5, .4, 0), collide.Surface{StepOn: collide.Never})
		}, false},
		{"a box that allows it", func(b *collide.Builder) {
			box(b, geom.V(-5, 0, -9), geom.V(5, .4, 0), collide.Surface{StepOn: collide.Always})
		}, true},
		{"a box that cannot be stood on", func(b *collide.Builder) {
			box(b, geom.V(-5, 0, -9), geom.V(5, .4, 0), collide.Surface{Walk: collide.Never})
		}, false},
	} {
		for _, hz := range rates {
			b := in(t, hz, geom.V(0, 0, 1), c.build)
			b.c.Forward = 1
			b.run(.7)
			if up := b.s.Position.Y > .35; up != c.up {
				t.Errorf("%s at %v Hz: at %v, want on top: %v", c.what, hz, b.s.Position, c.up)
			}
		}
	}
}

func TestJumpOntoABoxThatForbidsStepping(t *testing.T) { // GRD-13
	b := in(t, 60, geom.V(0, 0, .5), func(b *collide.Builder) {
		box(b, geom.V(-5, 0, -9), geom.V(5, .4, 0), collide.Surface{StepOn: collide.Never})
	})
	b.c.Forward, b.c.Jump = 1, true
	b.m.AirControl = 1
	b.run(1.2)
	if b.s.Mode != Walking || math.Abs(b.s.Position.Y-.4-midFloor) > .003 {
		t.Errorf("got %v in mode %v, want standing on the box", b.s.Position, b.s.Mode)
	}
}

func TestStandingOnSlopes(t *testing.T) { // FLR-01, FLR-02, FLR-06, GAP-55
	for _, angle := range []float64{1, 20, 30, 44} {
		b := in(t, 60, geom.V(0, 10*math.Tan(angle*math.Pi/180)+.1, -10), hill(angle))
		b.step()
		at := b.s.Position
		b.run(60)
		if d := b.s.Position.Dist(at); d > 1e-3 || b.s.Mode != Walking {
			t.Errorf("%v°: drifted %v m in mode %v", angle, d, b.s.Mode)
		}
		if g := b.gap(); g < MinFloor-1e-3 || g > MaxFloor+1e-3 || math.Abs(g-b.s.Floor.Distance) > 1e-4 {
			t.Errorf("%v°: gap %v, state says %v", angle, g, b.s.Floor.Distance)
		}
	}
}

func TestWalkableLimit(t *testing.T) { // GRD-07
	for _, c := range []struct {
		angle float64
		want  Mode
	}{{44.7, Walking}, {44.9, Falling}} {
		b := in(t, 60, geom.V(0, 10*math.Tan(c.angle*math.Pi/180)+.12, -10), hill(c.angle))
		b.run(.3)
		if b.s.Mode != c.want {
			t.Errorf("%v°: got mode %v want %v", c.angle, b.s.Mode, c.want)
		}
	}
}

func TestSteepSlopeSlidesDown(t *testing.T) { // FLR-06
	for _, hz := range rates {
		for _, angle := range []float64{46., 50, 60, 75} {
			b := in(t, hz, geom.V(0, 5*math.Tan(angle*math.Pi/180)+.2, -5), hill(angle))
			from := b.s.Position.Y
			b.c.Forward = 1
			for i := range int(20 * hz) {
				b.c.Jump = i%10 < 5
				b.step()
			}
			if got := b.s.Position.Y; got > from || got > 1.5 {
				t.Errorf("%v° at %v Hz: climbed from %v to %v", angle, hz, from, got)
			}
		}
	}
}

// On a slope too steep to stand on a body slides without friction: in a second its speed
// grows by g·sin of the angle, straight down the slope, to 1 %, at every frame rate. [FLR-06]
func TestSlideSpeed(t *testing.T) {
	for _, hz := range rates {
		for _, angle := range []float64{46, 50, 60, 75, 85} {
			s, c := math.Sincos(angle * math.Pi / 180)
			b := in(t, hz, geom.V(0, 19*s/c+.6, -19), hill(angle))
			b.run(.5)
			from, v := b.s.Position, b.s.Velocity
			b.run(.5)
			if got, want := b.s.Velocity.Sub(v).Len(), float64(9.8*s*.5); math.Abs(got-want) > .01*want {
				t.Errorf("%v° at %v Hz: %v m/s faster after half a second, want %v", angle, hz, got, want)
			}
			if d := b.s.Position.Sub(from); math.Abs(-d.Y/d.Len()-s) > .001 || d.Z < 0 {
				t.Errorf("%v° at %v Hz: slid %v, want it straight down the slope", angle, hz, d)
			}
		}
	}
}

func TestSlopeParallelMove(t *testing.T) { // GRD-06, GRD-08
	f := Body{Up: geom.Up, Model: new(Model)}
	at := func(angle float64) *Floor {
		s, c := geom.SinCos(angle * math.Pi / 180)
		return &Floor{Normal: geom.V(-s, c, 0), Walkable: true}
	}
	for _, c := range []struct {
		angle      float64
		d          geom.Vec3
		keep, rest geom.Vec3
	}{
		{30, geom.V(.1, 0, 0), geom.V(.1, .057735, 0), geom.V(.086603, .05, 0)},
		{44, geom.V(.1, 0, 0), geom.V(.1, .096569, 0), geom.V(.071934, .069466, 0)},
		{30, geom.V(-.1, 0, 0), geom.V(-.1, -.057735, 0), geom.V(-.086603, -.05, 0)},
		{30, geom.V(0, 0, .1), geom.V(0, 0, .1), geom.V(0, 0, .1)},
		{.5, geom.V(.1, 0, 0), geom.V(.1, 0, 0), geom.V(.1, 0, 0)},
		{.8103 + .01, geom.V(.1, 0, 0), geom.V(.1, .001432, 0), geom.V(.09999, .001432, 0)},
	} {
		f.Model.MaintainHorizontal = true
		near(t, fmt.Sprint(c.angle, "° keeping the horizontal speed"), f.ramp(c.d, at(c.angle)), c.keep)
		f.Model.MaintainHorizontal = false
		near(t, fmt.Sprint(c.angle, "° keeping the speed"), f.ramp(c.d, at(c.angle)), c.rest)
	}
	f.Model.MaintainHorizontal = true
	for _, fl := range []Floor{
		{Normal: at(30).Normal, Walkable: true, Ray: true},
		{Normal: at(30).Normal},
	} {
		near(t, "not a slope to follow", f.ramp(geom.V(.1, 0, 0), &fl), geom.V(.1, 0, 0))
	}
}

func TestDownhillKeepsContact(t *testing.T) { // FLR-05
	down := func(b *collide.Builder) { hill(40)(b) }
	steps := flight(.3, .4, 40)
	for _, c := range []struct {
		what  string
		at    geom.Vec3
		build func(*collide.Builder)
		limit float64
	}{
		{"40° slope", geom.V(0, 18*math.Tan(40*math.Pi/180)+.1, -18), down, -.5},
		{"0.3 m risers", geom.V(0, 12.1, -17), steps, -.2},
	} {
		for _, hz := range []float64{1000, 240, 144, 60, 30, 20} {
			b := in(t, hz, c.at, c.build)
			b.s.Yaw = math.Pi
			b.c.Forward, b.c.Yaw = 1, math.Pi
			b.run(.1)
			for n := 0; b.s.Position.Z < 0 && n < 5000; n++ {
				b.step()
				if b.s.Mode != Walking {
					t.Fatalf("%s at %v Hz: in the air at %v", c.what, hz, b.s.Position)
				}
				if g := b.gap(); g < .018 || g > .025 {
					t.Fatalf("%s at %v Hz: gap %v at %v", c.what, hz, g, b.s.Position)
				}
			}
			if math.Abs(b.speed()-6) > .3 {
				t.Errorf("%s at %v Hz: %v m/s at the end", c.what, hz, b.speed())
			}
		}
	}
}

func TestSpeedUphill(t *testing.T) { // GRD-06, GRD-10
	for _, keep := range []bool{true, false} {
		for _, hz := range rates {
			b := in(t, hz, geom.V(0, 0, 2), hill(30))
			b.m.MaintainHorizontal = keep
			b.c.Forward = 1
			b.run(1)
			from := b.s.Position
			b.run(1)
			made := b.s.Position.Sub(from)
			got, want := made.Flat(geom.Up).Len(), 6.0
			if !keep {
				got = made.Len()
			}
			if math.Abs(got-want) > .1 || b.s.Mode != Walking {
				t.Errorf("keep %v at %v Hz: %v m in a second, want %v", keep, hz, got, want)
			}
		}
	}
}

func TestUnwalkableRampIsAWall(t *testing.T) { // STP-02
	for _, hz := range rates {
		for _, yaw := range []float64{0, .5, 1.2} {
			b := in(t, hz, geom.V(0, 0, 2), hill(60))
			b.c.Forward, b.c.Yaw = 1, yaw
			b.run(2)
			if b.s.Position.Y > .03 || b.s.Mode != Walking {
				t.Errorf("%v Hz, yaw %v: at %v in mode %v", hz, yaw, b.s.Position, b.s.Mode)
			}
			if want := 6 * math.Sin(yaw); math.Abs(b.speed()-want) > 2.5 {
				t.Errorf("%v Hz, yaw %v: slides at %v m/s", hz, yaw, b.speed())
			}
		}
	}
}

func TestCorners(t *testing.T) { // STP-02, GRD-18
	for _, hz := range rates {
		b := in(t, hz, geom.V(0, 0, 0), func(b *collide.Builder) {
			box(b, geom.V(-5, 0, -4), geom.V(5, 3, -2), collide.Surface{})
			box(b, geom.V(2, 0, -4), geom.V(4, 3, 4), collide.Surface{})
		})
		b.c.Forward, b.c.Yaw = 1, -math.Pi/4
		b.run(1.5)
		at := b.s.Position
		for range int(5 * hz) {
			b.step()
			if d := b.s.Position.Dist(at); d > 1e-4 || b.speed() > 1e-3 {
				t.Fatalf("90° corner at %v Hz: moved %v at %v m/s", hz, d, b.speed())
			}
		}
		if b.s.Position.Dist(geom.V(2-.34, midFloor, -2+.34)) > .01 {
			t.Errorf("90° corner at %v Hz: rests at %v", hz, b.s.Position)
		}
	}
}

func TestWideCornerSlidesThrough(t *testing.T) { // STP-02
	for _, hz := range rates {
		b := in(t, hz, geom.V(0, 0, 0), func(b *collide.Builder) {
			// A wall along X, and one that turns 60° back from it at x = 0.
			b.Box(geom.V(-5, 1, -2.5), geom.V(5, 2, .5), geom.IdentityQuat, collide.Surface{})
			s, c := geom.SinCos(math.Pi / 3)
			centre := geom.V(5*c, 1, -2+5*s).Add(geom.V(.5*s, 0, -.5*c))
			b.Box(centre, geom.V(5, 2, .5), geom.YawQuat(-math.Pi/3), collide.Surface{})
		})
		b.s.Teleport(geom.V(-3, 0, -1.2))
		b.c.Forward, b.c.Yaw = 1, -75*math.Pi/180 // mostly along +X, into the first wall
		b.run(3)
		if b.s.Position.Z < -0.5 {
			t.Errorf("%v Hz: at %v, want it to slide on along the second wall", hz, b.s.Position)
		}
	}
}

func TestWallHeadOn(t *testing.T) { // GRD-11, GRD-18
	wall := func(b *collide.Builder) { box(b, geom.V(-9, 0, -4), geom.V(9, 3, -2), collide.Surface{}) }
	for _, hz := range rates {
		b := in(t, hz, geom.V(0, 0, 0), wall)
		b.c.Forward = 1
		b.run(1)
		b.s.Velocity = geom.V(0, 0, -6)
		b.step()
		if b.speed() > 1e-6 {
			t.Errorf("%v Hz: %v m/s after a frame against a wall, want 0", hz, b.speed())
		}
		b.s.Velocity, b.c = geom.V(3, 0, -3), Command{}
		before := b.s.Position
		b.m.GroundFriction, b.m.BrakingDeceleration = 0, 0
		b.step()
		want := geom.V(3*b.dt.Seconds(), 0, 0)
		if got := b.s.Position.Sub(before); got.Dist(want) > 1e-9 || b.s.Velocity.Dist(geom.V(3, 0, 0)) > 1e-6 {
			t.Errorf("%v Hz: moved %v at %v, want %v along the wall", hz, got, b.s.Velocity, want)
		}
	}
}

func TestSeamsDoNotCatch(t *testing.T) { // FLR-02, STP-02
	floors := func(b *collide.Builder) {
		for i := range 60 {
			for j := range 4 {
				x, z := float64(i)-2, float64(j)-2
				box(b, geom.V(x, -.5, z), geom.V(x+1, 0, z+1), collide.Surface{})
			}
			x := float64(i) * .5
			box(b, geom.V(x-2, 0, -2), geom.V(x-1.5, 3, -1), collide.Surface{})
		}
	}
	whole := func(b *collide.Builder) { box(b, geom.V(-2, 0, -2), geom.V(58, 3, -1), collide.Surface{}) }
	for _, hz := range rates {
		var at [2]float64
		for i, build := range []func(*collide.Builder){floors, whole} {
			b := in(t, hz, geom.V(0, 0, 0), build)
			if i == 0 {
				w := level()
				floors(w)
				b = inOnly(t, hz, geom.V(0, 0, 0), w)
			}
			b.c.Forward, b.c.Yaw = 1, -math.Pi/4
			b.run(3)
			at[i] = b.s.Position.X
			if b.s.Mode != Walking || at[i] < 9 {
				t.Errorf("%v Hz: got to %v in mode %v", hz, b.s.Position, b.s.Mode)
			}
			if i == 1 {
				t.Logf("%v Hz: %v queries a step along a wall", hz, b.f.Queries)
			}
		}
		if math.Abs(at[0]-at[1]) > .01 {
			t.Errorf("%v Hz: along a wall of boxes to %v, along a whole one to %v", hz, at[0], at[1])
		}
	}
}

func TestNarrowPassages(t *testing.T) { // STP-01, STP-02
	for _, hz := range rates {
		for _, width := range []float64{.69, .72, 1} {
			for _, askew := range []float64{0, .3} {
				b := in(t, hz, geom.V(0, 0, 1), func(b *collide.Builder) {
					box(b, geom.V(-5, 0, -9), geom.V(-width/2, 9, 0), collide.Surface{})
					box(b, geom.V(width/2, 0, -9), geom.V(5, 9, 0), collide.Surface{})
					flight(.3, .3, 10)(b)
				})
				b.c.Forward = 1
				b.run(.3)
				b.c.Yaw = askew
				b.run(1)
				if b.s.Position.Z > -3 || math.Abs(b.s.Position.Y-3-midFloor) > .01 {
					t.Errorf("%v Hz, %v m wide, %v askew: got to %v", hz, width, askew, b.s.Position)
				}
			}
		}
	}
}
