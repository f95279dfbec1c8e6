package collide

import "github.com/backstep-net/backstep/geom"

// Volume is a region that affects characters inside it but blocks nothing [VOL-01]. Where
// several overlap, the highest Priority applies, and of equal ones the later.
type Volume struct {
	// Name of the volume in level files; may be empty.
	Name string
	// Priority among overlapping volumes, −128 … 127.
	Priority int8
	// Water makes characters whose middle is inside swim.
	Water bool
	// Kill marks a region that kills characters; the game acts on it [BAS-06].
	Kill bool
	// Friction of the fluid in 1/s; zero means that of the character (Model.FluidFriction)
	// in water and none in the air.
	Friction float64
	// TerminalSpeed is the largest falling speed in m/s; zero means that of the character.
	TerminalSpeed float64
	// Launch is the velocity in m/s that a walking or falling character gets: a jump pad.
	// Zero means none.
	Launch geom.Vec3
	// Up is the direction against gravity inside, a unit vector: for walking on walls
	// [BAS-05]. Zero does not change gravity. With Planet, gravity pulls towards Centre
	// instead.
	Up     geom.Vec3
	Planet bool
	Centre geom.Vec3
	// Triggers is the name of the mover that the volume triggers (WorldAt.TriggerVolumes); ""
	// means none. Such a volume has no other effect, so that it hides none below it.
	Triggers string
	// Waypoint is where that sends the mover, from 1; Press: what the mover's kind does.
	Waypoint int
	// Button volumes trigger only where a button is pressed inside; the others wherever a
	// character comes.
	Button bool
}
