package movement

import (
	"math"
	"math/rand"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// lake is water 30 m wide and 20 deep below height 0, with a beach that rises at 20°
// towards +X, a bank 0.3 m above the water at −Z and one of 0.6 m at +Z.
func lake(b *collide.Builder) {
	water := collide.Volume{Name: "lake", Water: true}
	if err := b.VolumeBox(water, geom.V(0, -10, 0), geom.V(15, 10, 15), geom.IdentityQuat); err != nil {
		panic(err)
	}
	box(b, geom.V(-40, -25, -40), geom.V(40, -20, 40), collide.Surface{})
	box(b, geom.V(-40, -20, -40), geom.V(40, .3, -15), collide.Surface{})
	box(b, geom.V(-40, -20, 15), geom.V(40, .6, 40), collide.Surface{})
	b.Ramp(geom.V(8, -2, 0), 60, 7.279404685324047, 20, -math.Pi/2, collide.Surface{})
}

// newSwimmer returns a swimmer in the lake with its feet at at.
func newSwimmer(t *testing.T, hz float64, at geom.Vec3) *body {
	b := level()
	lake(b)
	s := inOnly(t, hz, at, b)
	s.s.Mode = Falling
	return s
}

func TestFloatingComesToRest(t *testing.T) { // VOL-02, VOL-01, GAP-55
	everyRate(t, func(what string, hz float64, dice func() *rand.Rand) {
		for _, c := range []struct {
			buoyancy, from, level float64 // of the feet
		}{
			{1, -.9, -1.76}, {1, -1.5, -1.76}, {1, -1.76, -1.76}, {1, -8, -8},
			{1.25, -.9, -1.408}, {1.25, -1.76, -1.408}, {2, -.95, -.88}, {2, -1.7, -.88},
		} {
			b := newSwimmer(t, hz, geom.V(0, c.from, 0))
			b.dice, b.m.Buoyancy = dice(), c.buoyancy
			b.run(5)
			if got := b.s.Position.Y; math.Abs(got-c.level) > .05 || b.s.Mode != Swimming {
				t.Errorf("%s, buoyancy %v from %v: after 5 s at %v in mode %v, want its level %v", what, c.buoyancy, c.from, got, b.s.Mode, c.level)
			}
			b.run(60)
			if got := b.s.Position.Y; math.Abs(got-c.level) > .05 || b.total[EnteredWater] != 1 || b.total[LeftWater] != 0 {
				t.Errorf("%s, buoyancy %v from %v: after 60 s more at %v, entered %v times and left %v", what, c.buoyancy, c.from, got, b.total[EnteredWater], b.total[LeftWater])
			}
		}
	})
}

func TestLightAndHeavyBodies(t *testing.T) { // VOL-02
	for _, hz := range rates {
		b := newSwimmer(t, hz, geom.V(0, -3, 0))
		b.m.Buoyancy = .9
		b.run(60)
		if got := b.s.Position.Y; math.Abs(got+20) > .01 || b.s.Mode != Swimming {
			t.Errorf("%v Hz, buoyancy 0.9: at %v, want it to sink to the ground", hz, got)
		}
		b.m.Buoyancy = 1.2
		b.run(60)
		if got := b.s.Position.Y; math.Abs(got+1.76/1.2) > .05 || b.s.Mode != Swimming || b.total[LeftWater] != 0 {
			t.Errorf("%v Hz, buoyancy 1.2: at %v, left the water %v times, want it to come up and stay", hz, got, b.total[LeftWater])
		}
	}
}

func TestFallingIntoWater(t *testing.T) { // VOL-01, GRD-15
	everyRate(t, func(what string, hz float64, dice func() *rand.Rand) {
		b := newSwimmer(t, hz, geom.V(0, 4.12, 0)) // its middle 5 m above the water
		b.dice = dice()
		for b.s.Mode == Falling {
			b.frame()
		}
		if got, want := b.last[EnteredWater], math.Sqrt(2*9.8*5); math.Abs(got-want) > .03 {
			t.Errorf("%s: came into the water at %v m/s, want %v", what, got, want)
		}
		b.run(4)
		if b.total[EnteredWater] != 1 || b.total[LeftWater] != 0 || b.s.Mode != Swimming || b.s.Position.Y > -2 {
			t.Errorf("%s: %v times in and %v out, at %v", what, b.total[EnteredWater], b.total[LeftWater], b.s.Position)
		}
	})
}

func TestADiveIsTheSameAtEveryRate(t *testing.T) { // GRD-15: the time left goes on as swimming
	var deep []float64
	for _, hz := range rates {
		b := newSwimmer(t, hz, geom.V(0, 9.12, 0)) // its middle 10 m above the water
		b.run(3)
		deep = append(deep, b.s.Position.Y)
	}
	for i, d := range deep {
		if math.Abs(d-deep[3]) > .25 {
			t.Errorf("%v Hz: %v m deep, at 240 Hz %v", rates[i], d, deep[3])
		}
	}
	t.Log(deep)
}

func TestSwimmingAlongTheView(t *testing.T) { // VOL-02, INP-04
	for _, hz := range rates {
		for _, c := range []struct {
			cmd  Command
			want geom.Vec3
		}{
			{Command{Forward: 1}, geom.V(0, 0, -3)},
			{Command{Forward: 1, Pitch: -math.Pi / 4}, geom.V(0, -3*math.Sqrt(.5), -3*math.Sqrt(.5))},
			{Command{Up: -1}, geom.V(0, -3, 0)},
			{Command{Forward: .5}, geom.V(0, 0, -1.5)},
		} {
			b := newSwimmer(t, hz, geom.V(0, -6, 0))
			b.c = c.cmd
			b.run(1.5)
			if v := b.s.Velocity; v.Dist(c.want) > .02 || b.s.Mode != Swimming {
				t.Errorf("%v Hz, %+v: swims at %v, want %v", hz, c.cmd, v, c.want)
			}
		}
	}
}

func TestSwimmersStayInTheWater(t *testing.T) { // VOL-02
	everyRate(t, func(what string, hz float64, dice func() *rand.Rand) {
		for _, c := range []Command{{Up: 1}, {Forward: 1, Pitch: .5}, {Forward: 1, Pitch: 1.5}, {Up: .3}} {
			for _, buoyancy := range []float64{.8, 1, 1.3, 2} {
				b := newSwimmer(t, hz, geom.V(-10, -1.5, 14))
				b.dice, b.c, b.m.Buoyancy = dice(), c, buoyancy
				b.run(7)
				if b.total[LeftWater] != 0 || b.s.Position.Y < -2 {
					t.Errorf("%s, %+v, buoyancy %v: left the water %v times, at %v", what, c, buoyancy, b.total[LeftWater], b.s.Position)
				}
			}
		}
	})
}

func TestALightBodyBreachesOnce(t *testing.T) { // VOL-01, VOL-02
	for _, hz := range rates {
		b := newSwimmer(t, hz, geom.V(-10, -15, 0))
		b.m.Buoyancy = 2
		b.run(30)
		if b.total[LeftWater] != 1 || b.total[EnteredWater] != 2 || math.Abs(b.s.Position.Y+.88) > .05 {
			t.Errorf("%v Hz: from 15 m deep: out %v times, in %v, at %v", hz, b.total[LeftWater], b.total[EnteredWater], b.s.Position)
		}
	}
}

func TestClimbingOutOfTheWater(t *testing.T) { // VOL-02
	everyRate(t, func(what string, hz float64, dice func() *rand.Rand) {
		for _, c := range []struct {
			what     string
			yaw      float64
			buoyancy float64
			out      bool
		}{
			{"a bank of 0.3 m", 0, 1, true}, {"a bank of 0.3 m, askew", .6, 1, true},
			{"a bank of 0.3 m, head out", 0, 1.3, true},
			{"a bank of 0.6 m", math.Pi, 1, false},
		} {
			b := newSwimmer(t, hz, geom.V(-8, -1.7, -14*math.Cos(c.yaw)))
			b.dice, b.m.Buoyancy = dice(), c.buoyancy
			b.run(1)
			b.c.Forward, b.c.Yaw = 1, c.yaw
			b.run(4)
			if out := b.s.Mode == Walking && math.Abs(b.s.Position.Y-.3-midFloor) < .01; out != c.out {
				t.Errorf("%s, %s: at %v in mode %v, out %v times; want it out: %v", what, c.what, b.s.Position, b.s.Mode, b.total[LeftWater], c.out)
			}
			if c.out && (b.total[LeftWater] != 1 || b.total[EnteredWater] != 1) {
				t.Errorf("%s, %s: out %v times, in %v", what, c.what, b.total[LeftWater], b.total[EnteredWater])
			}
		}
	})
}

func TestTheBeach(t *testing.T) { // VOL-01, GRD-15: in and out once each, wading walks
	everyRate(t, func(what string, hz float64, dice func() *rand.Rand) {
		b := newSwimmer(t, hz, geom.V(14, .6, 0))
		b.dice = dice()
		b.run(.5)
		if b.s.Mode != Walking {
			t.Fatalf("%s: not on the beach: %v", what, b.s.Position)
		}
		b.c.Right = -1
		waded := 0.0
		for b.s.Mode == Walking && b.now < 5 {
			if b.frame(); b.s.Mode == Walking {
				waded = b.s.Position.Y
			}
		}
		if b.s.Mode != Swimming || waded > -.6 {
			t.Errorf("%s: in mode %v, waded as deep as %v, want to where its middle is under", what, b.s.Mode, waded)
		}
		b.run(2)
		b.c.Right = 1
		b.run(4.5)
		if b.s.Mode != Walking || b.s.Position.Y < 0 || b.total[EnteredWater] != 1 || b.total[LeftWater] != 1 {
			t.Errorf("%s: at %v in mode %v after %v times in and %v out", what, b.s.Position, b.s.Mode, b.total[EnteredWater], b.total[LeftWater])
		}
	})
}

func TestStandingInShallowWater(t *testing.T) { // VOL-01, BAS-03
	for _, c := range []struct {
		depth  float64
		crouch bool
		want   Mode
	}{{.2, false, Walking}, {.89, false, Walking}, {.85, true, Walking}, {.95, false, Swimming}, {1.5, false, Swimming}} {
		for _, hz := range rates {
			b := in(t, hz, geom.V(0, .03, 0), func(b *collide.Builder) {
				b.VolumeBox(collide.Volume{Water: true}, geom.V(0, c.depth-5, 0), geom.V(9, 5, 9), geom.IdentityQuat)
			})
			b.c.Crouch = c.crouch
			b.run(20)
			if b.s.Mode != c.want || b.total[EnteredWater] > 1 || b.total[LeftWater] > 0 || b.s.Crouched != c.crouch {
				t.Errorf("%v m deep at %v Hz, crouched %v: mode %v, in %v times, out %v, want %v", c.depth, hz, b.s.Crouched, b.s.Mode, b.total[EnteredWater], b.total[LeftWater], c.want)
			}
		}
	}
}

func TestNoFlipFlopAtAnyDepth(t *testing.T) { // VOL-01
	for depth := .7; depth < 1.3; depth += .017 {
		b := in(t, 60, geom.V(0, .03, 0), func(b *collide.Builder) {
			b.VolumeBox(collide.Volume{Water: true}, geom.V(0, depth-5, 0), geom.V(9, 5, 9), geom.IdentityQuat)
		})
		r := rand.New(rand.NewSource(1))
		for range 1800 {
			if r.Intn(20) == 0 {
				b.c.Crouch, b.c.Forward, b.c.Right = r.Intn(2) == 0, 2*r.Float64()-1, 2*r.Float64()-1
			}
			if p := b.s.Position; math.Abs(p.X) > 6 || math.Abs(p.Z) > 6 {
				b.c.Forward, b.c.Right = geom.Clamp(p.Z, -1, 1), geom.Clamp(-p.X, -1, 1)
			}
			b.step()
		}
		if b.total[EnteredWater]+b.total[LeftWater] > 3 {
			t.Errorf("%v m deep: in %v times and out %v in 30 s", depth, b.total[EnteredWater], b.total[LeftWater])
		}
	}
}

func TestFluidsOfTheirOwn(t *testing.T) { // VOL-01, VEL-09, JMP-04
	for _, c := range []struct {
		friction, want float64 // how far 3 m/s glide in 20 s: drag and braking are three times the friction
	}{{0, 3 / (3 * .3)}, {1, 1}, {5, .2}} {
		var b collide.Builder
		b.VolumeBox(collide.Volume{Water: true, Friction: c.friction}, geom.Vec3{}, geom.V(50, 50, 50), geom.IdentityQuat)
		s := inOnly(t, 240, geom.Vec3{}, &b)
		s.s.Mode, s.s.Velocity = Swimming, geom.V(3, 0, 0)
		s.run(20)
		if got := s.s.Position.X; math.Abs(got/c.want-1) > .02 {
			t.Errorf("friction %v: glides %v m, want %v", c.friction, got, c.want)
		}
	}
	var b collide.Builder
	b.VolumeBox(collide.Volume{TerminalSpeed: 5}, geom.Vec3{}, geom.V(50, 50, 50), geom.IdentityQuat)
	b.VolumeBox(collide.Volume{TerminalSpeed: 8, Priority: -1}, geom.Vec3{}, geom.V(90, 90, 90), geom.IdentityQuat)
	s := inOnly(t, 60, geom.V(0, 40, 0), &b)
	s.s.Mode = Falling
	if s.run(3); s.s.Velocity.Y != -5 {
		t.Errorf("thick air: falls at %v, want 5 m/s", s.s.Velocity.Y)
	}
	if s.run(30); s.s.Velocity.Y != -40 {
		t.Errorf("below it: falls at %v, want 40 m/s", s.s.Velocity.Y)
	}
}

func TestCrouchingUnderWater(t *testing.T) { // BAS-03, PRF-08
	b := newSwimmer(t, 60, geom.V(0, -6, 0))
	b.s.Crouched, b.s.Mode, b.c.Crouch = true, Swimming, true
	b.step()
	if b.s.Crouched || math.Abs(b.s.Position.Y+6.48) > .01 {
		t.Errorf("in open water: crouched %v at %v, want it to stand up around its middle", b.s.Crouched, b.s.Position)
	}
	b.s = Spawn(geom.V(0, 6, 0), 0)
	b.s.Mode, b.s.Crouched = Flying, true
	if b.step(); b.s.Crouched {
		t.Error("crouches in flight")
	}
}

func TestJumpPads(t *testing.T) { // VOL-01: volumes that launch
	pads := func(b *collide.Builder) {
		b.VolumeBox(collide.Volume{Launch: geom.V(0, 9, -3)}, geom.V(0, .1, -5), geom.V(1, .1, 1), geom.IdentityQuat)
		b.VolumeBox(collide.Volume{Launch: geom.V(8, 6, 0)}, geom.V(20, .5, 0), geom.V(1, .5, 1), geom.IdentityQuat)
	}
	everyRate(t, func(what string, hz float64, dice func() *rand.Rand) {
		b := in(t, hz, geom.V(0, 0, 0), pads)
		b.dice, b.c.Forward = dice(), 1
		for b.total[Boosted] == 0 && b.now < 3 {
			b.frame()
		}
		b.c.Forward = 0
		high := 0.0
		for b.total[Landed] == 0 && b.now < 9 {
			b.frame()
			high = max(high, b.s.Position.Y)
		}
		if b.total[Boosted] != 1 || math.Abs(b.last[Boosted]-math.Sqrt(90)) > 1e-9 || math.Abs(high-81/19.6) > .05 {
			t.Errorf("%s: boosted %v times to %v m/s, %v m high, want once and %v", what, b.total[Boosted], b.last[Boosted], high, 81/19.6)
		}
		b.s = Spawn(geom.V(20, 3, 0), 0)
		b.s.Mode = Falling
		b.total = map[EventKind]int{}
		b.run(1.2)
		if b.total[Boosted] != 1 || math.Abs(b.s.Velocity.X-8) > 1e-9 || b.s.Position.X < 22 {
			t.Errorf("%s: fell into a pad: boosted %v times, at %v with %v", what, b.total[Boosted], b.s.Position, b.s.Velocity)
		}
		b.s = Spawn(geom.V(20, .03, 0), 0)
		b.s.Mode, b.s.Velocity = Falling, geom.V(0, 4, 0)
		b.total = map[EventKind]int{}
		b.dice, b.dt = nil, 5000
		b.step()
		if b.total[Boosted] != 0 {
			t.Errorf("%s: boosted on the way up", what)
		}
		b.s = Spawn(geom.V(20, .03, 0), 0)
		b.s.Mode = Flying
		b.run(.1)
		if b.total[Boosted] != 0 {
			t.Errorf("%s: boosted in flight", what)
		}
	})
}

// Thrown out of the water and fallen back, a body has left it once and come in twice;
// on the way up it does not swim (PRF-07, VOL-01).
func TestLaunchedOutOfTheWater(t *testing.T) {
	for _, hz := range rates {
		b := newSwimmer(t, hz, geom.V(0, -1.5, 0))
		b.run(.3)
		b.s.LaunchAt(geom.V(0, 12, 0))
		b.step()
		if b.s.Mode != Falling || b.total[LeftWater] != 1 {
			t.Errorf("%v Hz: in mode %v, left the water %v times", hz, b.s.Mode, b.total[LeftWater])
		}
		b.run(8)
		if b.s.Mode != Swimming || b.total[LeftWater] != 1 || b.total[EnteredWater] != 2 {
			t.Errorf("%v Hz: in mode %v, out %v times, in %v", hz, b.s.Mode, b.total[LeftWater], b.total[EnteredWater])
		}
	}
}

func TestKillVolumes(t *testing.T) { // BAS-06, ENT-04
	b := in(t, 60, geom.Vec3{}, func(b *collide.Builder) {
		b.VolumeBox(collide.Volume{Kill: true}, geom.V(0, -50, 0), geom.V(200, 40, 200), geom.IdentityQuat)
		b.VolumeSphere(collide.Volume{Kill: true}, geom.Sphere{Centre: geom.V(9, 1, 0), Radius: .5})
	})
	for _, c := range []struct {
		at   geom.Vec3
		want bool
	}{{geom.V(0, 0, 0), false}, {geom.V(0, -10.5, 0), true}, {geom.V(9, 0, 0), true}, {geom.V(9.8, 0, 0), true}, {geom.V(9.9, 0, 0), false}} {
		s := Spawn(c.at, 0)
		if got := b.m.Killed(&b.w, &s); got != c.want {
			t.Errorf("at %v: got %v want %v", c.at, got, c.want)
		}
	}
}

func TestSwimmersReplayFromAPackedState(t *testing.T) { // PRF-14
	r := rand.New(rand.NewSource(3))
	b := newSwimmer(t, 60, geom.V(0, 2, 0))
	for i := range 3000 {
		wander(r, &b.c)
		b.c.Pitch, b.c.Up = r.Float64()-.5, 2*r.Float64()-1
		b.c.Quantise()
		b.dt = clock.Micros(1000 + r.Intn(100000))
		again := b.s
		var f StepContext
		b.step()
		Step(&b.m, &again, &b.c, b.dt, &b.w, &f)
		if again != b.s {
			t.Fatalf("step %v: %+v and then %+v", i, b.s, again)
		}
		check(b)
		if p := b.s.Position; math.Abs(p.X) > 30 || math.Abs(p.Z) > 30 {
			b.s = Spawn(geom.V(0, 2, 0), 0)
		}
	}
}
