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
	if was, moved := headingOf(ref.Velocity); moved {
		// Directions cost more than all else here, so none is computed that is not needed.
		if is, moves := headingOf(s.Velocity); moves {
			if isAhead(yaw, was.yaw()) {
				yaw, yawBy = is.yaw(), aheadOrder
			}
			if isAhead(pitch, was.pitch()) {
				pitch, pitchBy = is.pitch(), aheadOrder
			}
		}
	}
	packTurned(p, &s.Yaw, yaw, yawBy)
	packTurned(p, &s.Pitch, pitch, pitchBy)
}

// heading is a velocity that has a direction, in steps.
type heading struct {
	x, y, z int64
	flatSq  int64 // of its horizontal part
}

// headingOf returns the heading of a velocity, and false if it is too slow to have a direction.
func headingOf(v geom.Vec3) (h heading, ok bool) {
	h.x, h.y, h.z = bits.VecSteps(v, VelocityScale)
	h.flatSq = h.x*h.x + h.z*h.z
	return h, h.flatSq >= minAhead*minAhead
}

// yaw returns the yaw of a look along the velocity, in steps.
func (h *heading) yaw() int64 { return lookSteps(geom.Atan2(float64(-h.x), float64(-h.z))) }

// pitch returns the pitch of a look along the velocity, in steps.
func (h *heading) pitch() int64 {
	if h.y == 0 {
		return 0 // most that walk, without the root and the arc tangent
	}
	return lookSteps(geom.Atan2(float64(h.y), math.Sqrt(float64(h.flatSq))))
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
