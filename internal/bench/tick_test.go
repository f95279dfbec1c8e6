package bench

import (
	"fmt"
	"testing"

	"github.com/backstep-net/backstep/collide"
)

// BenchmarkTick is the server's share of a tick of matches that fight, and the same after other memory was read, as
// scripts/instructions and scripts/cachelines count it.
func BenchmarkTick(b *testing.B) {
	m := &Meter{worlds: map[string]*collide.World{}}
	for _, load := range []Load{{Players: 10, TickRate: 128, Seconds: 4}, {Players: 40, TickRate: 60, Seconds: 4}} {
		var r *Replay
		other := newOtherMemory()
		for _, kind := range []string{"", "_cold"} {
			b.Run(fmt.Sprintf("%d@%d%s", load.Players, load.TickRate, kind), func(b *testing.B) {
				if r == nil { // b.Run calls this once for each length that it tries
					r = recorded(b, m, load)
				}
				r.Rewind()
				b.ResetTimer()
				for i := range b.N {
					if i > 0 && i%r.Ticks() == 0 {
						b.StopTimer()
						r.Rewind()
						b.StartTimer()
					}
					if kind != "" {
						readAll(other)
					}
					r.Tick()
				}
			})
		}
	}
}

// recorded plays a match and returns its replay.
func recorded(b *testing.B, m *Meter, load Load) *Replay {
	b.Helper()
	world, err := m.world(matchScene)
	if err != nil {
		b.Fatal(err)
	}
	recording, err := Record(load, world)
	if err != nil {
		b.Fatal(err)
	}
	return &Replay{Recording: recording}
}
