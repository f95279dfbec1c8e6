package movement

import "github.com/backstep-net/backstep/geom"

// Upwards returns the direction against gravity that s stands by: its Up, and +Y
// where that is zero.
func (s *State) Upwards() geom.Vec3 {
	if s.Up.IsZero() {
		return geom.Up
	}
	return s.Up
}

// Orientation returns how a character with that Up stands: the turn from +Y, the
// shortest way. Yaw turns within it: forward is Orientation.Rotate(geom.Forward(yaw)).
func (s *State) Orientation() geom.Quat {
	if s.Up.IsZero() {
		return geom.NoTurn
	}
	return geom.Arc(geom.Up, s.Up)
}

// orient finds which way is up where the body is, and turns it (BAS-05).
func (f *Frame) orient() { f.Up = f.Upwards() }
