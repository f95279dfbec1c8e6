package movement

import (
	"math"
	"testing"

	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// partitions are walls of 2 cm or less along x between z = −0.01 and 0.01, through
// which nothing reaches.
var partitions = map[string]func(b *collide.Builder){
	"a box": func(b *collide.Builder) { box(b, geom.V(-40, 0, -.01), geom.V(40, 3, .01), collide.Surface{}) },
	"triangles": func(b *collide.Builder) {
		b.Triangles([]geom.Vec3{geom.V(-40, 0, 0), geom.V(40, 0, 0), geom.V(40, 3, 0), geom.V(-40, 3, 0)}, []uint32{0, 1, 2, 0, 2, 3}, collide.Surface{})
	},
	"a mover": func(b *collide.Builder) {
		slab(b, "wall", line(geom.V(0, 0, 0), geom.V(1, 0, 0), .5, 0), geom.V(-40, 0, -.01), geom.V(40, 3, .01))
	},
	"a wall of 1 m":  func(b *collide.Builder) { box(b, geom.V(-40, 0, -.01), geom.V(40, 1, .01), collide.Surface{}) },
	"a fence":        func(b *collide.Builder) { box(b, geom.V(-40, .6, -.01), geom.V(40, 1.1, .01), collide.Surface{}) },
	"a ramp's flank": func(b *collide.Builder) { b.Ramp(geom.V(-20, 0, 0), .02, 30, 40, -math.Pi/2, collide.Surface{}) },
}

// beside adds the others to b as obstacles, as it sees them.
func (b *body) beside(others ...*body) {
	b.w.Obstacles = b.w.Obstacles[:0]
	for i, o := range others {
		b.w.Obstacles = append(b.w.Obstacles, collide.Obstacle{ID: uint16(i + 1), Capsule: o.m.Capsule(&o.s), Velocity: o.s.Velocity})
	}
}

func TestAWallSeparates(t *testing.T) { // BAS-09
	for what, wall := range partitions {
		for _, hz := range rates {
			for _, yaw := range []float64{0, .5, 1.4, math.Pi / 2} { // into the wall … along it
				for _, jump := range []bool{false, true} {
					if jump && what == "a wall of 1 m" {
						continue // one sees the other's feet over it
					}
					b, alone := in(t, hz, geom.V(0, 0, .9), wall), in(t, hz, geom.V(0, 0, .9), wall)
					other := in(t, hz, geom.V(-.5, 0, -.9), wall)
					for _, p := range []*body{b, alone} {
						p.c.Forward, p.c.Yaw, p.c.Jump = 1, yaw, jump
						p.c.Quantise()
					}
					other.c.Forward, other.c.Yaw = 1, math.Pi-.3
					other.c.Quantise()
					for i := range int(1.5 * hz) {
						other.step()
						b.beside(other)
						b.step()
						alone.step()
						if b.s != alone.s {
							t.Errorf("%s at %v Hz, yaw %v, jump %v, frame %v: at %v with %v, alone %v with %v, the other at %v", what, hz, yaw, jump, i,
								b.s.Position, b.s.Velocity, alone.s.Position, alone.s.Velocity, other.s.Position)
							break
						}
					}
				}
			}
		}
	}
}

func TestAnObstacleInsideAWallIsNotFelt(t *testing.T) { // BAS-09: what is seen is old, and may reach through
	for what, wall := range partitions {
		for _, z := range []float64{-.3, -.2, -.05} {
			b, alone := in(t, 60, geom.V(-1, 0, .36), wall), in(t, 60, geom.V(-1, 0, .36), wall)
			s := Spawn(geom.V(0, midFloor, z), 0)
			b.w.Obstacles = []collide.Obstacle{{ID: 1, Capsule: b.m.Capsule(&s), Velocity: geom.V(0, 0, 3)}}
			for _, p := range []*body{b, alone} {
				p.c.Right = 1
			}
			for i := range 60 {
				b.step()
				alone.step()
				if b.s != alone.s {
					t.Errorf("%s, drawn %v m from its middle, frame %v: at %v, alone at %v", what, -z, i, b.s.Position, alone.s.Position)
					break
				}
			}
		}
	}
}

func TestObstaclesAreNotFeltThroughAFloor(t *testing.T) { // BAS-09
	floor := func(b *collide.Builder) {
		b.Triangles([]geom.Vec3{geom.V(-9, 1.8, -9), geom.V(9, 1.8, -9), geom.V(9, 1.8, 9), geom.V(-9, 1.8, 9)}, []uint32{0, 2, 1, 0, 3, 2}, collide.Surface{})
	}
	b, below := in(t, 60, geom.V(.03, 1.8, 0), floor), in(t, 60, geom.V(0, 0, 0), floor)
	below.c.Jump = true
	b.run(.1)
	at := b.s.Position
	for range 60 {
		below.step()
		b.beside(below)
		b.step()
	}
	if b.s.Position != at {
		t.Errorf("moved from %v to %v by a character that jumps below the floor", at, b.s.Position)
	}
}

func TestOnlyWallsSeparate(t *testing.T) { // BAS-09, BAS-08
	for what, build := range map[string]func(b *collide.Builder){
		"nothing": nothing,
		"a doorway": func(b *collide.Builder) {
			box(b, geom.V(-40, 0, -.01), geom.V(-.5, 3, .01), collide.Surface{})
			box(b, geom.V(.5, 0, -.01), geom.V(40, 3, .01), collide.Surface{})
			box(b, geom.V(-.5, 2, -.01), geom.V(.5, 3, .01), collide.Surface{})
		},
		"a sill of 30 cm":  func(b *collide.Builder) { box(b, geom.V(-5, 0, -.1), geom.V(5, .3, .1), collide.Surface{}) },
		"a step of 40 cm":  func(b *collide.Builder) { box(b, geom.V(-5, 0, -9), geom.V(5, .4, 0), collide.Surface{}) },
		"a slope of 40°":   func(b *collide.Builder) { b.Ramp(geom.V(0, 0, .5), 9, 5, 6, 0, collide.Surface{}) },
		"a flight":         func(b *collide.Builder) { b.Stairs(geom.V(0, 0, .5), 9, .3, .3, 12, 0, collide.Surface{}) },
		"a beam overhead":  func(b *collide.Builder) { box(b, geom.V(-5, 1.85, -.1), geom.V(5, 2, .1), collide.Surface{}) },
		"a board on posts": func(b *collide.Builder) { box(b, geom.V(.7, 0, -.01), geom.V(.8, 3, .01), collide.Surface{}) },
	} {
		for _, hz := range rates {
			c := together(t, hz, 0, geom.V(0, 0, 3), geom.V(0, 0, -3), build)
			a, o := c.bodies[0], c.bodies[1]
			if what == "a slope of 40°" || what == "a step of 40 cm" || what == "a flight" { // it waits further up
				top := map[string]float64{"a slope of 40°": 2.1, "a step of 40 cm": .4, "a flight": 2.4}[what]
				o.s.Position = geom.V(0, top, -1.85)
			}
			o.run(.5)
			a.c.Forward = 1
			for range int(2 * hz) {
				c.step()
				if gap := a.m.Capsule(&a.s).A.Dist(o.m.Capsule(&o.s).A); gap < 2*a.m.Radius-.02 && math.Abs(a.s.Position.Y-o.s.Position.Y) < .3 {
					t.Errorf("%s at %v Hz: %v m apart at %v and %v", what, hz, gap, a.s.Position, o.s.Position)
					break
				}
			}
			if z := a.s.Position.Z; z < o.s.Position.Z+.2 || z > o.s.Position.Z+1.4 {
				t.Errorf("%s at %v Hz: stopped at %v, the other at %v", what, hz, a.s.Position, o.s.Position)
			}
		}
	}
}

func TestLeaningOverAWall(t *testing.T) { // BAS-09: a character above the wall meets one behind it
	b := in(t, 60, geom.V(0, 1.1, .5), func(b *collide.Builder) {
		box(b, geom.V(-9, 0, -.01), geom.V(9, 1, .01), collide.Surface{})
	})
	s := Spawn(geom.V(0, midFloor, -.36), 0)
	b.w.Obstacles = []collide.Obstacle{{ID: 1, Capsule: b.m.Capsule(&s)}}
	b.s.Mode, b.s.Velocity = Falling, geom.V(0, 3, -3)
	b.run(.25)
	if b.s.Position.Z < -.1 {
		t.Errorf("passed into the character behind: at %v", b.s.Position)
	}
}

func TestManyBehindAWallCostLittle(t *testing.T) { // BAS-09, BAS-08
	b := in(t, 60, geom.V(0, 0, .4), partitions["triangles"])
	for i := range 100 {
		s := Spawn(geom.V(-3+.06*float64(i), midFloor, .9-.6*float64(i%4)), 0)
		b.w.Obstacles = append(b.w.Obstacles, collide.Obstacle{ID: uint16(i), Capsule: b.m.Capsule(&s)})
	}
	b.c.Forward = 1
	most, i := 0, 0
	if n := testing.AllocsPerRun(200, func() {
		if i++; i%50 == 0 {
			b.c.Yaw++
			b.c.Quantise()
		}
		b.step()
		most = max(most, b.f.Queries)
	}); n != 0 || most > mostQueries {
		t.Errorf("%v allocations and %v queries a move, want 0 and at most %v", n, most, mostQueries)
	}
}
