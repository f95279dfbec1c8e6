package geom

import "math"

// Pi/2 in three parts whose products with small integers are exact (the
// argument reduction of Cody and Waite, constants of fdlibm's rem_pio2).
const (
	halfPi1 = 1.57079632673412561417e+00
	halfPi2 = 6.07710050630396597660e-11
	halfPi3 = 2.02226624879595063154e-21
)

// SinCos returns sine and cosine of x radians, the same bits on every processor
// and within 1 unit in the last place or so for |x| up to 10⁵. Larger, infinite
// and NaN arguments give 0 and 1: nothing in a match turns that far.
// Polynomials: fdlibm's k_sin and k_cos.
func SinCos(x float64) (sin, cos float64) {
	if !(math.Abs(x) <= 1e5) {
		return 0, 1
	}
	n := math.Floor(float64(x*(2/math.Pi)) + 0.5)
	r := x - float64(n*halfPi1)
	r -= float64(n * halfPi2)
	r -= float64(n * halfPi3)
	// n quarter turns swap the two and their signs.
	s, c := kernelSin(r), kernelCos(r)
	switch int64(n) & 3 {
	case 1:
		return c, -s
	case 2:
		return -s, -c
	case 3:
		return -c, s
	}
	return s, c
}

// Sin returns the sine of x radians; see SinCos.
func Sin(x float64) float64 { s, _ := SinCos(x); return s }

// Cos returns the cosine of x radians; see SinCos.
func Cos(x float64) float64 { _, c := SinCos(x); return c }

// kernelSin is sin on ±π/4.
func kernelSin(x float64) float64 {
	z := float64(x * x)
	r := horner(z, 1.58969099521155010221e-10, -2.50507602534068634195e-08,
		2.75573137070700676789e-06, -1.98412698298579493134e-04,
		8.33333333332248946124e-03, -1.66666666666666324348e-01)
	return x + float64(float64(x*z)*r)
}

// kernelCos is cos on ±π/4.
func kernelCos(x float64) float64 {
	z := float64(x * x)
	r := horner(z, -1.13596475577881948265e-11, 2.08757232129817482790e-09,
		-2.75573143513906633035e-07, 2.48015872894767294178e-05,
		-1.38888888888741095749e-03, 4.16666666666666019037e-02)
	h := float64(0.5 * z)
	w := 1 - h
	return w + (((1 - w) - h) + float64(float64(z*z)*r))
}

// horner evaluates the polynomial a·z⁵ + b·z⁴ + … + f, each product rounded.
func horner(z, a, b, c, d, e, f float64) float64 {
	s := float64(a*z) + b
	s = float64(s*z) + c
	s = float64(s*z) + d
	s = float64(s*z) + e
	return float64(s*z) + f
}

// WrapAngle returns x brought into −π ≤ x < π.
func WrapAngle(x float64) float64 {
	x += math.Pi
	if !(x >= 0 && x < 2*math.Pi) { // nearly all angles are in range, and Mod costs a hundred instructions
		if x = math.Mod(x, 2*math.Pi); x < 0 {
			x += 2 * math.Pi
		}
		if x == 2*math.Pi { // of a hair below 0 the sum is rounded up
			x = 0
		}
	}
	return x - math.Pi
}

// LerpAngle turns from a to b the shorter way by the fraction t.
func LerpAngle(a, b, t float64) float64 {
	return a + float64(WrapAngle(b-a)*t)
}

// Forward returns the horizontal unit vector that yaw looks along: yaw 0 is −Z,
// π/2 is −X.
func Forward(yaw float64) Vec3 {
	s, c := SinCos(yaw)
	return Vec3{-s, 0, -c}
}

// Right returns the horizontal unit vector to the right of Forward(yaw).
func Right(yaw float64) Vec3 {
	s, c := SinCos(yaw)
	return Vec3{c, 0, -s}
}

// Look returns the unit vector that yaw and pitch look along; pitch is positive
// upwards.
func Look(yaw, pitch float64) Vec3 {
	sy, cy := SinCos(yaw)
	sp, cp := SinCos(pitch)
	return Vec3{float64(-sy * cp), sp, float64(-cy * cp)}
}

// Yaw returns the yaw that looks along a direction of any length, −π … π radians: the inverse of
// Forward. A vertical direction has none; the result is 0.
func Yaw(d Vec3) float64 { return Atan2(-d.X, -d.Z) }

// Pitch returns the pitch that looks along a direction of any length, −π/2 … π/2 radians, positive
// upwards: with Yaw the inverse of Look. That of the zero vector is 0.
func Pitch(d Vec3) float64 { return Atan2(d.Y, d.Flat(Up).Len()) }
