package movement

import (
	"math"
	"math/rand"
	"strconv"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement/rootmotion"
)

// paces are the rates of the rows and, as 0, frames of 2 to 42 ms.
var paces = append([]float64{0}, rates...)

// atEveryPace runs a situation at each pace, from standing still on open ground.
func atEveryPace(t *testing.T, build func(b *collide.Builder), do func(t *testing.T, b *body)) {
	for _, hz := range paces {
		t.Run(strconv.Itoa(int(hz)), func(t *testing.T) {
			b := in(t, max(hz, 1), geom.V(0, .0215, 0), build)
			if hz == 0 {
				b.dt, b.dice = 16667, rand.New(rand.NewSource(1))
			}
			b.m.Motion = motionTables
			b.until(.1)
			b.moved = 0
			do(t, b)
		})
	}
}

func open(*collide.Builder) {}

// until moves until now is so many seconds, the last move cut short.
func (b *body) until(seconds float64) {
	b.t.Helper()
	end := clock.Micros(math.Round(seconds * 1e6))
	even := b.dt
	for b.moved < end {
		if b.dice != nil {
			even = clock.Micros(2000 + b.dice.Intn(40000))
		}
		b.dt = min(even, end-b.moved)
		b.step()
	}
	b.dt = even
}

func (b *body) apply(s rootmotion.Source) uint16 {
	b.t.Helper()
	id, ok := b.s.Motion.Apply(s, b.moved)
	if !ok {
		b.t.Fatalf("refused: %+v", s)
	}
	return id
}

func (b *body) near(what string, got, want, within float64) {
	b.t.Helper()
	if !(math.Abs(got-want) <= within) {
		b.t.Errorf("%s: got %.5f want %.5f ± %g", what, got, want, within)
	}
}

var motionTables = &rootmotion.Library{
	Curves: []rootmotion.Curve{{{At: 0, Value: 1}, {At: 1, Value: 0}}},
	Clips: []rootmotion.Clip{
		{Name: "lunge", Length: clock.Second, Root: rootmotion.Track{{}, {At: .4, Move: geom.V(0, 0, -2)}, {At: 1, Move: geom.V(0, 0, -3)}}},
		{Name: "turn", Length: clock.Second, Root: rootmotion.Track{{}, {At: .5, Move: geom.V(0, 0, -2), Turn: math.Pi / 2}, {At: 1, Move: geom.V(-1, 0, -2), Turn: math.Pi / 2}}},
		{Name: "soar", Length: clock.Second, Flies: true, Root: rootmotion.Track{{}, {At: 1, Move: geom.V(0, 1, -1)}}},
	},
}

func halting(s rootmotion.Source) rootmotion.Source {
	s.Finish = rootmotion.Set
	return s
}

func TestDashCoversItsDistanceAtEveryRate(t *testing.T) { // RMS-03, RMS-10, RMS-15
	atEveryPace(t, open, func(t *testing.T, b *body) {
		b.apply(halting(rootmotion.Constant(geom.V(5, 0, 0), clock.Second/2)))
		b.until(.3)
		b.near("speed during", b.speed(), 5, 1e-9)
		b.until(.7)
		b.near("way", b.s.Position.X, 2.5, 1e-3)
		b.near("speed after", b.speed(), 0, 0)
		curved := halting(rootmotion.Constant(geom.V(0, 0, 5), clock.Second/2))
		curved.Curve = 1
		b.apply(curved)
		b.until(1.5)
		b.near("way with strength 1 → 0", b.s.Position.Z, 1.25, 1e-3)
	})
}

func TestADashIsOverForInputAtOnce(t *testing.T) { // RMS-15
	atEveryPace(t, open, func(t *testing.T, b *body) {
		b.c = Command{Forward: 1}
		b.until(.5) // runs at 6 m/s
		at := b.s.Position.Z
		dash := rootmotion.Constant(geom.V(0, 0, -12), clock.Second/4)
		dash.Finish, dash.FinishVelocity = rootmotion.Clamp, geom.V(6, 0, 0)
		b.apply(dash)
		b.until(1)
		b.near("way", at-b.s.Position.Z, 12*.25+6*.25, 2e-3)
	})
}

