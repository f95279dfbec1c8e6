package body_test

import (
	"strconv"
	"testing"

	"github.com/backstep-net/backstep/body"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

// What a tick of 1/60 s costs with so many balls in a pit of boxes that are kept awake,
// and asleep.
func BenchmarkPit(b *testing.B) {
	for _, n := range []int{32, 200} {
		w := pit(b, n)
		run(w, 10*clock.Second, nil)
		b.Run("asleep "+strconv.Itoa(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				w.Step(tick, 0, nil)
			}
		})
		b.Run("awake "+strconv.Itoa(n), func(b *testing.B) {
			b.ReportAllocs()
			k := 0
			for b.Loop() {
				k++
				id := body.ID(k%n + 1)
				w.Impulse(id, w.Motion(id).Position, geom.V(0, 0.5, 0))
				w.Step(tick, 0, nil)
			}
			b.ReportMetric(float64(w.Awake()), "awake")
		})
	}
}
