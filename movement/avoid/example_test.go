package avoid_test

import (
	"fmt"

	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement/avoid"
)

// Two walk towards each other; both keep to their right. What Solve says is what
// to ask movement for.
func Example() {
	agents := []avoid.Agent{
		{Position: geom.V(0, 0, 2), Velocity: geom.V(0, 0, -3), Wish: geom.V(0, 0, -3), Radius: 0.4, MaxSpeed: 3},
		{Position: geom.V(0, 0, -2), Velocity: geom.V(0, 0, 3), Wish: geom.V(0, 0, 3), Radius: 0.4, MaxSpeed: 3},
	}
	var crowd avoid.Crowd
	for _, v := range crowd.Solve(agents, 1.0/60, nil) {
		fmt.Printf("%.1f %.1f\n", v.X, v.Z)
	}
	// Output:
	// 0.6 -2.9
	// -0.6 2.9
}
