package check_test

import (
	"strings"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/character"
	"github.com/backstep-net/backstep/check"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/session"
)

// runner has a wall run that commands at random never begin.
type runner struct {
	movement.State
	Wall geom.Vec3 // packed while Running only
	Run  struct {
		Running bool
		Left    clock.Micros
	}
	Laps uint8
}

// order has a button beside the library's.
type order struct {
	movement.Command
	Dash bool
	Turn uint8 // packed with Dash only
	Slot int   // 0 … 7: most of what is drawn at random is clamped
}

// runners is a game of them, whose functions pack all but what is in without.
func runners(without string) session.Game[runner, order] {
	model := movement.DefaultModel()
	has := func(name string) bool { return !strings.Contains(without, name) }
	g := session.Game[runner, order]{
		Step: func(m *session.Move, s *runner, c *order) { m.Walk(&model, &s.State, &c.Command) },
		PackState: func(p *bits.Packer, s *runner) {
			if has("State") {
				s.State.Pack(p)
			}
			if has("Running") {
				p.Bool(&s.Run.Running)
			}
			if s.Run.Running && has("Wall") {
				p.Vec64(&s.Wall)
			}
			if has("Left") {
				p.Varint((*int64)(&s.Run.Left))
			}
			if has("Laps") {
				p.Byte(&s.Laps)
			}
		},
		PackCommand: func(p *bits.Packer, c, before *order) {
			c.Command.Pack(p, &before.Command)
			if has("Dash") {
				p.Bool(&c.Dash)
			}
			if c.Dash && has("Dash") && has("Turn") {
				p.Byte(&c.Turn)
			} else {
				c.Turn = 0
			}
			p.Ranged(&c.Slot, 0, 7)
		},
	}
	character.Fill(&g, &model)
	return g
}

// A field that no command at random ever changes must be packed all the same, and a button too that only the client
// would see. A field of the library's counts with its type. One that is packed in some states only needs such a state.
func TestFieldsThatNoPlayReaches(t *testing.T) {
	p := check.Play[runner, order]{Start: runner{State: movement.Spawn(geom.V(0, .1, 5), 0)}, World: stage(t).World, Moves: 600}
	running := p.Start
	running.Run.Running, running.Wall = true, geom.V(1, 0, 0)
	for _, c := range []struct {
		without string
		states  []runner
		want    string
	}{
		{"", []runner{running}, ""},
		{"Laps", []runner{running}, "PackState: it writes the same bytes whatever Laps is"},
		{"Left Laps", []runner{running}, "PackState: it writes the same bytes whatever Run.Left, Laps is"},
		{"", nil, "PackState: it writes the same bytes whatever Wall is"},
		{"Wall", []runner{running}, "PackState"},
		{"State", []runner{running}, "PackState"},
		{"Dash", []runner{running}, "PackCommand: Dash, Turn is set in some commands, and zero in all that are read"},
		{"Turn", []runner{running}, "PackCommand: Turn is set in some commands, and zero in all that are read"},
	} {
		r := &report{TB: t}
		p.States = c.states
		check.Game(r, runners(c.without), p)
		got, _, _ := strings.Cut(r.text.String(), "check: 600 commands")
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("without %q, %d more states: reported\n%swant %q", c.without, len(c.states), got, c.want)
		}
	}
}
