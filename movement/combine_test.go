package movement

import (
	"math"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement/rootmotion"
)

// pair is two moves that might be one.
type pair struct {
	m              Model
	w              collide.WorldAt
	start, between State
	first, second  Command
}

// walking is two moves of a character that walks straight on, which may be one, in a hall
// with a lift far away, a pool and a jump pad.
func walking(t testing.TB) *pair {
	t.Helper()
	var b collide.Builder
	b.Box(geom.V(0, -1, 0), geom.V(50, 1, 50), geom.IdentityQuat, collide.Surface{})
	b.Mover("lift", collide.Path{Loop: true, Keys: []collide.Key{
		{Position: geom.V(30, 0, 0)}, {At: clock.Second, Position: geom.V(0, 0, 0)}, {At: 2 * clock.Second, Position: geom.V(30, 0, 0)},
	}}, func(b *collide.Builder) {
		b.Box(geom.V(0, 1, 0), geom.V(.5, .5, .5), geom.IdentityQuat, collide.Surface{})
	})
	b.VolumeBox(collide.Volume{Water: true}, geom.V(20, 1, 0), geom.V(2, 1, 2), geom.IdentityQuat)
	b.VolumeBox(collide.Volume{Launch: geom.V(0, 9, 0)}, geom.V(-20, .1, 0), geom.V(1, .1, 1), geom.IdentityQuat)
	world := b.MustBake()
	p := &pair{m: DefaultModel(), w: collide.WorldAt{World: world, At: 2 * clock.Second}}
	p.start = State{Position: geom.V(0, .021, 0), Velocity: geom.V(0, 0, -6), Mode: Walking}
	p.between = p.start
	p.between.Position.Z -= 6. / 144
	p.first = Command{Forward: 1}
	p.second = p.first
	return p
}

func (p *pair) combines() bool {
	return p.m.CanCombine(&p.w, &p.start, &p.between, &p.first, &p.second)
}

const degree = math.Pi / 180

