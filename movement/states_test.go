package movement

import (
	"math"
	"math/rand"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// Sprint counts where the input points ahead, within the cone; faster acceleration comes with it.
func TestSprintIsAhead(t *testing.T) { // INP-10
	for _, c := range []struct {
		what           string
		forward, right float64
		cone           float64
		want           bool
	}{
		{"ahead", 1, 0, math.Pi / 3, true},
		{"a diagonal", 1, 1, math.Pi / 3, true},
		{"a diagonal, in a cone of just 45°", 1, -1, math.Pi / 4, true},
		{"a diagonal, in a cone of 44°", 1, 1, 44 * math.Pi / 180, false},
		{"aside", 0, 1, math.Pi / 3, false},
		{"back", -1, 0, math.Pi / 3, false},
		{"back, in a cone of π", -1, 0, math.Pi, true},
		{"ahead, in a cone of zero", 1, 0, 0, true},
		{"a little aside, in a cone of zero", 1, 1. / 127, 0, false},
	} {
		m, s := DefaultModel(), State{Mode: Walking}
		m.MaxSprintSpeed, m.SprintCone = 9, c.cone
		if got := m.Sprints(&s, &Command{Sprint: true, Forward: c.forward, Right: c.right}); got != c.want {
			t.Errorf("%s: sprints %v, want %v", c.what, got, c.want)
		}
	}
	m, s := DefaultModel(), State{Mode: Walking}
	m.MaxSprintSpeed = 9
	if !m.Sprints(&s, &Command{Sprint: true, Forward: -1, Request: geom.V(0, 0, 3)}) {
		t.Error("a request of path following does not sprint")
	}
}

func TestSprintAcceleration(t *testing.T) { // INP-10
	everyRate(t, func(what string, hz float64, dice func() *rand.Rand) {
		for _, c := range []struct{ factor, want float64 }{{1, .4 * 20.48}, {.5, .4 * 10.24}, {0, 0}} {
			b := in(t, hz, geom.V(0, .0215, 0), func(*collide.Builder) {})
			b.m.MaxSprintSpeed, b.m.SprintAccelerationFactor, b.dice = 9, c.factor, dice()
			b.c = Command{Forward: 1, Sprint: true}
			b.run(.4)
			if got, want := b.speed(), c.want*b.now/.4; math.Abs(got-want) > .2 {
				t.Errorf("%s: factor %v: %.3f m/s after %.3f s, want %.3f", what, c.factor, got, b.now, want)
			}
		}
	})
}

// Each limit times the scale; 0 is 1, and below 0 nothing moves by input.
func TestSpeedScale(t *testing.T) { // INP-11
	for _, c := range []struct {
		what    string
		scale   float64
		command Command
		want    float64
	}{
		{"walks", 0, Command{Forward: 1}, 6},
		{"aims", .6, Command{Forward: 1}, 3.6},
		{"hurries", 1.5, Command{Forward: 1}, 9},
		{"is frozen", -1, Command{Forward: 1}, 0},
		{"crouches and aims", .6, Command{Forward: 1, Crouch: true}, 1.8},
		{"sprints with a load", .5, Command{Forward: 1, Sprint: true}, 4.5},
		{"follows a path with a load", .5, Command{Request: geom.V(0, 0, -6)}, 3},
	} {
		b := in(t, 60, geom.V(0, .0215, 0), func(*collide.Builder) {})
		b.m.MaxSprintSpeed, b.m.MinAnalogSpeed = 9, .5
		b.s.SpeedScale, b.c = c.scale, c.command
		b.run(2)
		if got := b.speed(); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("a character that %s: %v m/s, want %v", c.what, got, c.want)
		}
		b.s.SpeedScale = -1
		b.run(1)
		if b.speed() != 0 {
			t.Errorf("a character that %s and is frozen then: %v m/s, want 0", c.what, b.speed())
		}
	}
	m, was, is, ahead := DefaultModel(), State{Mode: Walking}, State{Mode: Walking, SpeedScale: .6}, Command{Forward: 1}
	if m.CanCombine(&collide.WorldAt{}, &was, &is, &ahead, &ahead) { // CMB-06
		t.Error("two moves with different scales become one")
	}
}

