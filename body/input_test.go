package body_test

import (
	"math"
	"testing"

	"github.com/backstep-net/backstep/body"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

// Sizes, masses and materials come from the game's code: wrong ones panic.
func TestInvalidBodiesPanic(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for what, spoil := range map[string]func(b *body.Body){
		"an unknown shape":        func(b *body.Body) { b.Shape = body.Capsule + 1 },
		"a size of NaN":           func(b *body.Body) { b.Half.Y = nan },
		"an infinite mass":        func(b *body.Body) { b.Mass = inf },
		"a negative mass":         func(b *body.Body) { b.Mass = -1 },
		"a negative friction":     func(b *body.Body) { b.Friction = -0.1 },
		"a restitution of NaN":    func(b *body.Body) { b.Restitution = nan },
		"a negative resistance":   func(b *body.Body) { b.Rolling = -1 },
		"an infinite damping":     func(b *body.Body) { b.LinearDamping = inf },
		"a negative spin damping": func(b *body.Body) { b.AngularDamping = -1 },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", what)
				}
			}()
			b := body.NewBall(0.2, 1)
			spoil(&b)
			body.New(nil, body.Config{}).Add(b)
		}()
	}
}

// Motions may come from a network: what is not finite or out of range is clamped.
func TestMotionsAreClamped(t *testing.T) {
	nan, huge := math.NaN(), 1e300
	w := body.New(nil, body.Config{Gravity: -1})
	id := w.Add(body.NewBox(geom.V(0, 0.3, -1), 1))
	if half := w.Body(id).Half; half != geom.V(0.01, 0.3, 0.01) {
		t.Errorf("sizes %v, want at least 1 cm", half)
	}
	for _, c := range []struct{ give, want body.Motion }{
		{body.Motion{Position: geom.V(nan, 1, 1), Velocity: geom.V(1, nan, 0), AngularVelocity: geom.V(0, 0, math.Inf(1))}, body.Motion{}},
		{body.Motion{Velocity: geom.V(huge, 0, 0), AngularVelocity: geom.V(0, -huge, 0)},
			body.Motion{Velocity: geom.V(body.MaxSpeed, 0, 0), AngularVelocity: geom.V(0, -body.MaxSpin, 0)}},
		{body.Motion{Rotation: geom.Quat{X: huge, W: huge}}, body.Motion{}},
		{body.Motion{Rotation: geom.Quat{W: -3}}, body.Motion{Rotation: geom.Quat{W: -1}}},
		{body.Motion{Velocity: geom.V(1, 2, 3), AngularVelocity: geom.V(1, 0, 0), Asleep: true}, body.Motion{Asleep: true}},
	} {
		if c.want.Rotation == (geom.Quat{}) {
			c.want.Rotation = geom.IdentityQuat
		}
		w.Set(id, c.give)
		if got := w.Motion(id); got != c.want {
			t.Errorf("set to %+v: got %+v, want %+v", c.give, got, c.want)
		}
	}
	w.Set(id, body.Motion{Velocity: geom.V(1, 0, 0)})
	w.Step(tick, 0, nil)
	if x := w.Motion(id).Position.X; x <= 0 {
		t.Errorf("a body that was set awake again is at %v after a step", x)
	}
}

// IDs are the lowest that are free. A full world gives 0, and an ID that is not used is no body for
// any method.
func TestIDs(t *testing.T) {
	w := body.New(nil, body.Config{})
	ball := body.NewBall(0.1, 1)
	for want := body.ID(1); want <= body.MaxBodies; want++ {
		ball.Position.X = float64(want)
		if got := w.Add(ball); got != want {
			t.Fatalf("body %d has the ID %d", want, got)
		}
	}
	if got := w.Add(ball); got != 0 {
		t.Errorf("one more than fits has the ID %d, want 0", got)
	}
	w.Remove(7)
	w.Remove(7)
	w.Remove(5000)
	w.Set(7, body.Motion{Position: geom.V(1, 1, 1)})
	if w.Has(7) || w.Motion(7) != (body.Motion{}) || w.Body(7) != (body.Body{}) || w.Has(0) || w.Has(5000) {
		t.Errorf("after Remove: has %v, body %+v", w.Has(7), w.Body(7))
	}
	if got := w.Add(ball); got != 7 {
		t.Errorf("the next body has the ID %d, want the free 7", got)
	}
	if n := w.Len(); n != body.MaxBodies+1 {
		t.Errorf("Len %d, want %d", n, body.MaxBodies+1)
	}
}

// A step of no time changes nothing, one of more than a second is one second.
func TestLengthsOfSteps(t *testing.T) {
	fresh := func() (*body.World, body.ID) {
		w := body.New(floor(t, nil), body.Config{})
		b := body.NewBall(0.2, 1)
		b.Position, b.Velocity = geom.V(0, 3, 0), geom.V(2, 0, 0)
		return w, w.Add(b)
	}
	w, _ := fresh()
	before := w.Hash()
	w.Step(0, 0, nil)
	w.Step(-clock.Second, 0, nil)
	if w.Hash() != before {
		t.Error("a step of no time changed the world")
	}
	long, _ := fresh()
	w.Step(clock.Second, 0, nil)
	long.Step(clock.Second*3600, 0, nil)
	if w.Hash() != long.Hash() {
		t.Error("a step of an hour is not one of a second")
	}
}

