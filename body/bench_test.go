//go:build unix

package body_test

import (
	"math/rand/v2"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/backstep-net/backstep/body"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/examples/arena/assets"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/level"
)

// The cost of a tick of 1/60 s with so many balls in a pit of boxes that are kept awake, and
// asleep.
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

// The cost of a tick with bodies strewn over the arena, its meshes, lifts, water and all, that
// never sleep: balls, and one in three of each shape.
func BenchmarkArena(b *testing.B) {
	l, err := level.Read(assets.Arena)
	if err != nil {
		b.Fatal(err)
	}
	for _, kinds := range []int{1, 3} {
		for _, n := range []int{32, 200} {
			w := body.New(l.World, body.Config{RestAfter: -1})
			r := rand.New(rand.NewPCG(3, 4))
			for i := range n {
				c := body.NewBall(0.2, 0.5)
				switch i % kinds {
				case 1:
					c = body.NewBox(geom.V(0.25, 0.25, 0.25), 5)
				case 2:
					c = body.NewCapsule(0.15, 0.4, 3)
				}
				c.Position = geom.V(r.Float64()*30-15, 8+r.Float64()*4, r.Float64()*30-15)
				w.Add(c)
			}
			run(w, 6*clock.Second, nil)
			b.Run(strconv.Itoa(n)+" of "+strconv.Itoa(kinds), func(b *testing.B) {
				b.ReportAllocs()
				at, from := 6*clock.Second, spent()
				for b.Loop() {
					w.Step(tick, at, nil)
					at += tick
				}
				b.ReportMetric(float64(spent()-from)/1e3/float64(b.N), "µs-cpu/op")
			})
		}
	}
}

// spent returns the processor time of this process: on a shared machine, elapsed time says nothing.
func spent() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
