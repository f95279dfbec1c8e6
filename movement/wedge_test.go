package movement

import (
	"fmt"
	"math"
	"math/rand"
	"testing"

	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// degrees as radians.
const degrees = math.Pi / 180

// bank is one side of a groove whose bottom is a line through the origin that climbs
// towards −Z at bottom radians: steep radians from the level, falling towards side
// (+1: towards +X). along is the bottom's direction, out the bank's, from the bottom
// upwards.
func bank(steep, bottom, side float64) (normal, along, out geom.Vec3) {
	sb, cb := math.Sincos(bottom)
	along = geom.V(0, sb, -cb)
	up := math.Cos(steep)
	z := up * sb / cb
	normal = geom.V(side*math.Sqrt(1-up*up-z*z), up, z)
	out = along.Cross(normal)
	if out.Y < 0 {
		out = out.Neg()
	}
	return normal, along, out
}

// makings are what a bank may be made of; each adds one to b that is wide metres wide.
var makings = []struct {
	what string
	add  func(b *collide.Builder, normal, along, out geom.Vec3, wide float64)
}{
	{"triangles", func(b *collide.Builder, _, along, out geom.Vec3, wide float64) {
		const cells = 12
		var vs []geom.Vec3
		var is []uint32
		for i := range cells + 1 {
			at := along.Mul(60 * (2*float64(i)/cells - 1))
			vs = append(vs, at, at.MulAdd(out, wide))
			if n := uint32(2 * i); i > 0 {
				is = append(is, n-2, n, n-1, n-1, n, n+1)
			}
		}
		if _, err := b.Triangles(vs, is, collide.Surface{}); err != nil {
			panic(err)
		}
	}},
	{"a box", func(b *collide.Builder, normal, along, out geom.Vec3, wide float64) {
		b.Box(out.Mul(wide/2).MulAdd(normal, -.5), geom.V(wide/2, .5, 60), frameOf(normal, along), collide.Surface{})
	}},
	{"a body", func(b *collide.Builder, normal, along, out geom.Vec3, wide float64) {
		b.Mover(fmt.Sprintf("bank %.3f", normal.X), collide.Path{Keys: []collide.Key{{}}}, func(b *collide.Builder) {
			b.Box(out.Mul(wide/2).MulAdd(normal, -.5), geom.V(wide/2, .5, 60), frameOf(normal, along), collide.Surface{})
		})
	}},
}

// frameOf is the turn that takes +Y to normal and ±Z to along.
func frameOf(normal, along geom.Vec3) geom.Quat {
	q := geom.Arc(geom.Up, normal)
	z := q.Rotate(geom.V(0, 0, 1))
	return geom.AxisAngle(normal, math.Atan2(z.Cross(along).Dot(normal), z.Dot(along))).Mul(q)
}

// grooveOf builds two banks, in degrees, over a bottom that climbs towards −Z.
func grooveOf(making int, left, right, bottom float64) func(*collide.Builder) {
	return func(b *collide.Builder) {
		for i, steep := range []float64{left, right} {
			side := 1 - 2*float64(i)
			n, along, out := bank(steep*degrees, bottom*degrees, side)
			makings[making].add(b, n, along, out, 12)
		}
	}
}

// inGroove is a body dropped into a groove.
func inGroove(t *testing.T, hz float64, making int, left, right, bottom float64) *body {
	t.Helper()
	w := level()
	grooveOf(making, left, right, bottom)(w)
	n, _, _ := bank(left*degrees, bottom*degrees, 1)
	m, _, _ := bank(right*degrees, bottom*degrees, -1)
	det := n.X*m.Y - m.X*n.Y // where a ball touches both, and half a metre higher
	b := inOnly(t, hz, geom.V(.34*(m.Y-n.Y)/det, .34*(n.X-m.X)/det+.16, 0), w)
	b.s.Mode = Falling
	return b
}

// In a groove between banks too steep to stand on, whose bottom is not, a body stands
// still, walks up and down along the bottom at the speed of walking, and jumps.
func TestGroovesAreGround(t *testing.T) { // GRD-19
	defer func() { upward = geom.Vec3{} }()
	for i, up := range []geom.Vec3{{}, upwards[0], upwards[1]} {
		upward = up
		for making := range makings {
			for _, banks := range [][2]float64{{50, 50}, {60, 75}, {80, 80}, {89, 60}, {86, 86}} {
				for _, bottom := range []float64{0, .3, 1, 5, 20, 40} {
					for j, hz := range []float64{60, 20, 240} {
						if i+j > 0 && banks[0] != 60 {
							continue
						}
						for _, crouch := range []bool{false, true} {
							inOneGroove(t, hz, making, banks, bottom, crouch)
						}
					}
				}
			}
		}
	}
}

func inOneGroove(t *testing.T, hz float64, making int, banks [2]float64, bottom float64, crouch bool) {
	t.Helper()
	what := fmt.Sprintf("%v° and %v° of %s, bottom %v°, %v Hz, crouched %v, up %v", banks[0], banks[1], makings[making].what, bottom, hz, crouch, upward)
	b := inGroove(t, hz, making, banks[0], banks[1], bottom)
	b.c.Crouch = crouch
	b.run(1)
	b.c = Command{Crouch: crouch}
	b.run(1)
	at := b.s.Position
	b.run(10)
	if d := b.s.Position.Dist(at); b.s.Mode != Walking || d > 1e-3 || b.total[Landed] > 1 {
		t.Errorf("%s: %v at %v, drifted %v m in 10 s, landed %d times; want it to stand", what, b.s.Mode, b.s.Position, d, b.total[Landed])
		return
	}
	if g := b.gap(); g < MinFloor-1e-6 || g > MaxFloor+1e-6 {
		t.Errorf("%s: stands %v m above the banks", what, g)
	}
	speed := b.m.MaxSpeed(&b.s)
	for _, c := range []Command{{Forward: 1}, {Forward: -1}, {Forward: 1, Yaw: .3}, {Forward: -1, Yaw: -.3}} {
		c.Crouch = crouch
		b.c = c
		b.run(1)
		from := b.s.Position
		b.run(1)
		made := b.s.Position.Sub(from)
		least := speed * math.Cos(c.Yaw)
		if got := -made.Z; b.s.Mode != Walking || got*c.Forward < .98*least || got*c.Forward > 1.001*speed || math.Abs(made.Y-got*math.Tan(bottom*degrees)) > .02 {
			t.Errorf("%s, input %v at yaw %v: made %v in a second in mode %v, want %v … %v m along the bottom", what, c.Forward, c.Yaw, made, b.s.Mode, least, speed)
		}
		if g := b.gap(); g < MinFloor-1e-3 || g > MaxFloor+1e-3 {
			t.Errorf("%s, input %v: walks %v m above the banks", what, c.Forward, g)
		}
	}
	if b.c = (Command{Crouch: crouch}); crouch {
		return
	}
	b.run(1)
	b.c.Jump = true
	if high := b.top(.6); b.total[Jumped] != 1 || high < .88 {
		t.Errorf("%s: %d jumps, %v m high", what, b.total[Jumped], high)
	}
}

// At the walkable angle a bottom is ground, whichever way the groove leads; 0.01° steeper
// it is a slide.
func TestTheSteepestGrooveThatIsGround(t *testing.T) { // GRD-19, FLR-07
	for making := range 2 {
		for _, banks := range [][2]float64{{50, 60}, {70, 70}, {80, 55}} {
			for yaw := range 12 {
				for _, more := range []float64{0, .01} {
					w := new(collide.Builder)
					w.SetTransform(geom.Transform{Rotation: geom.YawQuat(float64(yaw) * 31 * degrees)})
					grooveOf(making, banks[0], banks[1], 44.765+more)(w)
					b := inGroove(t, 60, making, banks[0], banks[1], 44.765+more)
					b.w.World, _ = w.Bake()
					b.s.Position = geom.YawQuat(float64(yaw) * 31 * degrees).Rotate(b.s.Position)
					b.run(2)
					at := b.s.Position
					b.run(2)
					if slid := at.Y - b.s.Position.Y; (b.s.Mode == Walking) != (more == 0) || (slid > 1e-3) != (more > 0) {
						t.Errorf("%v° of %s, bottom 44.765° + %v°, yaw %v°: %v, slid %v m down in 2 s", banks, makings[making].what, more, 31*yaw, b.s.Mode, slid)
					}
				}
			}
		}
	}
}

// cone is a pit or a peak of so many triangles, steep radians from the level, with its
// tip at the origin.
func cone(sides int, steep float64) func(*collide.Builder) {
	return func(b *collide.Builder) {
		var vs []geom.Vec3
		var is []uint32
		for i := range sides {
			s, c := math.Sincos(2 * math.Pi * float64(i) / float64(sides))
			vs = append(vs, geom.V(6*s, 6*math.Tan(steep)*math.Cos(math.Pi/float64(sides)), 6*c))
			is = append(is, uint32(i), uint32(sides), uint32((i+1)%sides))
		}
		if _, err := b.Triangles(append(vs, geom.Vec3{}), is, collide.Surface{}); err != nil {
			panic(err)
		}
	}
}

// In a pit of three and more steep faces a body stands, and jumps; on a peak of them
// nothing does (JMP-05).
func TestPitsAreGroundAndPeaksAreNot(t *testing.T) { // GRD-19
	everyRate(t, func(what string, hz float64, dice func() *rand.Rand) {
		for _, sides := range []int{3, 4, 5, 16} {
			for _, steep := range []float64{50, 70, -50, -70} {
				w := level()
				cone(sides, steep*degrees)(w)
				for _, off := range []geom.Vec3{{}, {X: 1e-4}, {X: .05, Z: -.02}, {Z: .2}} {
					b := inOnly(t, hz, off.Add(geom.V(0, 1.5, 0)), w)
					b.s.Mode, b.dice = Falling, dice()
					b.run(2.5)
					if steep < 0 {
						if b.s.Mode != Falling || b.s.Position.Y > -1 {
							t.Errorf("%s: dropped on a peak of %d sides of %v°, %v off: %v at %v", what, sides, -steep, off, b.s.Mode, b.s.Position)
						}
						continue
					}
					at := b.s.Position
					b.run(5)
					if b.s.Mode != Walking || b.s.Position.Dist(at) > 1e-4 {
						t.Errorf("%s: in a pit of %d sides of %v°: %v, drifted %v m", what, sides, steep, b.s.Mode, b.s.Position.Dist(at))
					}
					b.c.Jump = true
					if b.run(.2); b.total[Jumped] != 1 || b.s.Position.Y < at.Y+.3 {
						t.Errorf("%s: in a pit of %d sides of %v°: %d jumps to %v", what, sides, steep, b.total[Jumped], b.s.Position)
					}
				}
			}
		}
	})
}

// A ridge, a round crest and a single face that are too steep to stand on never become
// ground, smooth or rough, wherever one comes down on them and whatever one does there.
func TestSteepFacesNeverBecomeGround(t *testing.T) { // GRD-19, FLR-06
	r := rand.New(rand.NewSource(5))
	for _, steep := range []float64{46, 55, 70, 85} {
		for _, facets := range []int{2, 4, 9} { // of the crest, from one side to the other
			for _, noise := range []float64{0, 1e-5} {
				w := level()
				var vs []geom.Vec3
				var is []uint32
				lo, hi := steep*degrees, 88*degrees
				x, y := 0.0, 0.0
				profile := []geom.Vec3{{}}
				for i := range facets / 2 {
					a := lo + (hi-lo)*float64(2*i)/float64(facets)
					size := .1
					if 2*i+2 >= facets-1 {
						size = 4
					}
					x, y = x+size*math.Cos(a), y-size*math.Sin(a)
					profile = append(profile, geom.V(x, y, 0))
					profile = append([]geom.Vec3{geom.V(-x, y, 0)}, profile...)
				}
				n := uint32(len(profile))
				for k := range uint32(41) {
					for i, p := range profile {
						jitter := geom.V(r.NormFloat64(), r.NormFloat64(), r.NormFloat64()).Mul(noise)
						vs = append(vs, p.Add(geom.V(0, 10, .5*(float64(k)-20))).Add(jitter))
						if at := k*n + uint32(i); k > 0 && i > 0 {
							is = append(is, at, at-1, at-n, at-1, at-n-1, at-n)
						}
					}
				}
				if _, err := w.Triangles(vs, is, collide.Surface{}); err != nil {
					t.Fatal(err)
				}
				for try := range 30 {
					hz := rates[try%4]
					b := inOnly(t, hz, geom.V([]float64{0, 1e-6, .01, .2, -.3}[try%5], 11, 8*r.Float64()-4), w)
					b.s.Mode = Falling
					b.s.Velocity = geom.V(r.Float64()-.5, 0, 3*r.Float64())
					for b.now < 3 && b.s.Position.Y > 8.5 {
						if try%2 == 0 && b.now > .5 {
							wander(r, &b.c)
						}
						if b.step(); b.s.Mode != Falling {
							t.Errorf("%v°, %d facets, noise %v, %v Hz: %v at %v", steep, facets, noise, hz, b.s.Mode, b.s.Position)
							break
						}
					}
					if b.now >= 3 {
						t.Errorf("%v°, %d facets, noise %v, %v Hz: hangs at %v with %v", steep, facets, noise, hz, b.s.Position, b.s.Velocity)
					}
				}
			}
		}
	}
}

// Running about in a groove, or in the corner of a wall and a steep face, into either
// side, along and with jumps: one never stands higher above its bottom than at first,
// and never gets higher above where one stood than by the jump.
func TestRunningInAGrooveDoesNotClimbItsSides(t *testing.T) { // GRD-19, STP-02
	for _, banks := range [][2]float64{{50, 50}, {46, 80}, {60, 90}, {46, 90}, {75, 75}} {
		for _, bottom := range []float64{0, 10, 40, 50} {
			if banks[0] <= bottom {
				continue
			}
			for i, hz := range []float64{20, 60, 240} {
				for _, jumps := range []bool{false, true} {
					r := rand.New(rand.NewSource(int64(i)))
					b := inGroove(t, hz, i%2, banks[0], banks[1], bottom)
					b.run(.7)
					above := func() float64 { return b.s.Position.Y + b.s.Position.Z*math.Tan(bottom*degrees) }
					rest, left := above(), b.s.Position.Y // left is where it last stood
					for range int(10 * hz) {
						wander(r, &b.c)
						b.c.Crouch, b.c.Jump = false, b.c.Jump && jumps
						b.step()
						rise, limit := b.s.Position.Y-left, .92
						if b.s.Mode == Walking {
							rise, limit, left = above()-rest, .05, b.s.Position.Y
						}
						if bottom == 50 && b.s.Mode == Walking || bottom < 45 && rise > limit {
							t.Fatalf("%v°, bottom %v°, %v Hz, jumps %v: %v at %v, %v m up, want at most %v", banks, bottom, hz, jumps, b.s.Mode, b.s.Position, rise, limit)
						}
						if b.s.Position.Len() > 40 {
							break
						}
					}
				}
			}
		}
	}
}

// Out of a shallow groove one steps where its banks are no higher than a step above what
// a body stands on, and not where they are higher.
func TestSteppingOutOfAGroove(t *testing.T) { // GRD-19, STP-01
	for _, c := range []struct {
		deep float64
		out  bool
	}{{.25, true}, {.4, true}, {3, false}} {
		for _, steep := range []float64{60, 80} {
			for _, hz := range rates {
				half := c.deep / math.Tan(steep*degrees)
				b := inOnly(t, hz, geom.V(0, .1, 0), func() *collide.Builder {
					w := level()
					for _, side := range []float64{-1, 1} {
						v := []geom.Vec3{geom.V(0, -c.deep, -9), geom.V(0, -c.deep, 9), geom.V(side*half, 0, -9), geom.V(side*half, 0, 9), geom.V(side*9, 0, -9), geom.V(side*9, 0, 9)}
						w.Triangles(v, []uint32{0, 1, 2, 2, 1, 3, 2, 3, 4, 4, 3, 5}, collide.Surface{})
					}
					return w
				}())
				b.s.Mode = Falling
				b.run(1)
				b.c.Right = 1
				b.run(1.5)
				if out := b.s.Position.X > 2; out != c.out {
					t.Errorf("%v m deep, %v°, %v Hz: out %v at %v, want %v", c.deep, steep, hz, out, b.s.Position, c.out)
				}
			}
		}
	}
}
