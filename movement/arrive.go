package movement

// ArrivalSpeed returns the speed in m/s to ask for in the next move of dt seconds, as
// the length of Command.Request, by a walker at speed m/s that may go so many metres
// further: zero, which brakes, where it stops that far on by its own braking
// (StopDistance), and speed while there is more room (VEL-15). In between lies the one
// move that is left before it must brake, and the speed for that. Ask for it before
// every move, with the distance that is left then; one that is too near goes on beyond.
//
// To walk as fast as it may and stop at goal:
//
//	to := goal.Sub(s.Position).Flat(s.Upwards())
//	v := m.ArrivalSpeed(s.Velocity.Len(), to.Len(), dt)
//	if v == s.Velocity.Len() {
//		v = m.MaxSpeed(&s) // there is room to get faster
//	}
//	c.Request = to.Unit().Mul(v)
func (m *Model) ArrivalSpeed(speed, distance, dt float64) float64 {
	needs := func(v float64) float64 { return float64(v*dt) + m.StopDistance(v, dt) }
	if distance <= m.StopDistance(speed, dt)+arrived {
		return 0
	}
	if needs(speed) <= distance {
		return speed
	}
	slow, fast := 0.0, speed
	for range 24 { // to within 10⁻⁶ m/s
		if v := float64(0.5 * (slow + fast)); needs(v) <= distance {
			slow = v
		} else {
			fast = v
		}
	}
	return slow
}

// arrived in metres is how much too early a walker may begin to brake: less than the
// grid of requests makes of a move.
const arrived = 0.001
