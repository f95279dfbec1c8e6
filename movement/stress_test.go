package movement

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/internal/golden"
	"github.com/backstep-net/backstep/movement/rootmotion"
)

// chaos is dice that fall alike on every processor: no product of theirs is left
// for it to fuse.
type chaos uint64

// below returns a number of 0 … n−1 (splitmix64).
func (c *chaos) below(n int) int {
	*c += 0x9e3779b97f4a7c15
	z := uint64(*c)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return int((z ^ z>>31) >> 11 % uint64(n))
}

// of returns a number of lo … hi on a grid of 2⁻²⁰ of the way.
func (c *chaos) of(lo, hi float64) float64 {
	return lo + float64((hi-lo)*(float64(c.below(1<<20))/(1<<20)))
}

// way returns a vector with components of −1 … 1.
func (c *chaos) way() geom.Vec3 { return geom.V(c.of(-1, 1), c.of(-1, 1), c.of(-1, 1)) }

func (c *chaos) somewhere() geom.Vec3 { return geom.V(c.of(-9, 9), c.of(0, 7), c.of(-9, 9)) }

// build makes a closed room with everything in it that a level may have: loose
// triangles, boxes, movers that slide, spin and climb along paths of their own,
// water, a jump pad and a patch of gravity of its own.
func (c *chaos) build(b *collide.Builder) {
	room(b)
	var vs []geom.Vec3
	var is []uint32
	for range 60 {
		at, size := c.somewhere(), c.of(.1, 2)
		for range 3 {
			is = append(is, uint32(len(vs)))
			vs = append(vs, at.MulAdd(c.way(), size))
		}
	}
	if _, err := b.Triangles(vs, is, collide.Surface{}); err != nil {
		panic(err)
	}
	for range 12 {
		b.Box(c.somewhere(), geom.V(c.of(.2, 1.2), c.of(.1, 1.1), c.of(.2, 1.2)),
			geom.AxisAngle(c.way().Unit(), c.of(0, 6)), collide.Surface{})
	}
	for i := range 8 {
		half := geom.V(c.of(.3, 1.3), c.of(.1, .6), c.of(.3, 1.3))
		b.Mover("body "+strconv.Itoa(i), c.track(), func(in *collide.Builder) {
			in.Box(geom.Vec3{}, half, geom.IdentityQuat, collide.Surface{})
		})
	}
	b.VolumeBox(collide.Volume{Water: true}, geom.V(-5, 1.5, -5), geom.V(5, 1.5, 5), geom.IdentityQuat)
	b.VolumeBox(collide.Volume{Launch: geom.V(2, 9, 0)}, geom.V(6, .5, 6), geom.V(1, .5, 1), geom.IdentityQuat)
	b.VolumeBox(collide.Volume{Up: geom.V(1, 0, 0)}, geom.V(-9, 5, 5), geom.V(1, 5, 4), geom.IdentityQuat)
}

// track is a loop through three places of the room, with turns, at some metres a
// second.
func (c *chaos) track() collide.Path {
	p := collide.Path{Loop: true, Smooth: c.below(2) == 0}
	if c.below(3) == 0 {
		p.Axis = c.way().Unit()
	}
	turns := c.below(2)
	at, last := clock.Micros(0), c.somewhere()
	p.Keys = append(p.Keys, collide.Key{Position: last})
	for i := range 3 {
		to := p.Keys[0].Position
		if i < 2 {
			to = last.MulAdd(c.way(), 3)
		}
		at += clock.Micros(math.Floor(to.Dist(last)/c.of(1, 4)*1e6)) + clock.Second/2
		p.Keys = append(p.Keys, collide.Key{At: at, Position: to, Angle: 2 * math.Pi * float64(turns*(i+1)) / 3})
		last = to
	}
	if p.Check() != nil {
		return c.track() // a curve through unevenly spaced keys may be too fast
	}
	return p
}

// wander is what hands may do, from one move to the next.
func (c *chaos) wander(in *Command) {
	if c.below(12) == 0 {
		in.Forward, in.Right = c.of(-.6, 1), c.of(-1, 1)
	}
	if c.below(20) == 0 {
		in.Yaw, in.Pitch = c.of(-3, 3), c.of(-1, 1)
	}
	in.Jump, in.Up = c.below(8) == 0, c.of(-1, 1)
	if c.below(30) == 0 {
		in.Crouch = !in.Crouch
	}
	in.Quantise()
}

