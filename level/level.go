package level

import (
	"fmt"

	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// The limits of a level. Beyond any of these Read returns an error that names the limit.
const (
	// MaxFile is the largest file in bytes.
	MaxFile = 64 << 20
	// MaxNodes is the most nodes of a file, MaxDepth the deepest nesting.
	MaxNodes = 20_000
	MaxDepth = 64
	// MaxTriangles is the most solid triangles of the whole level, and MaxVertices the
	// most vertices. A mesh that is placed twice counts twice.
	MaxTriangles = 1_000_000
	MaxVertices  = 3_000_000
	// MaxHullPoints is the most distinct corners of one convex hull.
	MaxHullPoints = collide.MaxHullPoints
	// MaxSpawns is the most spawn points.
	MaxSpawns = 1_000
	// MaxEntities is the most entities, MaxKind the longest Kind of one in bytes.
	MaxEntities = 1_000
	MaxKind     = 64
	// MaxReach is the largest coordinate of anything solid, in metres.
	MaxReach = collide.MaxCoordinate
)

// Level is the content of a level file. Read fills every field.
type Level struct {
	// Name is the scene's name, for display; it may be empty.
	Name string
	// World is the baked collision world.
	World *collide.World
	// Spawns are the spawn points, in the file's order. There may be none.
	Spawns []Spawn
	// Entities are the places of the game's own objects: balls, crates, goals. They are in
	// the file's order; there may be none. The game defines what their kinds mean.
	Entities []Entity
	// KillHeight is the height in metres below which a player has left the level. If the
	// file has none, it is 10 m below the lowest solid point, also of movers on their way.
	KillHeight float64
	// Bounds is the bounding box of everything solid, in metres.
	Bounds geom.AABB
	// Triangles counts the solid triangles, 12 for a box; hulls are not counted.
	Triangles int
}

// Spawn is one spawn point.
type Spawn struct {
	// Name is the node's name, for display; it may be empty.
	Name string
	// Position is where the feet go, on the floor or slightly above it, in metres.
	Position geom.Vec3
	// Yaw is where the player looks, in radians about +Y: 0 is −Z, π/2 is −X. It is a
	// multiple of a millionth of a radian, so it is the same on every processor.
	Yaw float64
	// Team is the team that may spawn here, 1 … 255; zero is any.
	Team int
}

// Entity is the place of an object that the game adds or observes and that is not part of
// the level itself: a ball's position, the inside of a goal.
type Entity struct {
	// Name is the node's name, for display; it may be empty.
	Name string
	// Kind is the node's mark "entity", a word of the game.
	Kind string
	// Position is the node's origin in metres, and Yaw where its −Z points, in radians
	// about +Y, as in Spawn.
	Position geom.Vec3
	Yaw      float64
	// Half is half the size of the node's cube of −1 … 1 along its own axes, in metres:
	// the node's scale.
	Half geom.Vec3
	// Team is the team it belongs to, 1 … 255; zero is none.
	Team int
}

// Read reads a self-contained binary glTF 2.0 file: one scene, one buffer, no compressed
// geometry. A malformed file, a reference to something that does not exist, an unsupported
// required extension, or a value beyond a limit is an error that names the node, mesh,
// accessor or byte at fault. Read does not keep b.
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
