package nav_test

import (
	"fmt"

	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/nav"
)

// A mesh is baked once for a level and a body; then it answers path queries.
func Example() {
	var level collide.Builder
	level.Box(geom.V(0, -0.5, 0), geom.V(10, 0.5, 10), geom.IdentityQuat, collide.Surface{})
	level.Box(geom.V(2, 1, 0), geom.V(6, 1, 0.25), geom.IdentityQuat, collide.Surface{}) // a wall
	world, err := level.Bake()
	if err != nil {
		panic(err)
	}
	mesh, err := nav.Bake(world, nav.Params{Radius: 0.34, Height: 1.76, StepHeight: 0.45, WalkableSlope: 0.78})
	if err != nil {
		panic(err)
	}
	query := nav.Query{Mesh: mesh}
	way, ok := query.Path(geom.V(0, 0, 3), geom.V(0, 0, -3), nil)
	fmt.Println(ok)
	for _, c := range way {
		fmt.Printf("%.2f %.2f %.2f\n", c.At.X, c.At.Y, c.At.Z)
	}
	// Output:
	// true
	// -4.35 0.00 0.60
	// -4.35 0.00 -0.60
	// 0.00 0.00 -3.00
}
