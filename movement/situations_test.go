package movement

import (
	"math"
	"math/rand"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// What character controllers are known to get wrong, gathered from the tests and the
// bug reports of Jolt's, PhysX's, Rapier's, Unity's and Godot's.

// A body on a slope too steep to stand on slides as without friction: g·sin, along
// it (FLR-06, STP-02).
func TestSlidingDownSteepSlopes(t *testing.T) {
	for _, angle := range []float64{50, 60, 70, 80, 85} {
		s, c := math.Sincos(angle * math.Pi / 180)
		everyRate(t, func(what string, hz float64, dice func() *rand.Rand) {
			high := 20 * min(s/c, 3)
			b := in(t, hz, geom.V(0, high, -high*c/s), func(b *collide.Builder) {
				b.Box(geom.V(0, 0, 0), geom.V(20, 200, .5), geom.AxisAngle(geom.V(1, 0, 0), angle*math.Pi/180-math.Pi/2), collide.Surface{})
			})
			b.s.Position.Z += (.34*(1-c)+.5)/s + .01
			b.dice, b.s.Mode = dice(), Falling
			b.run(.3)
			from, v, since := b.s.Position, b.s.Velocity, b.now
			b.run(1)
			took := b.now - since
			made := b.s.Position.Sub(from)
			want := v.Len()*took + .5*9.8*s*took*took
			if got := made.Len(); math.Abs(got/want-1) > .02 || b.s.Mode != Falling || math.Abs(made.Y/made.Z+s/c) > .02*s/c {
				t.Errorf("%v°, %s: slid %v in %v s, want %v m along it; mode %v", angle, what, made, took, want, b.s.Mode)
			}
		})
	}
}

// Down a walkable slope at twice and four times the usual speed, at frames of 1 to
// 50 ms: always on the floor (FLR-05, "stick to floor").
func TestFastDownhill(t *testing.T) {
	for _, speed := range []float64{12, 24} {
		for _, hz := range []float64{20, 30, 60, 240, 1000} {
			b := in(t, hz, geom.V(0, 58*math.Tan(44*math.Pi/180)+.1, -58), func(b *collide.Builder) {
				b.Ramp(geom.V(0, 0, 0), 40, 60*math.Tan(44*math.Pi/180), 60, 0, collide.Surface{})
			})
			b.m.MaxWalkSpeed, b.c.Forward, b.c.Yaw = speed, 1, math.Pi
			b.run(.1)
			for b.s.Position.Z < 10 && b.now < 20 {
				if b.step(); b.s.Mode != Walking {
					t.Fatalf("%v m/s at %v Hz: in the air at %v", speed, hz, b.s.Position)
				}
			}
			if math.Abs(b.speed()/speed-1) > .05 || b.now > 20 {
				t.Errorf("%v m/s at %v Hz: %v m/s at the end", speed, hz, b.speed())
			}
		}
	}
}

// Stairs of loose triangles, without sides and backs, at rates up to 360 Hz: always
// on the ground, always further (STP-01).
func TestStairsOfTriangles(t *testing.T) {
	for _, hz := range []float64{30, 60, 120, 240, 360} {
		b := in(t, hz, geom.V(0, 0, 2), func(b *collide.Builder) {
			var vs []geom.Vec3
			var is []uint32
			for i := range 10 {
				y, z, n := .3*float64(i), -.3*float64(i), uint32(len(vs))
				for _, x := range []float64{-2, 2} {
					vs = append(vs, geom.V(x, y, z), geom.V(x, y+.3, z), geom.V(x, y+.3, z-.3))
				}
				is = append(is, n, n+3, n+1, n+1, n+3, n+4, n+1, n+4, n+2, n+2, n+4, n+5)
			}
			if _, err := b.Triangles(vs, is, collide.Surface{}); err != nil {
				panic(err)
			}
		})
		b.m.MaxWalkSpeed = 4
		b.c.Forward = 1
		b.run(.3)
		for b.s.Position.Z > -2.9 && b.now < 4 {
			was := b.s.Position
			b.step()
			if b.s.Mode != Walking || b.s.Position.Z >= was.Z || math.Abs(b.s.Position.X) > 1e-6 {
				t.Fatalf("%v Hz: from %v to %v in mode %v", hz, was, b.s.Position, b.s.Mode)
			}
		}
		if b.s.Position.Y < 2.9 || b.now > 1.6 {
			t.Errorf("%v Hz: at %v after %v s", hz, b.s.Position, b.now)
		}
	}
}

// Along a wall, pressing into it: neither slower nor faster than the input along it,
// and no step upwards (STP-01, GRD-11).
func TestAlongAWallAtItsSpeed(t *testing.T) {
	for _, hz := range []float64{30, 60, 120, 240, 360} {
		b := in(t, hz, geom.V(0, 0, 0), func(b *collide.Builder) {
			box(b, geom.V(-50, 0, -.45), geom.V(50, 2, -.3415), collide.Surface{})
		})
		b.m.MaxWalkSpeed = 5
		b.c.Right, b.c.Forward = 1, .2
		b.run(2)
		x := b.s.Position.X
		b.run(1)
		if got, want := b.s.Position.X-x, 5/math.Sqrt(1.04); math.Abs(got/want-1) > .03 || math.Abs(b.s.Position.Y-midFloor) > .003 {
			t.Errorf("%v Hz: %v m in a second at %v, want %v", hz, got, b.s.Position, want)
		}
	}
}

// A trough of hundreds of slivers, little wider than the body: it walks from one end
// to the other (many contacts at once).
func TestInATroughOfSlivers(t *testing.T) {
	const slivers, r, half = 400, .35, 1.5
	for _, hz := range rates {
		b := in(t, hz, geom.V(0, 1.03, 0), func(b *collide.Builder) {
			var vs []geom.Vec3
			var is []uint32
			for i := range uint32(slivers + 1) {
				s, c := math.Sincos((float64(i)/slivers - .5) * math.Pi)
				y := 1 + r*(1-c)
				if i == 0 || i == slivers {
					y = 3
				}
				vs = append(vs, geom.V(-half, y, s*r), geom.V(half, y, s*r))
				if i > 0 {
					is = append(is, 2*i-2, 2*i, 2*i-1, 2*i-1, 2*i, 2*i+1)
				}
			}
			b.Triangles(vs, is, collide.Surface{})
			box(b, geom.V(-half-1, 0, -1), geom.V(-half, 4, 1), collide.Surface{})
			box(b, geom.V(half, 0, -1), geom.V(half+1, 4, 1), collide.Surface{})
		})
		b.run(.3)
		for _, way := range []float64{1, -1} {
			b.c.Right = way
			b.run(1.5)
			if got, want := b.s.Position.X*way, half-.34; math.Abs(got-want) > .01 || b.s.Mode != Walking {
				t.Errorf("%v Hz: towards %v got to %v in mode %v", hz, way*want, b.s.Position, b.s.Mode)
			}
		}
	}
}

// Nothing is passed through, however fast and thin: walls of 2 cm at 600 m/s,
// floors at 300 (STP-03).
func TestFastBodiesMeetThinWalls(t *testing.T) {
	for _, hz := range []float64{8, 30, 60, 240} {
		for _, mode := range []Mode{Walking, Falling, Flying} {
			b := in(t, hz, geom.V(0, .1, 0), func(b *collide.Builder) {
				box(b, geom.V(5, 0, -9), geom.V(5.02, 9, 9), collide.Surface{})
				box(b, geom.V(-20, 30, -20), geom.V(20, 30.02, 20), collide.Surface{})
			})
			b.s.Mode, b.s.Velocity = mode, geom.V(600, 0, 0)
			b.run(.5)
			if b.s.Position.X > 5 {
				t.Errorf("%v at %v Hz: through a wall to %v", mode, hz, b.s.Position)
			}
			b.m.TerminalSpeed = 1000
			b.s.Teleport(geom.V(0, 60, 0))
			b.s.Mode, b.s.Velocity = Falling, geom.V(0, -300, 0)
			b.run(1)
			if b.s.Position.Y < 30 || b.s.Mode != Walking {
				t.Errorf("%v Hz: fell at 300 m/s to %v in mode %v", hz, b.s.Position, b.s.Mode)
			}
		}
	}
}

// A ceiling ends a rise at once, and takes nothing of the speed along it; a slanted
// one is slid along (ceiling bumps). [AIR-05]
func TestCeilings(t *testing.T) {
	everyRate(t, func(what string, hz float64, dice func() *rand.Rand) {
		b := in(t, hz, geom.V(0, 0, 0), func(b *collide.Builder) {
			box(b, geom.V(-90, 2, -90), geom.V(90, 3, 90), collide.Surface{})
		})
		b.dice = dice()
		b.c.Forward = 1
		b.run(1)
		b.c.Jump = true
		began := b.now
		for b.total[Landed] == 0 && b.now < began+2 {
			b.frame()
			if b.s.Position.Y > 2-1.76 || b.speed() < 6-1e-9 {
				t.Fatalf("%s: at %v with %v", what, b.s.Position, b.s.Velocity)
			}
		}
		// Up 0.2185 m at 4.2 m/s, down again from rest.
		rise := 2 - 1.76 - midFloor - skin
		up := (4.2 - math.Sqrt(4.2*4.2-2*9.8*rise)) / 9.8
		if took, want := b.now-began, up+math.Sqrt(2*rise/9.8); took-want > .042 || took < want-.001 {
			t.Errorf("%s: %v s in the air, want %v", what, took, want)
		}
		b = in(t, hz, geom.V(0, 0, 0), func(b *collide.Builder) { // 45° overhead
			b.Box(geom.V(0, 3.5, 0), geom.V(9, 1, 9), geom.AxisAngle(geom.V(1, 0, 0), math.Pi/4), collide.Surface{})
		})
		b.dice = dice()
		b.run(.2)
		b.c.Jump = true
		for b.total[Landed] == 0 && b.now < 3 {
			if b.frame(); b.inside() {
				t.Fatalf("%s: in the slanted ceiling at %v", what, b.s.Position)
			}
		}
		if b.s.Mode != Walking {
			t.Errorf("%s: under a slanted ceiling in mode %v at %v", what, b.s.Mode, b.s.Position)
		}
	})
}

// Where the ceiling comes down to less than the body, it stops, and is neither
// pressed into the floor nor shaken (a wedge overhead). [STP-02]
func TestUnderAStairCase(t *testing.T) {
	everyRate(t, func(what string, hz float64, dice func() *rand.Rand) {
		for _, slope := range []float64{20., 45, 70} {
			b := in(t, hz, geom.V(0, 0, 0), func(b *collide.Builder) {
				s, c := math.Sincos(slope * math.Pi / 180)
				b.Box(geom.V(0, .5*c, -5-.5*s), geom.V(9, .5, 20), geom.AxisAngle(geom.V(1, 0, 0), -slope*math.Pi/180), collide.Surface{})
			})
			b.dice = dice()
			b.c.Forward = 1
			b.run(2)
			at := b.s.Position
			for end := b.now + 1; b.now < end; {
				b.frame()
				if b.s.Position.Dist(at) > 2e-3 || b.inside() || b.s.Mode != Walking {
					t.Fatalf("%s, %v°: from %v to %v in mode %v", what, slope, at, b.s.Position, b.s.Mode)
				}
			}
			b.c.Forward = -1
			b.run(.5)
			if b.s.Position.Z < at.Z+1 {
				t.Errorf("%s, %v°: cannot leave %v", what, slope, at)
			}
		}
	})
}

// Up a slope into a wall: it rests without shaking, on the floor (jitter up a slope
// to the wall). [STP-02]
func TestSlopeIntoAWall(t *testing.T) {
	for _, hz := range rates {
		for _, angle := range []float64{10, 30, 44} {
			for _, yaw := range []float64{0, .4} {
				b := in(t, hz, geom.V(0, 0, 1), func(b *collide.Builder) {
					hill(angle)(b)
					box(b, geom.V(-20, 0, -6), geom.V(20, 20, -5), collide.Surface{})
					box(b, geom.V(-6, 0, -9), geom.V(-5, 20, 9), collide.Surface{})
				})
				b.c.Forward, b.c.Yaw = 1, yaw
				b.run(5)
				at := b.s.Position
				for range int(hz) {
					b.step()
					if b.s.Position.Dist(at) > 2e-3 || b.s.Mode != Walking {
						t.Fatalf("%v Hz, %v°, yaw %v: shakes from %v to %v in mode %v", hz, angle, yaw, at, b.s.Position, b.s.Mode)
					}
				}
			}
		}
	}
}

// Two walkable slopes make a valley and a ridge: both are crossed on the ground.
func TestValleysAndRidges(t *testing.T) {
	for _, hz := range rates {
		for _, angle := range []float64{5, 20, 40} {
			h := 6 * math.Tan(angle*math.Pi/180)
			b := in(t, hz, geom.V(0, 0, 1), func(b *collide.Builder) {
				for i := range 3 {
					z := -12 * float64(i)
					b.Ramp(geom.V(0, 0, z), 10, h, 6, 0, collide.Surface{})
					b.Ramp(geom.V(0, 0, z-12), 10, h, 6, math.Pi, collide.Surface{})
				}
			})
			b.c.Forward = 1
			high, low := 0.0, 0.0
			b.run(.2)
			for b.s.Position.Z > -37 && b.now < 9 {
				if b.step(); b.s.Mode != Walking {
					t.Fatalf("%v Hz, %v°: in mode %v at %v", hz, angle, b.s.Mode, b.s.Position)
				}
				high, low = max(high, b.s.Position.Y), min(low, b.gap())
			}
			if high < h-.2 || low < 0 || b.now > 7.5 {
				t.Errorf("%v Hz, %v°: %v m high of %v, gap %v, %v s", hz, angle, high, h, low, b.now)
			}
		}
	}
}

// Small bumps, sills and gratings are walked over at full speed, on the ground. [STP-01]
func TestBumpsAndLowEdges(t *testing.T) {
	for _, c := range []struct {
		what              string
		wide, high, apart float64
	}{
		{"bumps of 2 cm", .1, .02, .5}, {"bumps of 5 cm", .1, .05, .7}, {"sills of 30 cm, 2 cm thick", .02, .3, 2},
		{"beams of 40 cm", .3, .4, 2}, {"a grating", .03, .05, .06},
	} {
		for _, hz := range rates {
			b := in(t, hz, geom.V(0, 0, 1), func(b *collide.Builder) {
				for z := 0.0; z > -14; z -= c.apart {
					box(b, geom.V(-5, 0, z-c.wide), geom.V(5, c.high, z), collide.Surface{})
				}
			})
			b.c.Forward = 1
			for b.s.Position.Z > -12 && b.now < 6 {
				if b.step(); b.s.Mode == Falling && c.high < .2 {
					t.Fatalf("%s at %v Hz: in the air at %v", c.what, hz, b.s.Position)
				}
			}
			if took, want := b.now, 13/6.0+.15; took > want*1.08 {
				t.Errorf("%s at %v Hz: %v s, want %v", c.what, hz, took, want)
			}
		}
	}
}

// A flat floor of random slivers is as flat as one of two triangles (internal edges,
// ghost collisions). [FLR-01]
func TestFlatFloorOfSlivers(t *testing.T) {
	r := rand.New(rand.NewSource(7))
	w := level()
	const n = 24
	var vs []geom.Vec3
	var is []uint32
	for j := range n + 1 {
		for i := range n + 1 {
			x, z := float64(i), -float64(j)
			if i > 0 && i < n && j > 0 && j < n {
				x, z = x+.9*(r.Float64()-.5), z+.9*(r.Float64()-.5)
			}
			vs = append(vs, geom.V(x, 0, z))
		}
	}
	for j := range uint32(n) {
		for i := range uint32(n) {
			v := j*(n+1) + i
			is = append(is, v, v+1, v+n+1, v+1, v+n+2, v+n+1)
		}
	}
	w.Triangles(vs, is, collide.Surface{})
	for _, hz := range rates {
		b := inOnly(t, hz, geom.V(1, .0215, -1), w)
		b.c.Forward, b.c.Yaw = 1, -.7
		b.run(.5)
		for b.s.Position.X < 20 && b.s.Position.Z > -22 {
			b.step()
			if math.Abs(b.s.Position.Y-midFloor) > .003 || math.Abs(b.speed()-6) > 1e-6 || b.s.Mode != Walking {
				t.Fatalf("%v Hz: %v m/s at %v in mode %v", hz, b.speed(), b.s.Position, b.s.Mode)
			}
		}
	}
}

// A roof of two steep slopes holds nothing: dropped on its ridge, a body is down on the
// ground soon. [STP-02, JMP-05]
func TestRoofRidge(t *testing.T) {
	for _, hz := range rates {
		for _, off := range []float64{-.2, -.01, .01, .1, .3} {
			b := in(t, hz, geom.V(off, 7, -3), func(b *collide.Builder) {
				b.Ramp(geom.V(-2, 0, -3), 10, 2*math.Tan(math.Pi/3), 2, -math.Pi/2, collide.Surface{})
				b.Ramp(geom.V(2, 0, -3), 10, 2*math.Tan(math.Pi/3), 2, math.Pi/2, collide.Surface{})
			})
			b.s.Mode = Falling
			b.run(4)
			if b.s.Mode != Walking || b.s.Position.Y > .1 || math.Abs(b.s.Position.X) < 1.5 {
				t.Errorf("%v Hz, %v m off the ridge: in mode %v at %v after 4 s", hz, off, b.s.Mode, b.s.Position)
			}
		}
	}
}

// A jump beside a wall, pressing into it, is as high as one in the open, and onto a
// crate that it clears it leads (jumping against walls and edges). [AIR-04]
func TestJumpingAgainstWalls(t *testing.T) {
	everyRate(t, func(what string, hz float64, dice func() *rand.Rand) {
		for _, c := range []struct {
			high float64
			on   bool
		}{{9, false}, {1.3, false}, {.85, true}, {.5, true}} {
			b := in(t, hz, geom.V(0, 0, 0), func(b *collide.Builder) {
				box(b, geom.V(-9, 0, -9), geom.V(9, c.high, -.36), collide.Surface{})
			})
			b.dice = dice()
			b.run(.2)
			b.c.Forward, b.c.Jump = 1, true
			high := b.top(1.5)
			if on := b.s.Position.Y > c.high-.1; on != c.on || c.high == 9 && math.Abs(high-.9) > .005 {
				t.Errorf("%s, against %v m: %v m high, on top %v, at %v", what, c.high, high, on, b.s.Position)
			}
		}
	})
}

// Around a pillar with the input into it, and through the gap between two: never
// stuck (convex corners). [STP-02]
func TestPillars(t *testing.T) {
	everyRate(t, func(what string, hz float64, dice func() *rand.Rand) {
		b := in(t, hz, geom.V(.05, 0, 2), func(b *collide.Builder) {
			for i := range 6 {
				z := -2 * float64(i)
				b.Box(geom.V(0, 1, z), geom.V(.3, 2, .3), geom.YawQuat(float64(i)*.5), collide.Surface{})
			}
		})
		b.dice = dice()
		for end := 9.0; b.now < end && b.s.Position.Z > -12; {
			b.c.Forward = 1
			b.c.Yaw = .25 * math.Sin(3*b.now)
			b.frame()
		}
		if b.s.Position.Z > -12 {
			t.Errorf("%s: got no further than %v", what, b.s.Position)
		}
	})
}

// No input and no time can make the step fail: whatever the command holds, whatever
// is pending and in whatever mode, the State stays finite. [PRF-02, PRF-10]
func TestTheStepNeverFails(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	wild := []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e300, -1e300, 0, 1, -1, 1e-300, math.MaxFloat64}
	pick := func() float64 { return wild[r.Intn(len(wild))] }
	w := level()
	lake(w)
	b := inOnly(t, 60, geom.V(0, 3, 0), w)
	b.m.Paths = []collide.Path{tour()}
	for i := range 20000 {
		c := Command{Forward: pick(), Right: pick(), Up: pick(), Yaw: pick(), Pitch: pick(), Jump: r.Intn(2) == 0, Crouch: r.Intn(2) == 0}
		if r.Intn(3) == 0 {
			c.Request = geom.V(pick(), pick(), pick())
		}
		if b.c = c; r.Intn(2) == 0 {
			b.c.Quantise()
		}
		b.dt = 16667
		if r.Intn(5) == 0 {
			b.dt = []clock.Micros{0, -1, -1e15, 1, 125000, 1000000}[r.Intn(6)]
		}
		if r.Intn(10) == 0 {
			b.s.Mode = Mode(r.Intn(20))
			b.s.Rail.Path = uint16(r.Intn(4))
		}
		if r.Intn(20) == 0 {
			b.s.LaunchAt(geom.V(r.NormFloat64(), r.NormFloat64(), r.NormFloat64()).Mul(20))
		}
		b.step()
		if !geom.Finite(b.s.Yaw) || !geom.Finite(b.s.Pitch) || b.f.Queries > mostQueries {
			t.Fatalf("move %v: %+v after %+v, %v queries", i, b.s, c, b.f.Queries)
		}
		if b.s.Position.Len() > 100 {
			b.s = Spawn(geom.V(0, 3, 0), 0)
		}
	}
}

func TestTheOtherModesAllocateNothing(t *testing.T) {
	var w, p collide.Builder
	lake(&w)
	planet(&p, 8)
	bodies := []*body{inOnly(t, 60, geom.V(0, -3, 0), &w), inOnly(t, 60, geom.V(0, 3, 0), &w), inOnly(t, 60, geom.V(0, 8.1, 0), &p), inOnly(t, 60, geom.Vec3{}, &w)}
	bodies[0].s.Mode, bodies[1].s.Mode = Swimming, Flying
	bodies[3].m.Paths = []collide.Path{tour()}
	bodies[3].s.EnterPath(1, 0)
	for _, b := range bodies {
		b.c = Command{Forward: 1, Up: .3, Jump: true}
		if n := testing.AllocsPerRun(200, func() { Step(&b.m, &b.s, &b.c, 16667, &b.w, &b.f) }); n != 0 {
			t.Errorf("%v: %v allocations a step", b.s.Mode, n)
		}
	}
}
