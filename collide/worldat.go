package collide

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

// ShapeID identifies a shape of a World: shapes are numbered in the order in which they
// were added.
type ShapeID uint32

// MaxObstacles is the number of obstacles of a WorldAt that count.
//
// More than sixteen characters do not fit around one. The bound keeps the cost of a query
// constant in a crowd.
const MaxObstacles = 16

// NoShape is the id of no shape.
const NoShape ShapeID = 1<<32 - 1

// Rule overrides, for one surface, a decision that the tunables of the character make
// otherwise.
type Rule uint8

// The rules. Default leaves the decision to the character.
const (
	Default Rule = iota
	Always
	Never
)

// Surface is the properties of a shape that matter to a character that touches it. The zero
// Surface overrides nothing.
type Surface struct {
	// Walk overrides whether the surface can be stood on, whatever its slope [GRD-07].
	Walk Rule
	// StepOn overrides whether walkers may step up onto it [GRD-13]. A character may still
	// stand on it after a landing.
	StepOn Rule
}

// walkSlack is how much the upward component of a normal may fall below that of the
// steepest walkable slope. It covers the rounding of the geometry and of its normal, which
// would otherwise decide about a slope at exactly the limit, differently for each yaw. It
// is worth less than a thousandth of a degree on slopes of 5° and more.
const walkSlack = 1e-6

// MinWalkableNormal returns the least upward component of the normal of a walkable surface,
// if slopes of up to slope radians are walkable [FLR-07].
func MinWalkableNormal(slope float64) float64 { return geom.Cos(slope) - walkSlack }

// Hit is the first touch of a sweep or ray with the world.
type Hit struct {
	// Fraction of the motion made before the touch, 0 … 1. A sweep that begins in contact
	// and moves further in has 0 and Penetrating.
	Fraction float64
	// Point is the point of contact, in world space.
	Point geom.Vec3
	// Normal is the contact normal: from the surface towards the core of the moving shape
	// at the touch, of length 1. On an edge it tilts with the capsule.
	Normal geom.Vec3
	// FaceNormal is the normal of the face that was hit, on the side that was hit, of
	// length 1: the impact normal of the reference [GRD-08]. On an edge shared by several
	// faces it is the normal of the face that opposes the motion most.
	FaceNormal geom.Vec3
	// Depth is the penetration at the start of a Penetrating sweep, in metres; otherwise 0.
	Depth float64
	// Shape is the shape that was hit, Triangle its triangle number in the World.
	Shape    ShapeID
	Triangle uint32
	// Mover carries the shape: Shape and Triangle are numbers within it.
	Mover MoverID
	// Penetrating reports that the shapes overlapped before any motion. Normal is then the
	// shallowest way out of that one triangle or solid.
	Penetrating bool
}

// Contact is a place where a resting shape touches or nearly touches the world.
type Contact struct {
	Point, Normal, FaceNormal geom.Vec3 // as in Hit
	// Distance between the surfaces in metres; negative where they overlap.
	Distance float64
	Shape    ShapeID
	Triangle uint32
	Mover    MoverID
}

// WorldAt is the world at one instant, as one command meets it: the level, its movers at
// their poses of that instant, and the characters around. It is cheap to copy. Queries only
// read it, so any number of goroutines may use it.
//
// Lengths are metres; deltas are whole motions and not velocities. A query with numbers
// that are not finite hits nothing.
type WorldAt struct {
	// World is the level and the paths of its movers. It must be set.
	World *World
	// At is the match time that determines the poses of movers. For a command it is
	// the time stamp of the command.
	At clock.Micros
	// Obstacles are the characters around, as this side saw them when the command was made;
	// at most MaxObstacles of them count.
	Obstacles []Obstacle
	// Exclude are movers to ignore: broken ones, for example. No query hits them, wherever
	// they are; their pose and velocity can still be queried. Nil excludes none. The set is
	// kept, not copied.
	Exclude *MoverSet
}

// Surface returns the surface of a shape of the mover, the zero Surface for NoShape and for
// obstacles.
func (v *WorldAt) Surface(mover MoverID, id ShapeID) Surface {
	if mover == Static {
		return v.World.Surface(id)
	}
	if b := v.World.Mover(mover); b != nil {
		return b.Shape.Surface(id)
	}
	return Surface{}
}

// Ray casts the line from → from+delta and returns the first surface that it hits, from
// either side. A zero delta hits nothing. No ray passes between triangles that share an
// edge or a vertex. A ray that begins inside an obstacle does not hit that obstacle.
func (v *WorldAt) Ray(from, delta geom.Vec3) (h Hit, ok bool) {
	// The static world comes first: it is hit most often, and its hit is the limit for
	// everything that moves.
	h, ok = v.World.ray(from, delta, 1)
	if !v.staticOnly() && sweepable(geom.Capsule{A: from, B: from}, delta.LenSq()) {
		ok = v.rayMoving(from, delta, &h, ok)
	}
	return h, ok
}

// SweepSphere moves the sphere by delta and returns the first touch.
func (v *WorldAt) SweepSphere(s geom.Sphere, delta geom.Vec3) (Hit, bool) {
	return v.SweepCapsule(geom.Capsule{A: s.Centre, B: s.Centre, Radius: s.Radius}, delta)
}

// CameraReach returns the share of a way, 0 … 1, that a ball gets before it touches the level or one of
// its movers: for cameras, which do not pass walls. Characters do not stop it, and without a level nothing
// does.
func (v *WorldAt) CameraReach(from, way geom.Vec3, radius float64) float64 {
	if v.World == nil {
		return 1
	}
	w := *v
	w.Obstacles = nil
	if hit, ok := w.SweepSphere(geom.Sphere{Centre: from, Radius: radius}, way); ok {
		return hit.Fraction
	}
	return 1
}

// SweepCapsule moves the capsule by delta and returns the first touch: where the surfaces
// just meet, without a skin, to better than 1e-6 m. If the capsule overlaps something
// before it moves and the motion leads further in, the hit has Fraction 0 and Penetrating;
// a motion out of an overlap is not blocked by it. A zero delta hits nothing. The edges
// inside a floor of many triangles or solids do not block a capsule that is slightly sunk
// into that floor. Where a capsule touches along a line, Point is the end of the line
// nearest to A.
func (v *WorldAt) SweepCapsule(c geom.Capsule, delta geom.Vec3) (h Hit, ok bool) {
	ok = v.World.sweep(&h, c, delta, 1)
	if !v.staticOnly() && sweepable(c, delta.LenSq()) {
		ok = v.sweepMoving(c, delta, &h, ok)
	}
	return h, ok
}

// Overlaps reports whether the capsule shares more than a touching point with the world:
// deeper than 1e-9 m.
func (v *WorldAt) Overlaps(c geom.Capsule) bool {
	return v.World.Overlaps(c) || !v.staticOnly() && v.overlapsMoving(c)
}

// Contacts appends to into every place where the capsule, grown by margin metres, touches
// the world: at most one per triangle, ordered by mover and triangle number, as many as fit
// into the capacity of into (the deepest are kept). A place on the border of a triangle is
// left out if a neighbouring triangle comes nearer, so the seams of a floor are no
// contacts. A margin of zero gives what touches or overlaps.
func (v *WorldAt) Contacts(c geom.Capsule, margin float64, into []Contact) []Contact {
	from := len(into)
	into = v.World.Contacts(c, margin, into)
	if v.staticOnly() {
		return into
	}
	return v.contactsMoving(c, margin, into, from)
}
