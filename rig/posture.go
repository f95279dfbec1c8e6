package rig

import "github.com/backstep-net/backstep/clock"

// StrideWrap is where Posture.StrideDistance begins again, in metres. A gait's cycle is a whole
// share of it, so that nobody stumbles there.
const StrideWrap = 64

// Posture is what a pose is computed from: all of it follows from a character's movement.
type Posture struct {
	// Forward, Right and Rise are the velocity over the ground, relative to the facing and
	// up, in m/s.
	Forward, Right, Up float64
	// StrideDistance is the way over the ground so far, 0 … WalkedRound metres: the gait's phase.
	StrideDistance float64
	// Pitch is of the view, radians, positive upwards.
	Pitch float64
	// Crouch, Air and Swim are how far the body is into crouching, being in the air and
	// swimming, 0 … 1.
	Crouch, Air, Swim float64
	// Clip is the motion that plays, by a number of the game's, 0 for none, and Played for
	// how long it has.
	Clip     uint8
	ClipTime clock.Micros
	// Props are which of the volumes are there that not always are; see Volume.Prop.
	Props uint8
}