// movePairs are changes to two moves of a walker that could be one, and whether they still
// can be.
var movePairs = []struct {
	row, what string
	change    func(p *pair)
	want      bool
}{
	{"", "nothing changes", func(p *pair) {}, true},
	{"", "both stand", func(p *pair) {
		p.first, p.second, p.start.Velocity, p.between.Velocity = Command{}, Command{}, geom.Vec3{}, geom.Vec3{}
	}, true},
	{"", "a character at rest looks about", func(p *pair) { p.first, p.second = Command{}, Command{Yaw: 2, Pitch: 1} }, true},
	{"", "a walker looks up", func(p *pair) { p.second.Pitch = 1 }, true},
	{"CMB-02", "root motion before the first", func(p *pair) { dash(&p.start) }, false},
	{"CMB-02", "root motion before the second", func(p *pair) { dash(&p.between) }, false},
	{"CMB-02", "root motion that came and went", func(p *pair) { dashed(&p.between) }, false},
	{"CMB-02", "root motion long over", func(p *pair) { dashed(&p.start); dashed(&p.between) }, true},
	{"CMB-02", "an impulse waits before the first", func(p *pair) { p.start.Impulse.X = 1 }, false},
	{"CMB-02", "an impulse waits before the second", func(p *pair) { p.between.Impulse.X = 1 }, false},
	{"CMB-02", "a force waits before the first", func(p *pair) { p.start.Force.X = 1 }, false},
	{"CMB-02", "a force waits before the second", func(p *pair) { p.between.Force.X = 1 }, false},
	{"CMB-02", "a launch waits before the first", func(p *pair) { p.start.Launch.X = 1 }, false},
	{"CMB-02", "a launch waits before the second", func(p *pair) { p.between.Launch.X = 1 }, false},
	{"CMB-03", "input ends", func(p *pair) { p.second.Forward = 0 }, false},
	{"CMB-03", "input begins", func(p *pair) { p.first.Forward = 0 }, false},
	{"CMB-03", "a request begins", func(p *pair) { p.second.Request.X = 6 }, false},
	{"CMB-03", "a request ends", func(p *pair) { p.first.Request.X = 6 }, false},
	{"CMB-03", "up alone is no input of a walker", func(p *pair) { p.second.Up = 1 }, true},
	{"CMB-03", "but of a swimmer", func(p *pair) {
		p.start.Mode, p.between.Mode = Swimming, Swimming
		p.first, p.second = Command{}, Command{Up: 1}
	}, false},
	{"CMB-05", "the view turns by 5.0° with the input", func(p *pair) { p.second.Yaw = 5.0 * degree }, true},
	{"CMB-05", "the view turns by 5.2° with the input", func(p *pair) { p.second.Yaw = -5.2 * degree }, false},
	{"CMB-05", "the view turns and the stick turns back", func(p *pair) {
		p.second = Command{Yaw: .5, Forward: math.Cos(.5), Right: math.Sin(.5)}
	}, true},
	{"CMB-05", "half the stick, then all of it", func(p *pair) { p.first.Forward = .5 }, true},
	{"CMB-05", "another key", func(p *pair) { p.second.Right = 1 }, false},
	{"CMB-05", "a flier looks 5.2° up and flies along", func(p *pair) {
		p.start.Mode, p.between.Mode, p.second.Pitch = Flying, Flying, 5.2*degree
	}, false},
	{"CMB-05", "a request turns by 5.2°", func(p *pair) {
		p.first.Request, p.second.Request = geom.V(0, 0, -5), geom.Forward(5.2*degree).Mul(5)
	}, false},
	{"CMB-06", "from rest", func(p *pair) { p.start.Velocity = geom.Vec3{} }, false},
	{"CMB-06", "to a stop", func(p *pair) { p.between.Velocity = geom.Vec3{} }, false},
	{"CMB-06", "requests of 6 and 6.05 m/s", func(p *pair) { p.requests(6, 6.05) }, true},
	{"CMB-06", "requests of 6 and 6.11 m/s", func(p *pair) { p.requests(6, 6.11) }, false},
	{"CMB-06", "one may not move at all", func(p *pair) {
		p.m.MaxCrouchedSpeed, p.m.MaxWalkSpeed = 0, .05
		p.start.Crouched = true
	}, false},
	{"CMB-06", "sprint is pressed", func(p *pair) { p.second.Sprint = true }, false},
	{"CMB-07", "jump is pressed", func(p *pair) { p.second.Jump = true }, false},
	{"CMB-07", "jump is let go", func(p *pair) { p.first.Jump = true }, false},
	{"CMB-07", "jump was pressed in the first", func(p *pair) {
		p.first.Jump, p.second.Jump, p.between.JumpHeld = true, true, true
	}, false},
	{"CMB-07", "jump stays held", func(p *pair) {
		p.first.Jump, p.second.Jump, p.start.JumpHeld, p.between.JumpHeld = true, true, true, true
	}, true},
	{"CMB-07", "a jump's hold ends", func(p *pair) { p.start.JumpHold = 1000 }, false},
	{"CMB-07", "a jump's hold begins", func(p *pair) { p.between.JumpHold = 1000 }, false},
	{"CMB-07", "a jump's hold goes on", func(p *pair) { p.start.JumpHold, p.between.JumpHold = 9000, 2000 }, true},
	{"CMB-07", "one jump more", func(p *pair) { p.between.JumpCount = 1 }, false},
	{"CMB-08", "crouch is pressed", func(p *pair) { p.second.Crouch = true }, false},
	{"CMB-08", "crouched in the first", func(p *pair) { p.between.Crouched = true }, false},
	{"CMB-08", "another mode", func(p *pair) { p.between.Mode = Falling }, false},
	{"CMB-08", "onto a mover", func(p *pair) { p.between.Base.Mover = 1 }, false},
	{"CMB-08", "off a mover", func(p *pair) { p.start.Base.Mover = 1 }, false},
	{"CMB-08", "on a mover", func(p *pair) { p.start.Base.Mover, p.between.Base.Mover = 1, 1 }, true},
	{"CMB-08", "from one shape of the ground to another", func(p *pair) { p.between.Floor.Shape = 7 }, true},
	{"CMB-08", "another up", func(p *pair) { p.between.Up = geom.V(1, 0, 0) }, false},
	{"CMB-08", "another path", func(p *pair) { p.between.Rail.Path = 1 }, false},
	{"CMB-08", "off the mesh", func(p *pair) { p.start.Nav.Polygon = 3 }, false},
	{"CMB-08", "wants to walk", func(p *pair) { p.between.WantsWalking = true }, false},
	{"CMB-08", "put there by the server before the first", func(p *pair) { p.start.ForceFloor = true }, false},
	{"CMB-08", "crushed in the first", func(p *pair) { p.between.ForceFloor = true }, false},
	{"CMB-08", "into the water", func(p *pair) { p.start.Position.X = 17.99; p.between.Position.X = 18.01 }, false},
	{"CMB-08", "within the water", func(p *pair) { p.start.Position.X = 18.01; p.between.Position.X = 18.02 }, true},
	{"CMB-08", "onto a jump pad", func(p *pair) { p.start.Position.X = -18.99; p.between.Position.X = -19.01 }, false},
	{"CMB-09", "a body came to where it began", func(p *pair) { p.w.At = clock.Second }, false},
	{"CMB-09", "a body came there, but the character rides", func(p *pair) {
		p.w.At, p.start.Base.Mover, p.between.Base.Mover = clock.Second, 1, 1
	}, true},
	{"CMB-09", "an obstacle came to where it began", func(p *pair) { p.obstacle(.3) }, false},
	{"CMB-09", "an obstacle came beside where it began", func(p *pair) { p.obstacle(.7) }, true},
	{"CMB-09", "an obstacle came there, but the character rides", func(p *pair) {
		p.obstacle(.3)
		p.start.Base.Mover, p.between.Base.Mover = 1, 1
	}, true},
}

