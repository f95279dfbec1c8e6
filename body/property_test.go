package body_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/body"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// room is a closed room of thin triangles, 8 × 4 × 8 m about the origin, its floor at
// −2 m.
func room(t testing.TB) *collide.World {
	t.Helper()
	var b collide.Builder
	var v []geom.Vec3
	for i := range 8 {
		v = append(v, geom.V(float64(i&1)*8-4, float64(i>>1&1)*4-2, float64(i>>2)*8-4))
	}
	idx := []uint32{
		0, 1, 3, 0, 3, 2, 4, 6, 7, 4, 7, 5, // −Z, +Z
		0, 4, 5, 0, 5, 1, 2, 3, 7, 2, 7, 6, // floor, ceiling
		0, 2, 6, 0, 6, 4, 1, 5, 7, 1, 7, 3, // −X, +X
	}
	if _, err := b.Triangles(v, idx, collide.Surface{}); err != nil {
		t.Fatal(err)
	}
	return bake(t, &b)
}

// some returns a body of any shape, somewhere in the room, turned and spinning.
func some(r *rand.Rand, speed float64) body.Body {
	direction := func() geom.Vec3 { return geom.V(r.NormFloat64(), r.NormFloat64(), r.NormFloat64()).Unit() }
	size := func() float64 { return 0.1 + 0.3*r.Float64() }
	var b body.Body
	switch r.IntN(3) {
	case 0:
		b = body.NewBall(size(), 1)
	case 1:
		b = body.NewBox(geom.V(size(), size(), size()), 2)
	default:
		x := size() * 0.6
		b = body.NewCapsule(x, x+size(), 1.5)
	}
	b.Restitution = r.Float64() * 0.9
	b.Position = geom.V(r.Float64()*6-3, r.Float64()*2-1, r.Float64()*6-3)
	b.Turn = geom.AxisAngle(direction(), r.Float64()*3)
	b.Velocity, b.Spin = direction().Mul(speed), direction().Mul(r.Float64()*10)
	return b
}

// Bodies thrown at up to 60 m/s in a closed room of thin triangles stay in it, at ticks of
// 20 Hz too.
func TestNothingTunnels(t *testing.T) {
	level := room(t)
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 7))
		w := body.New(level, body.Config{})
		for range 6 {
			w.Add(some(r, 60))
		}
		const d = 50 * clock.Millisecond
		for at := clock.Micros(0); at < 4*clock.Second; at += d {
			w.Step(d, at, nil)
			for id := body.ID(1); int(id) < w.Len(); id++ {
				b := w.Body(id)
				if p := b.Position; math.Abs(p.X) > 4 || math.Abs(p.Y) > 2 || math.Abs(p.Z) > 4 {
					t.Fatalf("seed %d, after %v: body %d got out: %+v", seed, at+d, id, b)
				}
			}
		}
	}
}

// energyOf is what the bodies have, with the height counted from −2 m.
func energyOf(w *body.World) float64 {
	sum := 0.0
	for id := body.ID(1); int(id) < w.Len(); id++ {
		b := w.Body(id)
		j := b.Turn.Diagonal(b.Inertia())
		sum += b.Mass*(b.Velocity.LenSq()/2+g*(b.Position.Y+2)) + j.Along(b.Spin)/2
	}
	return sum
}

// However bodies bounce about in a room, their energy never grows by more than what frees
// those who began in one another.
func TestNothingGainsEnergy(t *testing.T) {
	level := room(t)
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 8))
		w := body.New(level, body.Config{})
		for range 8 {
			w.Add(some(r, 8))
		}
		run(w, clock.Second/2, nil)
		least := energyOf(w)
		run(w, 8*clock.Second, func(at clock.Micros) {
			e := energyOf(w)
			if e > least*1.02+0.5 {
				t.Fatalf("seed %d, after %.2f s: energy %.3f J, want no more than %.3f", seed, at.Seconds()+0.5, e, least)
			}
			least = min(least, e)
		})
	}
}

// Two worlds stepped alike are equal at every tick, and one that was saved, changed and
// restored goes on as the other, with bodies awake and asleep.
func TestSameBits(t *testing.T) {
	level := room(t)
	for seed := range uint64(10) {
		make := func() *body.World {
			r := rand.New(rand.NewPCG(seed, 9))
			w := body.New(level, body.Config{})
			for range 12 {
				w.Add(some(r, 5))
			}
			return w
		}
		a, b := make(), make()
		var s body.Saved
		for k := range clock.Micros(400) {
			if k%57 == 20 {
				b.Save(&s)
				b.Impulse(3, geom.Vec3{}, geom.V(1, 2, 3))
				b.Remove(5)
				for i := range clock.Micros(30) {
					b.Step(tick, i*tick, nil)
				}
				b.Restore(&s)
				if k%2 == 0 { // another World goes on
					b = body.New(level, body.Config{})
					b.Restore(&s)
				}
			}
			a.Step(tick, k*tick, nil)
			b.Step(tick, k*tick, nil)
			if x, y := a.Hash(), b.Hash(); x != y {
				t.Fatalf("seed %d, tick %d: hashes %x and %x", seed, k, x, y)
			}
		}
	}
}
