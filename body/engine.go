package body

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

// Engine is the set of methods that the rest of the library calls on a solver. World is one; a game
// with a solver of its own implements Engine and passes that in the place of a World. It must give
// equal results for equal calls, so that a match can be replayed.
type Engine interface {
	// Add, Remove, Has, Body, Motion, Set, Impulse, Step, Touches and Hash are as
	// World's.
	Add(b Body) ID
	Remove(id ID)
	Has(id ID) bool
	Body(id ID) Body
	Motion(id ID) Motion
	Set(id ID, m Motion)
	Impulse(id ID, at, impulse geom.Vec3)
	Step(d, at clock.Micros, pushers []Pusher)
	Touches() []Touch
	Hash() uint64
}

var _ Engine = (*World)(nil)
