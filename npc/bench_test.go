//go:build unix

package npc_test

import (
	"syscall"
	"testing"
	"time"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/npc"
	"github.com/backstep-net/backstep/session"
)

// BenchmarkCrowd steps 100 guards that walk about the fortress: the time of one character in one tick of
// 1/60 s, with what the processor last worked on (hot), and after 64 MB of something else (cold).
func BenchmarkCrowd(b *testing.B) {
	level := fortress(b)
	for _, c := range []struct {
		what  string
		mode  movement.Mode
		block bool
		cold  bool
	}{
		{"walking/hot", movement.Walking, false, false},
		{"walking/cold", movement.Walking, false, true},
		{"blocking/hot", movement.Walking, true, false},
		{"blocking/cold", movement.Walking, true, true},
		{"nav-walking/hot", movement.NavWalking, false, false},
		{"nav-walking/cold", movement.NavWalking, false, true},
	} {
		b.Run(c.what, func(b *testing.B) {
			m := newMatch(b, level, 100, npc.Kind{Mode: c.mode}, session.ServerConfig{PlayersBlock: c.block})
			tick := int64(0)
			for range 600 {
				tick++
				m.Tick(clock.TickTime(tick, 60))
			}
			other, sum := make([]uint64, 8<<20), uint64(0)
			n, took := 0, time.Duration(0)
			for b.Loop() {
				tick, n = tick+1, n+1
				if c.cold {
					for i := range other {
						other[i] += sum
						sum++
					}
				}
				from := spent()
				m.simulate(clock.TickTime(tick, 60))
				took += spent() - from
			}
			b.ReportMetric(float64(took)/1e3/float64(n)/100, "µs-cpu/npc")
		})
	}
}

// spent is the processor time of this process: on a machine that others use too, the clock on the
// wall says nothing.
func spent() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
