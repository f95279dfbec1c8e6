package movement

// setStance crouches or stands up as commanded [PRF-08, BAS-03]. A body that swims or
// flies stands up, as there is no crouching there. A game's own modes decide for
// themselves (StandUp), and a HalfHeight of the game's own holds the stance.
func (f moveStart) setStance() {
	wanted := f.Command.Crouch
	switch {
	case f.Mode >= Custom || f.State.HalfHeight != 0:
		return
	case f.Mode == Swimming || f.Mode == Flying:
		wanted = false
	}
	if wanted == f.Crouched {
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
// body through what the tall one needs. On the floor it grows upwards, and in the air
// to both sides: a body that cannot extend downwards there stays low until it stands
// on something, or ducking and rising beside whatever leans would climb it [AIR-06].
// A swimmer, which the water carries, and a flying body grow from the ground up where
// that is near.
func (f moveStart) standUp() {
	m, was := f.Model, f.Position
	room := float64(2 * (m.HalfHeight - m.CrouchedHalfHeight))
	half := f.Up.Mul(-float64(room * 0.5))
	switch f.Mode {
	case Falling:
		if f.blocked(f.capsule(), half) {
			return
		}
		f.Position = was.Add(half)
	case Swimming, Flying:
		if hit, blocked := f.Move(half); blocked && hit.Penetrating {
			return
		}
	}
	room -= max(0, was.Sub(f.Position).Dot(f.Up))
	if f.blocked(f.capsule().Moved(was.Sub(f.Position)), f.Up.Mul(room+skin)) {
		f.Position = was
		return
	}
	f.Crouched = false
}

// StandUp ends crouching where there is room, and reports whether the body stands: for a game's own modes,
// in which movement leaves the stance as it is. The feet stay where they are. Call it between Begin and
// the end of the move.
func (f *StepContext) StandUp() bool {
	if f.Crouched {
		f.moveStart().standUp()
	}
	return !f.Crouched
}

// SetHalfHeight gives the body a half-height of its own, in metres, at least the radius:
// a game's further stance, as lying down [BAS-14]. Zero gives it that of its stance
// again. The feet stay where they are. It reports whether the body has it: one that
// lacks the room to grow stays as it is. Call it between Begin and the end of the move.
func (b *Body) SetHalfHeight(half float64) bool {
	was := b.State.HalfHeight
	now := b.capsule()
	b.State.HalfHeight = half
	grown := b.capsule().B.Sub(now.B)
	if grown.Dot(b.Up) <= 0 {
		return true
	}
	if b.blocked(now, grown.MulAdd(b.Up, skin)) {
		b.State.HalfHeight = was
		return false
	}
	return true
}
