package track_test

import (
	"fmt"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/track"
)

// A client that lost the middle snapshot sees the runner where the other two say; the server,
// given that client's view, says the same.
func Example() {
	frames := track.NewSnapshotHistory(128)
	for tick := uint32(1); tick <= 3; tick++ {
		at := clock.Micros(tick) * 20 * clock.Millisecond
		f := frames.Record(tick, at)
		f.Add(7, track.Sample{At: at, Pose: track.Pose{Position: geom.V(float64(tick*tick), 0, 0)}})
	}
	var seen track.Received
	seen.Mark(1)
	seen.Mark(3)
	view := track.View{At: 40 * clock.Millisecond, Seen: seen}
	s, fit := track.Interpolator{History: frames}.At(7, view)
	fmt.Println(s.Position.X, fit)
	// Output: 5 interpolated
}
