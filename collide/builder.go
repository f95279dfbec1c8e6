package collide

import (
	"errors"
	"math"
	"strconv"

	"github.com/backstep-net/backstep/geom"
)

// Limits of a World. What exceeds them is an error.
const (
	// MaxTriangles is the largest number of triangles of a World.
	//
	// A leaf has 28 bits for the index of its first triangle; memory is the limit long before.
	MaxTriangles = 4 << 20
	// MaxHullPoints is the largest number of points of Builder.Hull.
	MaxHullPoints = 256
	// MaxCoordinate is the largest coordinate of a vertex, in metres: at 16 km a float64
	// still resolves 2e-12 m.
	MaxCoordinate = 16384
)

// minTriangleHeight is the height in metres below which a triangle counts as having no
// area: its normal would be noise.
//
// A normal is a quotient: coordinates are exact to 2e-12 m at 16 km, so at this height a
// normal is good to 4e-5 rad, and soon below it is not.
const minTriangleHeight = 1e-7

var errSurface = errors.New("a surface rule must be Default, Always or Never")

// Builder collects shapes for a World. The zero Builder is empty and ready for use. Every
// shape gets the next ShapeID, from 0. The error of an invalid shape is kept and returned
// by Bake, so that a level can be described without a check after every line.
type Builder struct {
	tris    []tri
	shapes  []shape
	solids  []solid
	dropped int
	err     error

	inner       bool // collects the geometry of a mover
	transformed bool // transform is not the identity
	transform   geom.Transform
	movers      []Mover
	moving      []moving
	volumes     []Volume
	regions     []region
}

// Triangles adds a mesh of loose triangles: every three indices name the vertices of one,
// counter-clockwise seen from outside (triangles collide from both sides). Coordinates are
// metres. A triangle flatter than 1e-7 m is dropped and counted (World.Dropped). The error
// names the first vertex that is not finite or beyond MaxCoordinate, the first index
// without a vertex, or the limit of the World that is exceeded.
func (b *Builder) Triangles(vertices []geom.Vec3, indices []uint32, s Surface) (ShapeID, error) {
	id, vertices := b.next(), b.transformPoints(vertices)
	if err := checkMesh(vertices, indices); err != nil {
		return b.refuse(id, err)
	}
	if s.Walk > Never || s.StepOn > Never {
		return b.refuse(id, errSurface)
	}
	if len(b.tris)+len(indices)/3 > MaxTriangles {
		return b.refuse(id, errors.New("more than "+strconv.Itoa(MaxTriangles)+" triangles in the world"))
	}
	b.add(vertices, indices, -1)
	b.shapes = append(b.shapes, shape{surface: s})
	return id, nil
}

// Box adds a solid box: half is its half size along its own axes, turn its rotation about
// its centre (geom.IdentityQuat for none). Half sizes are at least 1e-6 m.
func (b *Builder) Box(centre, half geom.Vec3, turn geom.Quat, s Surface) ShapeID {
	id := b.next()
	if !(half.X >= 1e-6 && half.Y >= 1e-6 && half.Z >= 1e-6) {
		id, _ = b.refuse(id, errors.New("a box needs half sizes of 1e-6 m or more"))
		return id
	}
	turn = turn.Unit()
	var corners [8]geom.Vec3
	for i := range corners {
		p := half
		if i&1 == 0 {
			p.X = -p.X
		}
		if i&2 == 0 {
			p.Y = -p.Y
		}
		if i&4 == 0 {
			p.Z = -p.Z
		}
		corners[i] = centre.Add(turn.Rotate(p))
	}
	id, _ = b.solid(id, corners[:], boxFaces[:], s)
	return id
}

// boxFaces are the triangles of a box whose corner i has +X where bit 0 of i is
// set, +Y bit 1, +Z bit 2: −X, +X, −Y, +Y, −Z, +Z, two each.
var boxFaces = [36]uint32{
	0, 4, 6, 0, 6, 2,
	1, 3, 7, 1, 7, 5,
	0, 1, 5, 0, 5, 4,
	2, 6, 7, 2, 7, 3,
	0, 2, 3, 0, 3, 1,
	4, 5, 7, 4, 7, 6,
}

