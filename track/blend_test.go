package track

import (
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

// GAP-24, recoveries: a runner at 6 m/s turns by a right angle while snapshots are lost. It is
// drawn straight on, and when the samples arrive it moves to where it is within BlendTime: not
// back, without a jump, and exactly there at the end.
func TestLateSamplesAreBlended(t *testing.T) {
	f := NewSnapshotHistory(ReceivedWindow + 1)
	run := func(at clock.Micros) Sample { // turns at 100 ms
		s := Sample{At: at, Pose: Pose{Position: geom.V(6*at.Seconds(), 0, 0), Velocity: geom.V(6, 0, 0)}}
		if d := at - 100*clock.Millisecond; d > 0 {
			s.Position, s.Velocity = geom.V(.6, 0, 6*d.Seconds()), geom.V(0, 0, 6)
		}
		return s
	}
	for tick := uint32(1); tick <= 30; tick++ {
		at := clock.Micros(tick) * 20 * clock.Millisecond
		r := f.Record(tick, at)
		r.Complete = true
		r.Add(1, run(at))
	}
	p := Interpolator{History: f}
	before := Received{Newest: 5, Mask: 1<<4 - 1}                     // up to 100 ms
	seen := Received{Newest: 30, Mask: 1<<29 - 1}                     // everything
	const arrived, step = 140 * clock.Millisecond, clock.Micros(1000) // 24 cm too far by then
	last, _ := p.At(1, View{At: arrived, Seen: before})
	for at := arrived; at <= arrived+BlendTime; at += step {
		s, _ := p.At(1, View{At: at, Seen: seen, BlendFrom: before, BlendAt: arrived})
		if d := s.Position.Sub(last.Position); d.Len() > .01 || d.Z < 0 {
			t.Fatalf("at %v µs it moved by %v in %v µs", at, d, step)
		}
		last = s
	}
	if want, _ := p.At(1, View{At: arrived + BlendTime, Seen: seen}); last != want {
		t.Errorf("blended it is %+v, want %+v", last, want)
	}
}

// The whole list of a blending view is what At returns one by one, and what an oracle computes,
// with snapshots missing at random, lives that change and entities that come and go. [GAP-24]
func TestBlendingAgainstBruteForce(t *testing.T) {
	for seed := uint64(1); seed <= 20; seed++ {
		r := rand.New(rand.NewPCG(seed, 24))
		f := NewSnapshotHistory(3 * ReceivedWindow)
		for tick := uint32(1); tick <= 90; tick++ {
			frame := f.Record(tick, clock.Micros(tick)*16650)
			frame.Complete = r.IntN(4) > 0
			for id := ID(1); id <= 4; id++ {
				if r.IntN(12) > 0 {
					frame.Add(id, Sample{
						At:       frame.At - clock.Micros(r.IntN(400))*50,
						GameData: GameData{Life: uint8(r.IntN(30) / 29)},
						Pose: Pose{
							Position: geom.V(r.Float64(), r.Float64(), 0), Velocity: geom.V(r.NormFloat64(), 0, 0),
							Yaw: r.Float64(), StrideDistance: r.Float64() * 99, Stance: Stance{Crouch: r.Float64()},
						},
					})
				}
			}
		}
		p, blended := Interpolator{History: f}, 0
		for range 400 {
			v := View{At: clock.Micros(r.IntN(1_600_000)), Seen: Received{uint32(66 + r.IntN(24)), r.Uint64()}}
			v.BlendFrom = Received{v.Seen.Newest - uint32(r.IntN(70))%v.Seen.Newest, r.Uint64()}
			v.BlendAt = v.At - clock.Micros(r.IntN(200_000))
			if v.Blending() {
				blended++
			}
			for _, e := range p.Entities(v, 0, nil) {
				one, _ := p.At(e.ID, v)
				want, _ := brute(p, e.ID, v)
				if e.Sample != one || !one.near(want) {
					t.Fatalf("seed %d, entity %d, view %+v:\nlist %+v\none  %+v\nwant %+v", seed, e.ID, v, e.Sample, one, want)
				}
			}
		}
		if blended < 100 {
			t.Errorf("seed %d: only %d views were blended", seed, blended)
		}
	}
}
