package geom

import (
	"math"
	"math/rand"
	"testing"
)

func TestLogAgreesWithTheStandardLibrary(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for i := range 200000 {
		x := math.Ldexp(1+r.Float64(), r.Intn(2000)-1000)
		if i%2 == 0 {
			x = 1 + .2*r.NormFloat64()
		}
		if x <= 0 {
			continue
		}
		got, want := Log(x), math.Log(x)
		if d := math.Abs(got - want); d > 3e-16*max(math.Abs(want), 1e-300) {
			t.Fatalf("log %v: got %v want %v", x, got, want)
		}
	}
	for _, x := range []float64{0, -1, 1, math.Inf(1), math.NaN(), math.E} {
		if got, want := Log(x), math.Log(x); got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Errorf("log %v: got %v want %v", x, got, want)
		}
	}
	tiny := math.Float64frombits(1 << 40) // of less than 52 bits
	if got, want := Log(tiny), -1034*math.Ln2; math.Abs(got-want) > 2e-13 {
		t.Errorf("log of a subnormal: got %v want %v", got, want)
	}
	for x := -20.0; x < 20; x += .01 {
		if d := math.Abs(Log(Exp(x)) - x); d > 4e-16*max(1, math.Abs(x)) {
			t.Fatalf("log of exp %v is off by %v", x, d)
		}
	}
}
