package movement

// immerse asks which volume the body is in, and takes what follows from it
// (VOL-01): its fluid and terminal speed for the move, swimming and leaving the
// water, a jump pad's launch.
func (f *Frame) immerse() {}

// terminalSpeed is the fastest fall in m/s here: the volume's, or else the
// character's own.
func (f *Frame) terminalSpeed() float64 {
	if f.volume != nil && f.volume.TerminalSpeed > 0 {
		return f.volume.TerminalSpeed
	}
	return f.Model.TerminalSpeed
}

// fluidFriction is the friction in 1/s of the medium here: the volume's, or else
// the character's own in water and none in the air.
func (f *Frame) fluidFriction() float64 {
	switch v := f.volume; {
	case v != nil && v.Friction > 0:
		return v.Friction
	case v != nil && v.Water:
		return f.Model.FluidFriction
	}
	return 0
}
