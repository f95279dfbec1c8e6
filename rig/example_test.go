package rig_test

import (
	"fmt"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/rig"
)

// Example poses a runner that looks up a little, and prints the height of the head.
func Example() {
	r := rig.DefaultRig() // or rig.Unpack(bytes)
	var f rig.PosedRig
	f.Pose(r, &rig.Posture{Forward: 6, StrideDistance: 12.5, Pitch: 0.2, Clip: 0, ClipTime: clock.Second})
	for i := range f.Count {
		fmt.Printf("%s: %.2f m above the feet\n", r.Hitboxes()[f.Hitboxes[i]-1].Name, f.Solids[i].A.Y)
	}
	// Output:
	// body: 0.34 m above the feet
	// head: 1.60 m above the feet
}