// person is a pusher at a place along X, walking along +X.
func person(id uint16, x, speed float64) body.Pusher {
	return body.Pusher{ID: id, Capsule: geom.Upright(geom.V(x, 0.9, 0), geom.Up, 0.35, 0.9), Velocity: geom.V(speed, 0, 0)}
}

// A pusher pushes with its Force and no more: friction holds a box that is heavier. A body of mass 0
// is never moved.
func TestAPusherHasALimitedForce(t *testing.T) {
	for _, c := range []struct {
		what          string
		mass, force   float64
		least, atMost float64 // metres that it is pushed in 2 s
	}{
		{"100 kg, the usual force", 100, 0, 2, 5},
		{"1,000 kg, the usual force", 1000, 0, 0, 0.05},
		{"1,000 kg, 20 kN", 1000, 20000, 2, 5},
		{"20 kg, 20 N", 20, 20, 0, 0.05},
		{"immovable", 0, 20000, 0, 0},
	} {
		w := body.New(floor(t, nil), body.Config{})
		b := body.NewBox(geom.V(0.4, 0.4, 0.4), c.mass)
		b.Position = geom.V(1, 0.4, 0)
		id := w.Add(b)
		for k := range clock.Micros(120) {
			p := person(1, 2*(k*tick).Seconds(), 2)
			p.Force = c.force
			w.Step(tick, k*tick, []body.Pusher{p})
		}
		if way := w.Motion(id).Position.X - 1; way < c.least-0.005 || way > c.atMost {
			t.Errorf("%s: pushed by %.3f m, want %v … %v", c.what, way, c.least, c.atMost)
		}
	}
}

// A ball leaves a kick with 1 + Bounce times the speed of the foot. A pusher of no height, a ball
// that moves by itself, kicks as well.
func TestAKickByItsBounce(t *testing.T) {
	for _, bounce := range []float64{0, 0.5, 1} {
		for _, tall := range []bool{true, false} {
			w := body.New(floor(t, nil), body.Config{})
			b := undamped(body.NewBall(0.2, 0.4))
			b.Friction, b.Position = 0, geom.V(0.7, 0.2, 0)
			id := w.Add(b)
			fastest := 0.0
			for k := range clock.Micros(20) {
				p := person(1, 5*(k*tick).Seconds(), 5)
				if p.Bounce = bounce; !tall {
					at := geom.V(5*(k*tick).Seconds(), 0.2, 0)
					p.Capsule = geom.Capsule{A: at, B: at, Radius: 0.35}
				}
				w.Step(tick, k*tick, []body.Pusher{p})
				fastest = max(fastest, w.Motion(id).Velocity.X)
			}
			near(t, "speed of the ball, m/s", fastest, 5*(1+bounce), 0.3)
		}
	}
}

// Of more than 256 pushers the rest do not count, and equal ones touch a body once.
func TestManyPushers(t *testing.T) {
	w := body.New(floor(t, nil), body.Config{})
	for i := range 2 {
		b := body.NewBall(0.2, 1)
		b.Position = geom.V(float64(i)*10, 0.2, 0.4)
		w.Add(b)
	}
	list := make([]body.Pusher, 300)
	for i := range list {
		list[i] = person(uint16(i), 100, 0)
	}
	list[255], list[256] = person(255, 0, 0), person(256, 10, 0)
	w.Step(3*tick, 0, list)
	if got := w.Touches(); len(got) != 1 || got[0] != (body.Touch{Pusher: 255, Body: 1}) {
		t.Errorf("touches: got %v, want the one of pusher 255", got)
	}
	w.Step(tick, 3*tick, nil)
	if len(w.Touches()) != 0 {
		t.Errorf("without pushers: %v", w.Touches())
	}
}

// A pusher that stands beside a sleeping body lets it sleep; one that walks against it wakes it.
func TestAPusherWakesWhatItWalksAgainst(t *testing.T) {
	w := body.New(floor(t, nil), body.Config{})
	b := body.NewBox(geom.V(0.3, 0.3, 0.3), 10)
	b.Position = geom.V(0.65, 0.3, 0)
	w.Add(b)
	run(w, 2*clock.Second, nil)
	for k := range clock.Micros(60) {
		w.Step(tick, k*tick, []body.Pusher{person(1, 0, 0)})
		if w.Awake() != 0 {
			t.Fatalf("tick %d: awake beside a pusher that stands", k)
		}
	}
	w.Step(tick, 0, []body.Pusher{person(1, 0, 2)})
	if w.Awake() != 1 {
		t.Error("asleep although a pusher walks against it")
	}
}
