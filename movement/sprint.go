package movement

// SpeedLimit returns the speed limit in m/s that s has under the command c: that of
// its mode, or Model.MaxSprintSpeed while it sprints (INP-09).
func (m *Model) SpeedLimit(s *State, c *Command) float64 {
	if m.Sprints(s, c) {
		return m.MaxSprintSpeed
	}
	return m.MaxSpeed(s)
}

// Sprints reports whether the command makes s sprint: Sprint is held, the model has a
// speed for it, and s is upright on the ground or in the air. Whether it moves at all
// is another matter.
//
// Sprint is nothing that a State remembers: what is held is in every command. A
// binding that toggles ends with [input.Input.EndToggle] when the character stops:
//
//	moving := !self.Velocity.IsZero()
//	if wasMoving && !moving {
//		in.EndToggle(Sprint)
//	}
//	wasMoving = moving
func (m *Model) Sprints(s *State, c *Command) bool {
	return c.Sprint && m.MaxSprintSpeed > 0 && !s.Crouched &&
		(s.Mode == Walking || s.Mode == NavWalking || s.Mode == Falling)
}
