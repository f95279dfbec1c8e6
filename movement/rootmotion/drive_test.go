package rootmotion

import (
	"math"
	"math/rand"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

// pace is how a second is cut into moves.
type pace struct {
	name string
	next func(r *rand.Rand) clock.Micros
}

func even(name string, hz float64) pace {
	return pace{name, func(*rand.Rand) clock.Micros { return clock.Micros(math.Round(1e6 / hz)) }}
}

// paces are the frame rates at which the rows must hold, and frames of no rate.
var paces = []pace{
	even("30 Hz", 30), even("60 Hz", 60), even("144 Hz", 144), even("240 Hz", 240),
	{"uneven", func(r *rand.Rand) clock.Micros { return clock.Micros(2000 + r.Intn(40000)) }},
	{"long", func(r *rand.Rand) clock.Micros { return clock.Micros(60000 + r.Intn(65000)) }},
}

// point is a body without a world: it goes where its velocity says, in slices of
// at most 50 ms that end where sources do, and coasts without friction.
type point struct {
	Group
	lib   *Library
	at    geom.Vec3
	own   geom.Vec3 // its own velocity
	total geom.Vec3 // with what sources made of it
	yaw   float64
	now   clock.Micros
	dice  *rand.Rand
	wall  float64 // it does not get beyond −Z of this; 0 is none
}

func newPoint(lib *Library) *point {
	return &point{lib: lib, dice: rand.New(rand.NewSource(7))}
}

func (p *point) body() Body {
	return Body{Feet: p.at, Centre: p.at, Forward: geom.Forward(p.yaw), Up: geom.Up}
}

// move is one move of d.
func (p *point) move(d clock.Micros) {
	p.own = p.Finish(p.lib, 0, p.own, geom.Up)
	p.Prepare(d)
	for left := d.Seconds(); left > 1e-6; {
		p.own = p.Finish(p.lib, left, p.own, geom.Up)
		dt := p.Until(p.lib, min(left, .05))
		if left > .05 {
			dt = p.Until(p.lib, left/2)
		}
		left -= dt
		b := p.body()
		drive := p.Drive(p.lib, &b, left, dt)
		if drive.Override {
			p.own = drive.Apply(p.own, geom.Up, true).Sub(drive.Additive)
		}
		p.total = p.own.Add(drive.Additive)
		p.at = p.at.MulAdd(p.total, dt)
		if p.wall < 0 {
			p.at.Z = max(p.at.Z, p.wall)
		}
		p.yaw += p.Turn(p.lib, left, dt)
	}
	p.now += d
}

// run moves until the given time, cut as pace says.
func (p *point) run(until clock.Micros, by pace) {
	for p.now < until {
		p.move(min(by.next(p.dice), until-p.now))
	}
}

func near(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if !(math.Abs(got-want) <= within) {
		t.Errorf("%s: got %.6f want %.6f ± %g", what, got, want, within)
	}
}

const second = clock.Second

func stopping(s Source) Source { s.Finish = Set; return s }

func TestConstantForceCoversItsDistance(t *testing.T) { // RMS-03, RMS-10, RMS-15
	lib := &Library{Curves: []Curve{{{0, 1}, {1, 0}}, {{0, 0}, {.5, 1}, {1, 0}}}}
	for _, by := range paces {
		for curve, want := range []float64{2.5, 1.25, 1.25} {
			p := newPoint(lib)
			s := stopping(Constant(geom.V(5, 0, 0), second/2))
			s.Curve = uint8(curve)
			p.Apply(s, p.now)
			p.run(7*second/10, by)
			near(t, by.name, p.at.X, want, 1e-5) // less than a microsecond is not simulated
		}
	}
}

func TestLocalForceTurnsWithTheCharacter(t *testing.T) { // RMS-10
	p := newPoint(nil)
	p.yaw = math.Pi / 2 // along −X
	s := stopping(Constant(geom.V(0, 0, -5), second/2))
	s.Flags = Local
	p.Apply(s, 0)
	p.run(second, paces[1])
	near(t, "x", p.at.X, -2.5, 1e-9)
	near(t, "z", p.at.Z, 0, 1e-9)
}

func TestAdditiveLeavesTheOwnVelocityAlone(t *testing.T) { // RMS-04
	p := newPoint(nil)
	p.own = geom.V(3, 0, 0)
	s := Constant(geom.V(1, 0, 0), second/2)
	s.Flags = Additive
	p.Apply(s, 0)
	p.move(second / 60)
	near(t, "during", p.total.X, 4, 1e-12)
	p.run(second, paces[1])
	near(t, "after", p.total.X, 3, 0)
	near(t, "way", p.at.X, 3.5, 1e-9)
}

func TestSlicesThatCannotEndWithTheSource(t *testing.T) { // RMS-15
	for kind, want := range map[Kind]float64{KindConstant: .5, KindMoveTo: 1, KindJumpTo: 1, KindAnimation: 1} {
		lib := &Library{Clips: []Clip{{Length: second / 10, Root: Track{{}, {At: 1, Move: geom.V(1, 0, 0)}}}}}
		var g Group
		s := map[Kind]Source{
			KindConstant: Constant(geom.V(5, 0, 0), second/10), KindMoveTo: MoveTo(geom.Vec3{}, geom.V(1, 0, 0), second/10),
			KindJumpTo: JumpTo(geom.V(1, 0, 0), 1, second/10), KindAnimation: Play(0),
		}[kind]
		g.Apply(s, 0)
		g.Prepare(second / 5)
		b := Body{Forward: geom.Forward(0), Up: geom.Up}
		d := g.Drive(lib, &b, 0, .2) // one slice, half of it beyond the end
		near(t, "kind", d.Velocity.X*.2, want, 1e-9)
	}
}

func TestRadialForce(t *testing.T) { // RMS-11
	lib := &Library{Curves: []Curve{{{0, 1}, {1, 0}}}}
	blast := Radial(geom.V(1, 0, 0), 4, 8, second)
	blast.FallOff = 1
	pull, up, fixed := blast, blast, blast
	pull.Flags |= Pull
	up.Flags |= IgnoreVertical
	fixed.Vector = geom.V(0, 2, 0)
	for _, c := range []struct {
		name string
		s    Source
		at   geom.Vec3
		want geom.Vec3
	}{
		{"2 m away", blast, geom.V(3, 0, 0), geom.V(4, 0, 0)},
		{"beyond", blast, geom.V(5.001, 0, 0), geom.Vec3{}},
		{"at the centre", blast, geom.V(1, 0, 0), geom.Vec3{}},
		{"pulled", pull, geom.V(3, 0, 0), geom.V(-4, 0, 0)},
		{"above, no vertical", up, geom.V(3, 3, 0), geom.V(4, 0, 0)},
		{"fixed direction", fixed, geom.V(3, 0, 0), geom.V(0, 4, 0)},
	} {
		p := newPoint(lib)
		p.at = c.at
		p.Apply(c.s, 0)
		p.move(second / 60)
		if p.total.Dist(c.want) > 1e-9 {
			t.Errorf("%s: got %v want %v", c.name, p.total, c.want)
		}
	}
	p := newPoint(lib)
	p.at = geom.V(11, 0, 0)
	id, _ := p.Apply(blast, 0)
	if !p.SetTarget(lib, id, geom.V(9, 0, 0)) {
		t.Error("a radial centre cannot be moved")
	}
	p.move(second / 60)
	near(t, "centre that moved", p.total.X, 4, 1e-9)
}

func TestMoveToArrivesOnTime(t *testing.T) { // RMS-12
	lib := &Library{
		Curves:  []Curve{{{0, 0}, {.3, .6}, {1, 1}}},
		Offsets: []Track{{{}, {At: .5, Move: geom.V(1, 2, 0)}, {At: 1}}},
	}
	for _, by := range paces {
		for variant := range 3 {
			p := newPoint(lib)
			s := stopping(MoveTo(p.at, geom.V(0, 0, -6), 12*second/10))
			s.Curve, s.Offset = uint8(variant&1), uint8(variant>>1)
			p.Apply(s, 0)
			p.run(6*second/10, by)
			if want := []geom.Vec3{{Z: -3}, {Z: -6 * (.6 + .4*2/7)}, {X: 1, Y: 2, Z: -3}}[variant]; p.at.Dist(want) > 1e-9 {
				t.Errorf("%s, variant %d: half-way at %v, want %v", by.name, variant, p.at, want)
			}
			p.run(15*second/10, by)
			if p.at.Dist(geom.V(0, 0, -6)) > 1e-9 {
				t.Errorf("%s, variant %d: at %v, want (0,0,-6)", by.name, variant, p.at)
			}
		}
	}
}

func TestMoveToHeldUpDoesNotRace(t *testing.T) { // RMS-12
	for _, by := range paces[:5] {
		p := newPoint(nil)
		s := stopping(MoveTo(p.at, geom.V(0, 0, -6), 12*second/10))
		s.Flags = LimitSpeed
		p.Apply(s, 0)
		p.wall = -3
		p.run(8*second/10, by)
		near(t, by.name+" at the wall", p.at.Z, -3, 1e-9)
		p.wall = 0
		for fastest := 0.0; p.now < 2*second; {
			p.move(by.next(p.dice))
			if fastest = max(fastest, p.total.Len()); fastest > 5+1e-9 {
				t.Errorf("%s: %.2f m/s to catch up, want at most 5", by.name, fastest)
				break
			}
		}
		near(t, by.name+" where time ends", p.at.Z, -5, 1e-6)
	}
}

func TestMoveToATargetThatMoves(t *testing.T) { // RMS-13
	for _, by := range paces {
		p := newPoint(nil)
		id, _ := p.Apply(stopping(MoveTo(p.at, geom.V(0, 0, -6), 12*second/10)), 0)
		p.run(6*second/10, by)
		was := p.at
		p.SetTarget(nil, id, geom.V(3, 0, -6))
		p.move(1000)
		if jump := p.at.Dist(was); jump > .0072 {
			t.Errorf("%s: jumps %.3f m where the target moves, want the path's 7 mm", by.name, jump)
		}
		p.run(11*second/10, by)
		p.SetTarget(nil, id, geom.V(3, 1, -6))
		p.run(2*second, by)
		if p.at.Dist(geom.V(3, 1, -6)) > 1e-6 {
			t.Errorf("%s: at %v, want (3,1,-6)", by.name, p.at)
		}
	}
	p := newPoint(nil)
	id, _ := p.Apply(Constant(geom.V(1, 0, 0), 0), 0)
	if p.SetTarget(nil, id, geom.Vec3{}) || p.SetTarget(nil, 99, geom.Vec3{}) {
		t.Error("what has no target took one")
	}
}

func TestJumpToDrawsItsParabola(t *testing.T) { // RMS-14
	for _, by := range paces {
		p := newPoint(nil)
		p.Apply(stopping(JumpTo(geom.V(0, 0, -4), 1.5, 8*second/10)), 0)
		p.run(4*second/10, by)
		near(t, by.name+" apex", p.at.Y, 1.5, 1e-9)
		near(t, by.name+" half-way", p.at.Z, -2, 1e-9)
		p.run(second, by)
		near(t, by.name+" lands high", p.at.Y, 0, 1e-9)
		near(t, by.name+" lands far", p.at.Z, -4, 1e-9)
	}
	lib := &Library{Offsets: []Track{{{}, {At: .2, Move: geom.V(0, 3, 0)}, {At: 1}}}}
	p := newPoint(lib)
	s := JumpTo(geom.V(0, 0, -4), 1.5, second)
	s.Offset = 1
	p.Apply(s, 0)
	p.run(second/5, paces[3])
	near(t, "own arc", p.at.Y, 3, 1e-9)
}

func TestLandingEndsALeapAfterItsMinimum(t *testing.T) { // RMS-14
	var g Group
	s := JumpTo(geom.V(0, 0, -4), 1.5, 8*second/10)
	s.LandAfter, s.Finish, s.FinishVelocity = 100, Clamp, geom.V(2, 0, 0)
	g.Apply(s, 0)
	g.Prepare(90 * clock.Millisecond)
	g.Landed(0)
	if v := g.Finish(nil, 0, geom.V(0, 0, -5), geom.Up); v.Len() != 5 || g.Active[0].ID == 0 {
		t.Errorf("landed at 90 ms: ended with %v", v)
	}
	g.Prepare(20 * clock.Millisecond)
	g.Landed(.011) // at 99 ms
	g.Landed(.009) // at 101 ms
	if v := g.Finish(nil, 0, geom.V(0, 0, -5), geom.Up); v.Len() != 2 || g.Active[0].ID != 0 {
		t.Errorf("landed at 101 ms: %v, still there: %v", v, g.Active[0].ID != 0)
	}
}

func TestPrioritiesOfOverrides(t *testing.T) { // RMS-16
	five, ten := Constant(geom.V(5, 0, 0), second), Constant(geom.V(10, 0, 0), second/2)
	ten.Priority = 1
	lower := five
	lower.Priority, lower.Duration = -1, 0
	add := Constant(geom.V(0, 0, 1), second)
	add.Flags = Additive
	for _, c := range []struct {
		name          string
		first, second Source
		before, after geom.Vec3 // at 0.25 s and at 0.75 s
	}{
		{"higher applied last", five, ten, geom.V(10, 0, 0), geom.V(5, 0, 0)},
		{"higher applied first", ten, five, geom.V(10, 0, 0), geom.V(5, 0, 0)},
		{"equal: the last", five, Constant(geom.V(7, 0, 0), second/2), geom.V(7, 0, 0), geom.V(5, 0, 0)},
		{"until removed", lower, ten, geom.V(10, 0, 0), geom.V(5, 0, 0)},
		{"additive on top", ten, add, geom.V(10, 0, 1), geom.V(10, 0, 1)}, // 10 is kept
		{"two additive", add, add, geom.V(0, 0, 2), geom.V(0, 0, 2)},
	} {
		p := newPoint(nil)
		p.Apply(c.first, 0)
		p.Apply(c.second, 0)
		p.run(second/4, paces[1])
		if p.total.Dist(c.before) > 1e-9 {
			t.Errorf("%s: got %v want %v", c.name, p.total, c.before)
		}
		p.run(3*second/4, paces[1])
		if p.total.Dist(c.after) > 1e-9 {
			t.Errorf("%s, later: got %v want %v", c.name, p.total, c.after)
		}
	}
}

func TestLiftOff(t *testing.T) { // RMS-17
	for _, c := range []struct {
		up    float64
		flags Flags
		want  bool
	}{
		{.2, 0, true}, {.05, 0, false}, {.05, SensitiveLiftOff, true}, {.005, SensitiveLiftOff, false},
		{.2, Additive, true}, {.05, Additive, false}, {.05, Additive | SensitiveLiftOff, true},
		{5, IgnoreVertical, false}, {5, IgnoreVertical | Additive, false}, {-5, 0, false},
	} {
		var g Group
		s := Constant(geom.V(1, c.up, 0), second)
		s.Flags = c.flags
		g.Apply(s, 0)
		g.Prepare(second / 60)
		b := Body{Forward: geom.Forward(0), Up: geom.Up}
		d := g.Drive(nil, &b, 0, 1.0/60)
		if got := d.Lifts(geom.Up); got != c.want {
			t.Errorf("%v m/s up, flags %b: lifts off %v, want %v", c.up, c.flags, got, c.want)
		}
	}
}

func TestFinishPolicies(t *testing.T) { // RMS-18
	for _, c := range []struct {
		name   string
		policy Finish
		value  geom.Vec3
		flags  Flags
		want   geom.Vec3
	}{
		{"keep", Keep, geom.Vec3{}, 0, geom.V(5, -1, 0)},
		{"set", Set, geom.Vec3{}, 0, geom.Vec3{}},
		{"set to a velocity", Set, geom.V(0, 1, 2), 0, geom.V(0, 1, 2)},
		{"clamp", Clamp, geom.V(0, 0, 2), 0, geom.V(5, -1, 0).ClampLen(2)},
		{"clamp below", Clamp, geom.V(0, 0, 9), 0, geom.V(5, -1, 0)},
		{"set, but not vertically", Set, geom.Vec3{}, IgnoreVertical, geom.V(0, -1, 0)},
	} {
		var g Group
		s := Constant(geom.V(5, -1, 0), second/10)
		s.Finish, s.FinishVelocity, s.Flags = c.policy, c.value, c.flags
		g.Apply(s, 0)
		g.Prepare(second / 10)
		got := g.Finish(nil, 0, geom.V(5, -1, 0), geom.Up)
		if got.Dist(c.want) > 1e-12 || g.Busy() {
			t.Errorf("%s: got %v want %v, still busy %v", c.name, got, c.want, g.Busy())
		}
	}
}

// turningClip goes 3 m in 1 s: ahead, then to the left, turned by 90°, and back.
var clips = &Library{Clips: []Clip{
	{Name: "lunge", Length: second, Root: Track{{}, {At: .4, Move: geom.V(0, 0, -2)}, {At: 1, Move: geom.V(0, 0, -3)}}},
	{Name: "turn", Length: second, Root: Track{{}, {At: .5, Move: geom.V(0, 0, -2), Turn: math.Pi / 2}, {At: 1, Move: geom.V(-1, 0, -2), Turn: math.Pi / 2}}},
	{Name: "strafe", Length: second / 4, Loop: true, Root: Track{{}, {At: 1, Move: geom.V(1, 0, 0), Turn: math.Pi / 2}}},
	{Name: "leap", Length: second, Flies: true, Root: Track{{}, {At: .5, Move: geom.V(0, 1, -1)}, {At: 1, Move: geom.V(0, 0, -2)}}},
}}

func TestAClipMovesByItsRoot(t *testing.T) { // RMS-05, RMS-19
	if err := clips.Check(); err != nil {
		t.Fatal(err)
	}
	for _, by := range paces {
		for clip, want := range []Pose{
			{Move: geom.V(0, 0, -3)}, {Move: geom.V(-1, 0, -2), Turn: math.Pi / 2},
			{Turn: 2 * math.Pi}, {Move: geom.V(0, 0, -2)},
		} {
			for _, rate := range []float64{1, .5, 1.37} {
				p := newPoint(clips)
				s := stopping(Play(uint8(clip)))
				s.Rate = rate
				if clips.Clips[clip].Loop {
					s.Duration = clock.Micros(math.Round(1e6 / rate)) // four sides of a square
				}
				p.Apply(s, 0)
				p.run(25*second/10, by)
				if p.at.Dist(want.Move) > 1e-5 || math.Abs(p.yaw-want.Turn) > 1e-5 {
					t.Errorf("%s, clip %d at %v: got %v turned %v, want %+v", by.name, clip, rate, p.at, p.yaw, want)
				}
			}
		}
	}
}

func TestAClipIsScaledAndFacesWithTheCharacter(t *testing.T) { // RMS-19
	p := newPoint(clips)
	p.yaw = -math.Pi / 2 // along +X
	s := stopping(Play(0))
	s.Strength = 2
	p.Apply(s, 0)
	p.run(2*second, paces[2])
	if p.at.Dist(geom.V(6, 0, 0)) > 1e-9 {
		t.Errorf("got %v want (6,0,0)", p.at)
	}
}

func TestAnAnimationSilencesSources(t *testing.T) { // RMS-01
	p := newPoint(clips)
	add, over := Constant(geom.V(9, 0, 0), second), Constant(geom.V(0, 0, 9), second)
	add.Flags, over.Priority = Additive, 100
	add.Rate = 3
	p.Apply(add, 0)
	p.Apply(over, 0)
	p.move(second / 60)
	p.yaw = 0
	p.Apply(stopping(Play(0)), 0)
	p.move(second / 60)
	if want := geom.V(0, 0, -5); p.total.Dist(want) > 1e-9 {
		t.Errorf("got %v want %v", p.total, want)
	}
	near(t, "turn", p.yaw, 0, 0)
}

func TestInTheAirAClipLeavesGravity(t *testing.T) { // RMS-19
	for clip, want := range map[uint8]geom.Vec3{0: {Y: -7, Z: -5}, 3: {Y: 2, Z: -2}} {
		var g Group
		g.Apply(Play(clip), 0)
		g.Prepare(second / 60)
		b := Body{Forward: geom.Forward(0), Up: geom.Up}
		d := g.Drive(clips, &b, 0, (second / 60).Seconds())
		if got := d.Apply(geom.V(1, -7, 1), geom.Up, true); got.Dist(want) > 1e-9 {
			t.Errorf("clip %d: got %v want %v", clip, got, want)
		}
		if d.Lifts(geom.Up) != (clip == 3) {
			t.Errorf("clip %d lifts off: %v", clip, d.Lifts(geom.Up))
		}
	}
}

func TestASourceTurns(t *testing.T) { // RMS-05
	for _, by := range paces {
		p := newPoint(nil)
		s := Constant(geom.Vec3{}, second)
		s.Flags, s.Rate = Additive, math.Pi/2
		p.Apply(s, 0)
		p.run(2*second, by)
		near(t, by.name, p.yaw, math.Pi/2, 1e-7)
	}
}

func TestSourcesUnknownToTheLibraryDoNothing(t *testing.T) {
	p := newPoint(nil)
	p.own = geom.V(1, 0, 0)
	p.Apply(Play(9), 0)
	s := Constant(geom.V(5, 0, 0), second)
	s.Curve = 200
	p.Apply(s, 0)
	p.move(second / 60)
	if p.total != geom.V(5, 0, 0) { // the clip ended at once, the curve is none
		t.Errorf("got %v want (5,0,0)", p.total)
	}
}

func TestNothingAllocates(t *testing.T) {
	p := newPoint(clips)
	var buf [1024]byte
	if n := testing.AllocsPerRun(100, func() {
		p.Apply(Play(1), p.now)
		p.Apply(MoveTo(p.at, geom.V(1, 0, 0), second), p.now)
		for range 10 {
			p.move(second / 60)
		}
		w := bits.NewWriter(buf[:])
		p.Pack(&w)
		p.Clear()
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
