package replicate_test

import (
	"fmt"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/replicate"
	"github.com/backstep-net/backstep/track"
)

// Player 2 receives the others: all of them at first, then those that have moved, in a few bytes,
// since the server knows what has arrived.
func Example() {
	record := track.NewSnapshotHistory(2 * track.ReceivedWindow)
	sender := replicate.NewSender(replicate.NewMatch(record, nil, replicate.Rules{}), 2)

	var inbox replicate.Inbox // the client's
	var seen track.Received
	have := track.NewSnapshotHistory(2 * track.ReceivedWindow)

	var p bits.Packer
	buf := make([]byte, 1024)
	for tick := uint32(1); tick <= 4; tick++ {
		at := clock.TickTime(int64(tick), 60)
		frame := record.Record(tick, at)
		for id := track.ID(1); id <= 3; id++ {
			s := track.Sample{At: at, Pose: track.Pose{Position: geom.V(float64(id), 0, 0)}}
			if id == 3 { // the runner
				s.Position.Z -= float64(tick) / 8
			}
			frame.Add(id, s)
		}

		eye := track.Entity{ID: 2}
		frame.Find(2, &eye.Sample)
		for sender.Begin(tick, eye); sender.HasMore(); {
			p.Write(buf)
			sender.Pack(&p)

			p.Read(p.Bytes())
			got := inbox.Read(&p, tick, at, seen, have)
			for _, e := range got.Entities(nil) {
				fmt.Printf("tick %d: player %d at %v\n", tick, e.ID, e.Position)
			}
			fmt.Println(p.Bits(), "bits")
			have.Record(tick, at).Copy(got)
			seen.Mark(tick)
		}
		sender.Acknowledge(seen)
	}
	// Output:
	// tick 1: player 1 at {1 0 0}
	// tick 1: player 3 at {3 0 -0.125}
	// 104 bits
	// tick 2: player 3 at {3 0 -0.25}
	// 48 bits
	// tick 3: player 3 at {3 0 -0.375}
	// 48 bits
	// tick 4: player 3 at {3 0 -0.5}
	// 48 bits
}
