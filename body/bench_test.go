//go:build unix

package body_test

import (
	"strconv"
	"syscall"
	"testing"
	"time"

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
			k, from := 0, spent()
			for b.Loop() {
				k++
				id := body.ID(k%n + 1)
				w.Impulse(id, w.Motion(id).Position, geom.V(0, 0.5, 0))
				w.Step(tick, 0, nil)
			}
			b.ReportMetric(float64(spent()-from)/1e3/float64(b.N), "µs-cpu/op")
			b.ReportMetric(float64(w.Awake()), "awake")
		})
	}
}

// spent is what this process has had of the processor: a machine that is shared says
// nothing by the clock.
func spent() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
