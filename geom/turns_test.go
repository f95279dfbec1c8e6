package geom

import (
	"math"
	"math/rand/v2"
	"testing"
)

// unit draws a direction.
func unit(r *rand.Rand) Vec3 {
	return Vec3{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}.Unit()
}

// Arc turns one direction into the other by the angle between them, also where they are equal,
// opposite, or nearly so, and along each axis.
func TestArcIsTheShortestTurn(t *testing.T) {
	const seed = 31
	r := rand.New(rand.NewPCG(seed, 0))
	check := func(a, b Vec3) {
		t.Helper()
		q := Arc(a, b)
		if got := q.Rotate(a); !(got.Dist(b) < 1e-4) || math.Abs(q.X*q.X+q.Y*q.Y+q.Z*q.Z+q.W*q.W-1) > 1e-12 {
			t.Fatalf("seed %d: %v turns %v to %v, want %v", seed, q, a, got, b)
		}
		angle := math.Atan2(a.Cross(b).Len(), a.Dot(b))
		if got := 2 * math.Acos(min(math.Abs(q.W), 1)); math.Abs(got-angle) > 1e-4 {
			t.Fatalf("seed %d: from %v to %v by %v radians, want %v", seed, a, b, got, angle)
		}
	}
	for range 3000 {
		a, b := unit(r), unit(r)
		check(a, b)
		check(a, a)
		check(a, a.Neg())
		for _, tiny := range []float64{1e-3, 1e-5, 1e-7, 1e-12} {
			check(a, a.MulAdd(b, tiny).Unit())
			check(a, a.Neg().MulAdd(b, tiny).Unit())
		}
	}
	for _, axis := range []Vec3{{X: 1}, {X: -1}, {Y: 1}, {Y: -1}, {Z: 1}, {Z: -1}} {
		check(axis, axis.Neg())
		check(axis, axis)
		if got := Arc(axis, axis).Unit(); got != IdentityQuat {
			t.Errorf("from %v to itself: %v, want the identity", axis, got)
		}
	}
}

// Angles that are no angles have a sine and a cosine that a simulation can go on with.
func TestAnglesThatAreNone(t *testing.T) {
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1.01e5, -1e300} {
		if s, c := SinCos(x); s != 0 || c != 1 {
			t.Errorf("of %v: got %v, %v; want 0, 1", x, s, c)
		}
		if v := YawQuat(2 * x).Rotate(Vec3{1, 2, 3}); v != (Vec3{1, 2, 3}) {
			t.Errorf("a yaw of %v turns to %v", 2*x, v)
		}
	}
	for _, x := range []float64{1e5, -1e5, 0} {
		if s, c := SinCos(x); math.Abs(s-math.Sin(x)) > 1e-9 || math.Abs(c-math.Cos(x)) > 1e-9 {
			t.Errorf("of %v: got %v, %v; want %v, %v", x, s, c, math.Sin(x), math.Cos(x))
		}
	}
	for _, q := range []Quat{{}, {X: math.NaN(), W: 1}, {X: 1e-13}} {
		if got := q.Unit(); got != IdentityQuat {
			t.Errorf("%v without a direction becomes %v, want the identity", q, got)
		}
	}
}

// The bounds of a capsule hold each of its points and are no larger than they must be; a capsule is
// the same after it was moved there and back. Sizes are from a hair to a planet.
func TestCapsulesOfAllSizes(t *testing.T) {
	const seed = 32
	r := rand.New(rand.NewPCG(seed, 0))
	for range 500 {
		size := math.Exp2(float64(r.IntN(60) - 30))
		vec := func() Vec3 { return unit(r).Mul(size * r.Float64()) }
		c := Capsule{A: vec(), B: vec(), Radius: size * r.Float64()}
		box := c.Bounds()
		for range 40 {
			p := c.A.Lerp(c.B, r.Float64()).MulAdd(unit(r), c.Radius)
			if !box.Grow(size * 1e-12).Contains(p) {
				t.Fatalf("seed %d: %v of %+v is outside of %v", seed, p, c, box)
			}
		}
		for _, axis := range []Vec3{{X: 1}, {Y: 1}, {Z: 1}} {
			high := max(c.A.Dot(axis), c.B.Dot(axis)) + c.Radius
			low := min(c.A.Dot(axis), c.B.Dot(axis)) - c.Radius
			if box.Max.Dot(axis) != high || box.Min.Dot(axis) != low {
				t.Fatalf("seed %d: along %v from %v to %v, want %v to %v", seed, axis, box.Min.Dot(axis), box.Max.Dot(axis), low, high)
			}
		}
		at := Transform{AxisAngle(unit(r), r.Float64()*7), vec()}
		again := c.Transformed(at).InverseTransformed(at)
		if d := max(again.A.Dist(c.A), again.B.Dist(c.B)); d > size*1e-14*100 || again.Radius != c.Radius {
			t.Fatalf("seed %d: there and back it is %g m off, of %g", seed, d, size)
		}
	}
}

// Slerp is at its ends exactly where it must be, goes the shorter way for either sign of the target,
// and is symmetric.
func TestSlerpGoesTheShorterWay(t *testing.T) {
	const seed = 33
	r := rand.New(rand.NewPCG(seed, 0))
	apart := func(q, s Quat) float64 { // as rotations
		return 2 * math.Acos(min(math.Abs(q.X*s.X+q.Y*s.Y+q.Z*s.Z+q.W*s.W), 1))
	}
	for range 2000 {
		q, s := AxisAngle(unit(r), r.Float64()*6), AxisAngle(unit(r), r.Float64()*6)
		if r.IntN(4) == 0 {
			s = q.Mul(AxisAngle(unit(r), 1e-5))
		}
		at := r.Float64()
		other := Quat{-s.X, -s.Y, -s.Z, -s.W}
		got, far := q.Slerp(s, at), q.Slerp(other, at)
		if d := apart(got, far); d > 1e-7 {
			t.Fatalf("seed %d: towards %v and %v, which are one rotation, %g radians apart", seed, s, other, d)
		}
		if whole, part := apart(q, s), apart(q, got); math.Abs(part-at*whole) > 1e-6 {
			t.Fatalf("seed %d: %g of %g radians are %g", seed, at, whole, part)
		}
		if d := apart(got, s.Slerp(q, 1-at)); d > 1e-6 {
			t.Fatalf("seed %d: from the other end it is %g radians off", seed, d)
		}
	}
}
