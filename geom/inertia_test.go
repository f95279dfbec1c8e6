package geom

import (
	"math"
	"testing"
)

// A diagonal matrix rotated by q acts on the axes of q as it did on X, Y and Z.
func TestDiagonalTurns(t *testing.T) {
	q := AxisAngle(V(0.48, 0.6, 0.64), 1.1)
	m := q.Diagonal(V(2, 3, 5))
	x, y, z := q.Axes()
	for i, c := range []struct{ axis, from Vec3 }{{x, V(1, 0, 0)}, {y, V(0, 1, 0)}, {z, V(0, 0, 1)}} {
		if d := c.axis.Dist(q.Rotate(c.from)); d > 1e-15 {
			t.Errorf("axis %d: got %v, want %v", i, c.axis, q.Rotate(c.from))
		}
		want := c.axis.Mul([]float64{2, 3, 5}[i])
		if got := m.Mul(c.axis); got.Dist(want) > 1e-14 {
			t.Errorf("axis %d times the matrix: got %v, want %v", i, got, want)
		}
		if got := c.axis.Dot(m.Mul(c.axis)); math.Abs(got-want.Len()) > 1e-14 {
			t.Errorf("the matrix along axis %d: got %v, want %v", i, got, want.Len())
		}
	}
}

// Integrating a spin for a time rotates by their product, to 2e-5 of the angle up to half a
// radian.
func TestIntegrateTurnsByTheAngle(t *testing.T) {
	q := AxisAngle(V(0, 1, 0), 0.7)
	axis := V(0.6, 0.8, 0)
	for _, angle := range []float64{0, 1e-9, 0.01, 0.1, 0.5} {
		got := q.Integrate(axis.Mul(angle*50), 1.0/50)
		want := AxisAngle(axis, angle).Mul(q)
		off := got.Mul(want.Inverse())
		if d := 2 * V(off.X, off.Y, off.Z).Len(); d > 2e-5*angle+1e-15 || math.Abs(off.W-1) > 1e-9 {
			t.Errorf("%v rad: off by %v, length %v", angle, d, off.W)
		}
	}
}
