package body_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/body"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// stood steps a world of bodies that were put where they should stand. It fails if one moves by more
// than most metres within a time, or if one is awake in the end.
func stood(t *testing.T, what string, w *body.World, d clock.Micros, most float64) {
	t.Helper()
	var from []geom.Vec3
	for id := range w.Len() {
		from = append(from, w.Motion(body.ID(id)).Position)
	}
	run(w, d, nil)
	worst, which := 0.0, 0
	for id := range w.Len() {
		if m := w.Motion(body.ID(id)).Position.Dist(from[id]); m > worst {
			worst, which = m, id
		}
	}
	if worst > most || w.Awake() > 0 {
		t.Errorf("%s: body %d moved by %.4f m, want at most %.4f; %d awake, want none", what, which, worst, most, w.Awake())
	}
}

// A tower of ten boxes, a pyramid of fifteen, and a wall of bricks that overlap by half stand.
func TestBuildingsStand(t *testing.T) {
	at := func(w *body.World, half geom.Vec3, mass, x, y float64) {
		b := body.NewBox(half, mass)
		b.Position = geom.V(x, y, 0)
		w.Add(b)
	}
	for name, level := range map[string]*collide.World{"box": floor(t, nil), "mesh": mesh(t)} {
		tower := body.New(level, body.Config{})
		for i := range 10 {
			at(tower, geom.V(0.25, 0.25, 0.25), 5, 0.1, 0.25+0.5*float64(i))
		}
		stood(t, name+", tower", tower, 10*clock.Second, 0.03) // 3 mm a contact: they are springs

		pyramid := body.New(level, body.Config{})
		for row := range 5 {
			for i := range 5 - row {
				at(pyramid, geom.V(0.25, 0.25, 0.25), 5, 0.55*(float64(i)+0.5*float64(row)), 0.25+0.5*float64(row))
			}
		}
		stood(t, name+", pyramid", pyramid, 10*clock.Second, 0.02)

		wall := body.New(level, body.Config{})
		for row := range 6 {
			for i := range 5 - row%2 { // a brick with its middle over an end would fall
				at(wall, geom.V(0.3, 0.15, 0.15), 4, 0.61*float64(i)+0.305*float64(row%2)-1.5, 0.15+0.3*float64(row))
			}
		}
		stood(t, name+", wall", wall, 10*clock.Second, 0.02)
	}
}

// A ball of 40 kg at 12 m/s knocks a wall of bricks over; all of it comes to rest on the floor.
func TestAWreckingBall(t *testing.T) {
	w := body.New(floor(t, nil), body.Config{})
	for row := range 5 {
		for i := range 5 {
			b := body.NewBox(geom.V(0.15, 0.15, 0.3), 4)
			b.Position = geom.V(0, 0.15+0.3*float64(row), 0.61*float64(i)+0.305*float64(row%2)-1.4)
			w.Add(b)
		}
	}
	run(w, clock.Second, nil)
	ball := body.NewBall(0.4, 40)
	ball.Position, ball.Velocity, ball.Rolling = geom.V(-3, 0.9, 0), geom.V(12, 0, 0), 0.1
	w.Add(ball)
	run(w, 20*clock.Second, nil)
	thrown := 0
	for id := body.ID(1); id <= 25; id++ {
		m := w.Motion(id)
		if m.Position.X > 0.3 {
			thrown++
		}
		if m.Position.Y < 0.12 || m.Position.Y > 1.6 {
			t.Errorf("brick %d is at height %.2f", id, m.Position.Y)
		}
	}
	if thrown < 5 || w.Awake() > 0 {
		t.Errorf("%d bricks were thrown, want at least 5; %d awake, want none", thrown, w.Awake())
	}
}

