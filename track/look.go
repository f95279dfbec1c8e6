package track

import (
	"math"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/geom"
)

// LookSteps is how many steps of Yaw and Pitch are a turn: a step is 0.044°, which moves the muzzle
// of a rifle at arm's length by half a millimetre.
const LookSteps = 1 << 13

// The constants of packLook's guesses.
const (
	// The orders of the residuals of yaw and pitch as differences from the reference's, and from the
	// direction of the velocity.
	yawOrder, pitchOrder, aheadOrder = 6, 4, 2
	// aheadWithin is by how many steps at most a look along the velocity differs from its direction:
	// at minAhead the grid of the velocity turns it by 20.
	aheadWithin = 32
	// minAhead is the least horizontal speed that has a direction, in steps of VelocityScale: 0.5 m/s.
	minAhead = VelocityScale / 2
)

// lookSteps returns an angle on the grid of Yaw and Pitch, in steps.
func lookSteps(angle float64) int64 { return bits.AngleSteps(angle, LookSteps) }

// lookAngle returns the angle of so many steps.
func lookAngle(n int64) float64 { return bits.StepsAngle(n, LookSteps) }

// packLook packs yaw and pitch, which is known to differ from ref's. An entity that looks along its
// velocity in ref (a vehicle, a missile, a character that turns to where it runs) is guessed to do so in
// s, each angle for itself. Any other is guessed to look as in ref.
//
// The place is packed before the look, so both ends know both velocities.
func (s *Sample) packLook(p *bits.Packer, ref reference) {
	yaw, pitch := lookSteps(ref.Yaw), lookSteps(ref.Pitch)
	yawBy, pitchBy := yawOrder, pitchOrder
	if was, moved := ahead(ref.Velocity); moved {
		if is, moves := ahead(s.Velocity); moves {
			if isAhead(yaw, was.yaw) {
				yaw, yawBy = is.yaw, aheadOrder
			}
			if isAhead(pitch, was.pitch) {
				pitch, pitchBy = is.pitch, aheadOrder
			}
		}
	}
	packTurned(p, &s.Yaw, yaw, yawBy)
	packTurned(p, &s.Pitch, pitch, pitchBy)
}

// direction is a direction in steps.
type direction struct{ yaw, pitch int64 }

// ahead returns the direction of a velocity, and false if it is too slow to have one.
func ahead(v geom.Vec3) (d direction, ok bool) {
	x, y, z := bits.VecSteps(v, VelocityScale)
	sq := x*x + z*z
	if sq < minAhead*minAhead {
		return d, false
	}
	return direction{
		lookSteps(geom.Atan2(float64(-x), float64(-z))),
		lookSteps(geom.Atan2(float64(y), math.Sqrt(float64(sq)))),
	}, true
}

// isAhead reports whether an angle is about that of the velocity, both in steps.
func isAhead(look, velocity int64) bool {
	d := bits.WrapSteps(look-velocity, LookSteps)
	return -aheadWithin <= d && d <= aheadWithin
}

// packTurned packs an angle as the shorter difference from a guess, in steps: from 179° to −179° it is
// 2°.
func packTurned(p *bits.Packer, angle *float64, guess int64, order int) {
	d := bits.WrapSteps(lookSteps(*angle)-guess, LookSteps)
	p.Residual(&d, order)
	if p.Writing() {
		return
	}
	if d != bits.WrapSteps(d, LookSteps) {
		p.Fail(bits.ErrRange)
		d = 0
	}
	*angle = lookAngle(bits.WrapSteps(guess+d, LookSteps))
}
