// Package smoothing hides the jump of a correction: what is drawn keeps its place and approaches
// the corrected one. Start at [Offset].
//
// The state that is simulated is corrected at once, on every machine. Only what is drawn is late,
// by an Offset that decays exponentially. Three views use it: the owner's own (package predict),
// remote characters that are extrapolated (package track) and rigid bodies (package remote). Remote
// characters that are interpolated do not: what is left of their corrections follows from the view
// alone, so that a server can rebuild it (docs/decisions/blending.md).
package smoothing

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

// How corrections of characters are smoothed: those of the owner, and of remote ones.
const (
	Full     = 2.56                    // m: a longer offset is clamped to this length [SMO-01]
	Snap     = 3.84                    // m: beyond it the jump is visible [GAP-25]
	Time     = 100 * clock.Millisecond // time constant of positions [SMO-10]
	TurnTime = 50 * clock.Millisecond  // the same of rotations
)

// Below these an offset is not visible, and becomes zero.
const (
	minLength = 1e-4 // m [SMO-10]
	minTurn   = 1e-5 // of a quaternion's parts
)

// Offset is what is left of the corrections of one entity: where it is drawn, less where it is
// simulated. The zero Offset is none.
type Offset struct {
	// Position is in metres, in the world's frame, so the rotation of the entity does not change it
	// [SMO-13].
	Position geom.Vec3
	// Rotation goes from the simulated to the drawn rotation, in the frame of the entity. The zero
	// Quat is none.
	Rotation geom.Quat
}

// Move records that a correction displaced the entity from old to new, in metres: what is drawn
// does not move. The sum over all corrections is clamped to a length of full, or corrections in the
// same direction would add up without bound. If this correction or the sum is longer than snap, or
// not a number, the position's offset becomes zero and Move returns false: the jump is visible
// [SMO-01, GAP-25].
func (o *Offset) Move(old, new geom.Vec3, full, snap float64) bool {
	by := old.Sub(new)
	sum := o.Position.Add(by)
	// Negated, so that a NaN drops the offset.
	if !(by.Len() <= snap) || !(sum.Len() <= snap) {
		o.Position = geom.Vec3{}
		return false
	}
	o.Position = sum.ClampLen(full)
	return true
}

// Turn records that a correction turned the entity from old to new: what is drawn does not turn
// [SMO-04].
func (o *Offset) Turn(old, new geom.Quat) {
	if o.Rotation != (geom.Quat{}) {
		old = old.Mul(o.Rotation)
	}
	o.Rotation = shorter(new.Inverse().Mul(old).Unit())
}

// Decay shrinks the offset over a time of d, by exp(−d/t) with a time constant t for each part:
// equal at every frame rate, and never below zero however long the frame. The usual 1 − d/t per
// frame is neither [SMO-11, GAP-26].
func (o *Offset) Decay(d, time, turnTime clock.Micros) {
	if d <= 0 || *o == (Offset{}) {
		return
	}
	o.Position = o.Position.Mul(remaining(d, time))
	if q := o.Rotation; q != (geom.Quat{}) {
		// A normalised lerp towards the identity. Its error of speed is 1 % at 90°.
		u := remaining(d, turnTime)
		o.Rotation = geom.Quat{X: float64(q.X * u), Y: float64(q.Y * u), Z: float64(q.Z * u), W: float64(q.W*u) + 1 - u}.Unit()
	}
	if q := o.Rotation; o.Position.Len() < minLength && max(q.X, -q.X, q.Y, -q.Y, q.Z, -q.Z) < minTurn {
		*o = Offset{}
	}
}

// Place returns where an entity is drawn, given its simulated position and rotation [SMO-13].
func (o *Offset) Place(position geom.Vec3, rotation geom.Quat) (geom.Vec3, geom.Quat) {
	if o.Rotation != (geom.Quat{}) {
		rotation = rotation.Mul(o.Rotation).Unit()
	}
	return position.Add(o.Position), rotation
}

// remaining returns the share that is left after d of a decay with the time constant t.
func remaining(d, t clock.Micros) float64 { return geom.Exp(-float64(d) / float64(t)) }

// shorter returns the one of ±q with the smaller angle.
func shorter(q geom.Quat) geom.Quat {
	if q.W < 0 {
		return geom.Quat{X: -q.X, Y: -q.Y, Z: -q.Z, W: -q.W}
	}
	return q
}