func TestAdditiveSourceOnInput(t *testing.T) { // RMS-04
	atEveryPace(t, open, func(t *testing.T, b *body) {
		b.c = Command{Forward: .5}
		b.c.Quantise()
		b.until(2)
		half := b.speed()
		s := rootmotion.Constant(geom.V(0, 0, -1), clock.Second/2)
		s.Flags = rootmotion.Additive
		b.apply(s)
		b.until(2.4)
		b.near("during", b.speed(), half+1, 1e-9)
		b.until(2.6)
		b.near("after", b.speed(), half, 1e-9)
	})
}

func TestAdditiveIntoAWallLeavesNothing(t *testing.T) { // RMS-04
	wall := func(b *collide.Builder) { box(b, geom.V(.5, 0, -50), geom.V(1, 3, 5), collide.Surface{}) }
	atEveryPace(t, wall, func(t *testing.T, b *body) {
		b.c = Command{Forward: 1}
		b.until(.5)
		s := rootmotion.Constant(geom.V(4, 0, 0), clock.Second)
		s.Flags = rootmotion.Additive
		b.apply(s)
		b.until(1.45)
		b.near("along the wall", b.s.Velocity.Z, -6, .05)
		b.near("into it", b.s.Velocity.X, 0, 1e-6)
		b.until(1.7)
		b.near("sideways afterwards", b.s.Velocity.X, 0, 1e-6)
		b.near("speed afterwards", b.s.Velocity.Z, -6, .05)
	})
}

func TestPushDuringAnAdditiveSourceStays(t *testing.T) { // RMS-04, PRF-05
	b := in(t, 60, geom.V(0, 30, 0), open)
	s := rootmotion.Constant(geom.V(1, 0, 0), clock.Second/4)
	s.Flags = rootmotion.Additive
	b.apply(s)
	b.until(.1)
	b.s.Impulse = geom.V(3, 0, 0)
	b.until(.2)
	b.near("during", b.s.Velocity.X, 4, 1e-9)
	b.until(.4)
	b.near("after", b.s.Velocity.X, 3, 1e-9)
}

func TestMoveToOnTheGround(t *testing.T) { // RMS-12
	atEveryPace(t, open, func(t *testing.T, b *body) {
		b.apply(halting(rootmotion.MoveTo(b.s.Position, geom.V(0, b.s.Position.Y, -6), 12*clock.Second/10)))
		b.until(1.3)
		b.near("at", b.s.Position.Z, -6, 1e-3)
		b.near("mode", float64(b.s.Mode), float64(Walking), 0)
	})
}

func TestMoveToStopsAtAWall(t *testing.T) { // RMS-12
	wall := func(b *collide.Builder) { box(b, geom.V(-3, 0, -4), geom.V(3, 3, -3), collide.Surface{}) }
	atEveryPace(t, wall, func(t *testing.T, b *body) {
		s := halting(rootmotion.MoveTo(b.s.Position, geom.V(0, b.s.Position.Y, -6), 12*clock.Second/10))
		s.Flags = rootmotion.LimitSpeed
		b.apply(s)
		b.until(1)
		b.near("at the wall", b.s.Position.Z, -3+b.m.Radius, 2e-3)
		b.w = in(t, 60, geom.Vec3{}, open).w // the wall is gone
		b.until(1.1)
		b.near("no faster than the path", b.speed(), 5, 1e-6)
		b.until(1.5)
		b.near("where the time ends", b.s.Position.Z, -3+b.m.Radius-5*.2, 3e-3)
	})
}

func TestJumpToOnFlatGround(t *testing.T) { // RMS-14, RMS-17
	atEveryPace(t, open, func(t *testing.T, b *body) {
		high := b.s.Position.Y
		b.apply(halting(rootmotion.JumpTo(geom.V(0, 0, -4), 1.5, 8*clock.Second/10)))
		b.until(.4)
		b.near("apex", b.s.Position.Y-high, 1.5, 1e-3)
		b.near("half-way", b.s.Position.Z, -2, 1e-3)
		if b.s.Mode != Falling {
			t.Errorf("in the air it is %v", b.s.Mode)
		}
		b.until(1.2)
		b.near("lands", b.s.Position.Z, -4, 5e-3)
		if b.s.Mode != Walking || b.total[Landed] != 1 || b.s.Motion.Busy() {
			t.Errorf("mode %v, landed %d times, busy %v", b.s.Mode, b.total[Landed], b.s.Motion.Busy())
		}
	})
}

