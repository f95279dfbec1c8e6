package geom

// Sym3 is a symmetric 3×3 matrix: an inertia in kg·m², or its inverse.
type Sym3 struct {
	// XX, YY and ZZ are the diagonal. The others are the entries above it, equal to those below.
	XX, YY, ZZ, XY, XZ, YZ float64
}

// Mul returns m·v.
func (m *Sym3) Mul(v Vec3) Vec3 {
	return Vec3{
		float64(m.XX*v.X) + float64(m.XY*v.Y) + float64(m.XZ*v.Z),
		float64(m.XY*v.X) + float64(m.YY*v.Y) + float64(m.YZ*v.Z),
		float64(m.XZ*v.X) + float64(m.YZ*v.Y) + float64(m.ZZ*v.Z),
	}
}

// Axes returns the three axes that q turns X, Y and Z to: the columns of its matrix.
func (q Quat) Axes() (x, y, z Vec3) {
	xx, yy, zz := float64(q.X*q.X), float64(q.Y*q.Y), float64(q.Z*q.Z)
	xy, xz, yz := float64(q.X*q.Y), float64(q.X*q.Z), float64(q.Y*q.Z)
	wx, wy, wz := float64(q.W*q.X), float64(q.W*q.Y), float64(q.W*q.Z)
	return Vec3{1 - float64(2*(yy+zz)), float64(2 * (xy + wz)), float64(2 * (xz - wy))},
		Vec3{float64(2 * (xy - wz)), 1 - float64(2*(xx+zz)), float64(2 * (yz + wx))},
		Vec3{float64(2 * (xz + wy)), float64(2 * (yz - wx)), 1 - float64(2*(xx+yy))}
}

// Diagonal returns the matrix whose principal axes are those of q and whose values
// along them are d: an inertia of a body turned by q.
func (q Quat) Diagonal(d Vec3) Sym3 {
	x, y, z := q.Axes()
	a, b, c := x.Mul(d.X), y.Mul(d.Y), z.Mul(d.Z)
	return Sym3{
		XX: float64(a.X*x.X) + float64(b.X*y.X) + float64(c.X*z.X),
		YY: float64(a.Y*x.Y) + float64(b.Y*y.Y) + float64(c.Y*z.Y),
		ZZ: float64(a.Z*x.Z) + float64(b.Z*y.Z) + float64(c.Z*z.Z),
		XY: float64(a.X*x.Y) + float64(b.X*y.Y) + float64(c.X*z.Y),
		XZ: float64(a.X*x.Z) + float64(b.X*y.Z) + float64(c.X*z.Z),
		YZ: float64(a.Y*x.Z) + float64(b.Y*y.Z) + float64(c.Y*z.Z),
	}
}

// Integrate returns q turned on by spin (rad/s about the world's axes) for the time given in
// seconds, of length 1. Up to half a radian the angle is right to 2e-5 of itself; beyond
// two it lags.
func (q Quat) Integrate(spin Vec3, seconds float64) Quat {
	half := spin.Mul(float64(seconds * 0.5))
	t := half.LenSq()
	// tan x = x (1 + x²/3 + 2x⁴/15 + …)
	half = half.Mul(1 + float64(t*(1.0/3+float64(t*(2.0/15)))))
	return Quat{half.X, half.Y, half.Z, 1}.Mul(q).Unit()
}
