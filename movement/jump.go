package movement

import (
	"math"

	"github.com/backstep-net/backstep/clock"
)

// jump starts a jump if the command is the press of the button and the body may
// [JMP-01]. A press that may not is used up: holding on does not jump later. It
// also takes the move's d off the time of a held jump [JMP-02].
func (f moveStart) jump(d clock.Micros) {
	c, m := f.Command, f.Model
	pressed := c.Jump && !f.JumpHeld
	f.JumpHeld = c.Jump
	if pressed && f.mayJump() {
		if f.Mode == Falling && f.JumpCount == 0 {
			f.JumpCount = 1 // walking off a ledge used one
		}
		f.JumpCount++
		up := f.Velocity.Dot(f.Up)
		f.setUpward(max(up, m.JumpSpeed))
		f.SetMode(Falling)
		f.JumpHold = holdTime(m.MaxJumpHold)
		f.report(Jumped, f.Velocity.Dot(f.Up))
	}
	if f.JumpHold == 0 {
		return
	}
	if !c.Jump || f.Mode != Falling {
		f.endHold()
		return
	}
	f.hold = f.JumpHold.Seconds()
	f.JumpHold = max(f.JumpHold-d, 0)
}

// holdTime returns seconds as whole microseconds.
func holdTime(seconds float64) clock.Micros {
	return clock.Micros(math.Floor(float64(seconds*1e6) + 0.5))
}

// endHold ends a held jump: gravity acts again.
func (f *StepContext) endHold() { f.JumpHold, f.hold = 0, 0 }

// mayJump reports whether a press jumps now.
func (f moveStart) mayJump() bool {
	used := int(f.JumpCount)
	switch f.Mode {
	case Walking, NavWalking:
	case Falling:
		used = max(used, 1)
	default:
		return false
	}
	return !f.Crouched && used < f.Model.MaxJumps
}

// setUpward replaces the part of the velocity along up.
func (f *StepContext) setUpward(speed float64) {
	f.Velocity = f.Velocity.Flat(f.Up).MulAdd(f.Up, speed)
}
