package lab_test

import (
	"fmt"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/lab"
	"github.com/backstep-net/backstep/track"
)

// The true samples of a match give the pose at any instant between.
func ExampleTruth() {
	truth := &lab.Truth{}
	for i := range 3 {
		at := clock.Micros(i) * 100 * clock.Millisecond
		truth.Trace(7, track.Sample{At: at, Pose: track.Pose{Position: geom.V(float64(i), 0, 0), Velocity: geom.V(10, 0, 0)}})
	}
	s, known := truth.At(7, 150*clock.Millisecond)
	fmt.Println(s.Position.X, known)
	_, known = truth.At(7, clock.Second)
	fmt.Println(known)
	// Output:
	// 1.5 true
	// false
}
