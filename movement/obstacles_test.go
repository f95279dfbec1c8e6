package movement

import (
	"math"
	"math/rand"
	"testing"

	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// pair is two characters that see each other late.
type couple struct {
	bodies [2]*body
	past   [2][]collide.Obstacle
	late   float64 // seconds
}

func together(t testing.TB, hz, late float64, a, b geom.Vec3, build func(b *collide.Builder)) *couple {
	c := &couple{late: late}
	for i, at := range []geom.Vec3{a, b} {
		c.bodies[i] = in(t, hz, at, build)
	}
	return c
}

// step moves both, each with what it sees of the other.
func (c *couple) step() {
	back := int(math.Round(c.late / c.bodies[0].dt.Seconds()))
	for i, b := range c.bodies {
		c.past[i] = append(c.past[i], collide.Obstacle{ID: uint16(i + 1), Capsule: b.m.Capsule(&b.s), Velocity: b.s.Velocity})
	}
	for i, b := range c.bodies {
		seen := c.past[1-i]
		b.w.Obstacles = []collide.Obstacle{seen[max(0, len(seen)-1-back)]}
	}
	for _, b := range c.bodies {
		b.step()
	}
}

// apart returns how much farther apart the two are than they must be; negative
// where they overlap.
func (c *couple) apart() float64 {
	d := c.bodies[0].s.Position.Sub(c.bodies[1].s.Position).Flat(geom.Up).Len()
	return d - 2*c.bodies[0].m.Radius
}

func TestHeadOn(t *testing.T) { // BAS-08, GAP-61
	for _, hz := range rates {
		for _, late := range []float64{0, .05, .15} {
			for _, aside := range []float64{0, .1} {
				c := together(t, hz, late, geom.V(aside, 0, 5), geom.V(0, 0, -5), nothing)
				c.bodies[0].c.Forward = 1
				c.bodies[1].c.Forward, c.bodies[1].c.Yaw = 1, math.Pi
				c.bodies[1].c.Quantise()
				var was, move [2]float64
				met, worst, since := false, 0.0, 0.0
				for range int(4 * hz) {
					for i, b := range c.bodies {
						was[i] = b.s.Position.Z
					}
					c.step()
					met = met || c.apart() < .1
					for i, b := range c.bodies {
						d := b.s.Position.Z - was[i]
						if d*move[i] < 0 {
							worst = max(worst, math.Abs(d-move[i]))
						}
						move[i] = d
					}
					if met {
						since += 1 / hz
					}
					if v := max(math.Abs(move[0]), math.Abs(move[1])) * hz; aside == 0 && since > .5 && v > .15 {
						t.Errorf("%v Hz, %v s late: still at %v m/s %v s after they met, apart %v", hz, late, v, since, c.apart())
						break
					}
				}
				if worst > .05 {
					t.Errorf("%v Hz, %v s late, %v m aside: reversal of %v m, apart %v", hz, late, aside, worst, c.apart())
				}
			}
		}
	}
}

func TestOverlapsPart(t *testing.T) { // BAS-08, GAP-61: equally on both sides, in 0.2 s, without going to and fro
	for _, hz := range rates {
		for _, late := range []float64{0, .15} {
			c := together(t, hz, late, geom.V(.2, 0, 0), geom.V(-.2, 0, 0), nothing)
			from := c.apart()
			last := from
			for range int(.2 * hz) {
				c.step()
				if now := c.apart(); now < last-1e-6 {
					t.Errorf("%v Hz, %v s late: comes back from %v to %v", hz, late, last, now)
				} else {
					last = now
				}
			}
			a, b := c.bodies[0].s.Position.X, c.bodies[1].s.Position.X
			if math.Abs(a+b) > 1e-9 || last < .2*from {
				t.Errorf("%v Hz, %v s late: at %v and %v after 0.2 s, %v apart of %v", hz, late, a, b, last, from)
			}
			for range int(.8 * hz) {
				c.step()
			}
			if last = c.apart(); last < -.005 || last > .12 {
				t.Errorf("%v Hz, %v s late: %v apart after a second", hz, late, last)
			}
		}
	}
	c := together(t, 60, 0, geom.V(0, 0, 0), geom.V(0, 0, 0), nothing) // one in the other
	for range 60 {
		c.step()
	}
	if c.apart() < -.01 {
		t.Errorf("one in the other: %v apart after a second", c.apart())
	}
}

func TestSeparationStopsAtWalls(t *testing.T) { // BAS-08
	wall := func(b *collide.Builder) { box(b, geom.V(.36, 0, -9), geom.V(.38, 3, 9), collide.Surface{}) }
	c := together(t, 60, 0, geom.V(0, 0, 0), geom.V(-.1, 0, 0), wall)
	for range 90 {
		c.step()
		check2(c)
	}
	if c.apart() < -.02 || c.bodies[0].s.Position.X > .02 {
		t.Errorf("%v apart, at %v beside a wall", c.apart(), c.bodies[0].s.Position)
	}
}

// check2 is that no one is in a wall.
func check2(c *couple) {
	for _, b := range c.bodies {
		w := b.w
		w.Obstacles = nil
		if w.Overlaps(b.m.Capsule(&b.s)) {
			b.t.Fatalf("in a wall at %v", b.s.Position)
		}
	}
}

func TestHeadsAreNoFloor(t *testing.T) { // BAS-08
	for _, hz := range rates {
		for _, x := range []float64{0, .01, .2, .5} {
			for _, mode := range []Mode{Walking, Falling} {
				b := in(t, hz, geom.V(x, 1.78, 0), nothing)
				o := b.m
				b.s.Mode = mode
				below := Spawn(geom.V(0, midFloor, 0), 0)
				b.w.Obstacles = []collide.Obstacle{{ID: 1, Capsule: o.Capsule(&below)}}
				b.run(1.2)
				if b.s.Mode != Walking || math.Abs(b.s.Position.Y-midFloor) > .003 || b.s.Base != (Base{}) || b.total[Stuck] > 0 {
					t.Errorf("%v Hz, %v m beside its middle, mode %v: %v in mode %v, base %+v, %v", hz, x, mode, b.s.Position, b.s.Mode, b.s.Base, b.total)
				}
			}
		}
	}
}

func TestNoStepOntoACharacter(t *testing.T) { // BAS-08: a crouched character is no step
	b := in(t, 60, geom.V(0, 0, 2), nothing)
	b.w.Obstacles = []collide.Obstacle{{ID: 1, Capsule: geom.Capsule{A: geom.V(-.2, .2, 0), B: geom.V(.2, .2, 0), Radius: .2}}}
	b.c.Forward = 1
	b.run(2)
	if b.s.Position.Z < .4 || b.s.Position.Y > .03 || b.s.Mode != Walking {
		t.Errorf("at %v in mode %v", b.s.Position, b.s.Mode)
	}
}

func TestWalkPastOthers(t *testing.T) { // BAS-08: an obstacle that is not in the way slows nothing
	b := in(t, 60, geom.V(0, 0, 6), nothing)
	for i := range 4 {
		s := Spawn(geom.V(.7-1.4*float64(i%2), 0, 3-2*float64(i)), 0)
		b.w.Obstacles = append(b.w.Obstacles, collide.Obstacle{ID: uint16(i), Capsule: b.m.Capsule(&s)})
	}
	b.c.Forward = 1
	b.run(.5)
	b.pass(60, 1.2, func() {
		if b.speed() < 5.99 {
			t.Errorf("%v m/s at %v", b.speed(), b.s.Position)
		}
	})
}

func TestCrowd(t *testing.T) { // BAS-08: many in a room, pushing to one place: none in a wall, none away
	for seed := range int64(3) {
		r := rand.New(rand.NewSource(seed))
		bodies := make([]*body, 12)
		for i := range bodies {
			bodies[i] = in(t, 60, geom.V(8*r.Float64()-4, 0, 8*r.Float64()-4), func(b *collide.Builder) {
				box(b, geom.V(-9, 0, -5.1), geom.V(9, 3, -5), collide.Surface{})
				box(b, geom.V(-9, 0, 5), geom.V(9, 3, 5.1), collide.Surface{})
				box(b, geom.V(-5.1, 0, -9), geom.V(-5, 3, 9), collide.Surface{})
				box(b, geom.V(5, 0, -9), geom.V(5.1, 3, 9), collide.Surface{})
			})
			bodies[i].c.Forward = 1
		}
		for i := range 600 {
			for k, b := range bodies {
				b.w.Obstacles = b.w.Obstacles[:0]
				for n, o := range bodies {
					if n != k {
						b.w.Obstacles = append(b.w.Obstacles, collide.Obstacle{ID: uint16(n), Capsule: o.m.Capsule(&o.s), Velocity: o.s.Velocity})
					}
				}
				if i%60 == 0 {
					b.c.Yaw = math.Pi * (2*r.Float64() - 1)
					b.c.Quantise()
				}
				b.c.Jump = r.Intn(40) == 0
				b.step()
				w := b.w
				w.Obstacles = nil
				if p := b.s.Position; w.Overlaps(b.m.Capsule(&b.s)) || math.Abs(p.X) > 5 || math.Abs(p.Z) > 5 || b.f.Queries > mostQueries {
					t.Fatalf("seed %v, move %v: %v, %v queries", seed, i, p, b.f.Queries)
				}
			}
		}
	}
}
