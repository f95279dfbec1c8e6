package movement

import (
	"math"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// clear reports an overlap deeper than 5 mm of a body that was not meant to be
// crushed or stuck.
func (b *body) clear(what string) {
	b.t.Helper()
	for _, e := range b.f.Events() {
		if e.Kind == Crushed || e.Kind == Stuck {
			return
		}
	}
	b.t.Helper()
	var store [32]collide.Contact
	for _, c := range b.w.Contacts(b.m.Capsule(&b.s), 0, store[:0]) {
		if c.Distance < -.005 {
			b.t.Fatalf("%s: %v m inside mover %v, shape %v at %v, platform time %v", what, -c.Distance, c.Mover, c.Shape, b.s.Position, b.w.At)
		}
	}
}

// once is a path from one place to another after d seconds, at v m/s.
func once(from, to geom.Vec3, v, d float64) collide.Path {
	at := 1 + clock.Micros(d*1e6)
	long := clock.Micros(to.Dist(from) / v * 1e6)
	return collide.Path{Keys: []collide.Key{{Position: from}, {At: at, Position: from}, {At: at + long, Position: to}}}
}

func TestPushedByADoor(t *testing.T) { // BAS-02
	for _, hz := range beats {
		for _, mode := range []Mode{Walking, Falling, Flying} {
			b := in(t, 60, geom.V(0, 0, .3), func(b *collide.Builder) {
				slab(b, "door", once(geom.V(-2, 0, 0), geom.V(3, 0, 0), 1.5, .3), geom.V(-.1, 0, -1), geom.V(.1, 3, 1))
			})
			b.s.Mode = mode
			b.pass(hz, 5, func() { b.clear("door") })
			if b.s.Position.X < 3.43 || b.s.Position.X > 3.8 && mode != Flying || b.total[Crushed]+b.total[Stuck] > 0 {
				t.Errorf("%v Hz, mode %v: pushed to %v, %v", hz, mode, b.s.Position, b.total)
			}
		}
	}
}

func TestCrushedByADoor(t *testing.T) { // BAS-02, STP-05, GRD-09
	for _, hz := range beats {
		b := in(t, 60, geom.V(0, 0, 0), func(b *collide.Builder) {
			box(b, geom.V(1, 0, -5), geom.V(1.1, 3, 5), collide.Surface{})
			slab(b, "door", line(geom.V(-2, 0, 0), geom.V(.9, 0, 0), 2, .5), geom.V(-.1, 0, -4), geom.V(.1, 3, 4))
		})
		deep := 0.0
		b.pass(hz, 3, func() {
			b.clear("door")
			for _, e := range b.f.Events() {
				if e.Kind == Crushed {
					deep = max(deep, e.Value)
				}
			}
		})
		if b.total[Crushed] == 0 || b.s.Position.X > .67 || deep < .01 {
			t.Errorf("%v Hz: crushed %v times, %v m deep, at %v; want it before the wall", hz, b.total[Crushed], deep, b.s.Position)
		}
		b.pass(hz, 1.5, nil) // open again
		was := b.s.Position
		b.c.Forward = 1
		b.pass(hz, .5, nil)
		if b.s.Position.Dist(was) < 1.5 || b.s.Mode != Walking {
			t.Errorf("%v Hz: the door is open, walked from %v to %v in mode %v", hz, was, b.s.Position, b.s.Mode)
		}
	}
}

func TestSqueezedOut(t *testing.T) { // BAS-02, STP-05: a closing door whose edge meets the body beside its middle
	for _, hz := range beats {
		b := in(t, 60, geom.V(0, 0, 1.1), func(b *collide.Builder) {
			box(b, geom.V(.4, 0, -5), geom.V(2, 3, 1), collide.Surface{})
			slab(b, "door", line(geom.V(-3, 0, 0), geom.V(.3, 0, 0), 1, .5), geom.V(-.1, 0, -4), geom.V(.1, 3, 1))
		})
		b.pass(hz, 5, func() { b.clear("door") })
		if b.s.Position.Z < 1.3 || b.total[Crushed] > 0 {
			t.Errorf("%v Hz: at %v, %v; want it squeezed out along Z", hz, b.s.Position, b.total)
		}
	}
}

func TestLiftUnderACeiling(t *testing.T) { // BAS-02
	for _, hz := range beats {
		for _, v := range []float64{.5, 3, 20} {
			b := stage(t, hz, geom.V(0, 0, 0), func(b *collide.Builder) {
				box(b, geom.V(-9, 4, -9), geom.V(9, 4.05, 9), collide.Surface{})
				slab(b, "lift", line(geom.V(0, 0, 0), geom.V(0, 3, 0), v, .5), geom.V(-2, -1, -2), geom.V(2, 0, 2))
			})
			b.pass(hz, .5+3/v+.4, func() {
				b.clear("lift")
				if top := b.s.Position.Y + 1.76; top > 4 {
					t.Fatalf("%v Hz, %v m/s: its head is at %v, the ceiling at 4", hz, v, top)
				}
			})
			if b.total[Crushed] == 0 {
				t.Errorf("%v Hz, %v m/s: no event, at %v", hz, v, b.s.Position)
			}
			b.pass(hz, 3/v+.5, nil)
			if b.s.Mode != Walking || b.s.Base.Mover != 1 || b.w.Overlaps(b.m.Capsule(&b.s)) {
				t.Errorf("%v Hz, %v m/s: the lift is down again: %+v", hz, v, b.s)
			}
		}
	}
}

func TestLiftOnTheHead(t *testing.T) { // BAS-02
	for _, hz := range beats {
		b := in(t, 60, geom.V(0, 0, 0), func(b *collide.Builder) {
			slab(b, "lift", line(geom.V(0, 5, 0), geom.V(0, .2, 0), 3, .5), geom.V(-3, 0, -3), geom.V(3, .5, 3))
		})
		b.pass(hz, 2.3, func() { b.clear("lift") })
		if b.total[Crushed] == 0 || b.s.Position.Y < 0 || b.s.Position.Y > .1 {
			t.Errorf("%v Hz: %v, at %v", hz, b.total, b.s.Position)
		}
		b.pass(hz, 2, nil)
		if b.s.Mode != Walking || b.w.Overlaps(b.m.Capsule(&b.s)) {
			t.Errorf("%v Hz: the lift is up again: %+v", hz, b.s)
		}
	}
}

func TestHitByATrain(t *testing.T) { // BAS-02: nothing passes, however fast and whatever the frame time
	for _, hz := range []float64{8, 30, 60, 240, 0} {
		for _, mode := range []Mode{Walking, Falling, Flying} {
			for _, x := range []float64{0, .7, 1.1} {
				b := in(t, max(hz, 8), geom.V(x, 0, 0), func(b *collide.Builder) {
					slab(b, "train", once(geom.V(0, .2, -30), geom.V(0, .2, 60), 20, 0), geom.V(-1, 0, -4), geom.V(1, 3, 0))
				})
				b.s.Mode = mode
				ahead := true
				b.pass(hz, 3, func() {
					b.clear("train")
					ahead = ahead && b.s.Position.Z > b.w.Pose(1).Translation.Z
				})
				if x < 1 && !ahead || b.total[Crushed] > 0 {
					t.Errorf("%v Hz, mode %v, %v m beside its middle: at %v, train at %v, %v", hz, mode, x, b.s.Position, b.w.Pose(1).Translation, b.total)
				}
			}
		}
	}
}

func TestLiftStartsUnder(t *testing.T) { // BAS-01, BAS-02: level with the floor at first
	for _, hz := range beats {
		for _, x := range []float64{0, 1.5} {
			b := stage(t, hz, geom.V(x, 0, 0), func(b *collide.Builder) {
				box(b, geom.V(2, -1, -9), geom.V(9, 0, 9), collide.Surface{})
				slab(b, "lift", once(geom.V(0, 0, 0), geom.V(0, 5, 0), 3, .5), geom.V(-2, -1, -2), geom.V(2, 0, 2))
			})
			b.pass(hz, 3, func() { b.clear("lift") })
			if b.s.Mode != Walking || math.Abs(b.s.Position.Y-5-midFloor) > .003 {
				t.Errorf("%v Hz from %v: %+v, %v", hz, x, b.s, b.total)
			}
		}
	}
}

func TestCaughtByALift(t *testing.T) { // JMP-05: one that comes up under a faller is landed on
	for _, hz := range beats {
		b := stage(t, hz, geom.V(0, 6, 0), func(b *collide.Builder) {
			slab(b, "lift", once(geom.V(0, 0, 0), geom.V(0, 60, 0), 12, .1), geom.V(-2, -1, -2), geom.V(2, 0, 2))
		})
		b.s.Mode = Falling
		b.pass(hz, 1.5, func() { b.clear("lift") })
		if b.s.Mode != Walking || b.s.Base.Mover != 1 || b.total[Landed] != 1 || math.Abs(b.last[Landed]-16.85) > .05 {
			t.Errorf("%v Hz: %v, impact %v, %+v", hz, b.total, b.last[Landed], b.s)
		}
	}
}

func TestDrivenThroughAnArch(t *testing.T) { // BAS-02: the level holds a rider back, the train goes on under it
	for _, hz := range beats {
		b := stage(t, hz, geom.V(0, 0, 0), func(b *collide.Builder) {
			box(b, geom.V(6, 1, -9), geom.V(6.2, 9, 9), collide.Surface{})
			slab(b, "train", once(geom.V(0, 0, 0), geom.V(20, 0, 0), 5, .5), geom.V(-15, -1, -2), geom.V(5, 0, 2))
		})
		b.pass(hz, 3.5, func() { b.clear("arch") })
		if x := b.s.Position.X; x > 5.7 || x < 5.5 || b.s.Base.Mover != 1 || b.total[Crushed] > 0 || b.s.Mode != Walking {
			t.Errorf("%v Hz: %+v, %v; want it held by the arch", hz, b.s, b.total)
		}
	}
}

func TestTurnstile(t *testing.T) { // BAS-02: an arm that turns pushes along, and out
	for _, hz := range beats {
		b := in(t, 60, geom.V(2, 0, .8), func(b *collide.Builder) {
			slab(b, "arm", turning(geom.Vec3{}, 1.5), geom.V(-3, 0, -.1), geom.V(3, 2, .1))
		})
		b.pass(hz, 6, func() { b.clear("arm") })
		if b.total[Crushed]+b.total[Stuck] > 0 || b.s.Position.Flat(geom.Up).Len() < 2.2 {
			t.Errorf("%v Hz: at %v, %v", hz, b.s.Position, b.total)
		}
	}
}

func TestSwingingGate(t *testing.T) { // BAS-02: a thin gate about any axis never passes through a character
	for _, hz := range beats {
		for _, axis := range []geom.Vec3{{Y: 1}, geom.V(.3, 1, 0).Unit(), geom.V(0, 1, .5).Unit()} {
			b := in(t, 60, geom.V(1.5, 0, 1), func(b *collide.Builder) {
				path := collide.Path{Axis: axis, Keys: []collide.Key{{Position: geom.V(0, .2, 0)}, {At: 400 * clock.Millisecond, Position: geom.V(0, .2, 0), Angle: -2.6}}}
				slab(b, "gate", path, geom.V(.05, 0, -.02), geom.V(3, 3, .02))
			})
			b.pass(hz, 1, func() { b.clear("gate") })
			at := b.w.Pose(1).ApplyInverse(b.s.Position.Add(geom.V(0, .88, 0)))
			if at.Z < 0 && at.X < 2.6 && at.Y > 0 || b.total[Crushed]+b.total[Stuck] > 0 {
				t.Errorf("%v Hz, about %v: at %v, %v behind the gate, %v", hz, axis, b.s.Position, at, b.total)
			}
		}
	}
}
