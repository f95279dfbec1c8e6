package movement

import (
	"slices"
	"testing"

	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement/rootmotion"
)

// difference is what a game keeps of one.
type difference struct {
	Field string
	By    float64
}

// ACK-14: each field of a state that is not as predicted is reported, and by how much.
func TestWhatWasNotAsPredicted(t *testing.T) {
	for _, c := range []struct {
		change func(s *State)
		want   []difference
	}{
		{func(s *State) {}, nil},
		{func(s *State) { s.Mode = Falling }, []difference{{"mode", 1}}},
		{func(s *State) { s.Base.Mover = 4 }, []difference{{"base", 1}}},
		{func(s *State) { s.Position = s.Position.Add(geom.V(3, 0, 4)) }, []difference{{"position", 5}}},
		{func(s *State) { s.Velocity.Z -= .5 }, []difference{{"velocity", .5}}},
		{func(s *State) { s.Crouched = true }, []difference{{"crouched", 1}}},
		{func(s *State) { s.JumpCount = 2 }, []difference{{"jumps", 2}}},
		{func(s *State) { s.JumpHold = 250000 }, []difference{{"jump hold", .25}}},
		{func(s *State) { s.Motion.Apply(rootmotion.Constant(geom.V(1, 0, 0), 1000), 1) }, []difference{{"root motion", 1}}},
		{func(s *State) { s.Impulse.X = 1 }, []difference{{"push", 1}}},
		{func(s *State) { s.Force.X = 1 }, []difference{{"push", 1}}},
		{func(s *State) { s.Launch.X = 1 }, []difference{{"push", 1}}},
		{func(s *State) { s.Rail.Path = 1 }, []difference{{"path", 1}}},
		{func(s *State) { s.Up = geom.V(1, 0, 0) }, []difference{{"up", 1}}},
		{func(s *State) { s.Yaw = .25 }, []difference{{"yaw", .25}}},
		{func(s *State) { s.Pitch = -.25 }, []difference{{"pitch", .25}}},
		{func(s *State) { s.JumpHeld = true }, []difference{{"jump button", 1}}},
		{func(s *State) { s.Floor.Shape = 1 }, []difference{{"floor", 1}}},
		{func(s *State) { s.ForceFloor = true }, []difference{{"floor", 1}}},
		{func(s *State) { s.Base.Position.X = 1 }, []difference{{"place on the base", 1}}},
		{func(s *State) { s.Nav.Polygon = 1 }, []difference{{"mesh", 1}}},
		{func(s *State) { s.WantsWalking = true }, []difference{{"mesh", 1}}},
		{func(s *State) { s.Mode, s.Position.Y, s.Crouched = Falling, 3, true }, []difference{{"mode", 1}, {"position", 1}, {"crouched", 1}}},
	} {
		predicted := State{Position: geom.V(1, 2, 3), Velocity: geom.V(0, 0, 1), Mode: Walking}
		truth := predicted
		c.change(&truth)
		got := Differ(&predicted, &truth, []difference(nil))
		back := Differ(&truth, &predicted, []difference(nil))
		if len(got) != len(c.want) || !slices.Equal(got, back) {
			t.Errorf("got %v and back %v, want %v", got, back, c.want)
			continue
		}
		for i := range got {
			if d := got[i].By - c.want[i].By; got[i].Field != c.want[i].Field || d > 1e-12 || d < -1e-12 {
				t.Errorf("got %v, want %v", got, c.want)
			}
		}
	}
	var a, b State
	b.Mode, b.Position = Walking, geom.V(1, 0, 0)
	into := make([]difference, 0, 32)
	if n := testing.AllocsPerRun(100, func() { into = Differ(&a, &b, into[:0]) }); n != 0 || len(into) != 2 {
		t.Errorf("%v allocations for %v, want none for 2", n, into)
	}
}
