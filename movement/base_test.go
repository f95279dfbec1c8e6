package movement

import (
	"math"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// beats are the frame times of these tests: steady ones, and uneven ones.
var beats = []float64{30, 60, 144, 240, 0}

// pace sets the duration of the i-th move; a pace of 0 is uneven, 1 … 50 ms.
func (b *body) pace(hz float64, i int) {
	if hz > 0 {
		b.dt = clock.Micros(math.Round(1e6 / hz))
	} else {
		b.dt = clock.Micros(1000 + (i*7919)%49000)
	}
}

// pass moves for so many seconds at a pace, and calls each after every move.
func (b *body) pass(hz, seconds float64, each func()) {
	b.t.Helper()
	end := b.w.At + clock.Micros(seconds*1e6)
	for i := 0; b.w.At < end; i++ {
		b.pace(hz, i)
		b.step()
		if each != nil {
			each()
		}
	}
}

// stage returns a character at feet in a world of the shapes that build adds: no floor.
func stage(t testing.TB, hz float64, feet geom.Vec3, build func(b *collide.Builder)) *body {
	t.Helper()
	b := level()
	b.Box(geom.V(0, -50, 0), geom.V(300, 1, 300), geom.IdentityQuat, collide.Surface{}) // far below
	build(b)
	if hz == 0 {
		hz = 60
	}
	return inOnly(t, hz, feet, b)
}

// line is a path there and back between two places, at v m/s with d seconds of rest
// at each end.
func line(from, to geom.Vec3, v, d float64) collide.Path {
	long, rest := clock.Micros(to.Dist(from)/v*1e6), clock.Micros(d*1e6)
	p := collide.Path{Loop: true, Keys: []collide.Key{{Position: from}}}
	at := rest
	if rest > 0 {
		p.Keys = append(p.Keys, collide.Key{At: at, Position: from})
	}
	at += long
	p.Keys = append(p.Keys, collide.Key{At: at, Position: to})
	if rest > 0 {
		at += rest
		p.Keys = append(p.Keys, collide.Key{At: at, Position: to})
	}
	p.Keys = append(p.Keys, collide.Key{At: at + long, Position: from})
	return p
}

// turning is a path that turns about an axis at w rad/s for ever.
func turning(axis geom.Vec3, w float64) collide.Path {
	turn := math.Copysign(2*math.Pi, w)
	return collide.Path{Axis: axis, Loop: true, Keys: []collide.Key{{}, {At: clock.Micros(math.Round(2 * math.Pi / math.Abs(w) * 1e6)), Angle: turn}}}
}

// slab adds a mover that is one box.
func slab(b *collide.Builder, name string, path collide.Path, lo, hi geom.Vec3) {
	b.Mover(name, path, func(b *collide.Builder) { box(b, lo, hi, collide.Surface{}) })
}

func TestLiftCarries(t *testing.T) { // BAS-01, FLR-02, GRD-17, GAP-55
	for _, hz := range beats {
		for _, v := range []float64{.1, 3, 20} {
			b := stage(t, hz, geom.V(.3, 0, .2), func(b *collide.Builder) {
				slab(b, "lift", line(geom.V(0, 0, 0), geom.V(0, 8, 0), v, .5), geom.V(-2, -1, -2), geom.V(2, 0, 2))
			})
			b.pass(hz, .2, nil)
			was := b.s.Base
			fell, worst := 0, 0.0
			b.pass(hz, 10, func() {
				if b.s.Mode != Walking {
					fell++
				}
				worst = max(worst, math.Abs(b.gap()-midFloor))
			})
			if fell > 0 || worst > .0026 || b.s.Base != was || was.Mover != 1 {
				t.Errorf("lift at %v m/s, %v Hz: %v frames falling, gap off by %v, base %+v, was %+v", v, hz, fell, worst, b.s.Base, was)
			}
			if len(b.total) > 0 {
				t.Errorf("lift at %v m/s, %v Hz: events %v", v, hz, b.total)
			}
		}
	}
}

func TestJumpOnALift(t *testing.T) { // JMP-04, JMP-06
	for _, hz := range beats {
		for _, c := range []struct {
			keep bool
			want float64 // above where it left, m
		}{{true, 7.2 * 7.2 / 19.6}, {false, 4.2 * 4.2 / 19.6}} {
			b := stage(t, hz, geom.V(0, 0, 0), func(b *collide.Builder) {
				slab(b, "lift", line(geom.V(0, 0, 0), geom.V(0, 300, 0), 3, 0), geom.V(-2, -1, -2), geom.V(2, 0, 2))
			})
			b.m.KeepBaseLift = c.keep
			b.pass(hz, .5, nil)
			left, top := b.s.Position.Y, 0.0
			b.c.Jump = true
			b.pass(hz, .8, func() { top = max(top, b.s.Position.Y-left) })
			slack := .02
			if !c.keep {
				slack = .15 // the lift catches up before
			}
			if math.Abs(top-c.want) > slack && c.keep {
				t.Errorf("%v Hz, keeping the lift's speed %v: jumped %v m high, want %v", hz, c.keep, top, c.want)
			}
			b.pass(hz, 1, nil)
			if b.s.Mode != Walking || b.s.Base.Mover != 1 || b.total[Landed] != 1 {
				t.Errorf("%v Hz: did not land on the lift: %+v, %v", hz, b.s, b.total)
			}
			if impact := b.last[Landed]; c.keep && math.Abs(impact-4.2) > .4 {
				t.Errorf("%v Hz: landed at %v m/s, want the lift's motion not counted: 4.2", hz, impact)
			}
		}
	}
}

func TestOrbitWithoutDrift(t *testing.T) { // BAS-01
	for _, hz := range []float64{30, 60, 0} {
		b := stage(t, hz, geom.V(10.5, 0, .5), func(b *collide.Builder) {
			slab(b, "wheel", turning(geom.Vec3{}, math.Pi/6), geom.V(8, -1, -2), geom.V(12, 0, 2))
		})
		b.m.Facing = TurnToMotion
		b.pass(hz, .5, nil)
		was, yaw, at := b.s.Base, b.s.Yaw, b.w.At
		b.pass(hz, 600, nil)
		if b.s.Base.Position != was.Position {
			t.Errorf("%v Hz: after ten minutes %v m from its place", hz, b.s.Base.Position.Dist(was.Position))
		}
		turned := (b.w.At - at).Seconds() * math.Pi / 6
		if d := geom.WrapAngle(b.s.Yaw - yaw - turned); math.Abs(d) > 1e-6 {
			t.Errorf("%v Hz: faces %v rad beside", hz, d)
		}
	}
}

func TestTurnedIsWhatTheViewTurnsBy(t *testing.T) { // BAS-01: with FaceView it is the client's to turn
	for _, ride := range []bool{true, false} {
		b := stage(t, 60, geom.V(1, 0, 0), func(b *collide.Builder) {
			slab(b, "plate", turning(geom.Vec3{}, 1), geom.V(-3, -1, -3), geom.V(3, 0, 3))
		})
		b.m.RideTurn = ride
		sum := 0.0
		b.pass(60, 2, func() { sum += b.f.Turned })
		if want := 2.0; ride && math.Abs(sum-want) > .05 || !ride && sum != 0 || b.s.Yaw != 0 {
			t.Errorf("RideTurn %v: turned by %v in 2 s at 1 rad/s, yaw %v", ride, sum, b.s.Yaw)
		}
	}
}

func TestJumpFromAPlatform(t *testing.T) { // JMP-06
	for _, hz := range beats {
		b := stage(t, hz, geom.V(0, 0, 0), func(b *collide.Builder) {
			slab(b, "raft", line(geom.V(0, 0, 0), geom.V(90, 0, 0), 3, 0), geom.V(-4, -1, -2), geom.V(4, 0, 2))
		})
		b.pass(hz, 1.02, nil)
		was := b.s.Base
		b.c.Jump = true
		b.pass(hz, 1.5, nil)
		if d := b.s.Base.Position.Dist(was.Position); d > .02 || b.s.Base.Mover != 1 || b.total[Landed] != 1 {
			t.Errorf("%v Hz: lands %v m from where it jumped on the platform, %v", hz, d, b.total)
		}
		if b.speed() > 1e-9 {
			t.Errorf("%v Hz: slides after landing at %v m/s", hz, b.speed())
		}

		b.m.KeepBaseVelocity = false
		b.c.Jump = false
		b.step()
		x := b.s.Position.X
		b.c.Jump = true
		b.pass(hz, .6, nil)
		if d := b.s.Position.X - x; d > .3 || b.s.Mode != Falling {
			t.Errorf("%v Hz: not keeping the platform's speed it went %v m along", hz, d)
		}
	}
}

func TestWalkOffAMovingPlatform(t *testing.T) { // JMP-06, GRD-15
	for _, hz := range beats {
		b := stage(t, hz, geom.V(0, 0, 1), func(b *collide.Builder) {
			slab(b, "raft", line(geom.V(0, 0, 0), geom.V(90, 0, 0), 3, 0), geom.V(-2, -1, -2), geom.V(2, 0, 2))
		})
		b.pass(hz, .5, nil)
		b.c.Forward = 1
		for i := 0; b.s.Mode == Walking && i < 1000; i++ {
			b.pace(hz, i)
			b.step()
		}
		v := b.s.Velocity
		if b.s.Mode != Falling || math.Abs(v.X-3) > .01 || math.Abs(v.Z+6) > .2 || b.s.Base != (Base{}) {
			t.Errorf("%v Hz: left with %v m/s in mode %v, base %+v; want 3 along the platform's way and 6 of its own", hz, v, b.s.Mode, b.s.Base)
		}
	}
}

func TestRotatingPlatform(t *testing.T) { // BAS-01, JMP-06, GAP-55
	for _, hz := range beats {
		build := func(b *collide.Builder) {
			slab(b, "plate", turning(geom.Vec3{}, .8), geom.V(-5, -1, -5), geom.V(5, 0, 5))
		}
		b := stage(t, hz, geom.V(-4, 0, 0), build)
		b.pass(hz, .3, nil)
		b.c.Forward = 1
		pose := b.w.Pose(1)
		from, fell := pose.ApplyInverse(b.s.Position), 0
		heading := -math.Pi/2 + twist(pose.Rotation, geom.Up) // walks along the plate's own +X, its view turned by it
		b.pass(hz, 1.2, func() {
			heading += b.f.Turned
			b.c.Yaw = heading + b.w.AngularVelocity(1).Y*b.dt.Seconds()
			if b.s.Mode != Walking {
				fell++
			}
		})
		pose = b.w.Pose(1)
		way := pose.ApplyInverse(b.s.Position).Sub(from)
		if fell > 0 || way.X < 5 || math.Abs(way.Z) > .1 {
			t.Errorf("%v Hz: walking across went %v on the plate, %v frames falling", hz, way, fell)
		}

		b = stage(t, hz, geom.V(4, 0, 0), build)
		b.pass(hz, 1, nil)
		v := b.w.VelocityAt(1, b.s.Position)
		b.c.Jump = true
		b.step()
		if d := b.s.Velocity.Flat(geom.Up).Dist(b.w.VelocityAt(1, b.s.Position).Flat(geom.Up)); d > .01 || math.Abs(v.Len()-3.2) > .05 {
			t.Errorf("%v Hz: jumped off with %v, the plate under it had %v", hz, b.s.Velocity, v)
		}
	}
}

// circuit is a round track of 40 m radius, taken at about v m/s.
func circuit(v float64) collide.Path {
	const n, r = 32, 40
	p := collide.Path{Loop: true, Smooth: true}
	long := 2 * math.Pi * r / v
	for i := range n + 1 {
		a := 2 * math.Pi * float64(i) / n
		if i == n {
			a = 0
		}
		turn := 2 * math.Pi * float64(i) / n
		p.Keys = append(p.Keys, collide.Key{At: clock.Micros(long * float64(i) / n * 1e6), Position: geom.V(r*math.Cos(a), 2*math.Sin(2*a), -r*math.Sin(a)), Angle: turn})
	}
	return p
}

// wagon is a closed one, 12 m long along Z.
func wagon(b *collide.Builder) {
	box(b, geom.V(-2, -1, -6), geom.V(2, 0, 6), collide.Surface{})    // floor
	box(b, geom.V(-2, 0, -6), geom.V(-1.8, 3, 6), collide.Surface{})  // sides
	box(b, geom.V(1.8, 0, -6), geom.V(2, 3, 6), collide.Surface{})    //
	box(b, geom.V(-2, 0, -6), geom.V(2, 3, -5.8), collide.Surface{})  // ends
	box(b, geom.V(-2, 0, 5.8), geom.V(2, 3, 6), collide.Surface{})    //
	box(b, geom.V(-2, 2.8, -6), geom.V(2, 3.2, 6), collide.Surface{}) // roof
}

func TestTrain(t *testing.T) { // BAS-01: standing and walking in a train on a hilly bend
	for _, hz := range beats {
		for _, walks := range []bool{false, true} {
			b := stage(t, hz, geom.V(40, 0, 0), func(b *collide.Builder) { b.Mover("train", circuit(20), wagon) })
			b.pass(hz, .2, nil)
			was, yaw, far, fell := b.s.Base, 0.0, 0.0, 0
			if walks {
				b.c.Forward = 1
			}
			b.pass(hz, 13, func() {
				if b.s.Mode != Walking {
					fell++
				}
				yaw += b.f.Turned
				if walks && int(b.w.At/clock.Second)%2 == 0 {
					b.c.Yaw = geom.WrapAngle(yaw + math.Pi)
				} else {
					b.c.Yaw = geom.WrapAngle(yaw)
				}
				far = max(far, b.s.Base.Position.Dist(was.Position))
				check(b)
			})
			at := b.s.Base.Position
			if fell > 0 || len(b.total) > 0 || math.Abs(at.X) > 1.5 || math.Abs(at.Z) > 5.6 || walks != (far > 2) || !walks && far > 0 {
				t.Errorf("%v Hz, walking %v: at %v in the train, up to %v m from its place, %v frames falling, %v", hz, walks, at, far, fell, b.total)
			}
		}
	}
}

func TestBetweenStillAndMoving(t *testing.T) { // GRD-17: on, across and off again
	for _, hz := range beats {
		b := stage(t, hz, geom.V(0, 0, 8), func(b *collide.Builder) {
			box(b, geom.V(-50, -1, 2), geom.V(50, 0, 50), collide.Surface{})
			box(b, geom.V(-50, -1, -50), geom.V(50, 0, -2), collide.Surface{})
			slab(b, "belt", line(geom.V(-20, 0, 0), geom.V(20, 0, 0), 2, 0), geom.V(-25, -1, -2), geom.V(25, 0, 2))
		})
		b.c.Forward = 1
		on, fell := 0, 0
		b.pass(hz, 3, func() {
			if b.s.Base.Mover == 1 {
				on++
			}
			if b.s.Mode != Walking {
				fell++
			}
		})
		if on == 0 || fell > 0 || b.s.Base != (Base{}) || b.s.Position.Z > -5 || math.Abs(b.s.Position.X) > 1.6 {
			t.Errorf("%v Hz: %v moves on the belt, %v falling, ends at %v on %+v", hz, on, fell, b.s.Position, b.s.Base)
		}
	}
}

func TestConveyor(t *testing.T) { // walking against a belt of its own speed stays where it is
	for _, hz := range beats {
		b := stage(t, hz, geom.V(0, 0, 0), func(b *collide.Builder) {
			slab(b, "belt", line(geom.V(-40, 0, 0), geom.V(40, 0, 0), 6, 0), geom.V(-50, -1, -2), geom.V(50, 0, 2))
		})
		b.c.Yaw, b.c.Forward = math.Pi/2, 1
		b.c.Quantise()
		b.pass(hz, 2, nil)
		x := b.s.Position.X
		b.pass(hz, 5, nil)
		if d := b.s.Position.X - x; math.Abs(d) > .02 {
			t.Errorf("%v Hz: drifts by %v m", hz, d)
		}
	}
}

func TestEscalator(t *testing.T) { // GRD-12 on a mover: up moving stairs, walking and standing, and off
	for _, hz := range beats {
		for _, walks := range []bool{false, true} {
			b := stage(t, hz, geom.V(-9, -5.4, 0), func(b *collide.Builder) {
				box(b, geom.V(6, 0, -3), geom.V(30, 4.3, 3), collide.Surface{})
				b.Mover("stairs", line(geom.V(-12, -8, 0), geom.V(0, 0, 0), 1.5, 0), func(b *collide.Builder) {
					for i := range 60 {
						x, y := .3*float64(i)-12, .2*float64(i)-7.66
						box(b, geom.V(x, y-1, -1), geom.V(x+.3, y, 1), collide.Surface{})
					}
				})
			})
			b.w.At = 7 * clock.Second
			b.pass(hz, .3, nil)
			b.total = map[EventKind]int{}
			if walks {
				b.c.Yaw, b.c.Forward = -math.Pi/2, 1
				b.c.Quantise()
			}
			fell := 0
			b.pass(hz, 3, func() {
				if b.s.Mode != Walking {
					fell++
				}
				check(b)
			})
			if fell > 0 || b.total[Crushed]+b.total[Stuck] > 0 || walks != (b.s.Base.Mover == 0) {
				t.Errorf("%v Hz, walking %v: %v frames falling, %v, at %v on %+v", hz, walks, fell, b.total, b.s.Position, b.s.Base)
			}
		}
	}
}

func TestTiltingPlatform(t *testing.T) { // BAS-01, GRD-07, FLR-02: walkable while gentle, a slide when steep
	path := collide.Path{Axis: geom.V(0, 0, 1), Keys: []collide.Key{{}, {At: 4 * clock.Second, Angle: .5}, {At: 8 * clock.Second, Angle: -.5}, {At: 16 * clock.Second, Angle: -1.2}}}
	for _, hz := range beats {
		b := stage(t, hz, geom.V(1, 0, 1), func(b *collide.Builder) {
			slab(b, "swing", path, geom.V(-6, -1, -6), geom.V(6, 0, 6))
		})
		b.pass(hz, .2, nil)
		was, fell := b.s.Base, 0
		b.pass(hz, 8, func() {
			check(b)
			if b.s.Mode != Walking {
				fell++
			}
			if g := b.gap(); g < .015 || g > .03 {
				t.Errorf("%v Hz: gap %v at %v", hz, g, b.s.Position)
			}
		})
		if d := b.s.Base.Position.Dist(was.Position); fell > 0 || d > .15 || len(b.total) > 0 {
			t.Errorf("%v Hz: %v frames falling, %v m from its place, %v", hz, fell, d, b.total)
		}
		b.pass(hz, 8, func() { check(b) })
		if b.s.Mode != Falling && b.s.Base.Mover == 1 {
			t.Errorf("%v Hz: still stands on a slope of 69°: %+v", hz, b.s)
		}
	}
}

func TestMovesMissing(t *testing.T) { // BAS-01: a rider that was frozen is where its base is
	b := stage(t, 60, geom.V(1, 0, 0), func(b *collide.Builder) {
		slab(b, "train", line(geom.V(0, 0, 0), geom.V(900, 0, 0), 20, 0), geom.V(-5, -1, -5), geom.V(5, 0, 5))
	})
	b.pass(60, .5, nil)
	was := b.s.Base
	b.w.At += 10 * clock.Second
	b.step()
	if b.s.Base != was || math.Abs(b.s.Position.X-b.w.Pose(1).Translation.X-was.Position.X) > 1e-9 {
		t.Errorf("after 10 s without a move at %v on %+v, was %+v", b.s.Position, b.s.Base, was)
	}
}

func TestBaseOfAnotherLevel(t *testing.T) {
	b := stage(t, 60, geom.V(1, 0, 0), func(b *collide.Builder) {
		slab(b, "train", line(geom.V(0, 0, 0), geom.V(900, 0, 0), 20, 0), geom.V(-5, -1, -5), geom.V(5, 0, 5))
	})
	b.pass(60, .5, nil)
	b.w = stage(t, 60, geom.Vec3{}, nothing).w
	b.step()
	if b.s.Mode != Falling || b.s.Base != (Base{}) {
		t.Errorf("the train is not of this level: %+v", b.s)
	}
}

func TestTeleportLeavesTheBase(t *testing.T) { // PRF-03, GAP-57
	b := stage(t, 60, geom.V(1, 0, 0), func(b *collide.Builder) {
		slab(b, "lift", line(geom.V(0, 0, 0), geom.V(0, 90, 0), 3, 0), geom.V(-5, -1, -5), geom.V(5, 0, 5))
		box(b, geom.V(50, -1, -5), geom.V(60, 0, 5), collide.Surface{})
	})
	b.pass(60, .5, nil)
	b.s.Teleport(geom.V(55, .02, 0))
	b.step()
	if b.s.Position.Dist(geom.V(55, midFloor, 0)) > .01 || b.s.Base != (Base{}) {
		t.Errorf("got %v on %+v", b.s.Position, b.s.Base)
	}
	b.w.At = 0
	b.s.Position, b.s.ForceFloor = geom.V(1, .02, 0), true // set by hand
	b.step()
	if b.s.Base.Mover != 1 || b.s.Mode != Walking {
		t.Errorf("set down on the lift: %+v", b.s)
	}
}

func TestLedgesOfAMovingPlatform(t *testing.T) { // GRD-16, GAP-63
	for _, hz := range beats {
		for _, c := range []struct {
			path collide.Path
			yaw  float64
		}{
			{line(geom.V(0, 0, 0), geom.V(30, 0, 0), 3, 0), 0}, {line(geom.V(0, 0, 0), geom.V(0, 30, 0), 3, 0), 0},
			{line(geom.V(0, 0, 0), geom.V(30, 0, 0), 3, 0), -.8}, {turning(geom.Vec3{}, .7), 0},
		} {
			b := stage(t, hz, geom.V(0, 0, 0), func(b *collide.Builder) {
				slab(b, "raft", c.path, geom.V(-3, -1, -3), geom.V(3, 0, 3))
			})
			b.m.WalkOffLedges = false
			b.c.Forward, b.c.Yaw = 1, c.yaw
			b.c.Quantise()
			b.pass(hz, 8, nil)
			at := b.s.Base.Position
			if b.s.Mode != Walking || b.s.Base.Mover != 1 || math.Abs(at.X) > 3.35 || math.Abs(at.Z) > 3.35 {
				t.Errorf("%v Hz, yaw %v: %v in mode %v, at %v on the platform", hz, c.yaw, b.s.Position, b.s.Mode, at)
			}
		}
	}
}

func TestStepsOfBodies(t *testing.T) { // GRD-12, GRD-13: a crate on wheels is a step like others, if it may be
	for _, hz := range beats {
		for _, rule := range []collide.Rule{collide.Default, collide.Never} {
			b := in(t, max(hz, 30), geom.V(0, 0, 3), func(b *collide.Builder) {
				b.Mover("crate", line(geom.V(0, 0, 0), geom.V(2, 0, 0), .5, 0), func(b *collide.Builder) {
					box(b, geom.V(-3, 0, -1), geom.V(3, .4, 1), collide.Surface{StepOn: rule})
				})
			})
			b.c.Forward = 1
			on := false
			b.pass(hz, .8, func() { on = on || b.s.Base.Mover == 1 })
			if on != (rule == collide.Default) {
				t.Errorf("%v Hz, rule %v: on the crate: %v, at %v", hz, rule, on, b.s.Position)
			}
			b.c.Forward = 0
			b.s.Velocity = geom.Vec3{}
			b.s.Teleport(geom.V(1, 1, 0))
			b.pass(hz, 1, nil)
			if b.s.Base.Mover != 1 || b.s.Mode != Walking {
				t.Errorf("%v Hz, rule %v: dropped onto the crate: %+v", hz, rule, b.s.Base)
			}
		}
	}
}

func TestLaunchedOffALift(t *testing.T) { // PRF-07, JMP-06: the launch is on top of the lift's own motion
	for _, hz := range beats {
		b := stage(t, hz, geom.V(0, 0, 0), func(b *collide.Builder) {
			slab(b, "lift", line(geom.V(0, 0, 0), geom.V(200, 100, 0), 5, 0), geom.V(-2, -1, -2), geom.V(2, 0, 2))
		})
		b.pass(hz, .5, nil)
		b.s.LaunchAt(geom.V(0, 8, 3))
		b.step()
		lift := b.w.VelocityAt(1, geom.Vec3{})
		want := lift.Add(geom.V(0, 8-9.8*b.dt.Seconds(), 3))
		if b.s.Velocity.Dist(want) > 1e-6 || b.s.Mode != Falling || b.s.Base != (Base{}) {
			t.Errorf("%v Hz: %v in mode %v, want %v", hz, b.s.Velocity, b.s.Mode, want)
		}
	}
}

func TestUpTurnsUnderARider(t *testing.T) { // BAS-05, BAS-01: on a lift along a wall that is the floor
	for _, hz := range beats {
		b := stage(t, hz, geom.V(0, 0, 0), func(b *collide.Builder) {
			slab(b, "lift", line(geom.V(0, 0, 0), geom.V(0, 20, 0), 3, .5), geom.V(-1, -9, -2), geom.V(0, 9, 2))
			b.VolumeBox(collide.Volume{Up: geom.V(1, 0, 0)}, geom.V(3, 0, 0), geom.V(9, 90, 9), geom.IdentityQuat)
		})
		b.s.Up = geom.V(1, 0, 0)
		b.s.Position = geom.V(.05, 0, 0)
		b.pass(hz, .3, nil)
		was := b.s.Base
		b.pass(hz, 9, func() { check(b) })
		if b.s.Base != was || was.Mover != 1 || b.s.Mode != Walking {
			t.Errorf("%v Hz: %+v, was %+v", hz, b.s.Base, was)
		}
	}
}

func TestStandingStillIsAFixedPoint(t *testing.T) { // BAS-01, ACK-07, WIR-17: no creep by going to and fro between the frames
	tilted := collide.Path{Axis: geom.V(1, 2, 3).Unit(), Keys: []collide.Key{{Position: geom.V(13.7, -2.1, 901.3), Angle: .3}}}
	b := stage(t, 60, geom.V(13.7, 1, 901.3), func(b *collide.Builder) {
		slab(b, "rest", tilted, geom.V(-9, -1, -9), geom.V(9, 0, 9))
	})
	b.run(1)
	was := b.s
	b.run(60)
	if b.s != was || was.Base.Mover != 1 {
		t.Errorf("crept from %+v on %+v to %+v on %+v", was.Position, was.Base, b.s.Position, b.s.Base)
	}
}

func TestJumpInATrain(t *testing.T) { // JMP-06: a train that carries its riders along does not push one in the air
	for _, hz := range beats {
		for _, z := range []float64{0, -5.4, 5.4} {
			b := stage(t, hz, geom.V(0, 0, z), func(b *collide.Builder) {
				b.Mover("train", once(geom.V(0, 0, 0), geom.V(0, 0, 500), 20, 0), wagon)
			})
			b.pass(hz, .3, nil)
			was := b.s.Base.Position
			b.c.Jump = true
			b.pass(hz, 1.2, func() { b.clear("train") })
			if d := b.s.Base.Position.Dist(was); d > .02 || b.s.Base.Mover != 1 || b.total[Landed] != 1 || b.speed() > 1e-6 {
				t.Errorf("%v Hz, jumped at %v: landed %v m beside, %v, at %v m/s", hz, z, d, b.total, b.speed())
			}
		}
	}
}

func TestRidingAllocatesNothing(t *testing.T) {
	b := stage(t, 60, geom.V(0, 0, 0), func(b *collide.Builder) {
		b.Mover("train", circuit(20), wagon)
		slab(b, "door", line(geom.V(-2, 0, 0), geom.V(2, 0, 0), 1, 0), geom.V(-.1, 0, -1), geom.V(.1, 2, 1))
	})
	b.s.Position = geom.V(40, .02, 0)
	b.w.Obstacles = []collide.Obstacle{{ID: 1, Capsule: geom.Capsule{A: geom.V(40, .4, .3), B: geom.V(40, 1.4, .3), Radius: .3}}}
	b.c.Forward = 1
	if n := testing.AllocsPerRun(500, func() {
		b.w.At += b.dt
		Step(&b.m, &b.s, &b.c, b.dt, &b.w, &b.f)
		_ = b.f.Pushes()
	}); n != 0 {
		t.Errorf("%v allocations a step", n)
	}
}