// The game's own buttons travel, cost nothing while they stay, and keep moves apart.
func TestButtonsOfTheGame(t *testing.T) { // INP-12, CMB-08, CMD-07
	held := Command{Forward: 1, Buttons: 0x81}
	for _, c := range []struct {
		what          string
		before, after Command
		bits          int
	}{
		{"goes on holding", held, held, 1},
		{"presses", Command{Forward: 1}, held, 23},
		{"presses, and sprints", Command{Forward: 1}, Command{Forward: 1, Sprint: true, Buttons: 2}, 23},
		{"releases, and swims", held, Command{Forward: 1, Up: 1}, 42},
		{"sprints and holds on", held, Command{Forward: 1, Sprint: true, Buttons: 0x81}, 13},
	} {
		var buf [64]byte
		p := bits.NewWriter(buf[:])
		c.after.Pack(&p, &c.before)
		got, read := p.Bits(), Command{}
		p.Read(p.Bytes())
		read.Pack(&p, &c.before)
		if p.End(); got != c.bits || p.Err() != nil || read != c.after {
			t.Errorf("a character that %s: %d bits, read %+v (%v); want %d bits and %+v", c.what, got, read, p.Err(), c.bits, c.after)
		}
	}
	m, s, free := DefaultModel(), State{Mode: Walking}, Command{Forward: 1}
	if m.CanCombine(&collide.WorldAt{}, &s, &s, &free, &held) {
		t.Error("a press is lost in a longer move")
	}
}

// A body of the game's own height goes where that fits, and grows only where there is room.
func TestAHeightOfTheGamesOwn(t *testing.T) { // BAS-14
	b := in(t, 60, geom.V(0, .0215, 0), func(b *collide.Builder) {
		box(b, geom.V(-2, .75, -6), geom.V(2, 1, -2), collide.Surface{}) // a gap of 0.75 m
	})
	set := func(half float64) bool {
		b.f.Begin(&b.m, &b.s, &b.c, 0, &b.w)
		return b.f.SetHalfHeight(half)
	}
	b.c = Command{Forward: 1}
	b.run(2)
	if b.s.Position.Z < -2 {
		t.Fatal("walks through")
	}
	eye := b.m.Eye(&b.s).Y - b.s.Position.Y
	if !set(.35) || math.Abs(eye-b.m.Eye(&b.s).Y+b.s.Position.Y-2*(.88-.35)) > 1e-9 {
		t.Errorf("the eye %v m up, lying %v", eye, b.m.Eye(&b.s).Y-b.s.Position.Y)
	}
	b.run(.5)
	if under := b.s.Position; under.Z > -2.5 || under.Z < -5.5 || b.inside() {
		t.Fatalf("got to %v, inside %v; want beneath the roof", under, b.inside())
	}
	low := b.s
	if set(0) || set(.5) || b.s != low {
		t.Error("grows into the roof")
	}
	b.c.Crouch = true
	b.step()
	if b.s.Crouched {
		t.Error("the stance changed: a height of its own holds it")
	}
	b.c.Crouch = false
	b.run(.7)
	if !set(0) || b.s.HalfHeight != 0 || b.inside() {
		t.Errorf("out at %v: does not grow", b.s.Position)
	}
	if b.s.HalfHeight = .01; b.m.Capsule(&b.s).A != b.m.Capsule(&b.s).B {
		t.Error("lower than its radius")
	}
}

// A body that coasts keeps the velocity that its game gave it, and walks on: up steps, along
// walls, off ledges.
func TestCoasting(t *testing.T) { // GRD-20
	b := in(t, 60, geom.V(0, 1.0215, 0), func(b *collide.Builder) {
		box(b, geom.V(-5, 0, -5), geom.V(5, 1, 5), collide.Surface{})
		box(b, geom.V(-5, 1, -4), geom.V(5, 1.3, -2), collide.Surface{})
	})
	b.step()
	b.s.Velocity = geom.V(0, 0, -8)
	for range 90 {
		b.f.Begin(&b.m, &b.s, &Command{Right: 1}, b.dt, &b.w)
		b.f.Coast = b.s.Mode == Walking
		for b.f.Running() {
			b.f.Advance()
		}
		for _, e := range b.f.Events() {
			b.total[e.Kind]++
		}
		if b.s.Mode == Walking && b.total[WalkedOff] == 0 && b.total[Stepped] == 0 && b.s.Velocity != geom.V(0, 0, -8) {
			t.Fatalf("%v m/s at %v, want 8 as the game set it", b.s.Velocity, b.s.Position)
		}
	}
	if b.total[Stepped] == 0 || b.total[WalkedOff] != 1 || b.total[Landed] != 1 {
		t.Errorf("got events %v, at %v; want a step, one way off the ledge and a landing", b.total, b.s.Position)
	}
	b.step()
	if b.f.Coast {
		t.Error("goes on coasting in the next move")
	}
}
