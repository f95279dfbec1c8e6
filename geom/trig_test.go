package geom

import (
	"math"
	"testing"
)

func TestSinCosAgreesWithTheStandardLibrary(t *testing.T) {
	for i := -200000; i < 200000; i++ {
		x := float64(i) * 0.00123
		s, c := SinCos(x)
		if d := math.Abs(s - math.Sin(x)); d > 3e-16 {
			t.Fatalf("sin %v: got %v want %v", x, s, math.Sin(x))
		}
		if d := math.Abs(c - math.Cos(x)); d > 3e-16 {
			t.Fatalf("cos %v: got %v want %v", x, c, math.Cos(x))
		}
	}
}

func TestYawTurnsLeftFromMinusZ(t *testing.T) {
	if got := Forward(math.Pi / 2); got.Dist(V(-1, 0, 0)) > 1e-15 {
		t.Errorf("got %v, want −X", got)
	}
	if got := YawQuat(0.7).Rotate(V(0, 0, -1)); got.Dist(Forward(0.7)) > 1e-15 {
		t.Errorf("quaternion and Forward disagree: %v %v", got, Forward(0.7))
	}
}
