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
	"github.com/backstep-net/backstep/internal/figures"
)

// tick is that of a server at 60 Hz.
const tick = clock.Micros(16667)

const g = 9.81

// floor is a level with a floor whose top is at height 0, 100 m square.
func floor(t testing.TB, more func(b *collide.Builder)) *collide.World {
	t.Helper()
	var b collide.Builder
	b.Box(geom.V(0, -1, 0), geom.V(50, 1, 50), geom.IdentityQuat, collide.Surface{})
	if more != nil {
		more(&b)
	}
	return b.MustBake()
}

// tilted is a level with nothing but a plane that falls by an angle towards +X, through
// the origin.
func tilted(angle float64) *collide.World {
	var b collide.Builder
	turn := geom.AxisAngle(geom.V(0, 0, 1), -angle)
	b.Box(turn.Rotate(geom.V(0, -1, 0)), geom.V(200, 1, 20), turn, collide.Surface{})
	return b.MustBake()
}

// run steps the world for a time and calls each, if it is not nil, after every tick.
func run(w *body.World, d clock.Micros, each func(at clock.Micros)) {
	for at := clock.Micros(0); at < d; at += tick {
		w.Step(tick, at, nil)
		if each != nil {
			each(at + tick)
		}
	}
}

// near fails if got is not within a tolerance of want.
func near(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if !(math.Abs(got-want) <= within) {
		t.Errorf("%s: got %.5f, want %.5f ± %.5f", what, got, want, within)
	} else {
		t.Logf("%s: got %.5f, want %.5f ± %.5f", what, got, want, within)
	}
}

// A ball that is thrown in free space follows its parabola, whatever the length of the
// steps.
func TestThrownBallFollowsTheParabola(t *testing.T) {
	for _, hz := range []int64{20, 30, 60, 144, 500} {
		w := body.New(nil, body.Config{})
		b := body.NewBall(0.2, 1)
		b.LinearDamping, b.Velocity = 0, geom.V(5, 8, -2)
		id := w.Add(b)
		at := clock.Micros(0)
		for n := int64(1); n <= 2*hz; n++ {
			next := clock.TickTime(n, int(hz))
			w.Step(next-at, at, nil)
			at = next
		}
		p, s := w.Motion(id).Position, at.Seconds()
		want := geom.V(5*s, 8*s-g/2*s*s, -2*s)
		near(t, "metres from the parabola after 2 s", p.Dist(want), 0, 1e-9)
	}
}

// A ball let go at 2 m bounces to e²·2 m.
func TestBallBouncesByItsRestitution(t *testing.T) {
	for _, e := range []float64{0, 0.3, 0.6, 0.8, 1} {
		w := body.New(floor(t, nil), body.Config{})
		b := body.NewBall(0.2, 1)
		b.LinearDamping, b.Restitution, b.Position = 0, e, geom.V(0.3, 2.2, 0.1)
		id := w.Add(b)
		highest, down := 0.0, false
		run(w, 3*clock.Second/2, func(at clock.Micros) {
			m := w.Motion(id)
			down = down || m.Position.Y < 0.35
			if down {
				highest = max(highest, m.Position.Y-0.2)
			}
		})
		want := max(2*e*e, 0.15) // counted from there
		near(t, "height of the first bounce, m", highest, want, 0.02+0.01*want)
	}
}

// On an incline a ball that grips rolls with 5/7·g·sin θ, and slides with g·(sin θ − μ·cos θ)
// where μ is under 2/7·tan θ.
func TestBallOnAnIncline(t *testing.T) {
	angle := 0.3
	for _, c := range []struct{ friction, want float64 }{
		{0.6, 5.0 / 7 * g * math.Sin(angle)},
		{0.05, g * (math.Sin(angle) - 0.05*math.Cos(angle))},
		{0, g * math.Sin(angle)},
	} {
		w := body.New(tilted(angle), body.Config{})
		b := body.NewBall(0.25, 2)
		b.LinearDamping, b.AngularDamping, b.Rolling, b.Friction = 0, 0, 0, c.friction
		b.Position = geom.V(0.25*math.Sin(angle), 0.25*math.Cos(angle), 0)
		id := w.Add(b)
		run(w, 2*clock.Second, nil)
		m := w.Motion(id)
		near(t, "speed after 2 s, m/s", m.Velocity.Len(), 2*c.want, 0.01*2*c.want)
		if c.friction == 0.6 {
			near(t, "spin × radius, m/s", m.AngularVelocity.Len()*0.25, m.Velocity.Len(), 0.02)
		}
	}
}

// A ball that rolls on a floor with a rolling resistance c slows by 5/7·c·g and stops.
func TestRollingResistanceStopsABall(t *testing.T) {
	w := body.New(floor(t, nil), body.Config{})
	b := body.NewBall(0.11, 0.43)
	b.LinearDamping, b.AngularDamping, b.Rolling = 0, 0, 0.1
	b.Position, b.Velocity, b.AngularVelocity = geom.V(0, 0.11, 0), geom.V(3, 0, 0), geom.V(0, 0, -3/0.11)
	id := w.Add(b)
	run(w, 2*clock.Second, nil)
	near(t, "speed after 2 s, m/s", w.Motion(id).Velocity.Len(), 3-2*5.0/7*0.1*g, 0.03)
	run(w, 6*clock.Second, nil)
	if m := w.Motion(id); !m.Asleep {
		t.Errorf("after 8 s: got %+v, want it asleep", m)
	}
}

