package movement

import (
	"fmt"
	"math"
	"math/rand"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// upwards are the directions against gravity of BAS-05's row, and the hardest.
var upwards = []geom.Vec3{
	{X: -1}, geom.V(-1, -1, -1).Unit(), geom.V(.3, -.9, .1).Unit(),
}

// TestAnyGravity plays the situations of floors, slopes, steps, walls, ledges, jumps,
// falls, crouching, water, flight and moving floors again in worlds that stand on end.
// [FLR-01, FLR-02, FLR-05, FLR-06, STP-01, STP-02]
func TestAnyGravity(t *testing.T) { // BAS-05
	defer func() { upward = geom.Vec3{} }()
	for i, up := range upwards {
		for name, test := range map[string]func(*testing.T){
			"StandingOnSlopes": TestStandingOnSlopes, "WalkableLimit": TestWalkableLimit, "SnapToTheBand": TestSnapToTheBand,
			"DownhillKeepsContact": TestDownhillKeepsContact, "SteepSlopeSlidesDown": TestSteepSlopeSlidesDown,
			"EdgeIsNoFloor": TestEdgeIsNoFloor, "GapOverRoughGround": TestGapOverRoughGround,
			"Perching": TestPerching, "PerchingAbove": TestPerchingAboveAFloorThatIsNear,
			"StairsUp": TestStairsUp, "HighStepBlocks": TestHighStepBlocks, "StepsNotTaken": TestStepsNotTaken,
			"UnwalkableRamp": TestUnwalkableRampIsAWall, "Corners": TestCorners, "WideCorner": TestWideCornerSlidesThrough,
			"WallHeadOn": TestWallHeadOn, "Seams": TestSeamsDoNotCatch, "Narrow": TestNarrowPassages,
			"Spawned": TestSpawnedInsideGeometry, "Skin": TestSkinHoldsOverManyContacts, "Crushed": TestCrushed,
			"Ledges": TestLedges, "SpeedUphill": TestSpeedUphill, "JumpHeight": TestJumpHeight,
			"Holding": TestHoldingJumpsHigher, "Crouching": TestCrouching, "Wedged": TestWedgedBetweenSteepSlopes,
			"Landing": TestLandingKeepsTheHorizontalSpeed, "Floating": TestFloatingComesToRest,
			"Climbing": TestClimbingOutOfTheWater, "Beach": TestTheBeach, "Pads": TestJumpPads, "Flyers": TestFlyersMeetWalls,
			"JumpOnALift": TestJumpOnALift, "JumpFromAPlatform": TestJumpFromAPlatform, "WalkOffAPlatform": TestWalkOffAMovingPlatform,
			"Conveyor": TestConveyor, "Escalator": TestEscalator, "TiltingPlatform": TestTiltingPlatform, "Turned": TestTurnedIsWhatTheViewTurnsBy,
			"Sills": TestAnEdgeThatIsTooHighIsAWall, "NoSteps": TestWalkingWithoutAStepHeight,
		} {
			if slow := strings.Contains("Floating Skin GapOverRoughGround SteepSlopeSlidesDown StairsUp DownhillKeepsContact", name); i > 1 && slow {
				continue // enough in the row's two directions
			}
			upward = up
			t.Run(fmt.Sprint(name, " with up along ", up), test)
		}
	}
}

// ball is a planet of triangles with so many metres of radius, and gravity to its
// middle as far as three radii.
func planet(b *collide.Builder, radius float64) {
	const rings = 40
	var vs []geom.Vec3
	var is []uint32
	for j := range rings + 1 {
		sj, cj := geom.SinCos(float64(j) * (math.Pi / rings))
		for i := range 2 * rings {
			si, ci := geom.SinCos(float64(i) * (math.Pi / rings))
			vs = append(vs, geom.V(sj*ci, cj, sj*si).Mul(radius))
		}
	}
	at := func(j, i int) uint32 { return uint32(j*2*rings + i%(2*rings)) }
	for j := range rings {
		for i := range 2 * rings {
			is = append(is, at(j, i), at(j, i+1), at(j+1, i), at(j+1, i), at(j, i+1), at(j+1, i+1))
		}
	}
	if _, err := b.Triangles(vs, is, collide.Surface{}); err != nil {
		panic(err)
	}
	b.VolumeSphere(collide.Volume{Planet: true}, geom.Sphere{Radius: 3 * radius})
}

func TestWalkingAroundAPlanet(t *testing.T) { // BAS-05
	for _, radius := range []float64{8, 20} {
		var w collide.Builder
		planet(&w, radius)
		world := inOnly(t, 60, geom.Vec3{}, &w).w
		everyRate(t, func(what string, hz float64, dice func() *rand.Rand) {
			if radius == 20 && hz != 60 {
				return // one rate, and uneven frames
			}
			for _, yaw := range []float64{.7, -2}[:1+int(hz)%8/4] {
				b := inOnly(t, hz, geom.V(0, radius+.05, 0), new(collide.Builder))
				b.w, b.dice = world, dice()
				b.run(.2)
				b.c.Forward, b.c.Yaw = 1, yaw
				far, was := 0.0, b.s.Position
				for until := b.now + 2*math.Pi*radius/6*1.1; b.now < until; {
					b.frame()
					b.c.Yaw += b.f.Turned // the client keeps its heading
					far += b.s.Position.Dist(was)
					was = b.s.Position
					if b.s.Mode != Walking {
						t.Fatalf("%s, radius %v: in mode %v at %v", what, radius, b.s.Mode, was)
					}
					if got := was.Len() - radius; got > .05 || got < -.02 {
						t.Fatalf("%s, radius %v: feet %v m above it", what, radius, got)
					}
					if d := b.s.UpVector().Dist(was.Unit()); d > 6*.042/radius {
						t.Fatalf("%s, radius %v: stands askew by %v", what, radius, d)
					}
				}
				if want := 2 * math.Pi * radius * 1.1; math.Abs(far/want-1) > .06 {
					t.Errorf("%s, radius %v: went %v m, want %v: once around and a bit", what, radius, far, want)
				}
				// A great circle through the start: a heading kept leads back.
				tenth := geom.V(0, radius, 0).Dist(b.s.Position)
				if want := 2 * radius * math.Sin(.1*math.Pi); math.Abs(tenth-want) > .2*radius {
					t.Errorf("%s, radius %v, yaw %v: ends %v m from its start, want %v", what, radius, yaw, tenth, want)
				}
				b.c.Forward = 0
				b.run(1)
				at := b.s.Position
				if b.run(3); b.s.Position.Dist(at) > 1e-4 || b.s.Mode != Walking {
					t.Errorf("%s, radius %v: creeps %v m in 3 s", what, radius, b.s.Position.Dist(at))
				}
				b.c.Jump = true
				high := 0.0
				for until := b.now + 1.5; b.now < until; {
					b.frame()
					high = max(high, b.s.Position.Len()-at.Len())
				}
				if math.Abs(high-.9) > .03 || b.s.Mode != Walking {
					t.Errorf("%s, radius %v: jumps %v m high, then in mode %v", what, radius, high, b.s.Mode)
				}
			}
		})
	}
}

func TestWalkingUpAWall(t *testing.T) { // BAS-05
	everyRate(t, func(what string, hz float64, dice func() *rand.Rand) {
		b := in(t, hz, geom.V(0, 0, 0), func(b *collide.Builder) {
			box(b, geom.V(-20, 0, -12), geom.V(20, 40, -10), collide.Surface{})
			b.VolumeBox(collide.Volume{Up: geom.V(0, 0, 1)}, geom.V(0, 20, -9), geom.V(20, 20, 1.2), geom.IdentityQuat)
		})
		b.dice = dice()
		b.c.Forward = 1
		b.run(4)
		if b.s.Up != geom.V(0, 0, 1) || b.s.Mode != Walking || math.Abs(b.s.Position.Z+10-midFloor) > .003 {
			t.Errorf("%s: at %v along %v in mode %v, want it to stand on the wall", what, b.s.Position, b.s.Up, b.s.Mode)
		}
		if b.inside() || b.total[Stuck] > 0 {
			t.Errorf("%s: stuck %v times", what, b.total[Stuck])
		}
		at, since := b.s.Position, b.now
		b.run(1) // forward at yaw 0 is −Z turned from +Y to +Z, which is +Y
		if up := b.s.Position.Sub(at).Div(b.now - since); math.Abs(up.Y-6) > .01 || math.Abs(up.Z) > .003 {
			t.Errorf("%s: goes %v in a second, want 6 m up the wall", what, up)
		}
	})
}

func TestUpStaysWhereNoVolumeSays(t *testing.T) { // BAS-05
	var w collide.Builder
	w.Box(geom.V(-1, 0, 0), geom.V(1, 50, 50), geom.IdentityQuat, collide.Surface{})
	b := inOnly(t, 60, geom.V(3, 0, 0), &w)
	b.s.Up = geom.V(1, 0, 0)
	b.run(2)
	if b.s.Mode != Walking || math.Abs(b.s.Position.X-midFloor) > .003 || b.s.Up != geom.V(1, 0, 0) {
		t.Errorf("spawned with up along +X: at %v in mode %v", b.s.Position, b.s.Mode)
	}
	var v collide.Builder
	v.Box(geom.V(0, -1, 0), geom.V(50, 1, 50), geom.IdentityQuat, collide.Surface{})
	v.VolumeBox(collide.Volume{Up: geom.Up}, geom.Vec3{}, geom.V(50, 50, 50), geom.IdentityQuat)
	b = inOnly(t, 60, geom.V(0, 5, 0), &v)
	b.s.Up = geom.V(0, -1, 0)
	if b.run(3); b.s.Up != (geom.Vec3{}) || b.s.Mode != Walking {
		t.Errorf("a volume turned it up to %v in mode %v, want zero, which is +Y", b.s.Up, b.s.Mode)
	}
}

func TestTurningKeepsTheMiddle(t *testing.T) { // BAS-05
	var b collide.Builder
	w := b.MustBake()
	empty := collide.WorldAt{World: w}
	r := rand.New(rand.NewSource(1))
	for range 1000 {
		m := DefaultModel()
		up := geom.V(r.NormFloat64(), r.NormFloat64(), r.NormFloat64()).Unit()
		s := State{Position: geom.V(1, 2, 3), Mode: Falling, Up: geom.V(r.NormFloat64(), r.NormFloat64(), r.NormFloat64()).Unit()}
		c := m.Capsule(&s)
		f := StepContext{Body: Body{State: &s, Model: &m, Up: s.Up, World: &empty}}
		f.moveStart().turnUp(up)
		if d := m.Capsule(&s); d.A.Lerp(d.B, .5).Dist(c.A.Lerp(c.B, .5)) > 1e-12 || d.B.Sub(d.A).Unit().Dist(up) > 1e-9 || !f.tilted {
			t.Fatalf("turned to %v: %+v from %+v", up, d, c)
		}
	}
}

func TestCarryYawKeepsTheLook(t *testing.T) { // BAS-05
	r := rand.New(rand.NewSource(1))
	for range 1000 {
		from := geom.V(r.NormFloat64(), r.NormFloat64(), r.NormFloat64()).Unit()
		to := from.Add(geom.V(r.NormFloat64(), r.NormFloat64(), r.NormFloat64()).Mul(.01)).Unit()
		yaw := 7 * r.Float64()
		got := carryYaw(from, to, yaw)
		was := orientation(from).Rotate(geom.Forward(yaw))
		is := orientation(to).Rotate(geom.Forward(got))
		if was.Dist(is) > .05 || math.Abs(is.Dot(to)) > 1e-9 {
			t.Fatalf("from %v to %v: looked along %v, looks along %v", from, to, was, is)
		}
		if same := carryYaw(from, from, yaw); math.Abs(geom.WrapAngle(same-yaw)) > 1e-9 {
			t.Fatalf("no turn: yaw %v becomes %v", yaw, same)
		}
	}
}

// A body that turns by gravity keeps looking where it looked, whatever its policy.
func TestGravityTurnsTheView(t *testing.T) { // BAS-05, BAS-04
	for _, policy := range []FacingPolicy{FaceView, TurnToView, TurnToMotion} {
		var w collide.Builder
		w.VolumeBox(collide.Volume{Up: geom.V(0, 0, 1)}, geom.Vec3{}, geom.V(9, 9, 9), geom.IdentityQuat)
		b := inOnly(t, 60, geom.V(0, 0, 0), &w)
		b.m.Facing, b.m.TurnRate = policy, 0
		b.s.Mode, b.s.Yaw, b.c.Yaw = Falling, .5, .5
		was := b.s.Orientation().Rotate(geom.Forward(b.s.Yaw))
		b.step()
		is := b.s.Orientation().Rotate(geom.Forward(b.s.Yaw))
		if want := geom.Arc(geom.Up, geom.V(0, 0, 1)).Rotate(was); is.Dist(want) > 1e-9 || math.Abs(geom.WrapAngle(b.s.Yaw-.5-b.f.Turned)) > 1e-9 {
			t.Errorf("policy %v: looks along %v, want %v; turned %v", policy, is, want, b.f.Turned)
		}
	}
}