func TestJumpToOntoABox(t *testing.T) { // RMS-14
	build := func(b *collide.Builder) { box(b, geom.V(-2, 0, -6), geom.V(2, 1, -3), collide.Surface{}) }
	atEveryPace(t, build, func(t *testing.T, b *body) {
		b.apply(halting(rootmotion.JumpTo(geom.V(0, 0, -4), 1.5, 8*clock.Second/10)))
		b.until(1.2)
		// 1.0 m high again at x = ½ + √(1 − 1/1.5)/2
		x := .5 + math.Sqrt(1-1/1.5)/2
		b.near("height", b.s.Position.Y, 1.0215, 3e-3)
		b.near("landed at", b.s.Position.Z, -4*x, .03)
		if b.s.Mode != Walking || b.s.Motion.Busy() || b.speed() != 0 {
			t.Errorf("mode %v, busy %v, speed %v", b.s.Mode, b.s.Motion.Busy(), b.speed())
		}
	})
}

func TestRadialPushAcrossTheFloor(t *testing.T) { // RMS-11
	atEveryPace(t, open, func(t *testing.T, b *body) {
		s := rootmotion.Radial(geom.V(-2, .9, 0), 4, 8, clock.Second)
		s.FallOff = 1
		s.Flags = rootmotion.IgnoreVertical // override: the velocity is the field's
		b.apply(s)
		b.until(.9)
		// d' = 8·(1 − d/4) from d = 2
		b.near("distance", b.s.Position.X+2, 4-2*math.Exp(-2*.9), .12)
		b.near("speed", b.speed(), 8*(1-(b.s.Position.X+2)/4), .12)
	})
}

func TestOverridesByPriority(t *testing.T) { // RMS-16
	atEveryPace(t, open, func(t *testing.T, b *body) {
		five, ten := rootmotion.Constant(geom.V(5, 0, 0), clock.Second), rootmotion.Constant(geom.V(10, 0, 0), clock.Second/2)
		ten.Priority = 1
		b.apply(ten)
		b.apply(five)
		b.until(.4)
		b.near("both", b.speed(), 10, 1e-9)
		b.until(.9)
		b.near("one", b.speed(), 5, 1e-9)
		b.near("way", b.s.Position.X, 10*.5+5*.4, 1e-3)
	})
}

func TestLiftOffFromTheFloor(t *testing.T) { // RMS-17, GRD-04
	for _, c := range []struct {
		up    float64
		flags rootmotion.Flags
		want  Mode
	}{
		{.2, 0, Falling}, {.05, 0, Walking}, {.05, rootmotion.SensitiveLiftOff, Falling},
		{.2, rootmotion.Additive, Falling}, {.05, rootmotion.Additive, Walking}, {4, rootmotion.IgnoreVertical, Walking},
	} {
		for _, hz := range rates {
			b := in(t, hz, geom.V(0, .0215, 0), open)
			b.run(.1)
			s := rootmotion.Constant(geom.V(1, c.up, 0), clock.Second)
			s.Flags = c.flags
			b.apply(s)
			was := b.s.Position.Y
			b.step()
			if b.s.Mode != c.want {
				t.Errorf("%v m/s up, flags %b, %v Hz: %v after one move, want %v", c.up, c.flags, hz, b.s.Mode, c.want)
			}
			if rise := b.s.Position.Y - was; c.want == Falling && c.flags&rootmotion.Additive == 0 && math.Abs(rise-c.up/hz) > 1e-7 {
				t.Errorf("%v Hz: rose %v in the move that lifts off, want all of it: %v", hz, rise, c.up/hz)
			}
		}
	}
}

func TestFinishOnTheGround(t *testing.T) { // RMS-18
	for _, c := range []struct {
		name   string
		finish rootmotion.Finish
		value  geom.Vec3
		want   float64
	}{
		{"keep", rootmotion.Keep, geom.Vec3{}, 5}, {"set", rootmotion.Set, geom.Vec3{}, 0},
		{"clamp", rootmotion.Clamp, geom.V(2, 0, 0), 2},
	} {
		b := in(t, 50, geom.V(0, .0215, 0), open)
		b.m.GroundFriction, b.m.BrakingDeceleration = 0, 0 // ice: what is kept stays
		s := rootmotion.Constant(geom.V(5, 0, 0), clock.Second/2)
		s.Finish, s.FinishVelocity = c.finish, c.value
		b.apply(s)
		b.run(.5)
		b.near(c.name+" in its last move", b.speed(), 5, 1e-9)
		b.step()
		b.near(c.name+" in the next", b.speed(), c.want, 1e-9)
	}
}

