package smoothing_test

import (
	"fmt"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/smoothing"
)

// A correction of 1 m is not seen when it comes, and hardly half a second later.
func ExampleOffset() {
	var o smoothing.Offset
	was, is := geom.V(5, 0, 0), geom.V(4, 0, 0)
	o.Move(was, is, smoothing.Full, smoothing.Snap)
	for frame := 0; frame <= 30; frame++ {
		if drawn, _ := o.Place(is, geom.IdentityQuat); frame%6 == 0 {
			fmt.Printf("after %.1f s at %.2f m\n", float64(frame)/60, drawn.X)
		}
		o.Decay(clock.Second/60, smoothing.Time, smoothing.TurnTime)
	}
	// Output:
	// after 0.0 s at 5.00 m
	// after 0.1 s at 4.37 m
	// after 0.2 s at 4.14 m
	// after 0.3 s at 4.05 m
	// after 0.4 s at 4.02 m
	// after 0.5 s at 4.01 m
}
