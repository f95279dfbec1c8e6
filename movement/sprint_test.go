package movement_test

import (
	"math"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/input"
	"github.com/backstep-net/backstep/movement"
)

// sprinter is a client's keys: sprint held or toggled, the toggle ended when the
// character stops.
type sprinter struct {
	t      *testing.T
	in     input.Input
	moving bool
}

const sprint input.Action = 0

func newSprinter(t *testing.T) *sprinter {
	v := &input.Vocabulary{Actions: []string{"sprint"}}
	b, err := input.Parse(v, "sprint = ShiftLeft hold, CapsLock toggle")
	if err != nil {
		t.Fatal(err)
	}
	s := &sprinter{t: t}
	s.in.Push(input.NewLayer(b, nil))
	return s
}

// key presses or releases a key.
func (s *sprinter) key(name string, value float64) {
	s.in.Sample(input.KeyNamed(name), value)
}

// frame tells whether sprint is held in a frame in which the character is in state self.
func (s *sprinter) frame(self *movement.State) bool {
	moving := !self.Velocity.IsZero()
	if s.moving && !moving {
		s.in.EndToggle(sprint)
	}
	s.moving = moving
	if err := s.in.Frame(1./60, false); err != nil {
		s.t.Fatal(err)
	}
	return s.in.Held(sprint)
}

// Sprint over a line of 150 ms with 5 % loss: held, toggled, and toggled until the
// character stops.
func TestSprintIsHeldOrToggled(t *testing.T) { // INP-09
	for _, frame := range []clock.Micros{33 * clock.Millisecond, 16 * clock.Millisecond, 7 * clock.Millisecond} {
		w := newLink(t, frame)
		w.game.model.MaxSprintSpeed = 9
		w.game.model.SprintCone = math.Pi // backwards too
		w.drop = 20
		s := newSprinter(t)
		run := func(what string, long clock.Micros, forward, speed float64) {
			t.Helper()
			w.input.Forward = forward
			w.run(long, func() { w.input.Sprint = s.frame(&w.owner.State().State) })
			if got := w.owner.State().Velocity.Len(); math.Abs(got-speed) > .03 {
				t.Errorf("frames of %d ms, %s: got %v m/s, want %v", frame/1000, what, got, speed)
			}
		}
		run("walks", clock.Second, 1, 6)
		s.key("ShiftLeft", 1)
		run("held", clock.Second, 1, 9)
		s.key("ShiftLeft", 0)
		run("let go", 2*clock.Second, 1, 6)
		for range 2 { // the second time, the first toggle must be over
			s.key("CapsLock", 1)
			run("toggled", clock.Second, -1, 9)
			s.key("CapsLock", 0)
			run("still", clock.Second, -1, 9)
			run("stopped", 2*clock.Second, 0, 0)
			run("walks after that", clock.Second, 1, 6)
		}
		w.settle()
		if c := w.owner.Counters(); c.Corrections != 0 {
			t.Errorf("frames of %d ms: %d corrections, want 0", frame/1000, c.Corrections)
		}
	}
}

func TestWhenSprintCounts(t *testing.T) { // INP-09
	m := movement.DefaultModel()
	held := movement.Command{Sprint: true}
	s := movement.State{Mode: movement.Walking}
	if got := m.SpeedLimit(&s, &held); got != 6 {
		t.Errorf("a model without sprint: got %v m/s, want 6", got)
	}
	m.MaxSprintSpeed = 9
	for _, c := range []struct {
		what  string
		state movement.State
		want  float64
	}{
		{"walking", movement.State{Mode: movement.Walking}, 9},
		{"nav-walking", movement.State{Mode: movement.NavWalking}, 9},
		{"in the air", movement.State{Mode: movement.Falling}, 9},
		{"crouched", movement.State{Mode: movement.Walking, Crouched: true}, 3},
		{"swimming", movement.State{Mode: movement.Swimming}, 3},
		{"flying", movement.State{Mode: movement.Flying}, 6},
	} {
		if got := m.SpeedLimit(&c.state, &held); got != c.want {
			t.Errorf("%s: got %v m/s, want %v", c.what, got, c.want)
		}
	}
}
