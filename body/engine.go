package body

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

// Engine is what the rest of the library asks of rigid bodies. World is one; a title with
// a solver of its own implements it and hands that in where a World would go. It must give
// equal results for equal calls, for a match to replay.
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
