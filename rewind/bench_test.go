package rewind_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/track"
)

// yard returns a history of two seconds at 60 Hz in which n characters run to and fro in a
// yard of 60 × 60 m, the first of them to and fro 10 m before the origin, the others
// anywhere but on the way to it.
func yard(n int) *rewind.History {
	r := rand.New(rand.NewPCG(3, 0))
	home := make([]geom.Vec3, n)
	for i := range home {
		for home[i] = geom.V(10, 0, 0); i > 0 && geom.V(home[i].X, 0, home[i].Z).Sub(geom.V(10, 0, 0)).Len() < 9 || i > 0 && home[i].Z > -8 && home[i].Z < 8; {
			home[i] = geom.V(r.Float64()*60-30, 0, r.Float64()*60-30)
		}
	}
	h := rewind.NewHistory(60, 0)
	for tick := uint32(1); tick <= 131; tick++ {
		now := clock.TickTime(int64(tick), 60)
		f := h.Record(tick, now)
		for i := range home {
			s, c := geom.SinCos(float64(now.Seconds()*3) + float64(i))
			f.Add(track.ID(i+1), track.Sample{
				At: now, Position: home[i].Add(geom.V(0, 0, 2*s)), Velocity: geom.V(0, 0, 6*c), Yaw: 1,
			})
		}
	}
	return h
}

// past is a view of what a client had 100 ms ago, of 50 ms before.
func past() track.View {
	return track.View{At: clock.TickTime(122, 60) - 3*ms, Platform: clock.TickTime(125, 60), Seen: track.Received{Newest: 125, Mask: 1<<64 - 1}}
}

// told says that a client was told of everybody in every tick.
func told(h *rewind.History, n int) *track.Told {
	t := track.NewTold(h.Frames.Ticks())
	for tick := uint32(1); tick <= h.Frames.Newest(); tick++ {
		t.Begin(tick)
		for id := range track.ID(n) {
			t.Add(tick, id+1)
		}
	}
	return t
}

// A ray against a hundred with one candidate, the view rebuilt for it: ≤ 5 µs.
func BenchmarkRay(b *testing.B) {
	for _, n := range []int{1, 10, 64, 100} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			h, w, scene := yard(n), world(b), rewind.NewScene(nil)
			t, v := told(h, n), past()
			at, _ := h.View(v, t, w.World, 0, nil)
			dir := at[0].Position.Sub(geom.V(0, .5, 0)).Unit()
			b.ReportAllocs()
			for b.Loop() {
				h.Show(scene, v, t, w.World, 0)
				if o := scene.Ray(geom.V(0, 1.5, 0), dir, 100, rewind.NearestPart); o.Target != 1 {
					b.Fatal(o)
				}
			}
			b.ReportMetric(float64(len(scene.Targets())), "posed")
		})
	}
}