// Of seven dominoes each knocks the next one over.
func TestDominoes(t *testing.T) {
	w := body.New(floor(t, nil), body.Config{})
	var ids []body.ID
	for i := range 7 {
		b := body.NewBox(geom.V(0.05, 0.4, 0.2), 2)
		b.Position = geom.V(0.4*float64(i), 0.4, 0)
		ids = append(ids, w.Add(b))
	}
	run(w, 2*clock.Second, nil)
	if w.Awake() != 0 {
		t.Fatalf("%d of the standing ones are awake", w.Awake())
	}
	w.Impulse(ids[0], geom.V(0, 0.8, 0), geom.V(3, 0, 0))
	fell := make([]clock.Micros, len(ids))
	run(w, 6*clock.Second, func(at clock.Micros) {
		for i, id := range ids {
			if up := w.Motion(id).Rotation.Rotate(geom.Up).Y; fell[i] == 0 && up < 0.9 {
				fell[i] = at
			}
		}
	})
	for i := range fell {
		if fell[i] == 0 || i > 0 && fell[i] <= fell[i-1] {
			t.Errorf("domino %d tipped after %v µs, the one before after %v", i, fell[i], fell[max(i-1, 0)])
		}
	}
}

// On an incline with enough friction a box 1 wide tips where it is taller than 1/tan θ, and stands
// where it is lower.
func TestATallBoxTipsOnAnIncline(t *testing.T) {
	const angle = 0.4
	for _, c := range []struct {
		part float64 // of the height at which it tips
		tips bool
	}{{0.5, false}, {0.9, false}, {1.1, true}, {1.5, true}} {
		w := body.New(tilted(angle), body.Config{})
		b := body.NewBox(geom.V(0.25, c.part*0.25/math.Tan(angle), 0.25), 10)
		b.Friction = 1.5
		b.Rotation = geom.AxisAngle(geom.V(0, 0, 1), -angle)
		b.Position = b.Rotation.Rotate(geom.V(0, b.Half.Y, 0))
		id := w.Add(b)
		run(w, 3*clock.Second, nil)
		leans := w.Motion(id).Rotation.Rotate(geom.Up).Dot(b.Rotation.Rotate(geom.Up))
		if tips := leans < 0.7; tips != c.tips {
			t.Errorf("%.1f of the height: its axis is at a cosine of %.3f to where it was; tipped %v, want %v", c.part, leans, tips, c.tips)
		}
	}
}

// Bodies of every shape that fly into each other in empty space keep their momentum and their angular
// momentum, and their energy never grows.
func TestCollisionsKeepMomentum(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 21))
		w := body.New(nil, body.Config{Gravity: -1, RestAfter: -1})
		for i := range 6 {
			b := undamped(randomBody(r, 0))
			s, c := geom.SinCos(float64(i))
			b.Position = geom.V(1.6*c, 0.4*float64(i%3), 1.6*s)
			b.Velocity = b.Position.Mul(-2 - r.Float64())
			w.Add(b)
		}
		sums := func() (p, l geom.Vec3, energy float64) {
			for id := body.ID(1); int(id) < w.Len(); id++ {
				b := w.Body(id)
				spin := b.Rotation.Diagonal(b.Inertia())
				p = p.Add(b.Velocity.Mul(b.Mass))
				l = l.Add(b.Position.Cross(b.Velocity.Mul(b.Mass))).Add(spin.Mul(b.AngularVelocity))
				energy += b.Mass*b.Velocity.LenSq()/2 + b.AngularVelocity.Dot(spin.Mul(b.AngularVelocity))/2
			}
			return p, l, energy
		}
		p0, l0, e0 := sums()
		met, last, scale := false, e0, 0.0
		for id := body.ID(1); int(id) < w.Len(); id++ {
			scale += w.Body(id).Mass * w.Body(id).Velocity.Len()
		}
		run(w, 2*clock.Second, func(at clock.Micros) {
			p, l, e := sums()
			met = met || e < e0*0.999
			if p.Dist(p0) > 1e-9 {
				t.Fatalf("seed %d, %.2f s: momentum %v, was %v", seed, at.Seconds(), p, p0)
			}
			// Friction acts on each body at its own surface, and a contact is found while these are
			// still up to the way of a piece apart: an arm of a few centimetres.
			if off := l.Dist(l0) / scale; off > 0.03 {
				t.Fatalf("seed %d, %.2f s: angular momentum %v, was %v: an arm of %.3f m", seed, at.Seconds(), l, l0, off)
			}
			if e > last*1.01+0.01 {
				t.Fatalf("seed %d, %.2f s: energy %.4f J, was %.4f", seed, at.Seconds(), e, last)
			}
			last = min(last, e)
		})
		if !met {
			t.Errorf("seed %d: no two bodies met", seed)
		}
	}
}

