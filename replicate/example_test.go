package replicate_test

import (
	"fmt"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/replicate"
	"github.com/backstep-net/backstep/track"
)

// The server sends tick 60 to player 2, who learns about the others.
func Example() {
	frame := &track.Frame{Tick: 60, At: 1_000_000}
	for id := track.ID(1); id <= 3; id++ {
		frame.Add(id, track.Sample{At: frame.At, Position: geom.V(float64(id), 0, 0)})
	}
	var p bits.Packer
	var inbox replicate.WholeInbox
	var seen track.Received
	buf := make([]byte, 1024)
	for parts := replicate.Split(frame, 2); parts.More(); {
		p.Write(buf)
		parts.Pack(&p)

		p.Read(p.Bytes())
		if got := inbox.Read(&p, frame.Tick, frame.At, seen); got != nil {
			fmt.Println(seen.Mark(got.Tick), got.Entities[0].ID, got.Entities[1].ID, len(got.Entities))
		}
	}
	// Output: true 1 3 2
}
