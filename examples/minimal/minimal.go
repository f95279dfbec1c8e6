// Package minimal is a whole game: characters walk on a floor and see each other.
package minimal

import (
	"github.com/backstep-net/backstep/character"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/session"
)

// Rules returns the game, the same on both ends.
func Rules() session.Game[movement.State, movement.Command] {
	var g session.Game[movement.State, movement.Command]
	character.Fill(&g, new(movement.DefaultModel()))
	return g
}
