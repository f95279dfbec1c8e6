package levelmaker_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/examples/arena/levelmaker"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/level"
	"github.com/backstep-net/backstep/movement"
)

const tick clock.Micros = 16_667

// walker is a character in the arena.
type walker struct {
	model movement.Model
	state movement.State
	frame movement.StepContext
	view  collide.WorldAt
}

func newWalker(l *level.Level, at geom.Vec3, yaw float64) *walker {
	return &walker{model: movement.DefaultModel(), state: movement.Spawn(at, yaw), view: collide.WorldAt{World: l.World}}
}

// hold moves with the same command for n ticks, and calls each after every one.
func (w *walker) hold(c movement.Command, n int, each func()) {
	c.Quantise()
	for range n {
		w.view.At += tick
		movement.Step(&w.model, &w.state, &c, tick, &w.view, &w.frame)
		if each != nil {
			each()
		}
	}
}

// Each line holds forward from a place for some seconds; top is the highest that
// the feet come and end where they are at last. [VOL-01]
func TestWalkersGetWhereTheArenaLeads(t *testing.T) {
	l := open(t)
	for _, c := range []struct {
		name     string
		from     geom.Vec3
		yaw      float64
		crouch   bool
		seconds  float64
		top, end float64
	}{
		{"course: up the gentle stairs", levelmaker.CourseStart, 0, false, 1.7, 1.5, 1.5},
		{"course: up both stairs", levelmaker.CourseStart, 0, false, 2.75, 3, 3},
		{"course: over the top and down the ramp of 20°", levelmaker.CourseStart, 0, false, 4.6, 3, 0},
		{"course: up the ramp of 40°", geom.V(levelmaker.CourseX, 0, -3), 0, false, 1.5, 2, 2},
		{"course: the ramp of 50° leads nowhere", geom.V(levelmaker.CourseX, 0, -13), 0, false, 3, 0.3, 0},
		{"course: up the ramp of 40°, off the drop, to the ramp of 50°", geom.V(levelmaker.CourseX, 0, -3), 0, false, 5, 2, 0},
		{"tower by the long stairs", geom.V(-13, 0, 14), 0, false, 3, 4.2, 4.2},
		{"tower by the steep stairs", geom.V(-17, 0, -11), math.Pi, false, 2.5, 4.2, 4.2},
		{"over the bridge", geom.V(-13, 4.2, 0), -math.Pi / 2, false, 4, 4.2, 4.2},
		{"base by the front steps", geom.V(0, 0, 21), math.Pi, false, 2, 1.2, 1.2},
		{"bastion by the ramp of 20°", geom.V(1, 0, 17), -math.Pi / 2, false, 2.3, 3, 3},
		{"bastion by the ramp of 40°", geom.V(14, 0, 9), math.Pi, false, 1.7, 3, 3},
		{"swimming out of the pool by its steps", geom.V(-3, -1.6, 0), math.Pi / 2, false, 3, 0.06, 0},
		{"swimming out of the pool by its ramp", geom.V(-3, -2, -2), math.Pi, false, 3.6, 0.06, 0},
		{"onto the landing", geom.V(0, 0, 11), 0, false, 1.2, 1.2, 1.2},
		{"under the overhang", geom.V(31, 0, 19), 0, true, 3, 0, 0},
		{"not under the overhang upright", geom.V(31, 0, 19), 0, false, 3, 0, 0},
		{"up a pallet, not up a crate", geom.V(-2, 0, 17.6), math.Pi / 2, false, 2, 0.4, 0.4},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, top := newWalker(l, c.from, c.yaw), -10.0
			command := movement.Command{Forward: 1, Yaw: c.yaw, Crouch: c.crouch}
			w.hold(command, int(c.seconds*60), func() { top = max(top, w.state.Position.Y) })
			p := w.state.Position
			if math.Abs(top-c.top) > 0.3 || math.Abs(p.Y-c.end) > 0.1 {
				t.Errorf("highest %.2f, want %.2f; at last %.2f, want %.2f, at %.2f", top, c.top, p.Y, c.end, p)
			}
			if c.crouch && p.Z > 12.5 {
				t.Errorf("crouched, it came to z %.2f; want it through the overhang at 13.5", p.Z)
			}
		})
	}
}

// Many wander, jump and crouch at random from every spawn point; nobody falls
// out of the world, climbs the cliffs or gets stuck in something.
func TestNobodyWandersOutOfTheArena(t *testing.T) {
	l := open(t)
	const seed = 2
	r := rand.New(rand.NewPCG(seed, seed))
	t.Logf("seed %d", seed)
	for _, s := range l.Spawns {
		w := newWalker(l, s.Position, s.Yaw)
		for range 40 {
			c := movement.Command{Forward: 1, Right: r.Float64() - 0.5, Yaw: (r.Float64()*2 - 1) * 3.1,
				Jump: r.IntN(3) == 0, Crouch: r.IntN(8) == 0}
			before := w.state.Position
			w.hold(c, 10+r.IntN(40), nil)
			p := w.state.Position
			if p.Y < -2.7 || p.Y > 9 || math.Abs(p.X) > 39 || math.Abs(p.Z) > 39 {
				t.Fatalf("from %s: from %.3f to %.3f with %+v", s.Name, before, p, c)
			}
			body := w.model.Capsule(&w.state)
			body.Radius -= 0.02
			if l.World.Overlaps(body) {
				t.Errorf("from %s: inside something at %.3f, from %.3f with %+v", s.Name, p, before, c)
			}
		}
	}
}