func TestAnimationOnTheGround(t *testing.T) { // RMS-01, RMS-19
	atEveryPace(t, open, func(t *testing.T, b *body) {
		b.c = Command{Right: 1} // the stick does nothing meanwhile
		s := rootmotion.Constant(geom.V(9, 0, 0), clock.Second)
		s.Flags = rootmotion.Additive
		b.apply(halting(rootmotion.Play(0)))
		b.apply(s)
		b.until(.4)
		b.near("after 0.4 s", b.s.Position.Z, -2, 1e-3)
		b.until(1)
		b.near("way", b.s.Position.Z, -3, 1e-3)
		b.near("aside", b.s.Position.X, 0, 1e-9)
	})
}

func TestAnimationTurnsTheBody(t *testing.T) { // RMS-05, RMS-19
	atEveryPace(t, open, func(t *testing.T, b *body) {
		b.m.Facing, b.m.TurnRate = TurnToView, 0 // by sources alone
		b.apply(halting(rootmotion.Play(1)))
		b.until(1.1)
		b.near("x", b.s.Position.X, -1, 1e-3)
		b.near("z", b.s.Position.Z, -2, 1e-3)
		b.near("yaw", b.s.Yaw, math.Pi/2, 1e-9)
		spin := rootmotion.Constant(geom.Vec3{}, clock.Second)
		spin.Flags, spin.Rate = rootmotion.Additive, -math.Pi/2
		b.apply(spin)
		b.until(2.2)
		b.near("yaw", b.s.Yaw, 0, 1e-7)
	})
}

func TestAnimationInTheAirFallsUnlessItFlies(t *testing.T) { // RMS-19
	for clip, want := range map[uint8]geom.Vec3{0: {Y: 30 - 4.9, Z: -3}, 2: {Y: 31, Z: -1}} {
		atEveryPace(t, open, func(t *testing.T, b *body) {
			b.s = Spawn(geom.V(0, 30, 0), 0)
			b.s.Mode = Falling
			b.apply(halting(rootmotion.Play(clip)))
			b.until(1)
			b.near("height", b.s.Position.Y, want.Y, 1e-3)
			b.near("way", b.s.Position.Z, want.Z, 1e-3)
		})
	}
}

func TestHoldingStillForgetsSources(t *testing.T) { // PRF-02
	b := in(t, 60, geom.V(0, .0215, 0), open)
	b.s.Mode = None
	b.apply(rootmotion.Constant(geom.V(5, 0, 0), 0))
	was := b.s.Position
	b.step()
	if b.s.Motion.Busy() || b.s.Position != was {
		t.Errorf("moved to %v, sources still there: %v", b.s.Position, b.s.Motion.Busy())
	}
}

func TestSourcesInFlight(t *testing.T) { // RMS-03, RMS-04, VOL-03
	atEveryPace(t, open, func(t *testing.T, b *body) {
		b.s = Spawn(geom.V(0, 30, 0), 0)
		b.s.Mode = Flying
		b.apply(halting(rootmotion.Constant(geom.V(3, 4, 0), clock.Second/2)))
		b.until(.6)
		if want := geom.V(1.5, 32, 0); b.s.Position.Dist(want) > 1e-3 {
			t.Errorf("override: at %v, want %v", b.s.Position, want)
		}
		s := rootmotion.Constant(geom.V(0, 2, 0), clock.Second/2)
		s.Flags = rootmotion.Additive
		b.apply(s)
		b.until(1.2)
		b.near("height", b.s.Position.Y, 33, 1e-3)
		b.near("speed after", b.s.Velocity.Len(), 0, 1e-9)
		if b.s.Mode != Flying {
			t.Errorf("mode %v", b.s.Mode)
		}
	})
}

