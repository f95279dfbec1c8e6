package level

import (
	"errors"
	"fmt"
	"math"

	"github.com/backstep-net/backstep/geom"
)

// affine is the upper three rows of a transform matrix, by columns: the images of the axes,
// and the origin.
//
// Columns, because every use needs them: the scale is their lengths, the rotation their
// directions. Products are rounded one by one (geom), so the world is the same on every
// processor.
type affine struct{ x, y, z, origin geom.Vec3 }

// identity is the transform of a node that says nothing.
var identity = affine{x: geom.Vec3{X: 1}, y: geom.Vec3{Y: 1}, z: geom.Vec3{Z: 1}}

// direction applies rotation and scale to v.
func (t affine) direction(v geom.Vec3) geom.Vec3 {
	return t.x.Mul(v.X).MulAdd(t.y, v.Y).MulAdd(t.z, v.Z)
}

// point applies the whole transform to a point.
func (t affine) point(p geom.Vec3) geom.Vec3 { return t.direction(p).Add(t.origin) }

// times returns the transform that applies u first, then t.
func (t affine) times(u affine) affine {
	return affine{t.direction(u.x), t.direction(u.y), t.direction(u.z), t.point(u.origin)}
}

// mirrored reports whether t reverses orientation: its determinant is negative.
func (t affine) mirrored() bool { return t.x.Cross(t.y).Dot(t.z) < 0 }

// finite reports whether all twelve numbers are finite. Products of a file's finite numbers need
// not be.
func (t affine) finite() bool {
	return t.x.Finite() && t.y.Finite() && t.z.Finite() && t.origin.Finite()
}

// rigid splits t into a rotation and a scale along each axis. It fails if t shears or
// flattens, because then a box would not stay a box.
//
// The scale has no sign: a mirrored box is the same box, and a mirrored mover could not be
// turned by any rotation.
func (t affine) rigid() (turn geom.Quat, scale geom.Vec3, err error) {
	scale = geom.V(t.x.Len(), t.y.Len(), t.z.Len())
	// Below a micrometre the directions of the axes are rounding.
	if min(scale.X, min(scale.Y, scale.Z)) < 1e-6 {
		return turn, scale, errors.New("its scale makes it flat")
	}
	x, y, z := t.x.Div(scale.X), t.y.Div(scale.Y), t.z.Div(scale.Z)
	// An angle of 0.006° from square: more than what tools lose by writing 32-bit floats,
	// less than anybody sees.
	if max(math.Abs(x.Dot(y)), max(math.Abs(y.Dot(z)), math.Abs(z.Dot(x)))) > 1e-4 {
		return turn, scale, errors.New("it is sheared: a turned child of an unevenly scaled parent")
	}
	if x.Cross(y).Dot(z) < 0 {
		z = z.Neg() // a box mirrored in its own plane is the same box
	}
	return turnOf(x, y, z), scale, nil
}

// axes are the directions of a node's own axes: a rotation, after a mirror along Z if the node
// is mirrored.
type axes struct {
	turn     geom.Quat
	mirrored bool
}

// axes returns t without its scale, or the error of rigid.
func (t affine) axes() (axes, error) {
	turn, _, err := t.rigid()
	return axes{turn, t.mirrored()}, err
}

// direction returns v, which is along the node's own axes, in world space.
//
// What a modeller has mirrored launches and slides the mirrored way, as it looks.
func (a axes) direction(v geom.Vec3) geom.Vec3 {
	if a.mirrored {
		v.Z = -v.Z
	}
	return a.turn.Rotate(v)
}

