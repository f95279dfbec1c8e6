package movement

import (
	"math"
	"math/rand"
	"testing"

	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// sills are a step at z = 0, up to high metres, towards −Z.
var sills = []struct {
	what string
	add  func(b *collide.Builder, high float64)
}{
	{"a box", func(b *collide.Builder, high float64) {
		box(b, geom.V(-60, -1, -6), geom.V(60, high, 0), collide.Surface{})
	}},
	{"triangles", func(b *collide.Builder, high float64) {
		v := []geom.Vec3{geom.V(-60, 0, 0), geom.V(60, 0, 0), geom.V(-60, high, 0), geom.V(60, high, 0), geom.V(-60, high, -6), geom.V(60, high, -6)}
		b.Triangles(v, []uint32{0, 1, 2, 2, 1, 3, 2, 3, 4, 4, 3, 5}, collide.Surface{})
	}},
	{"a loose plate", func(b *collide.Builder, high float64) {
		v := []geom.Vec3{geom.V(-60, high, 0), geom.V(60, high, 0), geom.V(-60, high, -6), geom.V(60, high, -6)}
		b.Triangles(v, []uint32{0, 1, 2, 2, 1, 3}, collide.Surface{})
	}},
}

// A walker climbs a low edge if its step height allows it, and else not, however slowly, at
// whatever angle and rate it runs against it.
func TestStepHeightDecidesWhichEdgesAreClimbed(t *testing.T) { // STP-07, STP-01
	for _, step := range []float64{0, .01, .05, .1, .2, .3, .45} {
		for _, high := range []float64{.01, .02, .03, .05, .06, .08, .1, .11, .15, .2, .21, .3} {
			for _, sill := range sills {
				wrong, runs := 0, 0
				var last geom.Vec3
				for _, hz := range []float64{20, 60, 240} {
					for _, speed := range []float64{1, 3, 6} {
						for _, angle := range []float64{0, 45, 75} {
							b := in(t, hz, geom.V(0, 0, .5), func(b *collide.Builder) { sill.add(b, high) })
							b.m.StepHeight, b.m.MaxWalkSpeed = step, speed
							b.c.Forward, b.c.Yaw = 1, angle*degrees
							b.run(1.2 / math.Cos(angle*degrees) / speed)
							b.run(.8)
							up := b.s.Position.Y > high && b.s.Position.Z < 0
							if stays := b.s.Position.Y < MaxFloor && b.s.Position.Z > 0; up != (high <= step) || !up && !stays {
								wrong++
								last = b.s.Position
							}
							runs++
						}
					}
				}
				if wrong > 0 {
					t.Errorf("%s of %v m, step height %v: %d of %d runs end wrong, one at %v", sill.what, high, step, wrong, runs, last)
				}
			}
		}
	}
}

// An edge that is too high stops a walker, as a wall does: it rests there, or slides
// along, with no speed into it.
func TestAnEdgeThatIsTooHighIsAWall(t *testing.T) { // STP-07, STP-02
	for _, step := range []float64{0, .02, .05} {
		for _, high := range []float64{.025, .03, .06, .08, .2} {
			for _, hz := range rates {
				if high <= step {
					continue
				}
				b := in(t, hz, geom.V(0, 0, 1), func(b *collide.Builder) { sills[0].add(b, high) })
				b.m.StepHeight, b.c.Forward = step, 1
				b.run(2)
				at := b.s.Position
				for range int(hz) {
					b.step()
					if d := b.s.Position.Dist(at); d > .007 || b.speed() > .4 || b.s.Mode != Walking {
						t.Fatalf("%v m, step height %v, %v Hz: moves %v m at %v m/s in mode %v", high, step, hz, d, b.speed(), b.s.Mode)
					}
				}
				b.c.Yaw = 60 * degrees
				b.run(1)
				from := b.s.Position.X
				b.run(1)
				if got := from - b.s.Position.X; got < .9*6*math.Sin(60*degrees) || got > 6.01 {
					t.Errorf("%v m, step height %v, %v Hz: %v m along it in a second", high, step, hz, got)
				}
			}
		}
	}
}

// What a walker may not step onto it may jump onto, and land on the edge of (JMP-05,
// FLR-04): it stands there, and walks on.
func TestJumpingOntoAnEdgeWithoutAStepHeight(t *testing.T) { // STP-07
	for _, sill := range sills {
		for _, hz := range rates {
			for _, high := range []float64{.02, .08, .4} {
				b := in(t, hz, geom.V(0, 0, .6), func(b *collide.Builder) { sill.add(b, high) })
				b.m.StepHeight, b.m.AirControl, b.c.Forward = 0, 1, 1
				b.run(.5)
				b.c.Jump = true
				b.run(1)
				if b.s.Position.Y < high || b.s.Position.Z > -1 || b.s.Mode != Walking {
					t.Errorf("%s of %v m, %v Hz: %v at %v after a jump", sill.what, high, hz, b.s.Mode, b.s.Position)
				}
				b = in(t, hz, geom.V(0, high+.5, .2), func(b *collide.Builder) { sill.add(b, high) })
				b.m.StepHeight, b.s.Mode = 0, Falling
				b.run(1)
				if b.s.Mode != Walking || math.Abs(b.speed()) > 1e-6 {
					t.Errorf("%s of %v m, %v Hz: dropped beside its edge: %v at %v", sill.what, high, hz, b.s.Mode, b.s.Position)
				}
			}
		}
	}
}

// Without a step height one still walks over what is no step: slopes up to the walkable
// one with the kinks at their feet and their crests, seams between triangles, and noise
// of up to 4 mm, at full speed.
func TestWalkingWithoutAStepHeight(t *testing.T) { // STP-07, FLR-05
	for _, hz := range []float64{20, 60, 240} {
		for _, speed := range []float64{1, 6} {
			for _, angle := range []float64{5, 20, 44} {
				b := in(t, hz, geom.V(0, 0, .5), func(b *collide.Builder) {
					h := 3 * math.Tan(angle*degrees)
					b.Ramp(geom.V(0, 0, 0), 20, h, 3, 0, collide.Surface{})
					box(b, geom.V(-10, -1, -20), geom.V(10, h, -3), collide.Surface{})
				})
				b.m.StepHeight, b.m.MaxWalkSpeed, b.c.Forward, b.c.Yaw = 0, speed, 1, .2
				b.run(5/speed + .3)
				if b.s.Position.Z > -4.2 || b.s.Mode != Walking {
					t.Errorf("%v° at %v m/s, %v Hz: got to %v in mode %v", angle, speed, hz, b.s.Position, b.s.Mode)
				}
			}
			r := rand.New(rand.NewSource(3))
			for _, noise := range []float64{0, .001, .004} {
				w := level()
				const n = 40
				var vs []geom.Vec3
				var is []uint32
				for j := range uint32(n + 1) {
					for i := range uint32(n + 1) {
						vs = append(vs, geom.V(.4*(float64(i)-n/2), noise*r.Float64(), .4*(float64(j)-n/2)))
						if v := j*(n+1) + i; i > 0 && j > 0 {
							is = append(is, v, v-n-2, v-1, v, v-n-1, v-n-2)
						}
					}
				}
				w.Triangles(vs, is, collide.Surface{})
				b := inOnly(t, hz, geom.V(0, .03, 7.5), w)
				b.m.StepHeight, b.m.MaxWalkSpeed, b.c.Forward, b.c.Yaw = 0, speed, 1, .1
				b.run(.5)
				for b.s.Position.Z > -7 && b.now < 20 {
					if b.step(); b.s.Mode != Walking || b.speed() < .98*speed {
						t.Fatalf("noise %v at %v m/s, %v Hz: %v m/s at %v in mode %v", noise, speed, hz, b.speed(), b.s.Position, b.s.Mode)
					}
				}
			}
		}
	}
}