// TestDashOnAWall stands on a wall, up along +X: local is relative to how the body
// stands, and vertical along its own up. [RMS-14]
func TestDashOnAWall(t *testing.T) { // RMS-10, RMS-17, BAS-05
	for _, hz := range rates {
		var w collide.Builder
		box(&w, geom.V(-1, -50, -50), geom.V(0, 50, 50), collide.Surface{})
		b := inOnly(t, hz, geom.V(.0215, 0, 0), &w)
		b.s.Up = geom.V(1, 0, 0)
		ahead := b.s.Orientation().Rotate(geom.Forward(0))
		b.until(.1)
		s := halting(rootmotion.Constant(geom.V(0, 0, -5), clock.Second/2))
		s.Flags = rootmotion.Local
		b.apply(s)
		b.until(.7)
		b.near("way", b.s.Position.Dot(ahead), 2.5, 1e-3)
		if b.s.Mode != Walking {
			t.Fatalf("mode %v at %v", b.s.Mode, b.s.Position)
		}
		b.apply(halting(rootmotion.JumpTo(ahead.Mul(4), 1.5, 8*clock.Second/10)))
		from, at := b.s.Position, b.moved
		b.until(at.Seconds() + .4)
		b.near("apex off the wall", b.s.Position.X-from.X, 1.5, 1e-3)
		b.until(at.Seconds() + 1.2)
		b.near("lands", b.s.Position.Sub(from).Dot(ahead), 4, 5e-3)
	}
}

// TestAGamesOwnModeUnderMotion climbs at 1 m/s by a mode of its own, with an
// additive source for half a second and then an override.
func TestAGamesOwnModeUnderMotion(t *testing.T) { // RMS-04, MOD-04
	for _, hz := range rates {
		b := in(t, hz, geom.V(0, 5, 0), open)
		b.s.Mode = Custom
		b.s.Velocity = geom.V(0, 1, 0)
		move := func(until clock.Micros) {
			for ; b.moved < until; b.moved += b.dt {
				b.f.Begin(&b.m, &b.s, &b.c, b.dt, &b.w)
				for b.f.Running() {
					dt := b.f.TakeSlice()
					b.f.Velocity = b.f.UnderMotion(b.f.Velocity, dt)
					b.f.Move(b.f.Velocity.Mul(dt))
				}
			}
		}
		s := rootmotion.Constant(geom.V(2, 0, 0), clock.Second/2)
		s.Flags = rootmotion.Additive
		b.apply(s)
		move(clock.Second / 4)
		b.near("during", b.s.Velocity.Dist(geom.V(2, 1, 0)), 0, 1e-9)
		move(clock.Second)
		b.near("after", b.s.Velocity.Dist(geom.V(0, 1, 0)), 0, 1e-9)
		b.near("aside", b.s.Position.X, 1, 1e-3)
		b.near("up", b.s.Position.Y, 5+b.moved.Seconds(), 1e-3)
		b.apply(halting(rootmotion.Constant(geom.V(0, 0, 3), clock.Second/4)))
		move(2 * clock.Second)
		b.near("override", b.s.Position.Z, .75, 1e-3)
		b.near("halted", b.s.Velocity.Len(), 0, 0)
	}
}

// TestPulledUpToALedge takes the feet from the floor to 3 m above it by a MoveTo,
// as a grappling hook does, and lets go on top.
func TestPulledUpToALedge(t *testing.T) { // RMS-12, RMS-17
	ledge := func(b *collide.Builder) { box(b, geom.V(-2, 0, -9), geom.V(2, 3, -5), collide.Surface{}) }
	atEveryPace(t, ledge, func(t *testing.T, b *body) {
		b.apply(halting(rootmotion.MoveTo(b.s.Position, geom.V(0, 4, -4), clock.Second/2)))
		b.until(.5)
		b.near("over the edge", b.s.Position.Dist(geom.V(0, 4, -4)), 0, 1e-3)
		b.apply(halting(rootmotion.MoveTo(geom.V(0, 4, -4), geom.V(0, 3.5, -6), clock.Second/4)))
		b.until(1.2)
		b.near("height", b.s.Position.Y, 3.0215, 3e-3)
		b.near("on top", b.s.Position.Z, -6, 1e-3)
		if b.s.Mode != Walking {
			t.Errorf("mode %v", b.s.Mode)
		}
	})
}

