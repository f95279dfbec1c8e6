package input_test

import (
	"math"
	"testing"

	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/input"
)

// The spec's X is ahead and Z up; here −Z is ahead and Y up.
func TestForwardIsTheBodysOnGroundAndTheLooksInTheAir(t *testing.T) { // INP-04
	up45 := input.Look{Pitch: math.Pi / 4}
	half := math.Sqrt2 / 2
	for _, c := range []struct {
		name  string
		h     input.Heading
		value float64
		want  geom.Vec3
		right geom.Vec3
	}{
		{"walking", input.Heading{Control: up45, Controlled: true}, 1, geom.V(0, 0, -1), geom.V(1, 0, 0)},
		{"flying", input.Heading{Control: up45, Controlled: true, Free: true}, 1, geom.V(0, half, -half), geom.V(1, 0, 0)},
		{"walking back", input.Heading{Control: up45, Controlled: true}, -0.5, geom.V(0, 0, 0.5), geom.V(-0.5, 0, 0)},
		{"a body turned left, whatever the look", input.Heading{Body: math.Pi / 2, Control: up45, Controlled: true}, 1, geom.V(-1, 0, 0), geom.V(0, 0, -1)},
		{"the value 0", input.Heading{Control: up45, Controlled: true, Free: true}, 0, geom.Vec3{}, geom.Vec3{}},
		{"without a controller", input.Heading{Control: up45}, 1, geom.Vec3{}, geom.Vec3{}},
	} {
		if got := c.h.Forward(c.value); got.Dist(c.want) > 1e-12 {
			t.Errorf("%s: forward got %v, want %v", c.name, got, c.want)
		}
		if got := c.h.Right(c.value); got.Dist(c.right) > 1e-12 {
			t.Errorf("%s: right got %v, want %v", c.name, got, c.right)
		}
	}
}

func TestContributionsAreSummedUntilTheyAreConsumed(t *testing.T) { // INP-05
	var p input.Pending
	p.Add(geom.V(1, 0, 0))
	p.Add(geom.V(0, 1, 0))
	p.Add(geom.V(math.NaN(), 0, 0))
	for i, want := range []geom.Vec3{{X: 1, Y: 1}, {}} {
		if got := p.Consume(); got != want {
			t.Errorf("consumed the %d. time: got %v, want %v", i+1, got, want)
		}
		if got := p.Last(); got != want {
			t.Errorf("last after the %d. time: got %v, want %v", i+1, got, want)
		}
	}
	p.Ignore = true
	p.Add(geom.V(1, 0, 0))
	if got := p.Consume(); !got.IsZero() {
		t.Errorf("ignored: got %v, want nothing", got)
	}
	p.Force(geom.V(0, 0, 1))
	if got := p.Consume(); got != geom.V(0, 0, 1) {
		t.Errorf("forced while ignored: got %v, want (0, 0, 1)", got)
	}
}
