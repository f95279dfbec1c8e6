package body_test

import (
	"math"
	"testing"

	"github.com/backstep-net/backstep/body"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// undamped returns a body without damping and rolling resistance, so that formulas of textbooks hold.
func undamped(b body.Body) body.Body {
	b.LinearDamping, b.AngularDamping, b.Rolling = 0, 0, 0
	return b
}

// Two bodies that touch have √(μ₁·μ₂), and a body on the level √(μ·Config.Friction): a box slides
// v²/(2·μ·g) far. Zero friction of the level is that of the body, a negative one none.
func TestFrictionIsTheGeometricMean(t *testing.T) {
	for _, c := range []struct {
		what              string
		of, table, level  float64
		onTable           bool
		wantMu, wantSpeed float64 // the speed that is left, if it never stops
	}{
		{"on a table", 0.4, 0.1, 0, true, 0.2, 0},
		{"on a slippery table", 0.9, 0, 0, true, 0, 2},
		{"on the level", 0.4, 0, 0.1, false, 0.2, 0},
		{"on a level without friction of its own", 0.3, 0, 0, false, 0.3, 0},
		{"on a slippery level", 0.9, 0, -1, false, 0, 2},
	} {
		w := body.New(floor(t, nil), body.Config{Friction: c.level})
		box := undamped(body.NewBox(geom.V(0.2, 0.1, 0.2), 3))
		box.Friction, box.Position, box.Velocity = c.of, geom.V(-2, 0.1, 0), geom.V(2, 0, 0)
		if c.onTable {
			table := body.NewBox(geom.V(5, 0.5, 5), 0) // its mass of 0 is immovable
			table.Friction, table.Position = c.table, geom.V(0, 0.5, 0)
			w.Add(table)
			box.Position.Y = 1.1
		}
		id := w.Add(box)
		run(w, 2*clock.Second, nil)
		m := w.Motion(id)
		if c.wantMu > 0 {
			near(t, c.what+": how far it slid, m", m.Position.X+2, 4/(2*c.wantMu*g), 0.04)
		}
		near(t, c.what+": speed after 2 s, m/s", m.Velocity.X, c.wantSpeed, 0.01)
	}
}

// A ball that slides, with any spin, rolls in the end with 5/7·v + 2/7·ω·r, whatever the friction is:
// its angular momentum about the ground does not change.
func TestSlidingBecomesRolling(t *testing.T) {
	for _, c := range []struct{ speed, spin, friction float64 }{
		{5, 0, 0.3}, {5, 0, 0.8}, {0, 20, 0.5}, {5, -30, 0.5}, {3, -60, 0.4}, {2, 30, 0.6},
	} {
		const r = 0.25
		w := body.New(floor(t, nil), body.Config{})
		b := undamped(body.NewBall(r, 2))
		b.Friction, b.Position = c.friction, geom.V(-20, r, 0)
		b.Velocity, b.AngularVelocity = geom.V(c.speed, 0, 0), geom.V(0, 0, -c.spin) // −Z rolls along +X
		id := w.Add(b)
		run(w, 4*clock.Second, nil)
		m, want := w.Motion(id), 5.0/7*c.speed+2.0/7*c.spin*r
		near(t, "speed in the end, m/s", m.Velocity.X, want, 0.02+0.01*math.Abs(want))
		near(t, "spin × radius, m/s", -m.AngularVelocity.Z*r, m.Velocity.X, 0.01)
		near(t, "sideways, m/s", m.Velocity.Z, 0, 1e-6)
	}
}

// Balls and capsules roll down an incline with g·sin θ/(1 + I/(m·r²)): a ball is faster than a
// capsule of the same radius, whose mass is farther from its axis.
func TestRollingDownAnInclineByTheInertia(t *testing.T) {
	const angle, r = 0.2, 0.2
	for name, b := range map[string]body.Body{"ball": body.NewBall(r, 2), "capsule": body.NewCapsule(r, 0.8, 2)} {
		w := body.New(tilted(angle), body.Config{})
		b = undamped(b)
		b.Position = geom.V(r*math.Sin(angle), r*math.Cos(angle), 0)
		b.Rotation = geom.AxisAngle(geom.V(1, 0, 0), math.Pi/2) // a capsule lies across the slope
		id := w.Add(b)
		run(w, 2*clock.Second, nil)
		a := g * math.Sin(angle) / (1 + b.Inertia().Y/(b.Mass*r*r))
		near(t, name+": speed after 2 s, m/s", w.Motion(id).Velocity.Len(), 2*a, 0.02*2*a)
	}
}

// Damping is v' = −d·v, at any rate: exp(−d·t) is left of both velocities.
func TestDampingIsExponential(t *testing.T) {
	for _, hz := range []int{20, 60, 240} {
		w := body.New(nil, body.Config{Gravity: -1})
		b := body.NewBall(0.2, 1)
		b.LinearDamping, b.AngularDamping = 0.5, 1.5
		b.Velocity, b.AngularVelocity = geom.V(10, 0, 0), geom.V(0, 10, 0)
		id := w.Add(b)
		for n := range int64(2 * hz) {
			from, to := clock.TickTime(n, hz), clock.TickTime(n+1, hz)
			w.Step(to-from, from, nil)
		}
		near(t, "speed left after 2 s, m/s", w.Motion(id).Velocity.X, 10*math.Exp(-1), 0.02)
		near(t, "spin left after 2 s, rad/s", w.Motion(id).AngularVelocity.Y, 10*math.Exp(-3), 0.02)
	}
}

// The larger restitution of ball and level counts. A ball slower than BounceSpeed stays down, or
// every heap would tremble for ever.
func TestRestitutionOfTheLevelAndItsLeastSpeed(t *testing.T) {
	for _, c := range []struct {
		what              string
		of, level, slower float64
		drop, want        float64 // metres
	}{
		{"the level's counts", 0.1, 0.7, 0, 1, 0.49},
		{"the ball's counts", 0.7, 0.1, 0, 1, 0.49},
		{"slower than 0.5 m/s", 0.9, 0, 0, 0.01, 0},
		{"slower than a limit of 6 m/s", 0.9, 0, 6, 1, 0},
		{"faster than a limit of 4 m/s", 0.5, 0, 4, 1, 0.25},
	} {
		w := body.New(floor(t, nil), body.Config{Restitution: c.level, BounceSpeed: c.slower})
		b := undamped(body.NewBall(0.2, 1))
		b.Restitution, b.Position = c.of, geom.V(0, 0.2+c.drop, 0)
		id := w.Add(b)
		fell, highest := false, 0.0
		run(w, 3*clock.Second/2, func(clock.Micros) {
			m := w.Motion(id)
			if fell = fell || m.Velocity.Y > 0 || m.Position.Y < 0.201; fell {
				highest = max(highest, m.Position.Y-0.2)
			}
		})
		near(t, c.what+": height of the bounce, m", highest, c.want, 0.015)
	}
}

// An impulse changes the velocity by J/m and the spin by I⁻¹·(r × J), once.
func TestImpulseByTheTextbook(t *testing.T) {
	w := body.New(nil, body.Config{Gravity: -1})
	b := undamped(body.NewBox(geom.V(0.3, 0.2, 0.5), 4))
	b.Position = geom.V(1, 2, 3)
	id := w.Add(b)
	arm, impulse := geom.V(0.3, 0.1, -0.4), geom.V(2, -3, 1)
	w.Impulse(id, b.Position.Add(arm), impulse)
	m, turn, i := w.Motion(id), arm.Cross(impulse), b.Inertia()
	near(t, "velocity off by, m/s", m.Velocity.Dist(impulse.Div(4)), 0, 1e-12)
	near(t, "spin off by, rad/s", m.AngularVelocity.Dist(geom.V(turn.X/i.X, turn.Y/i.Y, turn.Z/i.Z)), 0, 1e-12)
	table := b
	table.Mass = 0
	fixed := w.Add(table)
	w.Impulse(fixed, b.Position, impulse)
	w.Impulse(id, b.Position, geom.V(math.NaN(), 0, 0))
	w.Impulse(999, b.Position, impulse)
	if w.Motion(fixed).Velocity != (geom.Vec3{}) || w.Motion(id) != m {
		t.Error("an impulse on an immovable body, of NaN or on no body changed a velocity")
	}
}

// A board of mass 0 that moves carries a box on it by friction, and pushes one in its way: no force
// changes its own velocity, the level's neither.
func TestKinematicBodyCarriesAndPushes(t *testing.T) {
	level := floor(t, func(b *collide.Builder) {
		b.Box(geom.V(6, 0.5, 0), geom.V(0.2, 0.5, 5), geom.IdentityQuat, collide.Surface{})
	})
	w := body.New(level, body.Config{})
	board := body.NewBox(geom.V(2, 0.1, 2), 0)
	board.Position, board.Velocity = geom.V(0, 0.3, 0), geom.V(1.5, 0, 0)
	rider, ahead := body.NewBox(geom.V(0.2, 0.2, 0.2), 5), body.NewBox(geom.V(0.3, 0.3, 0.3), 50)
	rider.Position, ahead.Position = geom.V(-1, 0.6, 0), geom.V(2.8, 0.3, 0)
	b, r, a := w.Add(board), w.Add(rider), w.Add(ahead)
	run(w, 2*clock.Second, nil)
	near(t, "the board's way, m", w.Motion(b).Position.X, 3, 0.001)
	near(t, "the rider's speed, m/s", w.Motion(r).Velocity.X, 1.5, 0.02)
	near(t, "the rider's height, m", w.Motion(r).Position.Y, 0.6, 0.01)
	if x := w.Motion(a).Position.X; x < 3+2+0.3-0.05 {
		t.Errorf("the box ahead is at %.2f m, inside the board", x)
	}
	run(w, 2*clock.Second, nil)
	near(t, "the board's way, through the wall, m", w.Motion(b).Position.X, 6, 0.001)
}

// A volume that says which way is up turns gravity: a ball falls to the wall there. Outside it
// falls to the floor.
func TestAVolumeTurnsGravity(t *testing.T) {
	level := floor(t, func(b *collide.Builder) {
		b.Box(geom.V(5, 2, 0), geom.V(0.5, 6, 8), geom.IdentityQuat, collide.Surface{})
		b.VolumeBox(collide.Volume{Up: geom.V(-1, 0, 0)}, geom.V(2, 6, 0), geom.V(3, 4, 3), geom.IdentityQuat)
	})
	w := body.New(level, body.Config{})
	in, out := body.NewBall(0.2, 1), body.NewBall(0.2, 1)
	in.Position, out.Position = geom.V(1, 5, 0), geom.V(-3, 5, 0)
	i, o := w.Add(in), w.Add(out)
	run(w, 5*clock.Second, nil)
	near(t, "inside: metres from the wall's place", w.Motion(i).Position.Dist(geom.V(4.3, 5, 0)), 0, 0.05)
	near(t, "outside: metres from the floor's place", w.Motion(o).Position.Dist(geom.V(-3, 0.2, 0)), 0, 0.05)
}

// Without a density of water nothing floats and nothing is slowed.
func TestWithoutWaterNothingFloats(t *testing.T) {
	level := floor(t, func(b *collide.Builder) {
		b.VolumeBox(collide.Volume{Water: true}, geom.V(0, 4, 0), geom.V(8, 4, 8), geom.IdentityQuat)
	})
	w := body.New(level, body.Config{Water: -1})
	b := undamped(body.NewBall(0.3, 1))
	b.Position = geom.V(0, 6, 0)
	id := w.Add(b)
	run(w, clock.Second, nil)
	near(t, "speed of the fall after a second, m/s", -w.Motion(id).Velocity.Y, g, 0.01)
}

// A body with limits gets no faster than they say, whatever hits it, throws it or sets it; one
// without them is as fast as ever. Its hash tells the two apart.
func TestABodyKeepsItsSpeedLimits(t *testing.T) {
	for _, c := range []struct {
		what             string
		speed, spin      float64
		wantMax, wantSet float64 // m/s
	}{
		{"limits of 6 m/s and 3 rad/s", 6, 3, 6, 6},
		{"none", 0, 0, body.MaxSpeed, 90},
		{"a limit above the world's", 500, 500, body.MaxSpeed, 90},
	} {
		w := body.New(floor(t, nil), body.Config{})
		b := body.NewBall(0.2, 0.5)
		b.MaxSpeed, b.MaxSpin = c.speed, c.spin
		b.Position = geom.V(1, 0.2, 0)
		id := w.Add(b)
		w.Impulse(id, geom.V(1, 0.35, 0), geom.V(1e4, 0, 0))
		if m := w.Motion(id); m.Velocity.Len() > c.wantMax*1.0001 || m.Velocity.Len() < c.wantMax*0.9999 {
			t.Errorf("%s: %.2f m/s after a huge impulse, want %.2f", c.what, m.Velocity.Len(), c.wantMax)
		}
		w.Set(id, body.Motion{Position: geom.V(0, 0.2, 0), Velocity: geom.V(0, 0, 90)})
		if m := w.Motion(id); math.Abs(m.Velocity.Len()-c.wantSet) > 0.001 {
			t.Errorf("%s: set to 90 m/s it has %.2f, want %.2f", c.what, m.Velocity.Len(), c.wantSet)
		}
		for k := range clock.Micros(60) {
			p := person(1, 20*(k*tick).Seconds()-3, 20)
			p.Bounce = 1
			w.Step(tick, k*tick, []body.Pusher{p})
			if m := w.Motion(id); m.Velocity.Len() > c.wantMax*1.0001 || c.spin == 3 && m.AngularVelocity.Len() > 3.0001 {
				t.Fatalf("%s: %.2f m/s and %.2f rad/s in tick %d", c.what, m.Velocity.Len(), m.AngularVelocity.Len(), k)
			}
		}
	}
	plain, limited := body.New(nil, body.Config{}), body.New(nil, body.Config{})
	b := body.NewBall(0.2, 0.5)
	plain.Add(b)
	b.PushedBy = 1
	limited.Add(b)
	if plain.Hash() == limited.Hash() {
		t.Error("a world whose body only one group pushes has the hash of one that all push")
	}
}

// The kick of a ball and the bounce of a pusher are one property from either side: the larger counts.
func TestTheLargerOfKickAndBounceCounts(t *testing.T) {
	speed := func(kick, bounce float64) float64 {
		w := body.New(floor(t, nil), body.Config{})
		b := body.NewBall(0.2, 0.5)
		b.Kick, b.Position = kick, geom.V(1, 0.2, 0)
		id, fastest := w.Add(b), 0.0
		for k := range clock.Micros(30) {
			p := person(1, 3*(k*tick).Seconds(), 3)
			p.Bounce = bounce
			w.Step(tick, k*tick, []body.Pusher{p})
			fastest = max(fastest, w.Motion(id).Velocity.Len())
		}
		return fastest
	}
	for _, c := range []struct{ kick, bounce float64 }{{0, 0.5}, {0.5, 0}, {0.5, 0.2}, {0.1, 0.5}} {
		if got, want := speed(c.kick, c.bounce), speed(0, 0.5); got != want {
			t.Errorf("kick %v and bounce %v: %.3f m/s, want %.3f", c.kick, c.bounce, got, want)
		}
	}
	if soft, hard := speed(0, 0), speed(0.5, 0); hard < 1.3*soft {
		t.Errorf("a kick of 0.5 makes %.2f m/s of %.2f", hard, soft)
	}
}

// A body that one group may push is moved by that group alone: others walk through it, and do not
// touch it.
func TestOnlyTheGroupsOfABodyPushIt(t *testing.T) {
	const red, blue = 1, 2
	for _, c := range []struct {
		what         string
		by, of       uint8
		want, wakeUp bool
	}{
		{"everybody's ball", 0, 0, true, true},
		{"everybody's ball, a red player", 0, red, true, true},
		{"red's ball, a red player", red, red, true, true},
		{"red's ball, a blue player", red, blue, false, false},
		{"red's ball, nobody's player", red, 0, false, false},
		{"both teams' ball, a blue player", red | blue, blue, true, true},
	} {
		w := body.New(floor(t, nil), body.Config{})
		b := body.NewBall(0.2, 0.5)
		b.PushedBy, b.Position, b.Asleep = c.by, geom.V(1, 0.2, 0), true
		id, touched := w.Add(b), 0
		for k := range clock.Micros(60) {
			p := person(7, 3*(k*tick).Seconds(), 3)
			p.Groups = c.of
			w.Step(tick, k*tick, []body.Pusher{p})
			touched += len(w.Touches())
		}
		if moved := w.Motion(id).Position.X > 1.1; moved != c.want || touched > 0 != c.want || w.Motion(id).Asleep == c.wakeUp {
			t.Errorf("%s: moved %v, %d touches, asleep %v; want moved %v", c.what, moved, touched, w.Motion(id).Asleep, c.want)
		}
	}
}
