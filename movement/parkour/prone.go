package parkour

import "github.com/backstep-net/backstep/movement"

// updateProne lies down where the button is held on the ground, and gets up to crouching
// where it is not and there is room: movement stands up from there
// [BAS-15].
func (v *Move) updateProne() {
	f, p := v.f, v.state
	wanted := f.Command.Buttons&ProneButton != 0 && f.Mode == movement.Walking && !p.Sliding
	switch {
	case wanted && !p.Prone:
		f.Crouched, p.Prone = true, true
		f.SetHalfHeight(v.model.ProneHalfHeight)
	case !wanted && p.Prone:
		p.Prone = !f.SetHalfHeight(0)
	}
}

// proneScale returns the SpeedScale that makes the crouched speed ProneSpeed, for a
// character that the game gives another scale.
func (m *Model) proneScale(scale float64) float64 {
	share := 0.0
	if m.MaxCrouchedSpeed > 0 {
		share = m.ProneSpeed / m.MaxCrouchedSpeed
	}
	if scale != 0 {
		share = float64(share * scale)
	}
	if share == 0 {
		return -1
	}
	return share
}
