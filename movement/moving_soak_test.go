package movement

import (
	"math"
	"math/rand"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// wanderingPath is a path by dice that stays in a room of 20 m.
func wanderingPath(r *rand.Rand) collide.Path {
	p := collide.Path{Loop: true, Smooth: r.Intn(2) == 0}
	if r.Intn(3) == 0 { // about any axis
		p.Axis = geom.V(r.NormFloat64(), r.NormFloat64(), r.NormFloat64()).Unit()
	}
	at, angle := clock.Micros(0), 0.0
	first := geom.V(14*r.Float64()-7, 7*r.Float64(), 14*r.Float64()-7)
	n, turns := 2+r.Intn(4), float64(r.Intn(3)-1)
	place := first
	for i := range n {
		p.Keys = append(p.Keys, collide.Key{At: at, Position: place, Angle: angle})
		next := geom.V(14*r.Float64()-7, 7*r.Float64(), 14*r.Float64()-7)
		if r.Intn(3) == 0 {
			next = place // rests, or only turns
		}
		if i == n-1 {
			next = first
		}
		speed := .3 + 8*r.Float64()*r.Float64()
		at += clock.Micros(1e6 * (1 + next.Dist(place)/speed))
		angle = turns * 2 * math.Pi * float64(i+1) / float64(n)
		place = next
	}
	p.Keys = append(p.Keys, collide.Key{At: at, Position: first, Angle: angle})
	return p
}

// works is a closed room of boxes that stand and boxes that move through them.
func works(r *rand.Rand) func(*collide.Builder) {
	return func(b *collide.Builder) {
		room(b)
		half := func() geom.Vec3 { return geom.V(.1+1.5*r.Float64(), .05+r.Float64(), .1+1.5*r.Float64()) }
		for range 12 {
			at := geom.V(18*r.Float64()-9, 4*r.Float64(), 18*r.Float64()-9)
			b.Box(at, half(), geom.YawQuat(7*r.Float64()), collide.Surface{})
		}
		for i := range 8 {
			b.Mover("body "+strconv.Itoa(i), wanderingPath(r), func(b *collide.Builder) {
				b.Box(geom.Vec3{}, half(), geom.IdentityQuat, collide.Surface{})
				if r.Intn(2) == 0 {
					b.Box(geom.V(r.Float64(), r.Float64(), r.Float64()), half(), geom.YawQuat(7*r.Float64()), collide.Surface{})
				}
			})
		}
	}
}

// worksRun makes steps moves among movers of its own and returns a hash, and
// in how many of them it was crushed or stuck, or rode.
func worksRun(t *testing.T, seed int64, steps int) (h uint64, hurt, rode int) {
	r := rand.New(rand.NewSource(seed))
	var w collide.Builder
	works(r)(&w)
	b := inOnly(t, 60, geom.V(0, 8, 0), &w)
	for b.w.Overlaps(b.m.Capsule(&b.s)) {
		b.s.Position = geom.V(16*r.Float64()-8, 1+6*r.Float64(), 16*r.Float64()-8)
	}
	for i := range steps {
		wander(r, &b.c)
		b.dt = 16667
		if r.Intn(3) == 0 {
			b.dt = clock.Micros(1000 + r.Intn(124001))
		}
		if r.Intn(200) == 0 {
			b.s.LaunchAt(geom.V(r.NormFloat64(), r.NormFloat64(), r.NormFloat64()).Mul(15))
		}
		if r.Intn(500) == 0 {
			b.w.At += clock.Micros(r.Intn(2000000)) // moves are missing
		}
		if r.Intn(300) == 0 && (b.s.Mode == Walking || b.s.Mode == Falling || b.s.Mode == Flying) {
			b.s.Mode = []Mode{Walking, Falling, Flying}[r.Intn(3)]
			b.s.Floor = Floor{}
		}
		if r.Intn(100) == 0 { // onto something that moves
			to := b.s
			to.Teleport(b.w.Pose(collide.MoverID(1 + r.Intn(8))).Translation.Add(geom.V(0, 1.5, 0)))
			if !b.w.Overlaps(b.m.Capsule(&to)) {
				b.s = to
			}
		}
		b.step()
		trouble := false
		for _, e := range b.f.Events() {
			trouble = trouble || e.Kind == Crushed || e.Kind == Stuck
		}
		if trouble {
			hurt++
		}
		what := "seed " + strconv.Itoa(int(seed)) + ", step " + strconv.Itoa(i)
		b.clear(what)
		if b.f.Queries > 2*mostQueries {
			t.Fatalf("%s: %v queries at %v", what, b.f.Queries, b.s.Position)
		}
		if p := b.s.Position; math.Abs(p.X) > 10 || math.Abs(p.Z) > 10 || p.Y < -.01 || p.Y > 10 {
			t.Fatalf("%s: left the room at %v, %+v", what, p, b.f.Events())
		}
		if b.s.Base.Mover != 0 {
			rode++
		}
		h = h*31 + b.s.Hash()
	}
	return h, hurt, rode
}

func TestMovingWorld(t *testing.T) { // BAS-01, BAS-02, STP-03, STP-05
	seeds, steps, hurt, rode := int64(40), 2500, 0, 0
	if testing.Short() {
		seeds = 5
	}
	for seed := range seeds {
		h, n, on := worksRun(t, seed, steps)
		hurt, rode = hurt+n, rode+on
		if seed == 0 {
			if again, _, _ := worksRun(t, seed, steps); again != h {
				t.Error("the same run twice gives two results")
			}
		}
	}
	t.Logf("crushed or stuck in %v, riding in %v of %v moves", hurt, rode, int(seeds)*steps)
	if all := int(seeds) * steps; hurt > all/20 || rode < all/20 {
		t.Errorf("crushed or stuck in %v of %v moves", hurt, int(seeds)*steps)
	}
}

// TestSoakMovingWorld goes on for as long as BACKSTEP_SOAK says.
func TestSoakMovingWorld(t *testing.T) {
	d, _ := time.ParseDuration(os.Getenv("BACKSTEP_SOAK"))
	seed := time.Now().UnixNano()
	t.Logf("first seed %v", seed)
	for start := time.Now(); time.Since(start) < d; seed++ {
		worksRun(t, seed, 5000)
	}
}
