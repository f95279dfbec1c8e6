package rig

import "github.com/backstep-net/backstep/clock"

// StrideWrap is the distance in metres at which Posture.StrideDistance wraps to 0. It is a
// whole number of cycles of every gait, so the animation has no jump there.
const StrideWrap = 64

// Posture is the input of a pose. All of it follows from the movement of the character.
//
// Everything that affects a pose is here and is sent, and nothing else, so a server can compute the pose
// that a client drew.
type Posture struct {
	// Forward and Right are the velocity over the ground relative to the facing, Up is the
	// vertical velocity, in m/s.
	Forward, Right, Up float64
	// StrideDistance is the distance covered on the ground, modulo StrideWrap, in metres:
	// the phase of gaits.
	StrideDistance float64
	// Pitch of the view in radians, positive upwards.
	Pitch float64
	// Crouch, Air and Swim are how far the body is in the transition to crouching, being
	// airborne and swimming, 0 … 1.
	Crouch, Air, Swim float64
	// Clip is the motion that plays, a number that the game defines (0 means none), and
	// ClipTime the time since it began.
	Clip     uint8
	ClipTime clock.Micros
	// Props has a bit for each optional hitbox that is present; see Hitbox.Prop.
	Props uint8
}
