package body_test

import (
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/body"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// A lift that goes up 3 m in 3 s and sideways 4 m in the next 4 s carries what stands on it, asleep
// or awake, and nothing sinks in by more than 2 cm.
func TestLiftCarries(t *testing.T) {
	path := collide.Path{Smooth: true, Keys: []collide.Key{
		{At: 0}, {At: 2 * clock.Second}, {At: 5 * clock.Second, Position: geom.V(0, 3, 0)},
		{At: 6 * clock.Second, Position: geom.V(0, 3, 0)}, {At: 10 * clock.Second, Position: geom.V(4, 3, 0)},
		{At: 11 * clock.Second, Position: geom.V(4, 3, 0)},
	}}
	var b collide.Builder
	b.Mover("lift", path, func(b *collide.Builder) {
		b.Box(geom.V(0, -0.1, 0), geom.V(2, 0.1, 2), geom.IdentityQuat, collide.Surface{})
	})
	w := body.New(b.MustBake(), body.Config{})
	box, ball, pill := body.NewBox(geom.V(0.3, 0.3, 0.3), 10), body.NewBall(0.2, 1), body.NewCapsule(0.15, 0.5, 4)
	ball.Rolling = 0.3
	box.Position, ball.Position, pill.Position = geom.V(-1, 0.3, 0), geom.V(0, 0.2, 1), geom.V(0, 0.15, -1)
	pill.Rotation = geom.AxisAngle(geom.V(0, 0, 1), 1.5707963) // along the way
	ids := []body.ID{w.Add(box), w.Add(ball), w.Add(pill)}
	run(w, 13*clock.Second, func(at clock.Micros) {
		low := path.Pose(at).Translation.Y
		for i, id := range ids {
			high := []float64{0.3, 0.2, 0.15}[i]
			if y := w.Motion(id).Position.Y - low - high; y < -0.02 || y > 0.02 {
				t.Fatalf("%.2f s: body %d is %.3f m over the lift, want within 2 cm", at.Seconds(), id, y)
			}
		}
		if at > clock.Second && at < 2*clock.Second && w.Awake() != 0 {
			t.Fatalf("%.2f s: %d awake, want all asleep before the lift goes", at.Seconds(), w.Awake())
		}
	})
	near(t, "how far the box was carried, m", w.Motion(ids[0]).Position.X+1, 4, 0.02)
	near(t, "how far the capsule was carried, m", w.Motion(ids[2]).Position.X, 4, 0.05)
	if w.Awake() != 0 {
		t.Errorf("2 s after the lift stopped: %d awake, want none", w.Awake())
	}
}

// A train that comes at 20 m/s takes a ball along that lies in its way, and none passes
// through it.
func TestTrainHits(t *testing.T) {
	level := floor(t, func(b *collide.Builder) {
		path := collide.Path{Keys: []collide.Key{{Position: geom.V(-30, 1, 0)}, {At: 2 * clock.Second, Position: geom.V(10, 1, 0)}}}
		b.Mover("train", path, func(b *collide.Builder) {
			b.Box(geom.Vec3{}, geom.V(2, 0.9, 2), geom.IdentityQuat, collide.Surface{})
		})
	})
	for _, d := range []clock.Micros{tick, 50 * clock.Millisecond} {
		w := body.New(level, body.Config{})
		ball, box := body.NewBall(0.2, 1), body.NewBox(geom.V(0.25, 0.25, 0.25), 10)
		ball.Position, box.Position = geom.V(0, 0.2, 0.5), geom.V(0, 0.25, -0.7)
		i, j := w.Add(ball), w.Add(box)
		for at := clock.Micros(0); at < 1900*clock.Millisecond; at += d {
			w.Step(d, at, nil)
			front := -30 + 20*(at+d).Seconds() + 2
			for _, id := range []body.ID{i, j} {
				if m := w.Motion(id); m.Position.X < front-0.1 {
					t.Fatalf("%v a tick, %.2f s: body %d is at %.2f, the train's front at %.2f", d, at.Seconds(), id, m.Position.X, front)
				}
			}
		}
		for _, id := range []body.ID{i, j} {
			if m := w.Motion(id); m.Velocity.X < 10 {
				t.Errorf("%v a tick: body %d got %.1f m/s, want it driven on by the train's 20", d, id, m.Velocity.X)
			}
		}
	}
}

// A ball, a box and a capsule between a walking character and a wall are pressed, not shot away:
// none gets faster than the character and 3 m/s, or deeper than 2 cm into the level.
func TestPinnedBodiesAreNotShotOut(t *testing.T) {
	level := floor(t, func(b *collide.Builder) {
		b.Box(geom.V(2.5, 2, 0), geom.V(0.5, 2, 8), geom.IdentityQuat, collide.Surface{})
	})
	for name, b := range map[string]body.Body{
		"ball": body.NewBall(0.2, 1), "box": body.NewBox(geom.V(0.2, 0.2, 0.2), 5), "capsule": body.NewCapsule(0.15, 0.4, 4),
	} {
		w := body.New(level, body.Config{})
		b.Position = geom.V(1.5, 0.4, 0.03)
		id := w.Add(b)
		run(w, clock.Second, nil)
		for k := range clock.Micros(180) {
			x := min(-1+6*float64(k)/60, 1.6) // in the end its front is 5 cm from the wall
			p := body.Pusher{ID: 1, Capsule: geom.Upright(geom.V(x, 0.9, 0), geom.Up, 0.35, 0.9)}
			if x < 1.6 {
				p.Velocity.X = 6
			}
			w.Step(tick, k*tick, []body.Pusher{p})
			m := w.Motion(id)
			if m.Velocity.Len() > 9.5 {
				t.Fatalf("%s, tick %d: got %.1f m/s, want at most 9.5", name, k, m.Velocity.Len())
			}
			if least := min(b.Half.X, b.Half.Y); m.Position.Y < least-0.02 || m.Position.X > 2-least+0.02 {
				t.Fatalf("%s, tick %d: got %v, want no deeper than 2 cm in floor and wall", name, k, m.Position)
			}
		}
	}
}

// Touches are reported by pusher and body, each pair once.
func TestTouchesAreReported(t *testing.T) {
	w := body.New(floor(t, nil), body.Config{})
	for i := range 3 {
		b := body.NewBall(0.2, 1)
		b.Position = geom.V(float64(i)*2, 0.2, 0)
		w.Add(b)
	}
	at := func(x float64) geom.Capsule { return geom.Upright(geom.V(x, 0.9, 0.4), geom.Up, 0.35, 0.9) }
	w.Step(50*clock.Millisecond, 0, []body.Pusher{{ID: 9, Capsule: at(4)}, {ID: 4, Capsule: at(0)}, {ID: 5, Capsule: at(-5)}})
	want := []body.Touch{{Pusher: 4, Body: 1}, {Pusher: 9, Body: 3}}
	got := w.Touches()
	if len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("touches: got %v, want %v", got, want)
	}
}

