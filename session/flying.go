package session

import (
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/shot"
)

// Flying is a projectile of the player's own as the last Frame showed it: it leaves at
// once, and the server's, which follows, is not among Things.
type Flying struct {
	shot.Flight
	// Drawn is where to draw it: Position, carried on from its last step to the picture's
	// platform time.
	Drawn geom.Vec3
}

// Flights are the player's own projectiles on their way: valid until the next Frame.
func (s *screen) Flights() []Flying { return nil }
