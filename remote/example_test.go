package remote_test

import (
	"fmt"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/remote"
	"github.com/backstep-net/backstep/track"
)

// Snapshots come 50 ms late; each drawn frame shows everybody a little behind the
// match, between two snapshots.
func Example() {
	others := remote.New(clock.TickTime(1, 60))
	into := make([]track.Entity, 0, 16)
	for tick := uint32(1); tick <= 600; tick++ {
		at := clock.TickTime(int64(tick), 60)
		var f track.Frame
		f.Tick, f.At = tick, at
		f.Add(7, track.Sample{At: at, Position: geom.V(6*at.Seconds(), 0, 0), Velocity: geom.V(6, 0, 0)})
		others.Push(&f, at+50*clock.Millisecond)

		now := at + 52*clock.Millisecond // the client's estimate of match time
		view := others.View(now)
		into = others.Targets(view, nil, into[:0])
		if tick == 600 {
			_, fit := others.At(7, view, nil)
			fmt.Printf("player %d at %.2f m, %v; view delay %d ms\n", into[0].ID, into[0].Position.X, fit, (now-view.At)/clock.Millisecond)
		}
	}
	// Output: player 7 at 59.90 m, interpolated; view delay 68 ms
}
