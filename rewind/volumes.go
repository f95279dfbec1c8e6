package rewind

import (
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/track"
)

// Part is a part of a body that can be hit.
type Part uint8

// The parts. NoPart is none.
const (
	NoPart Part = iota
	Body
	Head
)

// Parts is how many parts there are, NoPart counted: the size of a table by
// part.
const Parts = 3

// The hit volumes of a character, until rig has skeletons: a capsule from the
// feet to top and a ball around head metres above the feet.
const (
	headRadius = 0.14

	standingTop, standingRadius, standingHead = 1.45, 0.34, 1.60
	crouchedTop, crouchedRadius, crouchedHead = 0.56, 0.28, 0.66

	// A ball around the volumes of either stance, with room to spare.
	ballHeight, ballRadius = 0.87, 0.95
)

// Volumes returns what can be hit of a character at a sample: the body and the
// head, which depend on the stance (HIS-02, GAP-52) and stand along Up (BAS-05).
func Volumes(s *track.Sample) (body geom.Capsule, head geom.Sphere) {
	top, radius, at := standingTop, standingRadius, standingHead
	if s.Crouched {
		top, radius, at = crouchedTop, crouchedRadius, crouchedHead
	}
	feet, up := s.Position, s.Upwards()
	body = geom.Capsule{A: feet.MulAdd(up, radius), B: feet.MulAdd(up, top-radius), Radius: radius}
	head = geom.Sphere{Centre: feet.MulAdd(up, at), Radius: headRadius}
	return body, head
}
