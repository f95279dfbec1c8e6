package collide

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

// MoverID identifies what carries a shape: Static, a mover of the World, or an
// obstacle of the WorldAt.
type MoverID uint16

const (
	// Static is the part of the world that never moves.
	Static MoverID = 0
	// FirstObstacle is the id of WorldAt.Obstacles[0]. Lower ids, from 1, are the
	// movers of the World in the order of adding.
	FirstObstacle MoverID = 1 << 15
)

// Mover is a solid part of the level whose pose is a function of match time, and of the match's
// log if it is triggered: a lift, a door, a rotating bridge, a train.
type Mover struct {
	// Name of the mover in level files; unique in its World.
	Name string
	// Shape is its geometry, in the space of the mover. It has no movers or volumes.
	Shape *World
	// Path is its motion.
	Path Path
	// Trigger is what starts the motion; the zero Trigger is match time.
	Trigger Trigger
}

// Path is the pose of a mover as a function of time. The zero Path stays at the origin.
type Path struct {
	// Keys by ascending time, the first at 0. Before the first key, and without Loop after
	// the last one, the mover rests there.
	Keys []Key
	// Loop repeats the path after the last key, whose Position must equal that of the
	// first; Angle may differ by whole turns.
	Loop bool
	// Smooth interpolates with a Catmull–Rom curve instead of linearly, so that the
	// velocity and the angular velocity are continuous. Between two equal keys the mover
	// rests; without Loop it starts and ends at rest.
	Smooth bool
	// Axis of the rotation by Angle, a unit vector in world space; zero means +Y.
	Axis geom.Vec3
}

// Key is the pose of a mover at one instant.
type Key struct {
	At       clock.Micros // from the beginning of the path, at least 0
	Position geom.Vec3    // metres
	Angle    float64      // radians about Path.Axis, not wrapped
}

// Obstacle is a character as one side saw it when a command was made: it blocks others and
// follows no path [BAS-08]. Obstacles are upright capsules.
type Obstacle struct {
	ID       uint16       // the number of the character, defined by the game
	Kind     uint8        // track.Kind of what it is, such as an empty car; 0 is a player
	Capsule  geom.Capsule // in world space, metres
	Velocity geom.Vec3    // m/s
	Yaw      float64      // where it looks, radians
}