// dash starts root motion; dashed is what is left of it when it is over.
func dash(s *State)   { s.Motion.Apply(rootmotion.Constant(geom.V(1, 0, 0), clock.Second), 1) }
func dashed(s *State) { s.Motion.LastID = 1 }

// Rows CMB, one field at a time: what alone keeps two moves apart, and what does not.
// [CMD-10, CMB-01]
func TestWhatMayBeOneMove(t *testing.T) { // CMB-02, CMB-03, CMB-05, CMB-06, CMB-07, CMB-08, CMB-09
	for _, c := range movePairs {
		p := walking(t)
		c.change(p)
		if got := p.combines(); got != c.want {
			t.Errorf("%s %s: got %v, want %v", c.row, c.what, got, c.want)
		}
	}
}

// requests lets both moves ask for speeds on the request's grid.
func (p *pair) requests(first, second float64) {
	p.m.MaxWalkSpeed = 8
	p.first.Request, p.second.Request = geom.V(0, 0, -first), geom.V(0, 0, -second)
	p.first.Quantise()
	p.second.Quantise()
}

// obstacle puts a character beside where the first move began.
func (p *pair) obstacle(x float64) {
	feet := p.start.Position.Add(geom.V(x, 0, 0))
	p.w.Obstacles = []collide.Obstacle{{Capsule: p.m.capsuleAt(feet, geom.Up, p.m.HalfHeight), ID: 2}}
}

// CMB-05, CMB-06: the numbers of the rows themselves. [GAP-14]
func TestHowNearMovesMustBe(t *testing.T) {
	for _, c := range []struct {
		degrees float64
		want    bool
	}{{0, true}, {5, true}, {5.126, true}, {5.127, false}, {5.2, false}, {180, false}} {
		if got := along(geom.Forward(0).Mul(10.24), geom.Forward(c.degrees*degree).Mul(20.48)); got != c.want {
			t.Errorf("%v°: got %v, want %v", c.degrees, got, c.want)
		}
	}
	for _, c := range []struct {
		a, b float64
		want bool
	}{{6, 6.05, true}, {6, 6.11, false}, {6.11, 6, false}, {0, 0.05, false}, {0, 0, true}, {.02, .1, true}} {
		p := walking(t)
		p.m.MaxWalkSpeed, p.m.MaxCrouchedSpeed = c.a, c.b
		p.between.Crouched = true
		if got := p.m.keepsSpeed(&p.start, &p.between, &p.first, &p.second); got != c.want {
			t.Errorf("limits of %v and %v m/s: got %v, want %v", c.a, c.b, got, c.want)
		}
	}
}

// CMB-12: one step of the sum is what both ends simulate; it is not two steps. A turn
// of 90° while running shows by how much.
func TestOneStepIsNotTwo(t *testing.T) {
	turn := func(steps int) geom.Vec3 {
		m, f := DefaultModel(), StepContext{}
		s := State{Position: geom.V(0, .021, 0), Velocity: geom.V(6, 0, 0), Mode: Walking}
		w := walking(t).w
		s.ForceFloor = true
		c := Command{Forward: 1}
		for range steps {
			Step(&m, &s, &c, clock.Micros(100000/(3*steps)), &w, &f)
		}
		return s.Velocity
	}
	one, two := turn(1), turn(2)
	if want := geom.V(4.4, 0, -2.282667); one.Dist(want) > 1e-3 {
		t.Errorf("one step of 1/30 s: %v, want %v", one, want)
	}
	if want := geom.V(4.506667, 0, -2.040326); two.Dist(want) > 1e-3 {
		t.Errorf("two steps of 1/60 s: %v, want %v", two, want)
	}
}

// Whoever asks each frame pays little, and no memory.
func TestCanCombineAllocatesNothing(t *testing.T) {
	p := walking(t)
	p.obstacle(.7)
	yes := true
	if n := testing.AllocsPerRun(1000, func() { yes = yes && p.combines() }); n != 0 || !yes {
		t.Errorf("%v allocations, answer %v; want none and yes", n, yes)
	}
}

func BenchmarkCanCombine(b *testing.B) {
	p := walking(b)
	p.obstacle(.7)
	for b.Loop() {
		p.combines()
	}
}
