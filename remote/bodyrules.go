package remote

import (
	"math"

	rigid "github.com/backstep-net/backstep/body"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

// CorrectionMode is how a client's body gets from where it is to where the server's state says.
type CorrectionMode uint8

// The correction modes of bodies.
const (
	// RateCorrect carries the server's state forward to now by the client's own simulation. The
	// drawn body approaches that with the velocity that the body has there, plus Rate times the
	// remaining offset (GAP-27). It is the default.
	RateCorrect CorrectionMode = iota
	// Reference is the formula of RIG-03 to RIG-08, whose rate depends on the frame rate (RIG-10):
	// for comparison, and for games that must match the reference.
	Reference
)

// BodyRules says how Bodies follow the server. The zero BodyRules is the default.
type BodyRules struct {
	Correct CorrectionMode
	// Rate is how fast the remaining offset shrinks, in 1/s: half of it in ln 2 / Rate, at any
	// frame rate as long as Rate × the frame's time is below 1. Zero means 1.667, which equals the
	// Reference at 60 frames a second (GAP-27).
	Rate float64
	// PingLimit is the longest time by which a state is extrapolated; zero means 100 ms (GAP-37:
	// one unit, and it is enforced).
	PingLimit clock.Micros
	// Snap is the distance in metres from which a body is set to its place at once; zero means 4
	// (RIG-06).
	Snap float64
	// StuckTime is how long a body may get no nearer to its place before it is set there; zero
	// means 0.5 s (RIG-06).
	StuckTime clock.Micros
	// PredictTime is how long after its last touch a body that the player touched is simulated in
	// the player's time, a round trip ahead of the states from the server. Zero means 1 s. Below
	// zero bodies are never predicted.
	PredictTime clock.Micros
	// Bounce is the restitution of the player's touches, as rigid.Pusher's. Use the value that the
	// server gives its pushers.
	Bounce float64

	// The fields below apply to the Reference alone.

	// Extrapolation is the share of the time on the way by which states are extrapolated; zero
	// means 0.1 (RIG-03).
	Extrapolation float64
	// Gain is k of the velocity: v = v of the server + k·error·dt; zero means 100 (RIG-05).
	Gain float64
	// Lerp is the share of the error that is removed from the position at once, 0 … 1 (RIG-05).
	Lerp float64
	// RotationLerp is the same for the rotation; zero means 0.4, below zero none (RIG-07).
	RotationLerp float64
	// AngularGain is k of the angular velocity; zero means 10, below zero none (RIG-07).
	AngularGain float64
}

// setDefaults replaces zero fields by their defaults.
func (r *BodyRules) setDefaults() {
	r.Rate = orDefault(r.Rate, 1.667)
	r.Snap = orDefault(r.Snap, 4)
	r.Extrapolation = orDefault(r.Extrapolation, 0.1)
	r.Gain = orDefault(r.Gain, 100)
	r.RotationLerp = orDefault(r.RotationLerp, 0.4)
	r.AngularGain = orDefault(r.AngularGain, 10)
	if r.PingLimit == 0 {
		r.PingLimit = 100 * clock.Millisecond
	}
	if r.StuckTime == 0 {
		r.StuckTime = clock.Second / 2
	}
	if r.PredictTime == 0 {
		r.PredictTime = clock.Second
	}
}

// orDefault returns x, d if x is zero, and 0 if x is negative.
func orDefault(x, d float64) float64 {
	if x == 0 {
		return d
	}
	return math.Max(x, 0)
}

// extrapolation returns by how many seconds the Reference extrapolates a state that took this long
// to arrive (RIG-03).
func (r *BodyRules) extrapolation(way clock.Micros) float64 {
	return float64(min(max(way, 0), r.PingLimit).Seconds() * r.Extrapolation)
}

// RateVelocity returns the velocity that removes an error at a rate in 1/s, on top of the velocity
// of the target (GAP-27). It is stable for rate × dt ≤ 1.
func RateVelocity(target, missing geom.Vec3, rate float64) geom.Vec3 {
	return target.MulAdd(missing, rate)
}

// ReferenceVelocity returns the velocity of the Reference: the effective rate is gain × dt, with dt
// in seconds, and therefore depends on the frame rate (RIG-05, RIG-10).
func ReferenceVelocity(target, missing geom.Vec3, gain, dt float64) geom.Vec3 {
	return target.MulAdd(missing, float64(gain*dt))
}

// referenceGrid is the grid of target positions in metres (RIG-04: 0.01 cm).
const referenceGrid = 1e-4

// extrapolateToGrid returns a state extrapolated by seconds, in position and rotation, with its
// position on the grid (RIG-04, RIG-07).
func extrapolateToGrid(m rigid.Motion, seconds float64) rigid.Motion {
	snap := func(x float64) float64 { return float64(math.Round(x/referenceGrid) * referenceGrid) }
	m = extrapolate(m, seconds)
	m.Position = geom.V(snap(m.Position.X), snap(m.Position.Y), snap(m.Position.Z))
	return m
}

// referenceCorrection returns a body after one frame's correction by the Reference: dt in seconds.
func (r *BodyRules) referenceCorrection(now, target rigid.Motion, dt float64) rigid.Motion {
	missing := target.Position.Sub(now.Position)
	turn := rotationBetween(now.Rotation, target.Rotation)
	return rigid.Motion{
		Position:        now.Position.MulAdd(missing, r.Lerp),
		Velocity:        ReferenceVelocity(target.Velocity, missing, r.Gain, dt),
		Rotation:        rotatedBy(now.Rotation, turn.Mul(r.RotationLerp)),
		AngularVelocity: ReferenceVelocity(target.AngularVelocity, turn, r.AngularGain, dt),
	}
}

// RIG-06 defines no progress by these, in metres: a move below √15 cm in a frame, with more of the
// last error left than 100 cm².
const (
	stuckMaxMove  = 0.03872983346207417
	stuckMinError = 0.01
)

// progressCheck is the state of the stuck rule from frame to frame (RIG-06).
type progressCheck struct {
	position, target geom.Vec3 // of the last frame
	begun            bool      // there was a last frame
	stalled          clock.Micros
}

// stuck counts a frame of d in which a body is at one place and belongs at another. It reports
// whether the body got no nearer for as long as the rules allow.
func (e *progressCheck) stuck(r *BodyRules, at, target geom.Vec3, d clock.Micros) bool {
	before := e.target.Sub(e.position)
	moved := at.Sub(e.position).Dot(before.Unit())
	if e.begun && moved < stuckMaxMove && target.Sub(at).Dot(before) > stuckMinError {
		e.stalled += d
	} else {
		e.stalled = max(e.stalled-d, 0)
	}
	*e = progressCheck{position: at, target: target, begun: true, stalled: e.stalled}
	if e.stalled < r.StuckTime {
		return false
	}
	e.stalled = 0
	return true
}

// orIdentity returns q, and the identity for the zero Quat.
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
	if q.W < 0 {
		v, q.W = v.Neg(), -q.W
	}
	s := v.Len()
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