// meddle does to a body, now and then, what a match may do to it.
func (c *chaos) meddle(b *body) {
	way := c.way()
	switch c.below(400) {
	case 0:
		b.s.LaunchAt(way.Mul(20))
	case 1:
		b.m.AddImpulse(&b.s, way.Mul(1000))
	case 2:
		b.m.AddForce(&b.s, way.Mul(9000))
	case 3:
		b.s.Mode = Flying
	case 4, 5:
		if b.s.Mode == Flying {
			b.s.Mode = Falling
		}
	case 6:
		b.s.Motion.Apply(rootmotion.Constant(way.Mul(12), 300*clock.Millisecond), b.moved)
	case 7:
		b.s.Motion.Apply(rootmotion.MoveTo(b.s.Position, b.s.Position.MulAdd(way, 6), 500*clock.Millisecond), b.moved)
	case 8:
		b.s.Motion.Apply(rootmotion.JumpTo(way.Flat(geom.Up).Mul(4), 1.5, 600*clock.Millisecond), b.moved)
	}
}

// tally is what a run has seen.
type tally struct {
	hash  uint64
	stuck int // moves that were stuck or crushed
	most  int // queries in a move
	modes [Custom]int
}

// stressRun makes steps moves in a room of its own. After every move the body
// is somewhere in the room, no deeper than 5 mm in anything unless the move said
// that it is stuck or crushed, and the work was bounded.
func stressRun(t testing.TB, seed, steps int) (sum tally) {
	c := chaos(seed)
	var w collide.Builder
	c.build(&w)
	b := inOnly(t, 60, geom.V(0, 8, 0), &w)
	for b.w.Overlaps(b.m.Capsule(&b.s)) {
		b.s.Position = c.somewhere().Add(geom.Up)
	}
	var store [32]collide.Contact
	for i := range steps {
		c.wander(&b.c)
		c.meddle(b)
		if b.dt = 16667; c.below(3) == 0 {
			b.dt = clock.Micros(1000 + c.below(124001))
		}
		before := b.s
		b.step()
		said := b.s.Stuck
		for _, e := range b.f.Events() {
			said = said || e.Kind == Stuck || e.Kind == Crushed
		}
		if said {
			sum.stuck++
		}
		after := fmt.Sprintf("seed %d, move %d of %v from %v, %v to %v, %v", seed, i, b.dt, before.Position, before.Mode, b.s.Position, b.s.Mode)
		at := b.s.Position.MulAdd(b.s.UpVector(), b.m.halfHeight(&b.s))
		if math.Abs(at.X) > 10 || math.Abs(at.Z) > 10 || at.Y < 0 || at.Y > 10 {
			t.Fatalf("%s: left the room", after)
		}
		for _, x := range b.w.Contacts(b.m.Capsule(&b.s), 0, store[:0]) {
			if x.Distance < -.005 && !said {
				t.Fatalf("%s: %.4f m inside something, and silent", after, -x.Distance)
			}
		}
		if b.f.Queries > mostQueries {
			t.Fatalf("%s: %d queries", after, b.f.Queries)
		}
		sum.most = max(sum.most, b.f.Queries)
		sum.modes[b.s.Mode]++
		sum.hash = sum.hash*1099511628211 ^ b.s.Hash()
	}
	return sum
}

// stressSteps is how many moves each seed makes.
const stressSteps = 2000

// TestGoldenStress is ten rooms, the same on every processor (STP-03, STP-05,
// BAS-02, PRF-14). BACKSTEP_STRESS makes that many moves in further rooms, whose
// hash is printed: make million runs 10⁶ on all four.
func TestGoldenStress(t *testing.T) {
	var out strings.Builder
	for seed := range 10 {
		fmt.Fprintf(&out, "seed %d: hash %016x\n", seed, stressRun(t, seed, stressSteps).hash)
	}
	if once, again := stressRun(t, 0, stressSteps), stressRun(t, 0, stressSteps); once != again {
		t.Error("the same run twice gives two results")
	}
	golden.Check(t, "testdata/stress.golden", out.String())

	moves, err := strconv.Atoi(os.Getenv("BACKSTEP_STRESS"))
	if err != nil {
		return
	}
	var all tally
	for seed := range moves / stressSteps {
		sum := stressRun(t, 1000+seed, stressSteps)
		all.hash = all.hash*1099511628211 ^ sum.hash
		all.stuck, all.most = all.stuck+sum.stuck, max(all.most, sum.most)
		for m, n := range sum.modes {
			all.modes[m] += n
		}
	}
	t.Logf("%d moves in %d rooms: hash %016x; %d stuck or crushed, at most %d queries; walking %d, falling %d, swimming %d, flying %d",
		moves, moves/stressSteps, all.hash, all.stuck, all.most, all.modes[Walking], all.modes[Falling], all.modes[Swimming], all.modes[Flying])
}
