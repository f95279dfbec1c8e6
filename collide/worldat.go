package collide

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

// ShapeID names one shape of a World in the order in which it was added. NoShape
// is none.
type ShapeID uint32

// MaxObstacles is how many obstacles of a View count.
const MaxObstacles = 16

// NoShape is the id of no shape.
const NoShape ShapeID = 1<<32 - 1

// Rule is a surface's answer to a question that otherwise the character's own
// tunables decide.
type Rule uint8

// The answers. Default leaves the decision to the character.
const (
	Default Rule = iota
	Always
	Never
)

// Surface is what a shape tells those who touch it. The zero Surface decides
// nothing.
type Surface struct {
	// Walk overrides whether the surface can be stood on, whatever its slope
	// (GRD-07).
	Walk Rule
	// StepOn overrides whether walkers may step up onto it (GRD-13). It does not
	// keep anyone from standing on it after a landing.
	StepOn Rule
}

// walkSlack is by how much the upward part of a normal may be less than that of the
// steepest walkable slope: the rounding of a slope's making and of its normal, which
// would else decide about a slope at exactly the limit, differently by its yaw. It is
// worth less than a thousandth of a degree on slopes of 5° and more.
const walkSlack = 1e-6

// MinWalkableNormal returns the least upward part that the normal of a walkable surface has,
// where slopes of up to slope radians are walkable (FLR-07).
func MinWalkableNormal(slope float64) float64 { return geom.Cos(slope) - walkSlack }

// Hit is where a sweep or ray first touched the world.
type Hit struct {
	// Fraction of the motion made before the touch, 0 … 1. A sweep that begins
	// in contact and moves further in has 0 and Penetrating.
	Fraction float64
	// Point is where the two touch, in world space.
	Point geom.Vec3
	// Normal is the contact normal: from the surface towards the moving shape's
	// core at the touch, of length 1. On an edge it tilts with the body.
	Normal geom.Vec3
	// FaceNormal is the normal of the face that was hit, on the side hit, of length 1:
	// what the reference calls the impact normal (GRD-08). On an edge shared by
	// several faces it is the face that opposes the motion most.
	FaceNormal geom.Vec3
	// Depth is how deep a Penetrating sweep began, in metres; otherwise 0.
	Depth float64
	// Shape is the shape that was hit; Triangle is its number in the World.
	Shape    ShapeID
	Triangle uint32
	// Body that carries the shape: Shape and Triangle count within it.
	Body BodyID
	// Penetrating reports that the shapes overlapped before any motion. Normal
	// is then the shallowest way out of that one triangle or solid.
	Penetrating bool
}

// Contact is one place where a resting shape touches or nearly touches the
// world.
type Contact struct {
	Point, Normal, FaceNormal geom.Vec3 // as in Hit
	// Distance between the surfaces in metres; negative where they overlap.
	Distance float64
	Shape    ShapeID
	Triangle uint32
	Body     BodyID
}

// WorldAt is the world as one command meets it: the level, its bodies where they are
// at one instant, and the characters in the way. It is cheap to copy, and
// read-only, so any number of goroutines may ask. World must be set.
//
// Lengths are metres, deltas are whole motions and not velocities. A question
// with numbers that are not finite meets nothing.
type WorldAt struct {
	World *World
	// At is the platform time: the match time at which moving bodies stand where
	// they do. A command's is its stamp.
	At clock.Micros
	// Obstacles are the characters around, as this side saw them when the command
	// was made; at most MaxObstacles of them count.
	Obstacles []Obstacle
	// Exclude are bodies that are not there: broken, or none of this question's
	// business. They meet nothing, wherever they stand; who asks where one is, or how
	// fast, is still told. Nil is none. The set is kept, not copied.
	Exclude *BodySet
}

// Surface returns what the shape of the body tells those who touch it, and the
// zero Surface for NoShape and for obstacles.
func (v *WorldAt) Surface(body BodyID, id ShapeID) Surface {
	if body == Static {
		return v.World.Surface(id)
	}
	if b := v.World.Body(body); b != nil {
		return b.Shape.Surface(id)
	}
	return Surface{}
}

// Ray casts the line from → from+delta and returns the first surface it meets,
// from either side. A zero delta meets nothing. None passes between triangles
// that share an edge or a vertex.
// One that begins inside an obstacle does not meet that obstacle.
func (v *WorldAt) Ray(from, delta geom.Vec3) (Hit, bool) {
	return v.World.ray(from, delta, 1, v)
}

// SweepSphere moves the ball by delta and returns the first touch.
func (v *WorldAt) SweepSphere(s geom.Sphere, delta geom.Vec3) (Hit, bool) {
	return v.SweepCapsule(geom.Capsule{A: s.Centre, B: s.Centre, Radius: s.Radius}, delta)
}

// SweepCapsule moves the capsule by delta and returns the first touch: where the
// surfaces just meet, with no skin, to better than 1e-6 m. Where it overlaps
// something before it moves and the motion leads further in, the hit has Fraction
// 0 and Penetrating; a motion out of an overlap is not hindered by it. A zero
// delta meets nothing, and the edges inside a floor of many triangles or solids are
// not in the way of one that is in that floor by a hair. Where a capsule touches
// along a line, Point is the end of the line nearest to A.
func (v *WorldAt) SweepCapsule(c geom.Capsule, delta geom.Vec3) (Hit, bool) {
	return v.World.sweep(c, delta, 1, v)
}

// Overlaps reports whether the capsule shares more than a touching point with
// the world: deeper than 1e-9 m.
func (v *WorldAt) Overlaps(c geom.Capsule) bool {
	return v.World.Overlaps(c) || !v.staticOnly() && v.overlapsMoving(c)
}

// Contacts appends to into every place where the capsule, grown by margin
// metres, touches the world: one a triangle at most, ordered by body and triangle
// number, as many as into has room for (the deepest are kept). Places on a triangle's
// border are left out where a neighbour comes nearer, so the seams of a floor
// are no contacts. A margin of zero gives what touches or overlaps.
func (v *WorldAt) Contacts(c geom.Capsule, margin float64, into []Contact) []Contact {
	from := len(into)
	into = v.World.Contacts(c, margin, into)
	if v.staticOnly() {
		return into
	}
	return v.contactsMoving(c, margin, into, from)
}
