package visibility_test

import (
	"fmt"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/track"
	"github.com/backstep-net/backstep/visibility"
)

// Player 2 is behind a wall, player 3 is not.
func Example() {
	var b collide.Builder
	b.Box(geom.V(0, 2, 0), geom.V(.1, 2, 10), geom.IdentityQuat, collide.Surface{})
	world, _ := b.Bake()
	filter := visibility.New(visibility.Rules{}, world, nil)

	var frame track.Snapshot
	frame.Clear(1, clock.TickTime(1, 60))
	for i, x := range []float64{-5, 5, -20} {
		frame.Add(track.ID(i+1), track.Sample{Pose: track.Pose{Position: geom.V(x, 0, 0)}})
	}
	filter.Begin(&frame)
	filter.AddViewer(1, geom.V(-5, 1.6, 0))
	filter.Update()
	fmt.Println(filter.Visible(1, 2), filter.Visible(1, 3))
	// Output: false true
}