// A ball lighter than water comes up and floats as deep as it weighs; a heavier one lies on
// the ground.
func TestLightFloats(t *testing.T) {
	level := floor(t, func(b *collide.Builder) {
		b.VolumeBox(collide.Volume{Water: true}, geom.V(0, 2, 0), geom.V(8, 2, 8), geom.IdentityQuat)
	})
	w := body.New(level, body.Config{})
	ball, stone := body.NewBall(0.3, 1), body.NewBall(0.3, 1)
	ball.Mass, stone.Mass = ball.Volume()*500, ball.Volume()*2500
	ball.Position, stone.Position = geom.V(0, 0.5, 0), geom.V(2, 3, 0)
	i, j := w.Add(ball), w.Add(stone)
	run(w, 20*clock.Second, nil)
	near(t, "height of a ball of half the density of water, m", w.Motion(i).Position.Y, 4, 0.02)
	near(t, "height of a stone, m", w.Motion(j).Position.Y, 0.3, 0.01)
	if w.Awake() != 0 {
		t.Errorf("after 20 s: %d awake, want none", w.Awake())
	}
}

// On a planet a ball falls to the middle, wherever it is let go, and comes to rest on the
// ground there.
func TestPlanetPulls(t *testing.T) {
	var b collide.Builder
	b.Box(geom.Vec3{}, geom.V(3, 3, 3), geom.IdentityQuat, collide.Surface{})
	b.VolumeSphere(collide.Volume{Planet: true}, geom.Sphere{Radius: 30})
	level := b.MustBake()
	for _, from := range []geom.Vec3{{X: 6}, {X: -6}, {Y: -6}, {Z: 6}} {
		w := body.New(level, body.Config{})
		x := body.NewBall(0.3, 1)
		x.Position = from
		id := w.Add(x)
		run(w, 6*clock.Second, nil)
		near(t, "metres from where it lands", w.Motion(id).Position.Dist(from.Unit().Mul(3.3)), 0, 0.01)
	}
}

