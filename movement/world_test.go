package movement

import (
	"fmt"
	"math"
	"math/rand"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// rates are the frame rates at which the rows must hold.
var rates = []float64{30, 60, 144, 240}

// body is one character in a world, moved by commands: what the situations of
// these tests have in common.
type body struct {
	t     testing.TB
	m     Model
	s     State
	c     Command
	f     StepContext
	w     collide.WorldAt
	dt    clock.Micros
	dice  *rand.Rand // uneven frames of 1 … 40 ms, if not nil
	total map[EventKind]int
	last  map[EventKind]float64
	now   float64 // seconds stepped

	// up is against gravity in the world, zero for +Y. The tests describe the world
	// and see the State as if it were +Y.
	up    geom.Vec3
	turn  geom.Quat    // from there to the world
	moved clock.Micros // the same, since until began to count
}

// in returns a character at feet, facing −Z, in a world that build describes on
// top of a floor at height 0.
func in(t testing.TB, hz float64, feet geom.Vec3, build func(b *collide.Builder)) *body {
	t.Helper()
	b := level()
	b.Box(geom.V(0, -1, 0), geom.V(200, 1, 200), geom.IdentityQuat, collide.Surface{})
	build(b)
	return inOnly(t, hz, feet, b)
}

// upward is the direction against gravity of the worlds that tests build: all that
// goes through level stands along it. Zero is +Y.
var upward geom.Vec3

// level is a builder for a world that stands along upward.
func level() *collide.Builder {
	b := new(collide.Builder)
	b.SetTransform(geom.Transform{Rotation: orientation(upward)})
	return b
}

// inOnly is in without the floor.
func inOnly(t testing.TB, hz float64, feet geom.Vec3, b *collide.Builder) *body {
	t.Helper()
	w := b.MustBake()
	return &body{
		t: t, m: DefaultModel(), s: Spawn(feet, 0), w: collide.WorldAt{World: w},
		dt: clock.Micros(math.Round(1e6 / hz)), total: map[EventKind]int{}, last: map[EventKind]float64{},
		up: upward, turn: orientation(upward),
	}
}

// everyRate calls test at each of the rates, and with three runs of uneven frames
// (hz 0, from the seed named).
func everyRate(t *testing.T, test func(what string, hz float64, dice func() *rand.Rand)) {
	t.Helper()
	for _, hz := range rates {
		test(fmt.Sprint(hz, " Hz"), hz, func() *rand.Rand { return nil })
	}
	for seed := range int64(3) {
		test(fmt.Sprint("uneven frames, seed ", seed), 60, func() *rand.Rand { return rand.New(rand.NewSource(seed)) })
	}
}

// box adds a box from corner to corner.
func box(b *collide.Builder, lo, hi geom.Vec3, s collide.Surface) {
	b.Box(lo.Add(hi).Mul(.5), hi.Sub(lo).Mul(.5), geom.IdentityQuat, s)
}

// step moves once and checks what must hold after any move: finite, in the band
// when standing, not inside anything by more than 5 mm.
func (b *body) step() {
	b.t.Helper()
	b.stand(b.up, b.turn)
	b.w.At += b.dt
	Step(&b.m, &b.s, &b.c, b.dt, &b.w, &b.f)
	b.stand(geom.Vec3{}, b.turn.Inverse())
	b.now += b.dt.Seconds()
	b.moved += b.dt
	for _, e := range b.f.Events() {
		b.total[e.Kind]++
		b.last[e.Kind] = e.Value
	}
	if !b.s.Position.Finite() || !b.s.Velocity.Finite() {
		b.t.Fatalf("not finite: %+v", b.s)
	}
}

// frame moves once, as uneven as its dice say.
func (b *body) frame() {
	b.t.Helper()
	if b.dice != nil {
		b.dt = clock.Micros(1000 + b.dice.Intn(39000))
	}
	b.step()
}

// run moves for so many seconds.
func (b *body) run(seconds float64) {
	b.t.Helper()
	if b.dice != nil {
		for until := b.now + seconds; b.now < until-.02; {
			b.frame()
		}
		return
	}
	for range int(math.Round(seconds / b.dt.Seconds())) {
		b.step()
	}
}

// stand turns the State, so that it stands along up.
func (b *body) stand(up geom.Vec3, turn geom.Quat) {
	if b.up.IsZero() {
		return
	}
	s := &b.s
	s.Up = up
	for _, v := range []*geom.Vec3{&s.Position, &s.Velocity, &s.Floor.Normal, &s.Impulse, &s.Force, &s.Launch, &s.Base.Position} {
		*v = turn.Rotate(*v)
	}
}

// capsule is the body in the world.
func (b *body) capsule() geom.Capsule {
	b.stand(b.up, b.turn)
	c := b.m.Capsule(&b.s)
	b.stand(geom.Vec3{}, b.turn.Inverse())
	return c
}

// inside reports whether the body overlaps something.
func (b *body) inside() bool { return b.w.Overlaps(b.capsule()) }

// gap returns how far the body could fall before it touches, by a sweep of its
// own.
func (b *body) gap() float64 {
	const far = 2.0
	h, ok := b.w.SweepCapsule(b.capsule(), b.turn.Rotate(geom.V(0, -far, 0)))
	if !ok {
		return far
	}
	return h.Fraction * far
}

func (b *body) speed() float64 { return b.s.Velocity.Flat(geom.Up).Len() }
