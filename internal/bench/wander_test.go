package bench

import (
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/replicate"
	"github.com/backstep-net/backstep/track"
)

// Objects that wander for a minute keep their speed, look where they fly, turn back beyond 5 m, and spread out.
func TestWanderersStayAndSpread(t *testing.T) {
	var all [100]*Wanderer
	for i := range all {
		all[i] = NewWanderer(i)
	}
	for tick := range 1200 {
		mean := geom.Vec3{}
		for i, w := range all {
			w.Step(clock.Second / 20)
			s := w.Sample()
			mean = mean.MulAdd(s.Position, 1./100)
			if speed := s.Velocity.Len(); speed > 3.001 || tick > 100 && speed < .5 {
				t.Fatalf("tick %d: object %d flies at %g m/s", tick, i, speed)
			}
			if off := geom.Look(s.Yaw, s.Pitch).Sub(s.Velocity.Unit()).Len(); off > 1e-6 {
				t.Fatalf("tick %d: object %d looks elsewhere by %g", tick, i, off)
			}
			if r := s.Position.Len(); tick > 400 && r > 12 {
				t.Fatalf("tick %d: object %d is %g m away", tick, i, r)
			}
		}
		if mean.Len() > 3 {
			t.Fatalf("tick %d: the objects' mean is %v", tick, mean)
		}
	}
}

// wanderBytes returns the bytes of a snapshot of MoveWander's hundred objects whose client acknowledges each before the
// next tick.
func wanderBytes(tickRate int) float64 {
	history := track.NewSnapshotHistory(2 * track.ReceivedWindow)
	s := replicate.NewSender(replicate.NewMatch(history, collide.Floor(50), replicate.Rules{}), 1)
	var all [100]*Wanderer
	for i := range all {
		all[i] = NewWanderer(i)
	}
	var seen track.Received
	var p bits.Packer
	var buf [1024]byte
	total, ticks := 0, uint32(1000)
	for tick := uint32(1); tick <= ticks; tick++ {
		f := history.Record(tick, clock.TickTime(int64(tick), tickRate))
		for i, w := range all {
			w.Step(clock.Second / clock.Micros(tickRate))
			e := w.Sample()
			e.At, e.Kind = f.At, 1
			f.Add(track.ID(200+i), e)
		}
		for s.Begin(tick, track.Entity{ID: 1}); s.HasMore(); total += len(p.Bytes()) {
			p.Write(buf[:])
			s.Pack(&p)
		}
		seen.Mark(tick)
		s.Acknowledge(seen)
	}
	return float64(total) / float64(ticks)
}
