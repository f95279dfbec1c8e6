package parkour_test

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/internal/golden"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/movement/parkour"
)

// of returns a number of lo … hi: the same on every processor, with no product left to fuse.
func of(dice *rand.Rand, lo, hi float64) float64 { return lo + float64((hi-lo)*dice.Float64()) }

// ground is a closed yard with ledges of all heights, stairs, slopes, ladders, low ceilings, a lift
// and a cart, from dice.
func ground(t testing.TB, dice *rand.Rand) func(b *collide.Builder) {
	at := func(far float64) float64 { return of(dice, -far, far) }
	return func(b *collide.Builder) {
		for _, side := range []geom.Vec3{geom.V(1, 0, 0), geom.V(-1, 0, 0), geom.V(0, 0, 1), geom.V(0, 0, -1)} {
			half := geom.V(16, 12, 16).Sub(geom.V(15.5*side.X*side.X, 0, 15.5*side.Z*side.Z))
			b.Box(side.Mul(16), half, geom.IdentityQuat, collide.Surface{})
		}
		for range 30 {
			centre, half := geom.V(at(14), 0, at(14)), geom.V(of(dice, .3, 2.3), of(dice, .1, 1.5), of(dice, .3, 2.3))
			b.Box(centre.Add(geom.V(0, half.Y, 0)), half, geom.AxisAngle(geom.Up, at(3)), collide.Surface{})
		}
		for range 8 { // ceilings
			b.Box(geom.V(at(14), of(dice, .8, 2.4), at(14)), geom.V(of(dice, 1, 2), .1, of(dice, 1, 2)), geom.IdentityQuat, collide.Surface{})
		}
		for range 3 {
			b.Ramp(geom.V(at(12), 0, at(12)), 4, of(dice, 1, 4), 6, at(3), collide.Surface{})
			b.Stairs(geom.V(at(12), 0, at(12)), 3, .2, .35, 10, at(3), collide.Surface{})
		}
		for range 5 {
			x, z := at(12), at(12)
			box(b, geom.V(x-1, 0, z-1), geom.V(x+1, 4, z+1))
			ladder(t, b, geom.V(x-1.8, 0, z-1.8), geom.V(x+1.8, 4.5, z+1.8))
		}
		loop := func(by geom.Vec3) collide.Path {
			return collide.Path{Loop: true, Keys: []collide.Key{{}, {At: 4 * clock.Second, Position: by}, {At: 8 * clock.Second}}}
		}
		b.Mover("lift", loop(geom.V(0, 3, 0)), func(b *collide.Builder) { box(b, geom.V(5, .1, 5), geom.V(8, .6, 8)) })
		b.Mover("cart", loop(geom.V(6, 0, 2)), func(b *collide.Builder) { box(b, geom.V(-9, .1, -4), geom.V(-7, 1.4, -2)) })
	}
}

// wander is what hands may do, from one move to the next.
func (r *runner) wander(dice *rand.Rand) {
	c := &r.c
	if dice.IntN(25) == 0 {
		c.Forward, c.Right = []float64{-1, 0, .5, 1, 1, 1, 1}[dice.IntN(7)], float64(dice.IntN(3)-1)/2
	}
	if dice.IntN(30) == 0 {
		c.Yaw, c.Pitch = of(dice, -3, 3), of(dice, -1, 1)
	}
	for _, b := range []struct {
		button *bool
		rarely int
	}{{&c.Jump, 10}, {&c.Crouch, 20}, {&c.Sprint, 40}} {
		if dice.IntN(b.rarely) == 0 || *b.button != (b.button == &c.Sprint) && dice.IntN(8) == 0 {
			*b.button = !*b.button
		}
	}
	if lying := c.Buttons != 0; dice.IntN(120) == 0 || lying && dice.IntN(20) == 0 {
		c.Buttons ^= parkour.ProneButton
	}
	r.d = 16667
	if dice.IntN(3) == 0 {
		r.d = clock.Micros(1000 + dice.IntN(124001))
	}
	if dice.IntN(100) == 0 {
		r.h.SpeedScale = []float64{0, 0, 0, 1.5, .6, -1}[dice.IntN(6)]
	}
}

// Never inside anything: 10 yards of 1,000 random moves each, every state packed and read, twice
// the same, and the same on every processor.
func TestGoldenRandomMoves(t *testing.T) { // MOD-05, MOD-06, GRD-21, BAS-15, PRF-14
	total := map[string]int{}
	said := 0
	var out strings.Builder
	for seed := range uint64(10) {
		var sums [2]uint64
		for again := range sums {
			dice := rand.New(rand.NewPCG(seed, 15))
			r := in(t, 60, geom.V(0, 5, 0), ground(t, dice))
			r.m.SlideFrom = 5
			sum := fnv.New64a()
			for i := range 1000 {
				r.wander(dice)
				before := r.h
				r.step()
				silent := !r.h.Stuck && !before.Stuck
				for _, e := range r.f.Events() {
					silent = silent && e.Kind != movement.Crushed && e.Kind != movement.Stuck
				}
				if !silent {
					said++
				}
				at := fmt.Sprintf("seed %d, move %d of %v: %s at %v, %s at %v", seed, i, r.d, before.doing(), before.Position, r.h.doing(), r.h.Position)
				if deep := r.inside(); deep > .005 && silent {
					t.Fatalf("%s: %.4f m inside something", at, deep)
				}
				if p := r.h.Position; p.Y < 0 || p.Y > 12 || p.Flat(geom.Up).Len() > 23 {
					t.Fatalf("%s: left the yard", at)
				}
				if r.h.Velocity.Len() > 45 {
					t.Fatalf("%s: %v m/s", at, r.h.Velocity)
				}
				fmt.Fprint(sum, r.h.Hash())
			}
			sums[again] = sum.Sum64()
			for what, n := range r.begun {
				total[what] += n
			}
		}
		fmt.Fprintf(&out, "seed %d: hash %016x\n", seed, sums[0])
		if sums[0] != sums[1] {
			t.Errorf("seed %d: hashes %x", seed, sums)
		}
	}
	golden.Check(t, "testdata/moves.golden", out.String())
	t.Log(total, "stuck or crushed", said)
	for _, what := range []string{"ladder", "mantle", "slide", "prone"} {
		if total[what] < 5 {
			t.Errorf("%s began %d times, want more: %v", what, total[what], total)
		}
	}
}

// A move costs no memory, whatever it does.
func TestNoAllocations(t *testing.T) {
	dice := rand.New(rand.NewPCG(3, 15))
	r := in(t, 60, geom.V(0, 5, 0), ground(t, dice))
	if got := testing.AllocsPerRun(2000, func() {
		r.wander(dice)
		r.w.At += r.d
		r.move(&r.h)
	}); got != 0 {
		t.Errorf("%v allocations a move, want 0", got)
	}
}
