package movement

import (
	"math"
	"math/rand"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement/rootmotion"
)

// planes are some that stand upright.
var planes = []Plane{
	{Normal: geom.V(1, 0, 0)},
	{Normal: geom.V(0, 0, -1), Offset: 1.25},
	{Normal: geom.V(.6, 0, .8), Offset: -.5},
}

// onPlane fails unless the body is on its plane and moves along it.
func onPlane(b *body, what string) {
	b.t.Helper()
	p := &b.m.Plane
	if off := b.s.Position.Dot(p.Normal) - p.Offset; math.Abs(off) > 1e-9 {
		b.t.Fatalf("%s: %v m off the plane at %v", what, off, b.s.Position)
	}
	if across := b.s.Velocity.Dot(p.Normal); math.Abs(across) > 1e-12 {
		b.t.Fatalf("%s: %v m/s across the plane", what, across)
	}
}

// rubble is a room full of boxes, at every angle, and ramps.
func rubble(r *rand.Rand) func(*collide.Builder) {
	return func(b *collide.Builder) {
		room(b)
		for range 60 {
			at := geom.V(18*r.Float64()-9, 3*r.Float64(), 18*r.Float64()-9)
			turn := geom.AxisAngle(geom.V(r.NormFloat64(), r.NormFloat64(), r.NormFloat64()).Unit(), 6*r.Float64())
			b.Box(at, geom.V(.2+r.Float64(), .1+r.Float64(), .2+r.Float64()), turn, collide.Surface{})
		}
		for range 15 {
			b.Ramp(geom.V(16*r.Float64()-8, 0, 16*r.Float64()-8), 3, 2*r.Float64(), 3, 7*r.Float64(), collide.Surface{})
		}
	}
}

func TestNothingLeadsOutOfThePlane(t *testing.T) { // PRF-15
	for i, p := range planes {
		for seed := range int64(3) {
			r := rand.New(rand.NewSource(seed))
			w := level()
			rubble(r)(w)
			works(r)(w) // bodies that move
			b := inOnly(t, 60, geom.V(0, 8, 0), w)
			b.m.Plane = p
			if err := b.m.Check(); err != nil {
				t.Fatal(err)
			}
			low, high, walked := math.Inf(1), math.Inf(-1), 0
			for n := range 10000 {
				wander(r, &b.c)
				b.c.Up = 2*r.Float64() - 1
				b.dt = clock.Micros(1000 + r.Intn(50000))
				way := geom.V(r.NormFloat64(), r.NormFloat64(), r.NormFloat64())
				switch r.Intn(150) {
				case 0:
					b.s.LaunchAt(way.Mul(10))
				case 1:
					b.s.Impulse = way.Mul(6)
				case 2:
					b.s.Force = way.Mul(60)
				case 3:
					b.s.Mode = []Mode{Walking, Falling, Flying}[r.Intn(3)]
				case 4:
					b.s.Teleport(geom.V(8*way.X, 4, 8*way.Z).ClampLen(9))
				case 5:
					b.s.Motion.Apply(rootmotion.Constant(way.Mul(5), clock.Second/3), b.w.At)
				}
				b.w.Obstacles = nil
				if n%3 == 0 {
					b.w.Obstacles = []collide.Obstacle{{ID: 7, Capsule: b.capsule().Moved(way.Mul(.3)), Velocity: way}}
				}
				again, w, fresh := b.s, b.w, StepContext{}
				w.At += b.dt
				Step(&b.m, &again, &b.c, b.dt, &w, &fresh)
				if b.step(); again != b.s {
					t.Fatalf("plane %d, seed %d, move %d: %+v, and with a new scratch %+v", i, seed, n, b.s, again)
				}
				onPlane(b, "random moves")
				if b.s.Mode == Walking {
					walked++
				}
				along := b.s.Position.Dot(geom.Up.Cross(p.Normal))
				low, high = min(low, along), max(high, along)
			}
			if high-low < 8 || walked < 1000 {
				t.Errorf("plane %d, seed %d: moved over %v m and walked in %d moves, want 8 and 1000", i, seed, high-low, walked)
			}
		}
	}
}

// In a plane a body is as fast as without, slides along no wall, walks over ground that
// slopes only across, and is carried by a base only as far as the plane goes.
func TestSituationsInAPlane(t *testing.T) { // PRF-15
	for _, hz := range rates {
		side := func(yaw float64, build func(b *collide.Builder)) *body {
			b := in(t, hz, geom.V(.3, 0, 0), build) // off the plane: put onto it
			b.m.Plane.Normal = geom.V(1, 0, 0)
			b.c.Forward, b.c.Yaw = 1, yaw
			return b
		}
		b := side(0, nothing)
		b.run(2)
		if onPlane(b, "on the flat"); math.Abs(b.speed()-6) > 1e-9 || b.s.Mode != Walking {
			t.Errorf("%v Hz, on the flat: %v m/s, %v; want 6 walking", hz, b.speed(), b.s.Mode)
		}
		b = side(0, func(b *collide.Builder) { // a wall at 45° to the plane
			b.Box(geom.V(0, 1, -5), geom.V(9, 1, .5), geom.AxisAngle(geom.Up, math.Pi/4), collide.Surface{})
		})
		b.run(3)
		if onPlane(b, "at a slanting wall"); b.speed() > .01 || b.s.Position.Z > -3 || b.s.Position.Z < -4.2 {
			t.Errorf("%v Hz, at a slanting wall: %v m/s at %v; want it to stand", hz, b.speed(), b.s.Position)
		}
		b = side(0, func(b *collide.Builder) { // a bank of 60° that falls to the side
			b.Box(geom.V(0, 0, -20), geom.V(1, 1, 16), geom.AxisAngle(geom.V(0, 0, 1), math.Pi/3), collide.Surface{})
		})
		b.s.Position, b.s.Mode = geom.V(0, 3, -10), Falling
		b.run(2)
		if onPlane(b, "along a bank"); b.s.Mode != Walking || b.s.Position.Z > -15 || b.inside() {
			t.Errorf("%v Hz, along a bank that falls to the side: %v at %v, want it to walk", hz, b.s.Mode, b.s.Position)
		}
		b = side(0, func(b *collide.Builder) {
			slab(b, "ferry", collide.Path{Loop: true, Keys: []collide.Key{
				{}, {At: 3 * clock.Second, Position: geom.V(2, 0, -3)}, {At: 6 * clock.Second},
			}}, geom.V(-9, 0, -2), geom.V(9, .3, 2))
		})
		b.s.Position, b.c.Forward = geom.V(0, .32, 0), 0
		b.step() // which finds it
		aboard := b.s.Position.Z - b.w.Pose(1).Translation.Z
		b.run(2.9)
		if onPlane(b, "on a ferry"); math.Abs(b.s.Position.Z-b.w.Pose(1).Translation.Z-aboard) > 1e-6 || b.s.Base.Mover == 0 {
			t.Errorf("%v Hz, on a ferry that goes aslant: at %v, base %d; want it carried along the plane", hz, b.s.Position, b.s.Base.Mover)
		}
	}
}

func TestPlanesThatMakeNoSense(t *testing.T) { // PRF-15
	for _, p := range []Plane{
		{Normal: geom.V(1, 1, 0)}, {Normal: geom.V(math.NaN(), 0, 0)}, {Normal: geom.V(0, 0, 1), Offset: math.Inf(1)},
		{Normal: geom.V(0, 0, 1), Offset: 2e7},
	} {
		m := DefaultModel()
		if m.Plane = p; m.Check() == nil {
			t.Errorf("%+v passes", p)
		}
	}
}
