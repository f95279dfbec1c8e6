package movement

import (
	"math"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

func TestImpulsesAndForces(t *testing.T) { // PRF-04, GAP-31
	m := DefaultModel()
	s := State{Mode: Falling}
	m.AddImpulse(&s, geom.V(0, 500, 0))
	m.AddForce(&s, geom.V(0, 1000, 0))
	if s.Impulse != geom.V(0, 5, 0) || s.Force != geom.V(0, 10, 0) {
		t.Errorf("100 kg: got +%v m/s and %v m/s², want 5 and 10", s.Impulse, s.Force)
	}
	s = State{}
	m.AddImpulse(&s, geom.V(0, 500, 0))
	m.AddForce(&s, geom.V(0, 500, 0))
	if s != (State{}) {
		t.Errorf("mode None took a push: %+v", s)
	}
	m.Mass = 0
	if m.Check() == nil {
		t.Error("a mass of 0 passes Check")
	}
}

// begun returns a walker after Begin of one 60 Hz move on the flat.
func begun(t *testing.T, s State) *body {
	b := in(t, 60, geom.V(0, 0, 0), nothing)
	b.run(.1)
	s.Position, s.Floor = b.s.Position, b.s.Floor
	b.s = s
	b.f.Begin(&b.m, &b.s, &b.c, b.dt, &b.w)
	return b
}

func TestPushesAreApplied(t *testing.T) { // PRF-05
	b := begun(t, State{Mode: Walking, Velocity: geom.V(1, 0, 0), Impulse: geom.V(.5, 0, 0), Force: geom.V(6, 0, 0)})
	if d := b.s.Velocity.Sub(geom.V(1.6, 0, 0)).Len(); d > 1e-5 || !b.s.Impulse.IsZero() || !b.s.Force.IsZero() || b.s.Mode != Walking {
		t.Errorf("got %+v, want 1.6 m/s along X and nothing pending", b.s)
	}
}

func TestLiftOff(t *testing.T) { // PRF-06, GAP-32
	for _, c := range []struct {
		impulse, force float64
		want           Mode
	}{{0, 9.8, Walking}, {0, 9.8001, Falling}, {.01, 0, Walking}, {.0101, 0, Falling}, {.17, 0, Falling}, {-5, 0, Walking}} {
		for _, hz := range rates {
			b := in(t, hz, geom.V(0, 0, 0), nothing)
			b.run(.1)
			b.s.Impulse, b.s.Force = geom.V(0, c.impulse, 0), geom.V(0, c.force, 0)
			b.f.Begin(&b.m, &b.s, &b.c, b.dt, &b.w)
			if b.s.Mode != c.want {
				t.Errorf("impulse %v, force %v at %v Hz: got mode %v want %v", c.impulse, c.force, hz, b.s.Mode, c.want)
			}
		}
	}
}

func TestLaunchReplacesVelocity(t *testing.T) { // PRF-07, PRF-01
	s := State{Mode: Walking, Velocity: geom.V(6, 0, 0), Impulse: geom.V(0, 5, 0)}
	s.LaunchAt(geom.V(0, 8, 0))
	b := begun(t, s)
	if b.s.Velocity != geom.V(0, 8, 0) || b.s.Mode != Falling || !b.s.Launch.IsZero() || !b.s.Impulse.IsZero() || !b.s.ForceFloor {
		t.Errorf("got %+v, want 8 m/s up, Falling, nothing pending", b.s)
	}
}

func TestModeNoneHoldsStill(t *testing.T) { // PRF-02
	s := State{Velocity: geom.V(3, 0, 0), Impulse: geom.V(5, 0, 0), Launch: geom.V(0, 1, 0)}
	b := in(t, 60, geom.V(0, 0, 0), nothing)
	b.s = s
	b.c.Forward = 1
	b.step()
	if !b.s.Position.IsZero() || !b.s.Impulse.IsZero() || !b.s.Launch.IsZero() || b.f.Queries != 0 {
		t.Errorf("got %+v after %v queries, want it to hold still with nothing pending", b.s, b.f.Queries)
	}
}

func TestNoTimeNoMove(t *testing.T) { // PRF-10, GRD-01
	b := in(t, 60, geom.V(0, 0, 0), nothing)
	b.run(.1)
	was := b.s
	b.c = Command{Forward: 1, Jump: true, Crouch: true}
	b.dt = 0
	b.step()
	if b.s != was {
		t.Errorf("a duration of 0 changed %+v to %+v", was, b.s)
	}
	b.dt, b.c = 1, Command{Forward: 1}
	b.step()
	if b.s.Velocity.IsZero() {
		t.Errorf("a microsecond does nothing")
	}
}

func TestTeleportLooksForTheFloorOnce(t *testing.T) { // PRF-03, PRF-01, GAP-57
	b := in(t, 60, geom.V(0, 0, 0), func(b *collide.Builder) {
		box(b, geom.V(90, 0, -9), geom.V(110, 1, 9), collide.Surface{})
	})
	b.run(.1)
	b.s.Teleport(geom.V(100, 1.0215, 0))
	b.step()
	if b.f.Queries != 3 || b.s.ForceFloor || b.s.Mode != Walking {
		t.Errorf("got %v queries, ForceFloor %v, mode %v; want an overlap and a floor asked for besides the one of standing", b.f.Queries, b.s.ForceFloor, b.s.Mode)
	}
	b.step()
	if b.f.Queries != 1 {
		t.Errorf("standing still costs %v queries, want 1", b.f.Queries)
	}
	b.s.Teleport(geom.V(100, 3, 0))
	b.step()
	if b.s.Mode != Falling {
		t.Errorf("teleported into the air: mode %v, want Falling", b.s.Mode)
	}
}

func TestVanishedFloor(t *testing.T) { // GRD-05, GRD-17
	b := in(t, 60, geom.V(0, 5, 0), func(b *collide.Builder) {
		box(b, geom.V(-1, 4, -1), geom.V(1, 5, 1), collide.Surface{})
	})
	b.run(.2)
	if b.s.Mode != Walking {
		t.Fatal("does not stand")
	}
	b.w = in(t, 60, geom.Vec3{}, nothing).w
	b.step()
	if b.s.Mode != Falling {
		t.Errorf("the floor vanished under a body at rest: mode %v, want Falling", b.s.Mode)
	}
}

func TestInputBecomesAcceleration(t *testing.T) { // INP-06, INP-07, INP-08, INP-04, SRV-07
	m := DefaultModel()
	for _, c := range []struct {
		cmd    Command
		want   geom.Vec3
		analog float64
	}{
		{Command{Forward: 1}, geom.V(0, 0, -20.48), 1},
		{Command{Right: 1}, geom.V(20.48, 0, 0), 1},
		{Command{Forward: 1, Right: 1}, geom.V(14.48155, 0, -14.48155), 1},
		{Command{Forward: .6, Right: .8}, geom.V(16.384, 0, -12.288), 1},
		{Command{Forward: .5}, geom.V(0, 0, -10.24), .5},
		{Command{Forward: 1, Yaw: math.Pi / 2}, geom.V(-20.48, 0, 0), 1},
		{Command{Forward: 1, Pitch: math.Pi / 4}, geom.V(0, 0, -20.48), 1},
		{Command{}, geom.Vec3{}, 0},
	} {
		var f StepContext
		s := State{Mode: Falling}
		f.Begin(&m, &s, &c.cmd, clock.Millisecond, &collide.WorldAt{World: new(collide.World)})
		near(t, "acceleration", f.Acceleration, c.want)
		if math.Abs(f.Analog-c.analog) > 1e-12 || s.Yaw != c.cmd.Yaw || s.Pitch != c.cmd.Pitch {
			t.Errorf("%+v: analog %v want %v; facing %v, %v", c.cmd, f.Analog, c.analog, s.Yaw, s.Pitch)
		}
	}
}

func TestHorizontalVelocity(t *testing.T) { // GRD-03
	for _, c := range []struct {
		keep bool
		want float64
	}{{true, 3}, {false, 3.04138}} {
		m := DefaultModel()
		m.MaintainHorizontal, m.GroundFriction, m.BrakingDeceleration = c.keep, 0, 0
		f := StepContext{Body: Body{State: &State{Velocity: geom.V(3, .5, 0), Mode: Walking}, Model: &m, Up: geom.Up}, Command: new(Command)}
		near(t, "made horizontal", f.groundVelocity(1.0/60), geom.V(c.want, 0, 0))
	}
}

func TestRefundOfAnInterruptedSlice(t *testing.T) { // GRD-15
	f := StepContext{Body: Body{State: &State{Mode: Walking, Position: geom.V(.04, 0, 0)}, Model: new(Model), Up: geom.Up}}
	walker{&f}.walkOff(geom.V(.1, 0, 0), .02)
	if math.Abs(f.Remaining-.012) > 1e-15 || f.Mode != Falling {
		t.Errorf("got %v s back in mode %v, want 0.012 Falling", f.Remaining, f.Mode)
	}
}

func TestModelCheck(t *testing.T) {
	m := DefaultModel()
	if err := m.Check(); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(){
		"Radius": func() { m.Radius = 0 }, "StepHeight": func() { m.StepHeight = -1 },
		"MaxWalkSpeed": func() { m.MaxWalkSpeed = math.NaN() }, "CrouchedHalfHeight": func() { m.CrouchedHalfHeight = .3 },
		"Gravity": func() { m.Gravity = math.Inf(1) }, "MaxJumps": func() { m.MaxJumps = 256 },
	} {
		m = DefaultModel()
		change()
		bad, ok := m.Check().(*BadTunable)
		if !ok || bad.Name != name {
			t.Errorf("got %v, want it to name %s", m.Check(), name)
		}
	}
}

func TestPushesOnBodies(t *testing.T) { // BAS-07: touching pushes along the move within PushForce, standing presses by weight
	for _, hz := range rates {
		b := in(t, hz, geom.V(0, 0, 3), func(b *collide.Builder) {
			slab(b, "crate", collide.Path{}, geom.V(-1, 0, -1), geom.V(1, 1, 1))
		})
		b.c.Forward = 1
		b.run(.2)
		if len(b.f.Pushes()) != 0 {
			t.Errorf("%v Hz: pushes on the way: %+v", hz, b.f.Pushes())
		}
		b.run(1)
		limit := b.m.PushForce * b.dt.Seconds()
		p := b.f.Pushes()
		if len(p) != 1 || p[0].Target != 1 || p[0].Impulse.Z > -.5*limit || p[0].Impulse.Len() > limit+1e-9 || math.Abs(p[0].Point.Z-1) > .01 {
			t.Errorf("%v Hz: running into it: %+v, want up to %v N·s along −Z", hz, p, limit)
		}
		b.c.Forward = 0
		b.s.Teleport(geom.V(0, 1.02, 0))
		b.run(.1)
		p = b.f.Pushes()
		want := -100 * 9.8 * b.dt.Seconds()
		if len(p) != 1 || math.Abs(p[0].Impulse.Y-want) > 1e-9 || p[0].Impulse.X != 0 || math.Abs(p[0].Point.Y-1) > 1e-3 {
			t.Errorf("%v Hz: standing on it: %+v, want %v N·s down", hz, p, want)
		}
		b.m.StandWeight = .5
		b.step()
		if p = b.f.Pushes(); len(p) != 1 || math.Abs(p[0].Impulse.Y-want/2) > 1e-9 {
			t.Errorf("%v Hz: with half of the weight: %+v", hz, p)
		}
	}
}

func TestNoPushOnTheLevel(t *testing.T) { // BAS-07
	b := in(t, 60, geom.V(0, 0, 3), func(b *collide.Builder) { box(b, geom.V(-1, 0, -1), geom.V(1, 1, 1), collide.Surface{}) })
	b.c.Forward = 1
	b.pass(60, 1, func() {
		if len(b.f.Pushes()) != 0 {
			t.Fatalf("%+v", b.f.Pushes())
		}
	})
}

func TestExplosionLiftsOff(t *testing.T) { // PRF-05, PRF-06
	for _, hz := range rates {
		b := in(t, hz, geom.V(0, 0, 0), nothing)
		b.run(.2)
		b.m.AddImpulse(&b.s, geom.V(0, 470, -425)) // from below and behind
		b.step()
		if b.s.Mode != Falling || b.s.Velocity.Z > -1 {
			t.Errorf("%v Hz: %+v", hz, b.s)
		}
		b.run(2)
		if b.s.Mode != Walking || b.s.Position.Z > -1 || b.total[Landed] != 1 {
			t.Errorf("%v Hz: landed %v times at %v", hz, b.total[Landed], b.s.Position)
		}
	}
}
