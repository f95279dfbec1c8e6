package movement

import (
	"math"
	"math/rand"
	"os"
	"strconv"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement/rootmotion"
)

// bedlam is a closed room with everything in it that a level may have: loose
// triangles, boxes, bodies that slide, spin and climb along paths of their own,
// water, a jump pad and a patch of gravity of its own.
func bedlam(r *rand.Rand) func(*collide.Builder) {
	return func(b *collide.Builder) {
		soup(r, 60)(b)
		for range 12 {
			b.Box(somewhere(r), geom.V(.2+r.Float64(), .1+r.Float64(), .2+r.Float64()),
				geom.AxisAngle(geom.V(r.NormFloat64(), r.NormFloat64(), r.NormFloat64()).Unit(), 6*r.Float64()), collide.Surface{})
		}
		for i := range 8 {
			half := geom.V(.3+r.Float64(), .1+.5*r.Float64(), .3+r.Float64())
			b.Body("body "+strconv.Itoa(i), track(r), func(in *collide.Builder) {
				in.Box(geom.Vec3{}, half, geom.NoTurn, collide.Surface{})
			})
		}
		b.VolumeBox(collide.Volume{Water: true}, geom.V(-5, 1.5, -5), geom.V(5, 1.5, 5), geom.NoTurn)
		b.VolumeBox(collide.Volume{Launch: geom.V(2, 9, 0)}, geom.V(6, .5, 6), geom.V(1, .5, 1), geom.NoTurn)
		b.VolumeBox(collide.Volume{Up: geom.V(1, 0, 0)}, geom.V(-9, 5, 5), geom.V(1, 5, 4), geom.NoTurn)
	}
}

func somewhere(r *rand.Rand) geom.Vec3 {
	return geom.V(18*r.Float64()-9, 7*r.Float64(), 18*r.Float64()-9)
}

// track is a loop through three places of the room, with turns, at up to 4 m/s.
func track(r *rand.Rand) collide.Path {
	p := collide.Path{Loop: true, Smooth: r.Intn(2) == 0}
	if r.Intn(3) == 0 {
		p.Axis = geom.V(r.NormFloat64(), r.NormFloat64(), r.NormFloat64()).Unit()
	}
	first, at := somewhere(r), clock.Micros(0)
	last := first
	for i := range 4 {
		to := first
		if i > 0 && i < 3 {
			to = last.Add(geom.V(r.NormFloat64(), r.NormFloat64(), r.NormFloat64()).Mul(2))
		}
		if i > 0 {
			at += clock.Micros((to.Dist(last)/(1+3*r.Float64()) + .5) * 1e6)
		}
		turn := 2 * math.Pi * float64(r.Intn(2)*i) / 3
		p.Keys = append(p.Keys, collide.Key{At: at, Move: to, Angle: turn})
		last = to
	}
	p.Keys[3].Angle = 2 * math.Pi * math.Round(p.Keys[3].Angle/(2*math.Pi))
	if p.Check() != nil {
		return track(r) // a curve through unevenly spaced keys may be too fast
	}
	return p
}

// meddle does to a body, now and then, what a match may do to it.
func meddle(r *rand.Rand, b *body) {
	dice := geom.V(r.NormFloat64(), r.NormFloat64(), r.NormFloat64())
	switch r.Intn(400) {
	case 0:
		b.s.LaunchAt(dice.Mul(15))
	case 1:
		b.m.Push(&b.s, dice.Mul(500))
	case 2:
		b.m.Pull(&b.s, dice.Mul(5000))
	case 3:
		b.s.Mode = Flying
	case 4, 5:
		if b.s.Mode == Flying {
			b.s.Mode = Falling
		}
	case 6:
		b.s.Motion.Apply(rootmotion.Constant(dice.Mul(8), 300*clock.Millisecond), b.moved)
	case 7:
		b.s.Motion.Apply(rootmotion.MoveTo(b.s.Position, b.s.Position.Add(dice.Mul(4)), 500*clock.Millisecond), b.moved)
	case 8:
		b.s.Motion.Apply(rootmotion.JumpTo(dice.Flat(geom.Up).Mul(3), 1.5, 600*clock.Millisecond), b.moved)
	}
	b.c.Up = geom.Clamp(dice.X, -1, 1)
}

// depth is how deep the body is in anything, in metres.
func (b *body) depth() float64 {
	var store [32]collide.Contact
	deep := 0.0
	for _, c := range b.w.Contacts(b.m.Capsule(&b.s), 0, store[:0]) {
		deep = math.Max(deep, -c.Distance)
	}
	return deep
}

// bedlamRun makes steps moves in a bedlam of its own. After every move the body
// is somewhere, in the room, and no deeper than 5 mm in anything unless it said
// that it is stuck or crushed. It returns a hash and how many moves were stuck.
func bedlamRun(t testing.TB, seed int64, steps int) (h uint64, stuck, most int) {
	r := rand.New(rand.NewSource(seed))
	var w collide.Builder
	bedlam(r)(&w)
	b := inOnly(t, 60, geom.V(0, 8, 0), &w)
	for b.w.Overlaps(b.m.Capsule(&b.s)) {
		b.s.Position = geom.V(16*r.Float64()-8, 1+6*r.Float64(), 16*r.Float64()-8)
	}
	for i := range steps {
		wander(r, &b.c)
		meddle(r, b)
		b.c.Quantise()
		b.dt = clock.Micros(1000 + r.Intn(124001))
		if r.Intn(3) > 0 {
			b.dt = 16667
		}
		before := b.s
		b.step()
		most = max(most, b.f.Queries)
		said := false
		for _, e := range b.f.Events() {
			said = said || e.Kind == Stuck || e.Kind == Crushed
		}
		if said {
			stuck++
		}
		p := b.s.Position.MulAdd(b.s.Upwards(), b.m.halfHeight(b.s.Crouched))
		if math.Abs(p.X) > 10 || math.Abs(p.Z) > 10 || p.Y < 0 || p.Y > 10 {
			t.Fatalf("seed %v, move %v: left the room at %v, %v, after %v from %v, %v", seed, i, p, b.s.Mode, b.dt, before.Position, before.Mode)
		}
		if d := b.depth(); d > .005 && !said {
			t.Fatalf("seed %v, move %v: %.4f m inside something and silent at %v, %v, after %v from %v, %v", seed, i, d, b.s.Position, b.s.Mode, b.dt, before.Position, before.Mode)
		}
		h = h*31 + b.s.Hash()
	}
	return h, stuck, most
}

func TestBedlam(t *testing.T) { // STP-03, STP-05, BAS-02, PRF-14
	seeds, steps := int64(10), 2000
	if n, err := strconv.Atoi(os.Getenv("BACKSTEP_STEPS")); err == nil {
		seeds = int64(max(n/steps, 1))
	}
	all, most := 0, 0
	for seed := range seeds {
		h, stuck, queries := bedlamRun(t, seed, steps)
		all, most = all+stuck, max(most, queries)
		if seed == 0 {
			if again, _, _ := bedlamRun(t, seed, steps); again != h {
				t.Error("the same run twice gives two results")
			}
		}
	}
	t.Logf("%d moves, %d of them stuck or crushed, at most %d queries in one", seeds*int64(steps), all, most)
}
