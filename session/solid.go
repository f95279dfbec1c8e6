package session

import (
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/track"
)

// solidOf is a game's Solid as characters are swept by it who are carried on; nil where the
// game knows no bodies. It serves one goroutine.
func solidOf(game any) track.BodyShape {
	if s, ok := game.(BodyShape); ok {
		return &swept{game: s}
	}
	return nil
}

// swept asks a game about a pose that it keeps meanwhile: a pointer to one of the caller's
// would escape.
type swept struct {
	game BodyShape
	pose track.Sample
}

// SetBodyShape is for track.BodyShape.
func (s *swept) SetBodyShape(pose track.Sample) (geom.Capsule, bool) {
	s.pose = pose
	return s.game.SetBodyShape(&s.pose)
}
