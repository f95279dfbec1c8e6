package bench

import (
	"fmt"
	"testing"

	"github.com/backstep-net/backstep/collide"
)

// The server's tick of a match in which everybody moves and shoots. scripts/instructions counts its instructions.
func BenchmarkTick(b *testing.B) {
	m := &Meter{worlds: map[string]*collide.World{}}
	for _, load := range []Load{{Players: 10, TickRate: 128, Seconds: 4}, {Players: 40, TickRate: 60, Seconds: 4}} {
		var r *Replay
		b.Run(fmt.Sprintf("%d@%d", load.Players, load.TickRate), func(b *testing.B) {
			if r == nil { // b.Run calls this once for each length that it tries
				world, err := m.world(matchScene)
				if err != nil {
					b.Fatal(err)
				}
				recording, err := Record(load, world)
				if err != nil {
					b.Fatal(err)
				}
				r = &Replay{Recording: recording}
			}
			r.Rewind()
			b.ResetTimer()
			for i := range b.N {
				if i > 0 && i%r.Ticks() == 0 {
					b.StopTimer()
					r.Rewind()
					b.StartTimer()
				}
				r.Tick()
			}
		})
	}
}
