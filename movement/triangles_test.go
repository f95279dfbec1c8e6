package movement

import (
	"math"
	"math/rand"
	"os"
	"testing"
	"time"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// mostQueries is the work that no move of 125 ms may exceed. The most that a
// minute of TestSoakRandomTriangles has seen is 81; on open ground it is 2.
const mostQueries = 120

// wander drives a body by dice.
func wander(r *rand.Rand, c *Command) {
	if r.Intn(12) == 0 {
		c.Forward, c.Right = 2*r.Float64()-.6, 2*r.Float64()-1
	}
	if r.Intn(20) == 0 {
		c.Yaw = 7 * r.Float64()
	}
	c.Jump, c.Crouch = r.Intn(8) == 0, r.Intn(30) == 0 || c.Crouch && r.Intn(30) != 0
	c.Quantise()
}

// check is what must hold after every move, wherever the body is (STP-03).
func check(b *body) {
	b.t.Helper()
	if b.f.Queries > mostQueries {
		b.t.Fatalf("%v queries in a move at %v", b.f.Queries, b.s.Position)
	}
	var store [32]collide.Contact
	for _, c := range b.w.Contacts(b.capsule(), 0, store[:0]) {
		if c.Distance < -.005 {
			b.t.Fatalf("%v m inside shape %v at %v", -c.Distance, c.Shape, b.s.Position)
		}
	}
}

// room is a closed room of thin walls, 20 m wide and 10 high.
func room(b *collide.Builder) {
	for i := range 3 {
		for _, side := range []float64{-1, 1} {
			at, half := [3]float64{0, 5, 0}, [3]float64{10.02, 5.02, 10.02}
			at[i] += side * (half[i] - .01)
			half[i] = .01
			b.Box(geom.V(at[0], at[1], at[2]), geom.V(half[0], half[1], half[2]), geom.IdentityQuat, collide.Surface{})
		}
	}
}

// randomTriangles throws triangles of every size and angle into the room.
func randomTriangles(r *rand.Rand, n int) func(*collide.Builder) {
	return func(b *collide.Builder) {
		room(b)
		var vs []geom.Vec3
		var is []uint32
		for range n {
			at := geom.V(18*r.Float64()-9, 6*r.Float64(), 18*r.Float64()-9)
			size := .1 + 2*r.Float64()*r.Float64()
			for range 3 {
				is = append(is, uint32(len(vs)))
				vs = append(vs, at.Add(geom.V(r.NormFloat64(), r.NormFloat64(), r.NormFloat64()).Mul(size)))
			}
		}
		if _, err := b.Triangles(vs, is, collide.Surface{}); err != nil {
			panic(err)
		}
	}
}

// trianglesRun makes steps moves through triangles of its own and returns a hash.
func trianglesRun(t *testing.T, seed int64, steps int) uint64 {
	r := rand.New(rand.NewSource(seed))
	w := level()
	randomTriangles(r, 150)(w)
	b := inOnly(t, 60, geom.V(0, 8, 0), w)
	for b.inside() {
		b.s.Position = geom.V(16*r.Float64()-8, 1+6*r.Float64(), 16*r.Float64()-8)
	}
	h := uint64(0)
	for i := range steps {
		wander(r, &b.c)
		b.dt = clock.Micros(1000 + r.Intn(124001))
		if r.Intn(3) > 0 {
			b.dt = 16667
		}
		if r.Intn(200) == 0 {
			b.s.LaunchAt(geom.V(r.NormFloat64(), r.NormFloat64(), r.NormFloat64()).Mul(15))
		}
		b.step()
		check(b)
		if p := b.s.Position; math.Abs(p.X) > 10 || math.Abs(p.Z) > 10 || p.Y < 0 || p.Y > 10 {
			t.Fatalf("seed %v, step %v: left the room at %v", seed, i, p)
		}
		h = h*31 + b.s.Hash()
	}
	return h
}

func TestRandomTriangles(t *testing.T) { // STP-03, STP-04, PRF-14, PRF-10, GRD-02
	seeds, steps := int64(40), 5000
	if testing.Short() {
		seeds = 5
	}
	for seed := range seeds {
		h := trianglesRun(t, seed, steps)
		if seed == 0 && trianglesRun(t, seed, steps) != h {
			t.Error("the same run twice gives two results")
		}
	}
}

// TestSoakRandomTriangles goes on for as long as BACKSTEP_SOAK says. [STP-03]
func TestSoakRandomTriangles(t *testing.T) {
	d, _ := time.ParseDuration(os.Getenv("BACKSTEP_SOAK"))
	seed := time.Now().UnixNano()
	t.Logf("first seed %v", seed)
	for start := time.Now(); time.Since(start) < d; seed++ {
		trianglesRun(t, seed, 5000)
	}
}

// rough is a terrain of some 10,000 triangles at random heights.
func rough(r *rand.Rand, height float64) func(*collide.Builder) {
	return func(b *collide.Builder) {
		const n, cell = 70, .5
		var vs []geom.Vec3
		var is []uint32
		for j := range n + 1 {
			for i := range n + 1 {
				vs = append(vs, geom.V((float64(i)-n/2)*cell, height*r.Float64(), (float64(j)-n/2)*cell))
			}
		}
		for j := range uint32(n) {
			for i := range uint32(n) {
				v := j*(n+1) + i
				is = append(is, v, v+n+1, v+1, v+1, v+n+1, v+n+2)
			}
		}
		if _, err := b.Triangles(vs, is, collide.Surface{}); err != nil {
			panic(err)
		}
	}
}

func TestGapOverRoughGround(t *testing.T) { // FLR-02, GRD-10
	for _, height := range []float64{.05, .2, .35, .6} {
		for seed := range int64(4) {
			r := rand.New(rand.NewSource(seed))
			w := level()
			rough(r, height)(w)
			b := inOnly(t, rates[seed], geom.V(0, 1, 0), w)
			out, walked := 0, 0
			for range 4000 {
				wander(r, &b.c)
				b.c.Jump = false
				if b.s.Position.Flat(geom.Up).Len() > 14 {
					b.s = Spawn(geom.V(4*r.Float64(), 1, 4*r.Float64()), 0)
				}
				b.step()
				check(b)
				if b.s.Mode != Walking {
					continue
				}
				walked++
				if g := b.gap(); g < .018 || g > .025 {
					out++
					if out < 4 {
						t.Logf("height %v, seed %v: gap %v at %v, floor %+v", height, seed, g, b.s.Position, b.s.Floor)
					}
				}
			}
			if out > 0 || walked < 1000 {
				t.Errorf("height %v, seed %v: %v of %v walking frames out of the band", height, seed, out, walked)
			}
		}
	}
}