// Hull adds the solid convex hull of 4 … MaxHullPoints points. Points inside it, or nearer
// to its surface than a ten-millionth of its size, are left out. Points that lie in one
// plane are an error.
func (b *Builder) Hull(points []geom.Vec3, s Surface) (ShapeID, error) {
	id := b.next()
	if err := checkVertices(points); err != nil {
		return b.refuse(id, err)
	}
	faces, err := convexHull(points)
	if err != nil {
		return b.refuse(id, err)
	}
	return b.solid(id, points, faces, s)
}

// Ramp adds a solid wedge. at is the middle of its low edge. At yaw 0 it climbs towards −Z,
// run metres long and rise metres high; yaw in radians rotates it about the vertical
// through at.
func (b *Builder) Ramp(at geom.Vec3, width, rise, run, yaw float64, s Surface) ShapeID {
	id := b.next()
	if !(width >= 1e-6 && rise >= 1e-6 && run >= 1e-6) {
		id, _ = b.refuse(id, errors.New("a ramp needs width, rise and run of 1e-6 m or more"))
		return id
	}
	w := float64(width * 0.5)
	turn := geom.YawQuat(yaw)
	points := [6]geom.Vec3{
		{X: -w}, {X: w},
		{X: -w, Z: -run}, {X: w, Z: -run},
		{X: -w, Y: rise, Z: -run}, {X: w, Y: rise, Z: -run},
	}
	for i, p := range points {
		points[i] = at.Add(turn.Rotate(p))
	}
	id, _ = b.solid(id, points[:], rampFaces[:], s)
	return id
}

// rampFaces are the triangles of a wedge: bottom, slope, back, the two sides.
var rampFaces = [24]uint32{
	0, 2, 3, 0, 3, 1,
	0, 1, 5, 0, 5, 4,
	2, 4, 5, 2, 5, 3,
	0, 4, 2, 1, 3, 5,
}

// Stairs adds a solid flight of stairs: 1 … 1,000 boxes that stand at the height of at,
// which is the middle of the foot of the first riser. Each step is stepRise metres higher
// than the one before and stepRun metres deep (Ramp takes the rise and run of the whole). At
// yaw 0 they climb towards −Z; yaw in radians rotates them about the vertical through at.
// Stairs returns the id of the lowest step; the ids of the others follow it.
func (b *Builder) Stairs(at geom.Vec3, width, stepRise, stepRun float64, steps int, yaw float64, s Surface) ShapeID {
	first := b.next()
	if steps < 1 || steps > 1000 {
		first, _ = b.refuse(first, errors.New("stairs have 1 to 1,000 steps, not "+strconv.Itoa(steps)))
		return first
	}
	turn := geom.YawQuat(yaw)
	for i := range steps {
		h := float64(stepRise*float64(i+1)) * 0.5
		z := float64(stepRun * (float64(i) + 0.5))
		centre := at.Add(turn.Rotate(geom.V(0, h, -z)))
		b.Box(centre, geom.V(float64(width*0.5), h, float64(stepRun*0.5)), turn, s)
	}
	return first
}

// Bake returns the World, or the first error. The Builder may be used further; the World
// does not change with it.
//
// The lists are copied, because a Builder may be used further and a World never changes.
func (b *Builder) Bake() (*World, error) {
	if b.err != nil {
		return nil, b.err
	}
	w := &World{
		tris:    append([]tri(nil), b.tris...),
		shapes:  append([]shape(nil), b.shapes...),
		solids:  append([]solid(nil), b.solids...),
		dropped: b.dropped,
		movers:  append([]Mover(nil), b.movers...),
		moving:  append([]moving(nil), b.moving...),
		volumes: append([]Volume(nil), b.volumes...),
		regions: append([]region(nil), b.regions...),
	}
	if err := w.connectVolumes(); err != nil {
		return nil, err
	}
	w.bake()
	return w, nil
}

func (b *Builder) next() ShapeID { return ShapeID(len(b.shapes)) }

