package labgame

import (
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/lab/scenario"
	"github.com/backstep-net/backstep/movement/rootmotion"
)

// source converts a scenario's root motion into the arena's.
func source(m *scenario.RootMotion) rootmotion.Source {
	var s rootmotion.Source
	switch m.Kind {
	case "constant_force":
		s = rootmotion.Constant(m.Velocity, m.For)
	case "radial_force":
		s = rootmotion.Radial(m.Centre, m.Radius, m.Strength, m.For)
		if m.Strength < 0 {
			s.Strength, s.Flags = -m.Strength, s.Flags|rootmotion.Pull
		}
	case "move_to":
		s = rootmotion.MoveTo(geom.Vec3{}, m.Target, m.For)
	case "jump_to":
		s = rootmotion.JumpTo(m.Displacement, m.Height, m.For)
	}
	for _, f := range []struct {
		is   bool
		flag rootmotion.Flags
	}{
		{m.Additive, rootmotion.Additive}, {m.Local, rootmotion.Local}, {m.IgnoreVertical, rootmotion.IgnoreVertical},
	} {
		if s.Flags &^= f.flag; f.is {
			s.Flags |= f.flag
		}
	}
	s.Priority = int8(m.Priority)
	switch {
	case m.Finish != nil:
		s.Finish, s.FinishVelocity = rootmotion.Set, *m.Finish
	case m.Clamp != nil:
		s.Finish, s.FinishVelocity = rootmotion.Clamp, geom.V(*m.Clamp, 0, 0)
	}
	return s
}
