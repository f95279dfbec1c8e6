package movement

import (
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// liftOff is the least upward impulse in m/s that takes a walker off the floor.
// Comparing an impulse with gravity over one frame would depend on the frame rate
// [GAP-32].
const liftOff = 0.01

// AddImpulse adds an impulse in N·s (kg·m/s) to the next move [PRF-04]. For a change of
// velocity whatever the mass, add to State.Impulse. A state in mode None ignores
// it.
func (m *Model) AddImpulse(s *State, impulse geom.Vec3) {
	if s.Mode != None {
		s.Impulse = s.Impulse.Add(impulse.Div(m.Mass))
	}
}

// AddForce adds a force in N that acts throughout the next move, and that move only
// [PRF-04]. For an acceleration whatever the mass, add to State.Force. A state
// in mode None ignores it.
func (m *Model) AddForce(s *State, force geom.Vec3) {
	if s.Mode != None {
		s.Force = s.Force.Add(force.Div(m.Mass))
	}
}

// LaunchAt replaces the velocity by v m/s in the next move and lets the body
// fall from there [PRF-07]. It overrides impulses of the same move. Zero is no
// launch.
func (s *State) LaunchAt(v geom.Vec3) { s.Launch = v }

// dropPushes clears the pending pushes.
func (f *StepContext) dropPushes() {
	f.Impulse, f.Force, f.Launch = geom.Vec3{}, geom.Vec3{}, geom.Vec3{}
}

// applyPushes uses up impulse and force, but not the launch [PRF-05, PRF-06].
func (f moveStart) applyPushes() {
	if f.Impulse.IsZero() && f.Force.IsZero() {
		return
	}
	lifts := f.Impulse.Dot(f.Up) > liftOff || f.Force.Dot(f.Up) > f.Model.Gravity
	if lifts && (f.Mode == Walking || f.Mode == NavWalking) {
		f.SetMode(Falling)
	}
	f.Velocity = f.Velocity.Add(f.Impulse).MulAdd(f.Force, f.Remaining)
	f.Impulse, f.Force = geom.Vec3{}, geom.Vec3{}
}

// applyLaunch replaces the velocity by a pending launch [PRF-07].
func (f moveStart) applyLaunch() {
	if f.Launch.IsZero() {
		return
	}
	f.Velocity, f.Launch = f.Launch, geom.Vec3{}
	f.ForceFloor = true
	f.SetMode(Falling)
}

// MaxPushes is how many things one move can push; further ones are dropped.
const MaxPushes = 4

// Push is an impulse of a move on what it touched, for the game to apply if
// that can move [BAS-07]. Like an Event it is not state.
type Push struct {
	// Target or obstacle that is pushed.
	Target collide.MoverID
	// Point where, in metres; the last one where it was touched more than once.
	Point geom.Vec3
	// Impulse in N·s over the whole move: along the move, not more than
	// Model.PushForce for its Duration, and the weight of a character that stands on it.
	Impulse geom.Vec3
}

// Pushes returns the pushes of the move so far, in the order of the first touch. It is
// valid until the next Begin.
func (f *StepContext) Pushes() []Push { return f.pushes[:f.pushCount] }

// press pushes the body that a walker ran into, with the momentum that the walker loses there, limited by
// Model.PushForce [BAS-07]. Bodies above and below are not pushed.
func (f walker) press(hit *collide.Hit) {
	in := wall(hit.Normal, f.Up).Neg()
	j := min(float64(f.Model.Mass*f.Velocity.Dot(in)), float64(f.Model.PushForce*f.Duration))
	if !(j > 0) {
		return
	}
	if p := f.pushOn(hit.Mover, hit.Point); p != nil {
		p.Impulse = p.Impulse.MulAdd(in, j).ClampLen(float64(f.Model.PushForce * f.Duration))
	}
}

// pressDown puts the walker's weight on its base [BAS-07].
func (f rider) pressDown() {
	m := f.Model
	w := float64(float64(m.Mass*m.Gravity) * float64(m.StandWeight*f.Duration))
	if w == 0 {
		return
	}
	at := f.Position.MulAdd(f.Up, f.Floor.height())
	if p := f.pushOn(f.Floor.Mover, at); p != nil {
		p.Impulse = p.Impulse.MulAdd(f.Up, -w)
	}
}

// pushOn returns the entry of a body, nil where there is no room.
func (f *StepContext) pushOn(b collide.MoverID, at geom.Vec3) *Push {
	for i := range f.Pushes() {
		if p := &f.pushes[i]; p.Target == b {
			p.Point = at
			return p
		}
	}
	if f.pushCount == MaxPushes {
		return nil
	}
	f.pushes[f.pushCount] = Push{Target: b, Point: at}
	f.pushCount++
	return &f.pushes[f.pushCount-1]
}
