package movement

import "math"

// stance crouches or stands up as commanded (PRF-08, BAS-03). A game's own modes
// decide for themselves.
func (f *Frame) stance() {
	if f.Mode >= Custom || f.Command.Crouch == f.Crouched {
		return
	}
	if f.Crouched {
		f.standUp()
		return
	}
	f.Crouched = true
	if f.Mode == Falling { // the centre stays: the feet are drawn up
		f.Position = f.Position.MulAdd(f.Up, f.Model.HalfHeight-f.Model.CrouchedHalfHeight)
	}
}

// standUp makes the body tall again if there is room, found by sweeping the low
// body through what the tall one needs. On the floor it grows upwards; in the
// air to both sides, and where the ground is too near for that, from the ground
// up.
func (f *Frame) standUp() {
	m, was := f.Model, f.Position
	grow := float64(2 * (m.HalfHeight - m.CrouchedHalfHeight))
	if f.Mode == Falling {
		half := f.Up.Mul(-float64(grow * 0.5))
		hit, blocked := f.Move(half)
		if blocked && hit.Penetrating {
			return
		}
	}
	room := grow - math.Max(0, was.Sub(f.Position).Dot(f.Up))
	if _, blocked := f.sweep(f.body().Moved(was.Sub(f.Position)), f.Up.Mul(room+skin)); blocked {
		f.Position = was
		return
	}
	f.Crouched = false
}
