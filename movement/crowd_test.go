package movement_test

import (
	"testing"

	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/internal/bench"
	"github.com/backstep-net/backstep/internal/benchscene"
	"github.com/backstep-net/backstep/movement"
)

// Steps on the scenes of the bench page, as backstep bench times them, and what the characters do there.
func BenchmarkStep(b *testing.B) {
	for _, s := range []benchscene.Scene{benchscene.A, benchscene.B, benchscene.D, benchscene.F1, benchscene.F2} {
		b.Run(s.Name, func(b *testing.B) {
			world, err := s.World()
			if err != nil {
				b.Fatal(err)
			}
			c := bench.NewCrowd(s, world)
			c.WarmUp()
			ground, queries, made := 0, 0, 0.0
			b.ReportAllocs()
			b.ResetTimer()
			for i := range b.N {
				state := c.State(i)
				from := state.Position
				c.Step()
				queries += c.Queries
				if state.Mode == movement.Walking {
					ground++
				}
				made += state.Position.Sub(from).Flat(geom.Up).Len()
			}
			n := float64(b.N)
			b.ReportMetric(100*float64(ground)/n, "%ground")
			b.ReportMetric(float64(queries)/n, "queries/op")
			b.ReportMetric(made/n, "m/op")
		})
	}
}
