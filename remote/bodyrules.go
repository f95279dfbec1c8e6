package remote

import (
	"cmp"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

// BodyRules says how Bodies follow the server. The zero BodyRules is the default.
type BodyRules struct {
	// Time is the time constant with which the drawn body approaches the corrected one: half of a
	// correction remains after 0.69 × Time, at any frame rate. Zero means 600 ms (GAP-27).
	Time clock.Micros
	// PingLimit is the longest time by which a state is extrapolated; zero means 100 ms. A longer delay
	// counts as this long: straight on for longer, most bodies hit something (GAP-37).
	PingLimit clock.Micros
	// Snap is the distance in metres from which a body is drawn in its place at once; zero means 4
	// (RIG-06).
	Snap float64
	// StuckTime is how long a body may get no nearer to its place before it is set there; zero
	// means 0.5 s (RIG-06).
	StuckTime clock.Micros
	// PredictTime is how long after its last touch a body that the player touched is simulated in
	// the player's time, a round trip ahead of the states from the server. Zero means 1 s. Below
	// zero bodies are never predicted.
	PredictTime clock.Micros
}

// setDefaults replaces zero fields by their defaults.
func (r *BodyRules) setDefaults() {
	r.Time = cmp.Or(r.Time, 600*clock.Millisecond)
	r.PingLimit = cmp.Or(r.PingLimit, 100*clock.Millisecond)
	r.Snap = cmp.Or(r.Snap, 4)
	r.StuckTime = cmp.Or(r.StuckTime, clock.Second/2)
	r.PredictTime = cmp.Or(r.PredictTime, clock.Second)
}

// A body that gets no nearer is set to its place, since the server has it beyond something that only
// this client has, such as a body that was removed there.
//
// RIG-06 defines no progress by these: from one state to the next a move below √15 cm towards the
// earlier place, and a dot product of both errors above 100 cm².
const (
	stuckMaxMove  = 0.03872983346207417
	stuckMinError = 0.01
)

// progressCheck finds a body that makes no progress from state to state (RIG-06).
type progressCheck struct {
	position, target geom.Vec3 // at the last state
	begun            bool      // there was a last state
	stalled          clock.Micros
}

// stuck records a state, d after the one before: the body is at one position, and its target is another. It
// reports whether the body got no nearer for as long as the rules allow.
func (e *progressCheck) stuck(r *BodyRules, at, target geom.Vec3, d clock.Micros) bool {
	// Only movement towards the last target is progress; rolling along a wall is none.
	before := e.target.Sub(e.position)
	moved := at.Sub(e.position).Dot(before.Unit())
	if e.begun && moved < stuckMaxMove && target.Sub(at).Dot(before) > stuckMinError {
		e.stalled += d
	} else {
		// Not to zero at once: a body that jerks at its obstacle is stuck as well.
		e.stalled = max(e.stalled-d, 0)
	}
	*e = progressCheck{position: at, target: target, begun: true, stalled: e.stalled}
	if e.stalled < r.StuckTime {
		return false
	}
	e.stalled = 0
	return true
}

// orIdentity returns q, and the identity for the zero Quat, which samples of characters have.
func orIdentity(q geom.Quat) geom.Quat {
	if q == (geom.Quat{}) {
		return geom.IdentityQuat
	}
	return q
}

// rotationBetween returns the shortest rotation from a to b: radians about the world's axes.
func rotationBetween(a, b geom.Quat) geom.Vec3 {
	q := orIdentity(b).Mul(orIdentity(a).Inverse())
	v := geom.V(q.X, q.Y, q.Z)
	// q and −q are one rotation; the one with W ≥ 0 is the shorter way.
	if q.W < 0 {
		v, q.W = v.Neg(), -q.W
	}
	s := v.Len()
	// sin x = x for a small angle, whose axis would be 0/0.
	if s < 1e-9 {
		return v.Mul(2)
	}
	return v.Mul(float64(2*geom.Atan2(s, q.W)) / s)
}

// rotatedBy returns q rotated by radians about the world's axes.
func rotatedBy(q geom.Quat, by geom.Vec3) geom.Quat {
	angle := by.Len()
	if angle < 1e-12 {
		return orIdentity(q)
	}
	return geom.AxisAngle(by.Div(angle), angle).Mul(orIdentity(q)).Unit()
}