// A sleeping body wakes by an impulse, by Set, by what hits it and by the removal of what is under
// it.
func TestWaking(t *testing.T) {
	for what, do := range map[string]func(w *body.World, low, high body.ID){
		"an impulse":           func(w *body.World, low, high body.ID) { w.Impulse(high, w.Motion(high).Position, geom.V(0, 50, 0)) },
		"a place":              func(w *body.World, low, high body.ID) { w.Set(high, body.Motion{Position: geom.V(3, 3, 3)}) },
		"taking it from under": func(w *body.World, low, high body.ID) { w.Remove(low) },
		"what hits it": func(w *body.World, low, high body.ID) {
			b := body.NewBall(0.2, 3)
			b.Position, b.Velocity = w.Motion(high).Position.Add(geom.V(-1, 0, 0)), geom.V(9, 0, 0)
			w.Add(b)
		},
	} {
		w := body.New(floor(t, nil), body.Config{})
		a, b := body.NewBox(geom.V(0.3, 0.3, 0.3), 5), body.NewBox(geom.V(0.3, 0.3, 0.3), 5)
		a.Position, b.Position = geom.V(0, 0.3, 0), geom.V(0, 0.9, 0)
		low, high := w.Add(a), w.Add(b)
		run(w, 3*clock.Second, nil)
		if w.Awake() != 0 {
			t.Fatalf("before %s: %d awake, want none", what, w.Awake())
		}
		was := w.Motion(high).Position
		do(w, low, high)
		run(w, clock.Second, nil)
		if d := w.Motion(high).Position.Dist(was); d < 0.1 {
			t.Errorf("%s: it moved by %.3f m within a second, want more than 0.1", what, d)
		}
	}
}

// Step allocates nothing once a world has run a while.
func TestStepAllocatesNothing(t *testing.T) {
	w := pit(t, 60)
	for range 10 {
		b := body.NewBox(geom.V(0.2, 0.3, 0.2), 1)
		b.Position = geom.V(0.1, 4, 0.2)
		w.Add(b)
	}
	var s body.SavedState
	pushers := []body.Pusher{{ID: 1, Capsule: geom.Upright(geom.V(0, 0.9, 0), geom.Up, 0.35, 0.9)}}
	for at := range clock.Micros(300) {
		w.Step(tick, at*tick, pushers)
	}
	w.Save(&s)
	if n := testing.AllocsPerRun(20, func() {
		w.Restore(&s)
		w.Impulse(4, w.Motion(4).Position, geom.V(1, 5, 1))
		for at := range clock.Micros(10) {
			w.Step(tick, at*tick, pushers)
		}
		w.Save(&s)
		w.Hash()
	}); n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
}

// A pile of balls, boxes and capsules in a pit sleeps too.
func TestMixedHeapSettles(t *testing.T) {
	for seed := range uint64(4) {
		w := pit(t, 0)
		r := rand.New(rand.NewPCG(seed, 14))
		for i := range 60 {
			b := randomBody(r, 0)
			b.Restitution = min(b.Restitution, 0.3)
			b.Position = geom.V(float64(i%4)/1.5-1, 0.5+float64(i/16), float64(i/4%4)/1.5-1)
			w.Add(b)
		}
		slept := clock.Micros(0)
		for at := clock.Micros(0); at < 30*clock.Second && slept == 0; at += tick {
			if w.Step(tick, at, nil); w.Awake() == 0 {
				slept = at
			}
		}
		t.Logf("seed %d: asleep after %.1f s", seed, slept.Seconds())
		if slept == 0 {
			t.Errorf("seed %d: after 30 s %d of 60 are awake, want none", seed, w.Awake())
		}
	}
}