// refuse keeps the first error, and takes an id so that those of later shapes are right.
func (b *Builder) refuse(id ShapeID, err error) (ShapeID, error) {
	err = b.keepError("shape " + strconv.Itoa(int(id)) + ": " + err.Error())
	b.shapes = append(b.shapes, shape{})
	return NoShape, err
}

// solid adds a convex shape with the given outward faces.
func (b *Builder) solid(id ShapeID, points []geom.Vec3, faces []uint32, s Surface) (ShapeID, error) {
	points = b.transformPoints(points)
	if err := checkMesh(points, faces); err != nil {
		return b.refuse(id, err)
	}
	if s.Walk > Never || s.StepOn > Never {
		return b.refuse(id, errSurface)
	}
	if len(b.tris)+len(faces)/3 > MaxTriangles {
		return b.refuse(id, errors.New("more than "+strconv.Itoa(MaxTriangles)+" triangles in the world"))
	}
	first := len(b.tris)
	b.add(points, faces, int32(len(b.solids)))
	v, err := makeSolid(b.tris[first:], uint32(id))
	if err != nil {
		b.tris = b.tris[:first]
		return b.refuse(id, err)
	}
	b.solids = append(b.solids, v)
	b.shapes = append(b.shapes, shape{surface: s, solid: true})
	return id, nil
}

// add appends the triangles that have area.
func (b *Builder) add(vertices []geom.Vec3, indices []uint32, solid int32) {
	for i := 0; i+2 < len(indices); i += 3 {
		t := tri{
			a:     positiveZero(vertices[indices[i]]),
			b:     positiveZero(vertices[indices[i+1]]),
			c:     positiveZero(vertices[indices[i+2]]),
			shape: uint32(len(b.shapes)), number: uint32(len(b.tris)), solid: solid,
		}
		// Tools export such triangles by the hundred, at the poles of spheres and where
		// vertices were merged. They have no normal to collide with.
		if t.flat() {
			b.dropped++
			continue
		}
		b.tris = append(b.tris, t)
	}
}

// positiveZero turns −0 into 0, so that equal worlds are equal bytes.
//
// The sum with zero is the only way to do that without a branch: −0 + 0 is 0.
func positiveZero(v geom.Vec3) geom.Vec3 { return geom.V(v.X+0, v.Y+0, v.Z+0) }

func checkMesh(vertices []geom.Vec3, indices []uint32) error {
	if err := checkVertices(vertices); err != nil {
		return err
	}
	if len(indices)%3 != 0 {
		return errors.New(strconv.Itoa(len(indices)) + " indices are not whole triangles")
	}
	for i, n := range indices {
		if int64(n) >= int64(len(vertices)) {
			return errors.New("triangle " + strconv.Itoa(i/3) + " names vertex " +
				strconv.Itoa(int(n)) + " of " + strconv.Itoa(len(vertices)))
		}
	}
	return nil
}

func checkVertices(vertices []geom.Vec3) error {
	for i, v := range vertices {
		if !inReach(v) {
			return errors.New("vertex " + strconv.Itoa(i) + " is not finite or beyond " +
				strconv.Itoa(MaxCoordinate) + " m")
		}
	}
	return nil
}

func inReach(v geom.Vec3) bool {
	return v.X >= -MaxCoordinate && v.X <= MaxCoordinate && v.Y >= -MaxCoordinate && v.Y <= MaxCoordinate &&
		v.Z >= -MaxCoordinate && v.Z <= MaxCoordinate
}

// MustBake is Bake for a level that a program describes: it panics with the error of an invalid shape.
func (b *Builder) MustBake() *World {
	w, err := b.Bake()
	if err != nil {
		panic("collide: MustBake: " + err.Error())
	}
	return w
}

// Floor returns a level that is nothing but a level floor around the origin, its surface at height
// 0, that reaches so many metres in each direction: to begin a game on. It panics where half is
// not positive and finite.
func Floor(half float64) *World {
	if !(half > 0) || math.IsInf(half, 1) {
		panic("collide: Floor needs a size above 0")
	}
	var b Builder
	b.Box(geom.V(0, -1, 0), geom.V(half, 1, half), geom.IdentityQuat, Surface{})
	return b.MustBake()
}
