package geom

import "math"

// Vec3 is a point or direction, in metres unless said otherwise. The zero Vec3
// is the origin. It is passed by value: three words stay in registers.
type Vec3 struct {
	// X, Y and Z are the coordinates, right-handed. In a level Y is up.
	X, Y, Z float64
}

// V returns the vector of x, y and z, each rounded: a product that is handed over is fused with
// no sum that it later enters.
func V(x, y, z float64) Vec3 { return Vec3{float64(x), float64(y), float64(z)} }

// Up is +Y, the direction against default gravity.
var Up = Vec3{0, 1, 0}

// Add returns v + w.
func (v Vec3) Add(w Vec3) Vec3 { return Vec3{v.X + w.X, v.Y + w.Y, v.Z + w.Z} }

// Sub returns v − w.
func (v Vec3) Sub(w Vec3) Vec3 { return Vec3{v.X - w.X, v.Y - w.Y, v.Z - w.Z} }

// Neg returns −v.
func (v Vec3) Neg() Vec3 { return Vec3{-v.X, -v.Y, -v.Z} }

// Mul returns v·s.
func (v Vec3) Mul(s float64) Vec3 {
	return Vec3{float64(v.X * s), float64(v.Y * s), float64(v.Z * s)}
}

// Div returns v/s.
func (v Vec3) Div(s float64) Vec3 { return Vec3{v.X / s, v.Y / s, v.Z / s} }

// MulAdd returns v + w·s, each product rounded on its own.
func (v Vec3) MulAdd(w Vec3, s float64) Vec3 {
	return Vec3{v.X + float64(w.X*s), v.Y + float64(w.Y*s), v.Z + float64(w.Z*s)}
}

// Dot returns the scalar product v·w.
func (v Vec3) Dot(w Vec3) float64 {
	return float64(v.X*w.X) + float64(v.Y*w.Y) + float64(v.Z*w.Z)
}

// Cross returns the vector product v×w.
func (v Vec3) Cross(w Vec3) Vec3 {
	return Vec3{
		float64(v.Y*w.Z) - float64(v.Z*w.Y),
		float64(v.Z*w.X) - float64(v.X*w.Z),
		float64(v.X*w.Y) - float64(v.Y*w.X),
	}
}

// LenSq returns |v|².
func (v Vec3) LenSq() float64 { return v.Dot(v) }

// Len returns |v|.
func (v Vec3) Len() float64 { return math.Sqrt(v.Dot(v)) }

// Dist returns |v − w|.
func (v Vec3) Dist(w Vec3) float64 { return v.Sub(w).Len() }

// Unit returns v/|v|, and the zero vector where |v|² ≤ 1e-24 m².
func (v Vec3) Unit() Vec3 {
	l := v.LenSq()
	if l <= 1e-24 {
		return Vec3{}
	}
	return v.Div(math.Sqrt(l))
}

// ClampLen returns v, shortened to length max where it is longer. A max of zero
// or less gives the zero vector.
func (v Vec3) ClampLen(max float64) Vec3 {
	if max <= 0 {
		return Vec3{}
	}
	l := v.LenSq()
	if l <= float64(max*max) {
		return v
	}
	return v.Mul(max / math.Sqrt(l))
}

// Flat returns v without its part along the unit vector up.
func (v Vec3) Flat(up Vec3) Vec3 { return v.MulAdd(up, -v.Dot(up)) }

// Lerp returns v·(1−t) + w·t, which is exactly v at 0 and exactly w at 1
// [SMO-09].
func (v Vec3) Lerp(w Vec3, t float64) Vec3 {
	s := 1 - t
	return Vec3{
		float64(v.X*s) + float64(w.X*t),
		float64(v.Y*s) + float64(w.Y*t),
		float64(v.Z*s) + float64(w.Z*t),
	}
}

// Min returns the smaller of each component.
func (v Vec3) Min(w Vec3) Vec3 {
	return Vec3{min(v.X, w.X), min(v.Y, w.Y), min(v.Z, w.Z)}
}

// Max returns the larger of each component.
func (v Vec3) Max(w Vec3) Vec3 {
	return Vec3{max(v.X, w.X), max(v.Y, w.Y), max(v.Z, w.Z)}
}

// Finite reports whether no component is NaN or infinite.
func (v Vec3) Finite() bool {
	return (v.X-v.X)+(v.Y-v.Y)+(v.Z-v.Z) == 0
}

// IsZero reports whether every component is zero (of either sign).
func (v Vec3) IsZero() bool { return v == Vec3{} }

// Finite reports whether x is neither NaN nor infinite.
func Finite(x float64) bool { return x-x == 0 }

// Clamp returns x limited to lo … hi. A NaN stays NaN.
func Clamp(x, lo, hi float64) float64 {
	if x < lo {
		return lo
	}
	if x > hi {
		return hi
	}
	return x
}
