package rewind

import (
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/track"
)

// BodyOutline returns roughly where a character's body and head are, whatever its rig: a
// capsule from the feet to the neck and a ball, by the stance and along Up [BAS-05]. It is for
// lines of sight and for aiming; a Scene decides what is hit.
func BodyOutline(s *track.Sample) (body geom.Capsule, head geom.Sphere) {
	top, radius, at := 1.45, 0.34, 1.60
	if s.Crouched {
		top, radius, at = 0.56, 0.28, 0.66
	}
	feet, up := s.Position, s.UpVector()
	body = geom.Capsule{A: feet.MulAdd(up, radius), B: feet.MulAdd(up, top-radius), Radius: radius}
	head = geom.Sphere{Centre: feet.MulAdd(up, at), Radius: 0.14}
	return body, head
}
