package movement

import "math"

// jump jumps if the command is the press of the button and the body may
// (JMP-01). A press that may not is spent: holding on does not jump later.
func (f *Frame) jump() {
	pressed := f.Command.Jump && !f.JumpHeld
	f.JumpHeld = f.Command.Jump
	if !pressed || !f.mayJump() {
		return
	}
	if f.Mode == Falling && f.JumpCount == 0 {
		f.JumpCount = 1 // walking off a ledge used one
	}
	f.JumpCount++
	up := f.Velocity.Dot(f.Up)
	f.setUpward(math.Max(up, f.Model.JumpSpeed))
	f.Become(Falling)
	f.report(Jumped, f.Velocity.Dot(f.Up))
}

// mayJump reports whether a press jumps now.
func (f *Frame) mayJump() bool {
	used := int(f.JumpCount)
	switch f.Mode {
	case Walking:
	case Falling:
		used = max(used, 1)
	default:
		return false
	}
	return !f.Crouched && used < f.Model.MaxJumps
}

// setUpward replaces the part of the velocity along up.
func (f *Frame) setUpward(speed float64) {
	f.Velocity = f.Velocity.Flat(f.Up).MulAdd(f.Up, speed)
}
