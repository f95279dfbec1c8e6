package geom

import "math"

// Quat is a rotation: a unit quaternion W + Xi + Yj + Zk. The zero Quat is not a
// rotation; use IdentityQuat.
type Quat struct {
	// X, Y and Z are the axis times the sine of half the angle, W is the cosine of half the
	// angle; −1 … 1 each.
	X, Y, Z, W float64
}

// IdentityQuat is the rotation that changes nothing.
var IdentityQuat = Quat{0, 0, 0, 1}

// AxisAngle returns the rotation by angle radians about the unit vector axis,
// counter-clockwise seen from its tip.
func AxisAngle(axis Vec3, angle float64) Quat {
	s, c := SinCos(float64(angle * 0.5))
	return Quat{float64(axis.X * s), float64(axis.Y * s), float64(axis.Z * s), c}
}

// YawQuat returns the turn about +Y by yaw radians.
func YawQuat(yaw float64) Quat { return AxisAngle(Up, yaw) }

// Mul returns the rotation that turns by r first and then by q.
func (q Quat) Mul(r Quat) Quat {
	return Quat{
		float64(q.W*r.X) + float64(q.X*r.W) + float64(q.Y*r.Z) - float64(q.Z*r.Y),
		float64(q.W*r.Y) - float64(q.X*r.Z) + float64(q.Y*r.W) + float64(q.Z*r.X),
		float64(q.W*r.Z) + float64(q.X*r.Y) - float64(q.Y*r.X) + float64(q.Z*r.W),
		float64(q.W*r.W) - float64(q.X*r.X) - float64(q.Y*r.Y) - float64(q.Z*r.Z),
	}
}

// Inverse returns the rotation that undoes q.
func (q Quat) Inverse() Quat { return Quat{-q.X, -q.Y, -q.Z, q.W} }

// Rotate returns v turned by q.
func (q Quat) Rotate(v Vec3) Vec3 {
	u := Vec3{q.X, q.Y, q.Z}
	t := u.Cross(v).Mul(2)
	return v.MulAdd(t, q.W).Add(u.Cross(t))
}

// Unit returns q scaled to length 1, and IdentityQuat if it is too short to have a direction.
func (q Quat) Unit() Quat {
	l := float64(q.X*q.X) + float64(q.Y*q.Y) + float64(q.Z*q.Z) + float64(q.W*q.W)
	if !(l > 1e-24) {
		return IdentityQuat
	}
	d := math.Sqrt(l)
	return Quat{q.X / d, q.Y / d, q.Z / d, q.W / d}
}

// Slerp returns the rotation a part t of the shorter way from q to r, both unit, at an
// even speed [HIS-09]. Where the two are nearly the same it is their mean, normalised:
// within 10⁻⁷ radians of it.
func (q Quat) Slerp(r Quat, t float64) Quat {
	dot := float64(q.X*r.X) + float64(q.Y*r.Y) + float64(q.Z*r.Z) + float64(q.W*r.W)
	if dot < 0 {
		r, dot = Quat{-r.X, -r.Y, -r.Z, -r.W}, -dot
	}
	a, b := 1-t, t
	if dot < 0.9999 {
		sin := math.Sqrt(1 - float64(dot*dot))
		angle := Atan2(sin, dot)
		a, b = Sin(float64(a*angle))/sin, Sin(float64(b*angle))/sin
	}
	return Quat{
		float64(q.X*a) + float64(r.X*b), float64(q.Y*a) + float64(r.Y*b),
		float64(q.Z*a) + float64(r.Z*b), float64(q.W*a) + float64(r.W*b),
	}.Unit()
}

// Transform is a rotation followed by a translation. The zero Transform is not
// one; start from Transform{Rotation: IdentityQuat}.
type Transform struct {
	Rotation    Quat // about the origin, applied first
	Translation Vec3 // metres
}

// Apply returns the point p placed by t.
func (t Transform) Apply(p Vec3) Vec3 { return t.Rotation.Rotate(p).Add(t.Translation) }

// ApplyInverse returns the point that Apply places at p: p seen from t.
func (t Transform) ApplyInverse(p Vec3) Vec3 {
	return t.Rotation.Inverse().Rotate(p.Sub(t.Translation))
}

// Arc returns the shortest turn from unit vector a to unit vector b. Where they
// are opposite it turns about +X, or about +Z if they lie along X.
func Arc(a, b Vec3) Quat {
	w := 1 + a.Dot(b)
	if w < 1e-9 {
		axis := Vec3{X: 1}.Flat(a)
		if axis.LenSq() < 1e-6 {
			axis = Vec3{Z: 1}.Flat(a)
		}
		return AxisAngle(axis.Unit(), math.Pi)
	}
	v := a.Cross(b)
	return Quat{v.X, v.Y, v.Z, w}.Unit()
}
