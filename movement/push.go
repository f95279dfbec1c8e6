package movement

import "github.com/backstep-net/backstep/geom"

// liftOff is the least upward impulse in m/s that takes a walker off the floor.
// The reference compares an impulse with gravity over one frame, which makes it
// depend on the frame rate (GAP-32).
const liftOff = 0.01

// Push adds an impulse in N·s (kg·m/s) to the next move (PRF-04). For a change of
// velocity whatever the mass, add to State.Impulse. A state in mode None ignores
// it.
func (m *Model) Push(s *State, impulse geom.Vec3) {
	if s.Mode != None {
		s.Impulse = s.Impulse.Add(impulse.Div(m.Mass))
	}
}

// Pull adds a force in N that acts throughout the next move, and that move only
// (PRF-04). For an acceleration whatever the mass, add to State.Force. A state
// in mode None ignores it.
func (m *Model) Pull(s *State, force geom.Vec3) {
	if s.Mode != None {
		s.Force = s.Force.Add(force.Div(m.Mass))
	}
}

// LaunchAt replaces the velocity by v m/s in the next move and lets the body
// fall from there (PRF-07). It overrides impulses of the same move. Zero is no
// launch.
func (s *State) LaunchAt(v geom.Vec3) { s.Launch = v }

// dropPushes forgets what was pending.
func (f *Frame) dropPushes() {
	f.Impulse, f.Force, f.Launch = geom.Vec3{}, geom.Vec3{}, geom.Vec3{}
}

// applyPushes uses up impulse and force, but not the launch (PRF-05, PRF-06).
func (f *Frame) applyPushes() {
	if f.Impulse.IsZero() && f.Force.IsZero() {
		return
	}
	lifts := f.Impulse.Dot(f.Up) > liftOff || f.Force.Dot(f.Up) > f.Model.Gravity
	if lifts && (f.Mode == Walking || f.Mode == NavWalking) {
		f.Become(Falling)
	}
	f.Velocity = f.Velocity.Add(f.Impulse).MulAdd(f.Force, f.Left)
	f.Impulse, f.Force = geom.Vec3{}, geom.Vec3{}
}

// applyLaunch is PRF-07.
func (f *Frame) applyLaunch() {
	if f.Launch.IsZero() {
		return
	}
	f.Velocity, f.Launch = f.Launch, geom.Vec3{}
	f.ForceFloor = true
	f.Become(Falling)
}