// turnOf returns the rotation whose matrix has these columns. It divides by the largest of
// the four components, so never by a small number.
//
// It is Shepperd's method (1978). With the trace alone, half turns would divide zero by
// zero.
func turnOf(x, y, z geom.Vec3) geom.Quat {
	trace := x.X + y.Y + z.Z
	switch {
	case trace > 0:
		return geom.Quat{X: y.Z - z.Y, Y: z.X - x.Z, Z: x.Y - y.X, W: 1 + trace}.Unit()
	case x.X >= y.Y && x.X >= z.Z:
		return geom.Quat{X: 1 + x.X - y.Y - z.Z, Y: y.X + x.Y, Z: z.X + x.Z, W: y.Z - z.Y}.Unit()
	case y.Y >= z.Z:
		return geom.Quat{X: y.X + x.Y, Y: 1 - x.X + y.Y - z.Z, Z: z.Y + y.Z, W: z.X - x.Z}.Unit()
	}
	return geom.Quat{X: z.X + x.Z, Y: z.Y + y.Z, Z: 1 - x.X - y.Y + z.Z, W: x.Y - y.X}.Unit()
}

// transform returns the node's transform relative to its parent: its matrix, or its
// translation, rotation and scale.
//
// Both forms may overflow: finite numbers of 1e308 have a product that is not.
func (n *node) transform() (affine, error) {
	t, err := n.matrix()
	if n.Matrix == nil && err == nil {
		t, err = n.parts()
	}
	if err == nil && !t.finite() {
		err = errors.New("its transform overflows")
	}
	return t, err
}

// matrix returns the node's matrix, the identity if it has none. It must be the only transform of
// the node, and affine.
func (n *node) matrix() (affine, error) {
	m := n.Matrix
	switch {
	case m == nil:
		return identity, nil
	case len(m) != 16:
		return affine{}, fmt.Errorf("matrix: %d numbers; must be 16", len(m))
	case n.Translation != nil || n.Rotation != nil || n.Scale != nil:
		return affine{}, errors.New("has both a matrix and a translation, rotation or scale")
	// Exactly, because the format demands it and tools write it so.
	case m[3] != 0 || m[7] != 0 || m[11] != 0 || m[15] != 1:
		return affine{}, errors.New("matrix: the last row must be 0 0 0 1")
	}
	return affine{
		geom.V(m[0], m[1], m[2]), geom.V(m[4], m[5], m[6]),
		geom.V(m[8], m[9], m[10]), geom.V(m[12], m[13], m[14]),
	}, nil
}

// parts returns the transform that scales first, then turns, then moves (section 3.5.2).
func (n *node) parts() (affine, error) {
	move, err := numbers("translation", n.Translation, 0, 0, 0)
	if err != nil {
		return affine{}, err
	}
	r, err := numbers("rotation", n.Rotation, 0, 0, 0, 1)
	if err != nil {
		return affine{}, err
	}
	s, err := numbers("scale", n.Scale, 1, 1, 1)
	if err != nil {
		return affine{}, err
	}
	turn := geom.Quat{X: r[0], Y: r[1], Z: r[2], W: r[3]}
	// A wider deviation is not rounding but another order of the components, or degrees.
	// The negated comparison refuses NaN.
	if l := geom.V(r[0], r[1], r[2]).LenSq() + float64(r[3]*r[3]); !(math.Abs(l-1) < 0.01) {
		return affine{}, fmt.Errorf("rotation: %v is not a unit quaternion", r)
	}
	// An exact identity stays exact: a floor at height 0 is at height 0.
	if turn != geom.IdentityQuat {
		turn = turn.Unit()
	}
	return affine{
		turn.Rotate(geom.V(s[0], 0, 0)), turn.Rotate(geom.V(0, s[1], 0)),
		turn.Rotate(geom.V(0, 0, s[2])), geom.V(move[0], move[1], move[2]),
	}, nil
}

// numbers returns v, or the default where the file says nothing.
func numbers(what string, v []float64, otherwise ...float64) ([]float64, error) {
	switch len(v) {
	case 0:
		return otherwise, nil
	case len(otherwise):
		return v, nil
	}
	return nil, fmt.Errorf("%s: %d numbers; must be %d", what, len(v), len(otherwise))
}
