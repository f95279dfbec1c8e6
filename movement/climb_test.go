package movement

import (
	"math"
	"math/rand"
	"testing"

	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// cliff is a face of the given angle in degrees that climbs 60 m towards −Z from
// z = 0.
func cliff(angle float64) func(*collide.Builder) {
	return func(b *collide.Builder) {
		b.Ramp(geom.V(0, 0, 0), 200, 60, 60/math.Tan(angle*math.Pi/180), 0, collide.Surface{})
	}
}

// highest runs for so many seconds, calling each before every move, and returns the
// greatest height of the feet.
func (b *body) highest(seconds float64, each func(i int)) float64 {
	b.t.Helper()
	high := 0.0
	for i := range int(seconds / b.dt.Seconds()) {
		each(i)
		b.step()
		high = max(high, b.s.Position.Y)
	}
	return high
}

// crouchJump is how high a jump that draws up the feet brings them (BAS-03).
func (m *Model) crouchJump() float64 {
	return midFloor + m.JumpSpeed*m.JumpSpeed/(2*m.Gravity) + m.HalfHeight - m.CrouchedHalfHeight
}

func TestDuckingInTheAirClimbsNothing(t *testing.T) { // AIR-06
	for _, c := range []struct{ angle, control float64 }{{85, .05}, {89, .05}, {60, 1}, {45.5, 1}, {89, 1}, {89.9, 1}} {
		for _, hz := range []float64{20, 60, 144} {
			for hold := 1; hold < 8; hold++ {
				for _, after := range []int{1, 5, 11} {
					b := in(t, hz, geom.V(0, 0, .35), cliff(c.angle))
					b.m.AirControl = c.control
					b.run(.2)
					b.c.Forward = 1
					got := b.highest(4, func(i int) {
						b.c.Jump = i == 0
						b.c.Crouch = i > after && (i-after)/hold%2 == 0
					})
					if want := b.m.crouchJump() + .01; got > want {
						t.Errorf("%v°, air control %v, %v Hz, ducking for %v frames from frame %v on: feet at %v m, want at most %v", c.angle, c.control, hz, hold, after, got, want)
					}
				}
			}
		}
	}
}

func TestCrouchedLandingStandsUp(t *testing.T) { // AIR-06, BAS-03
	for _, hz := range rates {
		for _, face := range []float64{60, 85, 89.9} {
			b := in(t, hz, geom.V(0, 0, .36), cliff(face))
			b.run(.2)
			b.c.Jump = true
			b.run(.4)
			b.c.Crouch = true
			for b.s.Velocity.Y >= 0 || b.s.Position.Y > .3 {
				b.step()
			}
			b.c.Crouch, b.c.Forward = false, 1
			for b.step(); b.s.Mode == Falling; b.step() {
				if !b.s.Crouched {
					t.Errorf("%v° at %v Hz: stands up at %v, want it low until it lands", face, hz, b.s.Position)
					break
				}
			}
			b.run(.1)
			if b.s.Crouched || b.s.Mode != Walking {
				t.Errorf("%v° at %v Hz: crouched %v in mode %v, want it to stand on the ground", face, hz, b.s.Crouched, b.s.Mode)
			}
		}
	}
}

func TestNoInputClimbsAFace(t *testing.T) { // AIR-06, AIR-07: whatever is pressed, in whatever order
	defer func() { upward = geom.Vec3{} }()
	worst := 0.0
	for seed := range int64(120) {
		r := rand.New(rand.NewSource(seed))
		upward = geom.Vec3{}
		if seed%3 == 0 {
			upward = geom.V(r.NormFloat64(), r.NormFloat64(), r.NormFloat64()).Unit()
		}
		angle, second := 45.5+44.4*r.Float64(), math.Pi*(2*r.Float64()-1)
		corner := r.Intn(2) == 0
		b := in(t, []float64{20, 30, 60, 144, 240}[r.Intn(5)], geom.V(0, 0, .6), func(b *collide.Builder) {
			cliff(angle)(b)
			if corner { // a gutter or a corner
				b.Ramp(geom.V(-.6*math.Sin(second), 0, -.6*math.Cos(second)), 200, 60, 60/math.Tan(angle*math.Pi/180), second, collide.Surface{})
			}
		})
		b.m.AirControl = []float64{.05, .3, .48, .7, 1}[r.Intn(5)]
		b.m.Gravity = []float64{2, 4, 9.8, 20, 30}[r.Intn(5)]
		b.m.JumpSpeed = math.Sqrt(2 * b.m.Gravity * .9)
		b.run(.2)
		if b.s.Position.Y > .1 {
			continue // spawned in the corner
		}
		b.c.Yaw = 2 * (2*r.Float64() - 1)
		b.c.Quantise()
		hold := 1 + r.Intn(12)
		stood := 0.0
		high := b.highest(20, func(i int) {
			if b.s.Mode == Walking {
				stood = max(stood, b.s.Position.Y)
			}
			if i%hold == 0 {
				b.c.Crouch = r.Intn(2) == 0
			}
			if r.Intn(20) == 0 {
				b.c.Jump = !b.c.Jump
				b.c.Forward, b.c.Right = float64(r.Intn(4)-1), float64(r.Intn(3)-1)
				b.c.Forward = min(b.c.Forward, 1)
				hold = 1 + r.Intn(12)
			}
		})
		want := b.m.crouchJump() + .02
		if corner { // one can stand wedged in it
			want += stood
		}
		if high > want {
			t.Errorf("seed %v, %.1f°, air control %v, %v m/s², corner %v: feet at %v m, want at most %v", seed, angle, b.m.AirControl, b.m.Gravity, corner, high, want)
		}
		worst = max(worst, high)
	}
	t.Logf("the highest: %.3f m", worst)
}

func TestPressingIntoACliffSlidesDown(t *testing.T) { // AIR-07, AIR-04
	for _, angle := range []float64{45.5, 50, 55, 60, 75, 85, 89} {
		for _, gravity := range []float64{2, 9.8, 30} {
			for _, control := range []float64{.05, .48, 1} {
				for _, hz := range []float64{20, 60, 1000} {
					slide := func(forward, right float64) geom.Vec3 {
						b := onCliff(t, hz, angle, control, gravity)
						from := b.s.Position
						b.c.Forward, b.c.Right = forward, right
						b.run(1)
						return b.s.Position.Sub(from)
					}
					free := slide(0, 0)
					for _, right := range []float64{0, 1} {
						if got := slide(1, right); got.Y > free.Y+1e-3*math.Abs(free.Y)+1e-4 {
							t.Errorf("%v°, %v m/s², air control %v, %v Hz, right %v: moved %v in a second, without input %v", angle, gravity, control, hz, right, got, free)
						}
					}
				}
			}
		}
	}
}

func TestWigglingDoesNotHang(t *testing.T) { // AIR-07: pressing in and out by turns
	for _, angle := range []float64{45.5, 60, 85} {
		for _, hz := range []float64{20, 60} {
			for out := 0; out < 8; out++ {
				for into := 1; into < 8; into++ {
					b := onCliff(t, hz, angle, 1, 9.8)
					from := b.s.Position.Y
					for i := range int(hz) {
						b.c.Forward = 1
						if i%(out+into) < out {
							b.c.Forward = -1
						}
						b.step()
					}
					s := math.Sin(angle * math.Pi / 180)
					if got, want := from-b.s.Position.Y, .8*4.9*s*s; got < want {
						t.Errorf("%v°, %v Hz, %v frames out, %v in: fell %v m in a second, want %v", angle, hz, out, into, got, want)
					}
				}
			}
		}
	}
}

// Between two faces the body bounces to and fro while input holds it in, so it slides
// slower than without, but it slides.
func TestPressingIntoAGutterSlidesDown(t *testing.T) { // AIR-07: two faces
	for _, angle := range []float64{46, 50, 60, 75} {
		for _, turn := range []float64{.3, 1, 1.4, 1.6, 2.5} { // between the ways the faces look
			if math.Tan(angle*math.Pi/180)*math.Cos(turn/2) < math.Tan(DefaultModel().WalkableSlope) {
				continue // a gutter that one can walk in
			}
			for _, hz := range []float64{20, 60, 240} {
				slide := func(forward, right float64) float64 {
					b := in(t, hz, geom.V(0, 41, 3), func(b *collide.Builder) {
						for _, yaw := range []float64{turn / 2, -turn / 2} {
							b.Ramp(geom.V(0, 0, 0), 400, 60, 60/math.Tan(angle*math.Pi/180), yaw, collide.Surface{})
						}
					})
					b.m.AirControl = 1
					b.s.Mode = Falling
					b.s.Position.Z = 2 - 40/math.Tan(angle*math.Pi/180)/math.Cos(turn/2)
					for !b.touches() {
						b.c.Forward = 1
						b.step()
					}
					b.c.Forward = 0
					b.run(.1)
					b.s.Velocity = geom.Vec3{}
					from := b.s.Position.Y
					b.c.Forward, b.c.Right = forward, right
					b.run(1)
					return from - b.s.Position.Y
				}
				free := slide(0, 0)
				for _, right := range []float64{0, .3, -1} {
					if got := slide(1, right); got < .5*free {
						t.Errorf("%v°, %v rad, %v Hz, right %v: fell %v m in a second, without input %v", angle, turn, hz, right, got, free)
					}
				}
			}
		}
	}
}

func TestRequestsIntoACliffSlideDown(t *testing.T) { // AIR-07: path following asks for a velocity
	for _, request := range []geom.Vec3{geom.V(0, 0, -6), geom.V(4, 0, -4)} {
		free, b := onCliff(t, 60, 55, 1, 9.8), onCliff(t, 60, 55, 1, 9.8)
		b.c.Request = request
		from := b.s.Position.Y
		free.run(1)
		b.run(1)
		if got, want := from-b.s.Position.Y, from-free.s.Position.Y; got < want-1e-3 {
			t.Errorf("asked for %v: fell %v m in a second, without %v", request, got, want)
		}
	}
}

func TestPressingIntoAWallKeepsTheSpeedAlongIt(t *testing.T) { // AIR-04, AIR-07: at the speed limit, too
	for _, hz := range rates {
		b := inOnly(t, hz, geom.V(-15, 80, 0), ground())
		b.w = in(t, hz, geom.Vec3{}, func(b *collide.Builder) {
			box(b, geom.V(-40, 0, -4), geom.V(40, 90, -.4), collide.Surface{})
		}).w
		b.m.AirControl = 1
		b.s.Mode, b.s.Velocity = Falling, geom.V(6, 0, 0)
		b.c.Forward = 1
		b.run(.2) // to the wall
		v := b.s.Velocity.X
		b.run(2)
		if got := b.s.Velocity.X; got < v-1e-9 || v < 5.5 {
			t.Errorf("%v Hz: %v m/s along the wall after 2 s, %v before", hz, got, v)
		}
	}
}

// onCliff returns a body in the air that has just touched a cliff, and is at rest.
func onCliff(t *testing.T, hz, angle, control, gravity float64) *body {
	t.Helper()
	b := in(t, hz, geom.V(0, 50, .7-50/math.Tan(angle*math.Pi/180)), cliff(angle))
	b.m.Gravity, b.m.AirControl = gravity, control
	b.s.Mode = Falling
	b.c.Forward = 1
	for !b.touches() {
		b.step()
	}
	b.c.Forward = 0
	b.run(.1)
	b.s.Velocity = geom.Vec3{}
	return b
}

// touches reports whether the body is within 1.5 mm of something.
func (b *body) touches() bool {
	c := b.capsule()
	c.Radius += .0015
	return b.w.Overlaps(c)
}
