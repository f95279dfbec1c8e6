package remote

import (
	"math"

	rigid "github.com/backstep-net/backstep/body"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

// CorrectionMode is how a client's body gets from where it is to where the server says.
type CorrectionMode uint8

// The ways of correcting a body.
const (
	// RateCorrect carries the server's state on to now by the client's own simulation and
	// draws the body on its way there: with the velocity that it has there, plus Rate
	// times what is missing (GAP-27). The default.
	RateCorrect CorrectionMode = iota
	// Reference is the formula of RIG-03 to RIG-08, whose rate depends on the frame rate
	// (RIG-10): for comparison, and for who must do as others do.
	Reference
)

// BodyRules is how Bodies follow the server. The zero BodyRules is the default.
type BodyRules struct {
	Correct CorrectionMode
	// Rate is how fast what is missing is made up, in 1/s: half of it in ln 2 / Rate,
	// at any frame rate as long as Rate × the frame's time is below 1. Zero means 1.667,
	// which is the Reference at 60 frames a second (GAP-27).
	Rate float64
	// PingLimit is the longest way that a state is extrapolated by; zero means 100 ms
	// (GAP-37: one unit, and it holds).
	PingLimit clock.Micros
	// Snap is how far away in metres a body is put where it belongs at once; zero means
	// 4 (RIG-06).
	Snap float64
	// StuckTime is for how long a body may get no nearer to where it belongs before it is
	// put there; zero means 0.5 s (RIG-06).
	StuckTime clock.Micros
	// PredictTime is for how long after its last touch a body that the player has touched is
	// simulated in the player's time, a round trip ahead of what comes from the server;
	// zero means 1 s. Below zero bodies are never the player's.
	PredictTime clock.Micros
	// Bounce is how bouncy the player is to bodies, as rigid.Pusher's: what the server
	// says of its pushers.
	Bounce float64

	// What follows is the Reference's alone.

	// Extrapolation is the share of the way that states are extrapolated by; zero means
	// 0.1 (RIG-03).
	Extrapolation float64
	// Gain is k of the velocity: v = v of the server + k·error·dt; zero means 100 (RIG-05).
	Gain float64
	// Lerp is the share of the error that is taken off the position at once, 0 … 1
	// (RIG-05).
	Lerp float64
	// RotationLerp is the same of the turn; zero means 0.4, below zero none (RIG-07).
	RotationLerp float64
	// AngularGain is k of the spin; zero means 10, below zero none (RIG-07).
	AngularGain float64
}

// setDefaults fills in what zero means.
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

// orDefault returns x, d where it is zero and nothing where it is negative.
func orDefault(x, d float64) float64 {
	if x == 0 {
		return d
	}
	return math.Max(x, 0)
}

// extrapolation returns by how many seconds the Reference extrapolates a state that was so long
// on its way (RIG-03).
func (r *BodyRules) extrapolation(way clock.Micros) float64 {
	return float64(min(max(way, 0), r.PingLimit).Seconds() * r.Extrapolation)
}

// RateVelocity is the velocity that takes an error off at a rate in 1/s, on top of the
// velocity at which the target moves (GAP-27). It is stable for rate × dt ≤ 1.
func RateVelocity(target, missing geom.Vec3, rate float64) geom.Vec3 {
	return target.MulAdd(missing, rate)
}

// ReferenceVelocity is the Reference's: the effective rate is gain × dt, with dt in
// seconds, and thus another at each frame rate (RIG-05, RIG-10).
func ReferenceVelocity(target, missing geom.Vec3, gain, dt float64) geom.Vec3 {
	return target.MulAdd(missing, float64(gain*dt))
}

// referenceGrid is metres: targets are on this grid (RIG-04: 0.01 cm).
const referenceGrid = 1e-4

// extrapolateToGrid is a state extrapolated by seconds: straight on, and turned on (RIG-04, RIG-07).
func extrapolateToGrid(m rigid.Motion, seconds float64) rigid.Motion {
	snap := func(x float64) float64 { return float64(math.Round(x/referenceGrid) * referenceGrid) }
	m = extrapolate(m, seconds)
	m.Position = geom.V(snap(m.Position.X), snap(m.Position.Y), snap(m.Position.Z))
	return m
}

// referenceCorrection is a body after one frame's correction by the Reference: dt in seconds.
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

// What RIG-06 calls no progress, in metres: √15 cm a frame, and how much of the last
// error must still be there, 100 cm².
const (
	stuckMaxMove  = 0.03872983346207417
	stuckMinError = 0.01
)

// progressCheck is what the stuck rule remembers from frame to frame (RIG-06).
type progressCheck struct {
	position, target geom.Vec3 // of the last frame
	begun            bool      // there was one
	stalled          clock.Micros
}

// stuck counts a frame of d in which a body is at a place and belongs at another, and
// reports whether it got no nearer for as long as the rules allow.
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

// orIdentity is what the zero Quat counts as.
func orIdentity(q geom.Quat) geom.Quat {
	if q == (geom.Quat{}) {
		return geom.IdentityQuat
	}
	return q
}

// rotationBetween returns the shortest turn from a to b: radians about the world's axes.
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

// rotatedBy returns q turned by radians about the world's axes.
func rotatedBy(q geom.Quat, by geom.Vec3) geom.Quat {
	angle := by.Len()
	if angle < 1e-12 {
		return orIdentity(q)
	}
	return geom.AxisAngle(by.Div(angle), angle).Mul(orIdentity(q)).Unit()
}
