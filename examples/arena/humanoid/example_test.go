package humanoid_test

import (
	"fmt"

	"github.com/backstep-net/backstep/examples/arena/humanoid"
	"github.com/backstep-net/backstep/level"
	"github.com/backstep-net/backstep/rig"
)

// Example builds the figure, reads it, and asks how high it is when it crouches.
func Example() {
	glb, err := humanoid.Build()
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := level.ReadRig(glb)
	if err != nil {
		fmt.Println(err)
		return
	}
	var f rig.PosedRig
	f.Pose(r, &rig.Posture{Crouch: 1})
	top := f.Solids[0] // its head
	fmt.Printf("%d bones, %d parts, %.2f m\n", len(r.Bones()), f.Count, top.A.Y+top.Radius)
	// Output: 19 bones, 19 parts, 0.84 m
}