// A row of balls of restitution 1, hit by one: the last one leaves with nearly its speed, and the
// momentum is all there.
func TestARowOfBallsPassesTheMomentumOn(t *testing.T) {
	w := body.New(nil, body.Config{Gravity: -1, RestAfter: -1})
	var ids []body.ID
	for i := range 5 {
		b := undamped(body.NewBall(0.1, 1))
		b.Restitution, b.Friction, b.Position = 1, 0, geom.V(0.3*float64(i), 0, 0)
		if i == 0 {
			b.Position.X, b.Velocity.X = -1, 4
		}
		ids = append(ids, w.Add(b))
	}
	run(w, 2*clock.Second, nil)
	sum := 0.0
	for _, id := range ids {
		sum += w.Motion(id).Velocity.X
	}
	near(t, "momentum, kg·m/s", sum, 4, 1e-9)
	near(t, "speed of the last, m/s", w.Motion(ids[4]).Velocity.X, 4, 0.05)
	near(t, "speed of the first, m/s", w.Motion(ids[0]).Velocity.X, 0, 0.05)
}

// A body sleeps when it has rested for RestAfter, and an island only when all of it has. A negative
// RestAfter keeps all awake.
func TestWhenBodiesSleep(t *testing.T) {
	for _, after := range []clock.Micros{clock.Second / 4, clock.Second, 3 * clock.Second} {
		w := body.New(floor(t, nil), body.Config{RestAfter: after})
		b := body.NewBox(geom.V(0.2, 0.2, 0.2), 3)
		b.Position = geom.V(0, 0.2, 0)
		w.Add(b)
		slept := clock.Micros(0)
		run(w, 5*clock.Second, func(at clock.Micros) {
			if slept == 0 && w.Awake() == 0 {
				slept = at
			}
		})
		near(t, "asleep after, s", slept.Seconds(), after.Seconds(), 0.1)
	}
	w := body.New(floor(t, nil), body.Config{RestAfter: -1})
	b := body.NewBox(geom.V(0.2, 0.2, 0.2), 3)
	b.Position = geom.V(0, 0.2, 0)
	w.Add(b)
	run(w, 5*clock.Second, nil)
	if w.Awake() != 1 {
		t.Error("asleep after 5 s, although RestAfter is negative")
	}

	w = body.New(floor(t, nil), body.Config{})
	low, top := body.NewBox(geom.V(1, 0.2, 1), 20), undamped(body.NewBall(0.2, 1))
	low.Position, top.Position = geom.V(0, 0.2, 0), geom.V(0, 0.6, 0)
	low.Rolling, top.AngularVelocity = 0, geom.V(0, 5, 0) // a ball that spins on the spot: nothing stops it
	w.Add(low)
	w.Add(top)
	run(w, 3*clock.Second, nil)
	if m := w.Motion(2); m.AngularVelocity.Len() > 0.1 && w.Awake() != 2 {
		t.Errorf("the ball spins with %.2f rad/s, but %d of 2 are awake", m.AngularVelocity.Len(), w.Awake())
	}
}

// What sleeps is not simulated: its bits stay, and a body that passes far from it does not wake it.
func TestSleepersKeepTheirBits(t *testing.T) {
	w := body.New(floor(t, nil), body.Config{})
	for i := range 4 {
		b := body.NewBox(geom.V(0.2, 0.2, 0.2), 3)
		b.Position = geom.V(0, 0.2+0.4*float64(i), 0)
		w.Add(b)
	}
	run(w, 4*clock.Second, nil)
	if w.Awake() != 0 {
		t.Fatalf("%d awake", w.Awake())
	}
	var before []body.Body
	for id := range w.Len() {
		before = append(before, w.Body(body.ID(id)))
	}
	ball := body.NewBall(0.2, 1)
	ball.Position, ball.Velocity = geom.V(-6, 0.2, 1.5), geom.V(6, 0, 0)
	w.Add(ball)
	run(w, 2*clock.Second, nil)
	for id, b := range before {
		if got := w.Body(body.ID(id)); got != b {
			t.Errorf("body %d: got %+v, was %+v", id, got, b)
		}
	}
}