func TestSourcesUnderWater(t *testing.T) { // RMS-03, RMS-04, VOL-02
	for _, hz := range rates {
		b := newSwimmer(t, hz, geom.V(0, -8, 0))
		b.m.FluidFriction = 0
		b.until(.1)
		from := b.s.Position
		b.apply(halting(rootmotion.Constant(geom.V(0, 2, -3), clock.Second/2)))
		b.until(.7)
		if want := from.Add(geom.V(0, 1, -1.5)); b.s.Position.Dist(want) > 1e-3 || b.s.Mode != Swimming {
			t.Errorf("%v Hz: at %v in mode %v, want %v", hz, b.s.Position, b.s.Mode, want)
		}
		s := rootmotion.Constant(geom.V(1, 0, 0), clock.Second/2) // a current
		s.Flags = rootmotion.Additive
		b.apply(s)
		b.until(1.3)
		b.near("drifted", b.s.Position.X, .5, 1e-3)
		b.near("speed after", b.s.Velocity.X, 0, 1e-9)
	}
}

// flatMesh is a navigation mesh of one polygon: the ground at height 0, everywhere.
type flatMesh struct{}

func (flatMesh) Nearest(p geom.Vec3, _ float64) (uint32, geom.Vec3, bool) {
	return 1, p.Flat(geom.Up), true
}

func (flatMesh) MoveAlong(_ uint32, _, to geom.Vec3) (uint32, geom.Vec3, bool) {
	return 1, to.Flat(geom.Up), false
}

func TestSourcesOnTheMesh(t *testing.T) { // RMS-10, RMS-14, RMS-17, VOL-04
	atEveryPace(t, open, func(t *testing.T, b *body) {
		b.f.Mesh = flatMesh{}
		b.s.Mode = NavWalking
		b.apply(halting(rootmotion.Constant(geom.V(5, 0, 0), clock.Second/2)))
		b.until(.7)
		b.near("way", b.s.Position.X, 2.5, 1e-3)
		b.near("mode", float64(b.s.Mode), float64(NavWalking), 0)
		b.apply(halting(rootmotion.JumpTo(geom.V(0, 0, -4), 1.5, 8*clock.Second/10)))
		b.until(1.1)
		b.near("apex", b.s.Position.Y, 1.5215, 3e-3)
		b.until(2)
		b.near("lands", b.s.Position.Z, -4, 5e-3)
	})
}

// TestSourcesOnATrain dashes and leaps on a train at 6 m/s: both go as far as on
// still ground, and the leap lands where it was aimed on the train.
func TestSourcesOnATrain(t *testing.T) { // RMS-04, RMS-10, RMS-14, JMP-06
	for _, hz := range beats {
		b := stage(t, hz, geom.V(0, 0, 0), func(b *collide.Builder) {
			slab(b, "train", line(geom.V(0, 0, 0), geom.V(120, 0, 0), 6, 0), geom.V(-9, -1, -9), geom.V(9, 0, 9))
		})
		b.m.Motion = motionTables
		place := func() geom.Vec3 { return b.s.Position.Sub(b.w.Pose(1).Translation) }
		b.pass(hz, .3, nil)
		was := place()
		b.apply(halting(rootmotion.Constant(geom.V(5, 0, 0), clock.Second/2)))
		b.pass(hz, .7, nil)
		b.near("dashed", place().X-was.X, 2.5, 2e-3)
		b.pass(hz, .5, nil)
		was = place()
		b.apply(halting(rootmotion.JumpTo(geom.V(0, 0, -4), 1.5, 8*clock.Second/10)))
		b.pass(hz, .4, nil)
		b.near("apex", b.s.Position.Y-was.Y, 1.5, .03)
		b.pass(hz, 1, nil)
		b.near("leapt", place().Z-was.Z, -4, 5e-3)
		b.near("and not along the train", place().X-was.X, 0, 5e-3)
		if b.s.Mode != Walking || b.s.Base.Mover != 1 || !b.s.Motion.Carried.IsZero() {
			t.Errorf("%v Hz: mode %v, base %+v, carried %v", hz, b.s.Mode, b.s.Base, b.s.Motion.Carried)
		}
		if b.speed() > 1e-6 {
			t.Errorf("%v Hz: still moves at %v m/s on the train", hz, b.speed())
		}
	}
}
