package level

import (
	"fmt"

	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// What a level may hold at most. Past any of these Read is an error that names
// the limit.
const (
	// MaxFile is the size of the file in bytes.
	MaxFile = 64 << 20
	// MaxNodes is how many nodes the file may have, MaxDepth how deep they nest.
	MaxNodes = 20_000
	MaxDepth = 64
	// MaxTriangles counts the solid triangles of the whole level, a mesh that is
	// placed twice twice; MaxVertices their vertices likewise.
	MaxTriangles = 1_000_000
	MaxVertices  = 3_000_000
	// MaxHullPoints is how many different corners one convex hull may have.
	MaxHullPoints = collide.MaxHullPoints
	// MaxSpawns is how many spawn points there may be.
	MaxSpawns = 1_000
	// MaxEntities is how many places of things, MaxKind how long the word of one may be.
	MaxEntities = 1_000
	MaxKind     = 64
	// MaxReach is how far from the origin anything solid may be along one axis,
	// in metres.
	MaxReach = collide.MaxCoordinate
)

// Level is what a file holds of the world. Read fills every field.
type Level struct {
	// Name is the scene's name, for people; it may be empty.
	Name string
	// World is everything solid, baked.
	World *collide.World
	// Spawns are the places where players appear, in the file's order. There may
	// be none.
	Spawns []Spawn
	// Entities are the places of what the game brings: balls, crates, goals. In the file's
	// order; there may be none. What the words mean is the game's.
	Entities []Entity
	// KillHeight is the height in metres below which a player has left the level.
	// Where the file does not say it is 10 m under the lowest solid point.
	KillHeight float64
	// Bounds is the box around everything solid, in metres.
	Bounds geom.AABB
	// Triangles counts the solid triangles, 12 for a box; hulls are not counted.
	Triangles int
}

// Spawn is one place where a player appears.
type Spawn struct {
	// Name is the name of the node, for people; it may be empty.
	Name string
	// Position is where the feet go, on the floor or a hand above it, in metres.
	Position geom.Vec3
	// Yaw is where the player looks, in radians about +Y: 0 is −Z, π/2 is −X. It
	// is a multiple of a millionth of a radian, so it is the same on every
	// processor.
	Yaw float64
	// Team is whose place this is, 1 … 255; zero is anyone's.
	Team int
}

// Entity is one place of something that the game brings or keeps an eye on, and that is
// not a part of the level itself: where a ball lies, the inside of a goal.
type Entity struct {
	// Name is the name of the node, for people; it may be empty.
	Name string
	// Kind is the word that the node is marked with, the game's own.
	Kind string
	// Position is the node's origin in metres, and Yaw where its −Z points, in radians
	// about +Y, as a Spawn's.
	Position geom.Vec3
	Yaw      float64
	// Half is half the size of the node's cube of −1 … 1 along its own axes, in metres:
	// the node's scale.
	Half geom.Vec3
	// Team is whose it is, 1 … 255; zero is anyone's.
	Team int
}

// Read reads a binary glTF 2.0 file that carries everything itself: one scene,
// one buffer, no compression of the geometry. Whatever is malformed, refers to
// something that is not there, needs an extension that is not read here, or is
// past a limit is an error that names the node, mesh, accessor or byte at fault.
// It does not keep b.
func Read(b []byte) (*Level, error) {
	f, err := open(b)
	if err != nil {
		return nil, fmt.Errorf("level: %w", err)
	}
	l, err := f.level()
	if err != nil {
		return nil, fmt.Errorf("level: %w", err)
	}
	return l, nil
}
