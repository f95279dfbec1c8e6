package collide

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

// BodyID names what carries a shape: Static, a moving body of the World, or an
// obstacle of the View.
type BodyID uint16

const (
	// Static is the part of the world that never moves.
	Static BodyID = 0
	// FirstObstacle is the id of Obstacles[0] in a View; lower ids, from 1, are the
	// World's moving bodies in the order of adding.
	FirstObstacle BodyID = 1 << 15
)

// Body is a solid part of the level whose place is a function of match time: a
// lift, a door, a rotating bridge, a train.
type Body struct {
	// Name is how files call it; unique in its World.
	Name string
	// Shape is its geometry, in its own space. It has no bodies and volumes itself.
	Shape *World
	// Path says where it is.
	Path Path
}

// Path is where a body is at each instant. The zero Path stays at the origin.
type Path struct {
	// Keys by ascending time, the first at 0. Before the first and, without Loop,
	// after the last one the body rests there.
	Keys []Key
	// Loop repeats the path after the last key, which must equal the first in Move;
	// Angle may differ by whole turns.
	Loop bool
	// Smooth runs through the keys on a curve (Catmull–Rom) instead of straight
	// from one to the next, so that the velocity has no jumps, nor has that of the
	// Angle. Between two equal keys it rests; without Loop it starts and ends at rest.
	Smooth bool
	// Axis that Angle turns about, a unit vector in world space; zero means +Y.
	Axis geom.Vec3
}

// Key is where a body is at one instant.
type Key struct {
	At       clock.Micros // from the beginning of the path, at least 0
	Position geom.Vec3    // metres
	Angle    float64      // radians about Path.Axis, not wrapped
}

// Obstacle is a character as one side saw it when a command met it: something to
// walk around that follows no path (BAS-08). Obstacles are upright capsules.
type Obstacle struct {
	ID       uint16       // whose: the game's number
	Capsule  geom.Capsule // where, metres
	Velocity geom.Vec3    // m/s
}