// A box whose middle is inside a solid of the level, but which still reaches out of it, is pushed out
// on that side.
func TestABoxInsideASolidComesOut(t *testing.T) {
	level := floor(t, func(b *collide.Builder) {
		b.Box(geom.V(0, 1, 0), geom.V(1, 1, 1), geom.IdentityQuat, collide.Surface{})
	})
	for _, from := range []geom.Vec3{{X: 0.85, Y: 1}, {X: -0.9, Y: 1, Z: 0.2}, {Y: 1.9}, {Y: 1, Z: -0.85}} {
		w := body.New(level, body.Config{})
		b := body.NewBox(geom.V(0.2, 0.2, 0.2), 3)
		b.Position = from
		id := w.Add(b)
		fastest := 0.0
		run(w, 4*clock.Second, func(clock.Micros) { fastest = max(fastest, w.Motion(id).Velocity.Len()) })
		p := w.Motion(id).Position
		out := max(math.Abs(p.X), math.Abs(p.Z), p.Y-1)
		if out < 1.19 || fastest > 8 || w.Awake() != 0 {
			t.Errorf("from %v: at %v after 4 s, %.1f m/s at most, %d awake; want it outside and asleep", from, p, fastest, w.Awake())
		}
	}
}

// A ball that flies against a train of the level that comes towards it never gets behind its front,
// at any rate: both move within a step.
func TestABallAgainstATrain(t *testing.T) {
	level := floor(t, func(b *collide.Builder) {
		path := collide.Path{Keys: []collide.Key{{Position: geom.V(40, 1, 0)}, {At: 2 * clock.Second, Position: geom.V(-40, 1, 0)}}}
		b.Mover("train", path, func(b *collide.Builder) {
			b.Box(geom.Vec3{}, geom.V(0.2, 1, 3), geom.IdentityQuat, collide.Surface{})
		})
	})
	for _, hz := range []int{20, 60, 144} {
		for _, radius := range []float64{0.05, 0.2} {
			w := body.New(level, body.Config{Gravity: -1})
			b := body.NewBall(radius, 0.5)
			b.Position, b.Velocity = geom.V(-10, 1, 0), geom.V(30, 0, 0)
			id := w.Add(b)
			for n := range int64(hz * 3 / 2) {
				from, to := clock.TickTime(n, hz), clock.TickTime(n+1, hz)
				w.Step(to-from, from, nil)
				front := 40 - 40*to.Seconds() - 0.2
				if x := w.Motion(id).Position.X; x > front+0.05 {
					t.Fatalf("%d Hz, radius %.2f, %.2f s: the ball is at %.2f, the front at %.2f", hz, radius, to.Seconds(), x, front)
				}
			}
			if v := w.Motion(id).Velocity.X; v > -39 {
				t.Errorf("%d Hz, radius %.2f: %.1f m/s after it was hit, want at least the train's 40 backwards", hz, radius, v)
			}
		}
	}
}

// A capsule that falls on its end with no spin at all may stand or lie; one that leans lies down. A
// ball thrown onto it is not pulled in.
func TestACapsuleThatLeansLiesDown(t *testing.T) {
	for _, lean := range []float64{0.05, 0.3, 1} {
		w := body.New(floor(t, nil), body.Config{})
		c := body.NewCapsule(0.2, 0.8, 5)
		c.Rotation = geom.AxisAngle(geom.V(0, 0, 1), lean)
		c.Position = geom.V(0, 0.2+0.6*math.Cos(lean), 0)
		id := w.Add(c)
		run(w, 8*clock.Second, nil)
		m := w.Motion(id)
		near(t, fmt.Sprintf("leaning by %.2f rad: height, m", lean), m.Position.Y, 0.2, 0.005)
		near(t, "its axis against the vertical", math.Abs(m.Rotation.Rotate(geom.Up).Y), 0, 0.02)
	}
}
