package collide

import "github.com/backstep-net/backstep/geom"

// Volume is a region that does something to what is inside, but stops nothing
// (VOL-01). Where several overlap, the highest Priority counts, and of equal ones
// the later.
type Volume struct {
	// Name is how files call it; may be empty.
	Name string
	// Priority among overlapping volumes, −128 … 127.
	Priority int8
	// Water makes those whose middle is inside swim.
	Water bool
	// Kill ends the life of what comes in; for the game to act on (BAS-06).
	Kill bool
	// Friction of the fluid in 1/s; zero means the character's own
	// (Model.FluidFriction) in water and none in the air.
	Friction float64
	// TerminalSpeed is the fastest fall in m/s; zero means the character's own.
	TerminalSpeed float64
	// Launch is the velocity in m/s that a walker, or one who falls, leaves with:
	// a jump pad. Zero is none.
	Launch geom.Vec3
	// Up is the direction against gravity inside, a unit vector: walls to walk on
	// (BAS-05). Zero leaves it as it is. With Planet, gravity pulls towards Centre
	// instead.
	Up     geom.Vec3
	Planet bool
	Centre geom.Vec3
}