// Two balls collide head on: momentum stays, and they part with e times the speed of approach.
func TestHeadOnCollision(t *testing.T) {
	for _, e := range []float64{0, 0.5, 1} {
		w := body.New(nil, body.Config{Gravity: -1})
		a, b := body.NewBall(0.2, 1), body.NewBall(0.3, 3)
		a.LinearDamping, b.LinearDamping = 0, 0
		a.Restitution, b.Restitution = e, e
		a.Position, a.Velocity = geom.V(-2, 0, 0), geom.V(4, 0, 0)
		b.Position, b.Velocity = geom.V(2, 0, 0), geom.V(-2, 0, 0)
		i, j := w.Add(a), w.Add(b)
		run(w, clock.Second, nil)
		p, q := w.Motion(i).Velocity, w.Motion(j).Velocity
		near(t, "momentum, kg·m/s", p.X+3*q.X, 4-6, 1e-9)
		near(t, "speed of parting, m/s", q.X-p.X, 6*e, 1e-6)
		near(t, "sideways, m/s", p.Y+p.Z+q.Y+q.Z, 0, 1e-9)
	}
}

// Balls poured into a pit come to rest, no deeper in each other than a centimetre, and
// sleep.
func TestBallPitSettles(t *testing.T) {
	for _, n := range []int{32, 200} {
		w := pit(t, n)
		slept := clock.Micros(0)
		run(w, 30*clock.Second, func(at clock.Micros) {
			if slept == 0 && w.Awake() == 0 {
				slept = at
			}
		})
		deep := deepest(w)
		figures.Check(t, fmt.Sprint(n), 0.1, "%.1f s after it was dropped, with overlaps of at most %.1f mm", slept.Seconds(), deep*1000)
		if slept == 0 || slept > 15*clock.Second {
			t.Errorf("%d balls: asleep after %.1f s (0: never), %d awake; want by 15 s", n, slept.Seconds(), w.Awake())
		}
		if deep > 0.01 {
			t.Errorf("%d balls: overlap by %.1f mm, want at most 10", n, deep*1000)
		}
	}
}

// pit is a square hole of 3 m with balls above it.
func pit(t testing.TB, n int) *body.World {
	var b collide.Builder
	b.Box(geom.V(0, -1, 0), geom.V(20, 1, 20), geom.IdentityQuat, collide.Surface{})
	for i := range 4 {
		turn := geom.YawQuat(float64(i) * math.Pi / 2)
		b.Box(turn.Rotate(geom.V(0, 1, -2)), geom.V(2.5, 1, 0.5), turn, collide.Surface{})
	}
	w := body.New(b.MustBake(), body.Config{})
	r := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		c := body.NewBall(0.2, 0.5)
		c.Position = geom.V(float64(i%5)/2-1+r.Float64()/20, 0.5+float64(i/25)/2, float64(i/5%5)/2-1)
		w.Add(c)
	}
	return w
}

// deepest returns how far balls overlap at most.
func deepest(w *body.World) float64 {
	deep := 0.0
	for i := 1; i < w.Len(); i++ {
		for j := 1; j < i; j++ {
			a, b := w.Body(body.ID(i)), w.Body(body.ID(j))
			deep = max(deep, a.Half.X+b.Half.X-a.Position.Dist(b.Position))
		}
		deep = max(deep, w.Body(body.ID(i)).Half.X-w.Body(body.ID(i)).Position.Y)
	}
	return deep
}

// A character that runs at 6 m/s kicks a ball along before it.
func TestPusherPushesABall(t *testing.T) {
	w := body.New(floor(t, nil), body.Config{})
	b := body.NewBall(0.11, 0.43)
	b.Position = geom.V(2, 0.11, 0)
	id := w.Add(b)
	run(w, clock.Second, nil)
	if !w.Motion(id).Asleep {
		t.Error("the ball lies on the floor for a second: want it asleep")
	}
	fastest := 0.0
	for k := range clock.Micros(60) {
		at := k * tick
		x := 6 * at.Seconds()
		c := geom.Upright(geom.V(x, 0.9, 0.02), geom.Up, 0.35, 0.9)
		w.Step(tick, at, []body.Pusher{{ID: 7, Capsule: c, Velocity: geom.V(6, 0, 0)}})
		m := w.Motion(id)
		fastest = max(fastest, m.Velocity.Len())
		if m.Position.Y < 0.09 {
			t.Fatalf("tick %d: the ball is at height %.3f, want no deeper than 2 cm in the floor", k, m.Position.Y)
		}
	}
	m := w.Motion(id)
	near(t, "where the ball is after a second, m", m.Position.X, 6+0.46, 0.15)
	near(t, "its fastest, m/s", fastest, 6, 0.3)
	run(w, clock.Second/2, nil) // the character is gone
	near(t, "where it rolled in half a second more, m", w.Motion(id).Position.X, m.Position.X+0.5*6, 0.6)
}
