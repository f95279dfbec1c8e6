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
		v = append(v, geom.V(float64((i&1)*8)-4, float64((i>>1&1)*4)-2, float64((i>>2)*8)-4))
	}
	idx := []uint32{
		0, 1, 3, 0, 3, 2, 4, 6, 7, 4, 7, 5, // −Z, +Z
		0, 4, 5, 0, 5, 1, 2, 3, 7, 2, 7, 6, // floor, ceiling
		0, 2, 6, 0, 6, 4, 1, 5, 7, 1, 7, 3, // −X, +X
	}
	if _, err := b.Triangles(v, idx, collide.Surface{}); err != nil {
		t.Fatal(err)
	}
	return b.MustBake()
}

// randomBody returns a body of any shape, somewhere in the room, rotated and spinning.
func randomBody(r *rand.Rand, speed float64) body.Body {
	// Products are rounded here too: TestGolden begins with this.
	within := func(lo, wide float64) float64 { return lo + float64(wide*r.Float64()) }
	size := func() float64 { return within(0.1, 0.3) }
	direction := func() geom.Vec3 { return geom.V(within(-1, 2), within(-1, 2), within(-1, 2)).Unit() }
	var b body.Body
	switch r.IntN(3) {
	case 0:
		b = body.NewBall(size(), 1)
	case 1:
		b = body.NewBox(geom.V(size(), size(), size()), 2)
	default:
		x := float64(size() * 0.6)
		b = body.NewCapsule(x, x+size(), 1.5)
	}
	b.Restitution = within(0, 0.9)
	b.Position = geom.V(within(-3, 6), within(-1, 2), within(-3, 6))
	b.Rotation = geom.AxisAngle(direction(), within(0, 3))
	b.Velocity, b.AngularVelocity = direction().Mul(speed), direction().Mul(within(0, 10))
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
			w.Add(randomBody(r, 60))
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

// energyOf returns the energy of the bodies, with the height counted from −2 m.
func energyOf(w *body.World) float64 {
	sum := 0.0
	for id := body.ID(1); int(id) < w.Len(); id++ {
		b := w.Body(id)
		j := b.Rotation.Diagonal(b.Inertia())
		sum += b.Mass*(b.Velocity.LenSq()/2+g*(b.Position.Y+2)) + b.AngularVelocity.Dot(j.Mul(b.AngularVelocity))/2
	}
	return sum
}

// However bodies bounce about in a room, their energy never grows by more than what separates those
// that began in one another.
func TestNothingGainsEnergy(t *testing.T) {
	level := room(t)
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 8))
		w := body.New(level, body.Config{})
		for range 8 {
			w.Add(randomBody(r, 8))
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

// Two worlds stepped alike are equal at every tick, and one that was saved, changed and restored
// continues as the other, with bodies awake and asleep.
func TestSameBits(t *testing.T) {
	level := room(t)
	for seed := range uint64(16) {
		make := func() *body.World {
			r := rand.New(rand.NewPCG(seed, 9))
			w := body.New(level, body.Config{})
			for range 12 {
				w.Add(randomBody(r, 5))
			}
			return w
		}
		a, b := make(), make()
		var s body.SavedState
		for k := range clock.Micros(400) {
			if k%57 == 20 {
				b.Save(&s)
				b.Impulse(3, geom.Vec3{}, geom.V(1, 2, 3))
				b.Remove(5)
				for i := range clock.Micros(30) {
					b.Step(tick, i*tick, nil)
				}
				b.Restore(&s)
				if k%2 == 0 { // another World continues
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

// Two balls thrown at each other at up to 60 m/s each, at ticks of 20 Hz, never pass
// through one another.
func TestFastBallsMeet(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 12))
		w := body.New(nil, body.Config{Gravity: -1})
		a, b := body.NewBall(0.05+0.2*r.Float64(), 1), body.NewBall(0.05+0.2*r.Float64(), 1+r.Float64())
		a.LinearDamping, b.LinearDamping = 0, 0
		a.Velocity, b.Velocity = geom.V(10+50*r.Float64(), 0, 0), geom.V(-10-50*r.Float64(), 0, 0)
		miss := r.Float64() * 0.95 * (a.Half.X + b.Half.X)
		s := (0.2 + r.Float64()) // until they touch
		a.Position, b.Position = a.Velocity.Mul(-s), b.Velocity.Mul(-s).Add(geom.V(0, miss, 0))
		i, j := w.Add(a), w.Add(b)
		for at := clock.Micros(0); at < 2*clock.Second; at += 50 * clock.Millisecond {
			w.Step(50*clock.Millisecond, at, nil)
		}
		p, q := w.Motion(i).Velocity, w.Motion(j).Velocity
		if p == a.Velocity || q == b.Velocity {
			t.Errorf("seed %d: they passed: %v, %v", seed, p, q)
		}
		was := a.Velocity.Mul(a.Mass).Add(b.Velocity.Mul(b.Mass))
		if d := p.Mul(a.Mass).Add(q.Mul(b.Mass)).Dist(was); d > 1e-9 {
			t.Errorf("seed %d: momentum came or went: %v", seed, d)
		}
	}
}

// A ball thrown over a floor is nearly at the same place after two seconds of bouncing and rolling,
// at whatever rate it is stepped: what a client shows at its frames is what the server has at its
// ticks.
func TestRatesAgree(t *testing.T) {
	level := floor(t, nil)
	where := func(hz int64) geom.Vec3 {
		w := body.New(level, body.Config{})
		b := body.NewBall(0.2, 1)
		b.Position, b.Velocity, b.AngularVelocity = geom.V(0, 1, 0), geom.V(4, 2, 1), geom.V(0, 3, 5)
		id := w.Add(b)
		at := clock.Micros(0)
		for n := int64(1); n <= 2*hz; n++ {
			next := clock.TickTime(n, int(hz))
			w.Step(next-at, at, nil)
			at = next
		}
		return w.Motion(id).Position
	}
	want := where(60)
	for _, hz := range []int64{20, 30, 144, 240} {
		p := where(hz)
		t.Logf("%d Hz: %.4f m from where 60 Hz has it", hz, p.Dist(want))
		if d := p.Dist(want); d > 0.06 {
			t.Errorf("%d Hz: at %v, %.3f m from where 60 Hz has it; want within 6 cm", hz, p, d)
		}
	}
}

// A box of 100 kg on one of 5 kg presses it in, but not by more than 3 cm, and both sleep.
func TestHeavyOnLight(t *testing.T) {
	w := body.New(floor(t, nil), body.Config{})
	light, heavy := body.NewBox(geom.V(0.3, 0.3, 0.3), 5), body.NewBox(geom.V(0.3, 0.3, 0.3), 100)
	light.Position, heavy.Position = geom.V(0, 0.3, 0), geom.V(0.02, 0.9, 0)
	i, j := w.Add(light), w.Add(heavy)
	run(w, 5*clock.Second, nil)
	near(t, "height of the light one, m", w.Motion(i).Position.Y, 0.3, 0.01)
	near(t, "height of the heavy one, m", w.Motion(j).Position.Y, 0.9, 0.03)
	if w.Awake() != 0 {
		t.Errorf("after 5 s: %d awake, want none", w.Awake())
	}
}

// Whatever is done to a world, in whatever order, its bodies stay finite, no faster than MaxSpeed
// and with a rotation of length 1.
func TestRandomOperations(t *testing.T) {
	level := room(t)
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 13))
		w := body.New(level, body.Config{})
		var bad = []float64{0, 1, -1, 1e300, -1e300, math.NaN(), math.Inf(1), 1e-300, 5e-324}
		odd := func() geom.Vec3 { return geom.V(bad[r.IntN(9)], bad[r.IntN(9)], bad[r.IntN(9)]) }
		for at := clock.Micros(0); at < 3*clock.Second; {
			id := body.ID(r.IntN(20))
			switch r.IntN(12) {
			case 0, 1:
				w.Add(randomBody(r, 20))
			case 2: // two in the same place
				b := randomBody(r, 0)
				w.Add(b)
				w.Add(b)
			case 3:
				w.Remove(id)
			case 4:
				w.Set(id, body.Motion{Position: randomBody(r, 0).Position, Velocity: odd(), AngularVelocity: odd(),
					Rotation: geom.Quat{X: bad[r.IntN(9)], W: bad[r.IntN(9)]}, Asleep: r.IntN(2) == 0})
			case 5:
				w.Impulse(id, odd(), odd())
			case 6:
				w.Impulse(id, geom.Vec3{}, geom.Vec3{})
			}
			d := clock.Micros(r.IntN(60000)) - 1000
			var p []body.Pusher
			for range r.IntN(3) {
				c := geom.Upright(randomBody(r, 0).Position, geom.Up, 0.3, 0.9)
				p = append(p, body.Pusher{ID: uint16(r.IntN(4)), Capsule: c, Velocity: randomBody(r, 9).Velocity})
			}
			w.Step(d, at, p)
			at += max(d, 1000)
			for i := body.ID(1); int(i) < w.Len(); i++ {
				m := w.Motion(i)
				q := m.Rotation
				l := q.X*q.X + q.Y*q.Y + q.Z*q.Z + q.W*q.W
				if !w.Has(i) {
					continue
				}
				if !m.Position.Finite() || !(m.Velocity.Len() <= body.MaxSpeed*1.001) || !(m.AngularVelocity.Len() <= body.MaxSpin*1.001) || math.Abs(l-1) > 1e-9 {
					t.Fatalf("seed %d, after %.3f s: body %d is %+v", seed, at.Seconds(), i, m)
				}
			}
		}
	}
}
