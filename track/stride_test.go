package track

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// The stride distance advances evenly between two samples, also where it begins again in
// between, and where they are so far apart that only the speed says how often it did. [HIS-08,
// HIS-09]
func TestStrideBetweenTwoSamples(t *testing.T) {
	for _, c := range []struct {
		what        string
		a, b, speed float64
		gap         clock.Micros
		want        float64 // in the middle
	}{
		{"a runner", 10, 10.3, 6, 50 * ms, 10.15},
		{"a character at rest", 10, 10, 0, 50 * ms, 10},
		{"over the end of the round", 63.875, 0.125, 6, 42 * ms, 0},
		{"just before it", 63.75, 63.875, 3, 42 * ms, 63.8125},
		{"backwards, as when it was put back", 0.125, 63.875, 0, 50 * ms, 0},
		{"200 m/s for 250 ms", 10, 60, 200, 250 * ms, 35},
		{"400 m/s for 250 ms, more than a round", 10, 46, 400, 250 * ms, 60},
	} {
		for _, up := range []geom.Vec3{{}, geom.Up} {
			a := Sample{At: clock.Second, Pose: Pose{StrideDistance: c.a, Velocity: geom.V(c.speed*.6, 9, c.speed*.8), Up: up}}
			b := a
			b.At, b.StrideDistance = a.At+c.gap, c.b
			if s, _ := interpolated(&a, &b, a.At+c.gap/2); math.Abs(strideDifference(s.StrideDistance-c.want)) > 1e-9 {
				t.Errorf("%s: walked %v, want %v", c.what, s.StrideDistance, c.want)
			}
			if s, _ := interpolated(&a, &b, a.At); s != a {
				t.Errorf("%s: at its own instant it is %+v", c.what, s)
			}
		}
	}
}

// A stance changes evenly from one sample's to the next's, and a session completes it in
// StanceTime, however the time is cut. [HIS-09]
func TestAStanceIsInterpolated(t *testing.T) {
	a, b := Sample{Pose: Pose{Stance: Stance{0, 1, .2}}}, Sample{At: 100 * ms, Pose: Pose{Stance: Stance{1, 0, .2}}}
	if s, _ := interpolated(&a, &b, 25*ms); s.Stance != (Stance{.25, .75, .2}) {
		t.Errorf("a quarter of the way: %v", s.Stance)
	}
	s := Stance{Air: 1}
	for _, d := range []clock.Micros{30 * ms, 5 * ms, 40 * ms} {
		s = s.Towards(Stance{Crouch: 1, Swim: .2}, d)
	}
	if math.Abs(s.Crouch-.5)+math.Abs(s.Air-.5)+math.Abs(s.Swim-.2) > 1e-12 {
		t.Errorf("half of %d ms on the way: %v", StanceTime/ms, s)
	}
	if s = s.Towards(Stance{Crouch: 1}, 76*ms); s != (Stance{Crouch: 1}) {
		t.Errorf("there: %v", s)
	}
}

// Past the last sample the stride distance advances with the body: as far as that goes, and as
// slowly in the end; that of an entity that never walked does not, nor that of the dead. A
// stance is held. [GAP-24]
func TestAStrideIsExtrapolated(t *testing.T) {
	a := Sample{Pose: Pose{StrideDistance: 63, Velocity: geom.V(6, 0, 0), Stance: Stance{.5, 0, 0}}}
	for _, drawn := range []DrawMode{DrawInterpolated, DrawLinear} {
		for at := clock.Micros(0); at < 500*ms; at += 7 * ms {
			v := View{At: at, Mode: drawn}
			s := a
			s.extrapolateView(&v)
			if d := strideDifference(s.StrideDistance - 63 - s.Position.X); math.Abs(d) > 1e-9 || s.Stance != a.Stance {
				t.Fatalf("after %d ms at %v m it has walked %v, in stance %v", at/ms, s.Position.X, s.StrideDistance, s.Stance)
			}
		}
	}
	ball, dead := a, a
	ball.StrideDistance, dead.Dead = 0, true
	for _, x := range []Sample{ball, dead} {
		s := x
		if fit := s.extrapolate(50 * ms); s.StrideDistance != x.StrideDistance || fit != Extrapolated {
			t.Errorf("%+v walked on to %v (%v)", x, s.StrideDistance, fit)
		}
	}
}

// Late samples that move a body move its stride distance and its stance, too, and both are
// blended as the position is: feet stay where they are on the ground, and no leg jumps.
func TestAStrideIsBlended(t *testing.T) {
	f := path(Sample{At: 100 * ms, Pose: Pose{StrideDistance: 63.5, Velocity: geom.V(6, 0, 0)}})
	frame := f.Record(2, 140*ms) // it stood still and ducked, in fact
	frame.Add(1, Sample{At: 140 * ms, Pose: Pose{StrideDistance: 63.5, Stance: Stance{Crouch: .4}}})
	healed, last := 160*ms, Sample{}
	for at := healed; at < healed+BlendTime+20*ms; at += ms {
		v := View{At: at, Seen: Received{2, 1}, BlendFrom: Received{1, 0}, BlendAt: healed}
		s, _ := look(f, nil).At(1, v)
		truth, _ := look(f, nil).At(1, View{At: at, Seen: Received{2, 1}})
		if at == healed {
			before, _ := look(f, nil).At(1, View{At: at, Seen: Received{1, 0}})
			if math.Abs(strideDifference(s.StrideDistance-before.StrideDistance)) > 1e-9 || s.Stance.Crouch > 1e-9 {
				t.Errorf("as the samples arrive it has walked %v in %v, before %v", s.StrideDistance, s.Stance, before.StrideDistance)
			}
		} else if math.Abs(strideDifference(s.StrideDistance-last.StrideDistance)) > .01 || math.Abs(s.Stance.Crouch-last.Stance.Crouch) > .01 {
			t.Errorf("at %d: %v in %v a millisecond after %v in %v", at, s.StrideDistance, s.Stance, last.StrideDistance, last.Stance)
		}
		if d := s.Position.X - truth.Position.X; math.Abs(strideDifference(s.StrideDistance-truth.StrideDistance)-d) > 1e-9 {
			t.Errorf("at %d: %v m before its true place, the gait by %v", at, d, strideDifference(s.StrideDistance-truth.StrideDistance))
		}
		last = s
	}
	if last.StrideDistance != 63.5 || last.Stance.Crouch != .4 {
		t.Errorf("in the end it has walked %v in %v", last.StrideDistance, last.Stance)
	}
}

// A base's velocity is kept apart from the rider's own: Velocity less BaseVelocity is how it
// moves on its base, rotated with that, and neither jumps where it goes from one base to
// another. [BAS-01]
func TestBaseVelocityOfARider(t *testing.T) {
	w := fair()
	s := Sample{BaseLink: BaseLink{Base: lift}, Pose: Pose{Velocity: geom.V(1, 0, 0)}}.ToWorld(w, clock.Second)
	if s.BaseVelocity != geom.V(0, 2, 0) || s.Velocity != geom.V(1, 2, 0) {
		t.Errorf("on a lift: %v, of which it carries %v", s.Velocity, s.BaseVelocity)
	}
	if s = (Sample{Pose: Pose{Velocity: geom.V(1, 0, 0)}}).ToWorld(w, clock.Second); !s.BaseVelocity.IsZero() {
		t.Errorf("on the ground it is carried by %v", s.BaseVelocity)
	}
	for _, mover := range []collide.MoverID{collide.Static, lift, 99} {
		if s = (Sample{
			BaseLink: BaseLink{Base: stage},
			Pose:     Pose{Position: geom.V(2, 0, 0)},
		}).ToBase(mover, w, clock.Second); !s.BaseVelocity.IsZero() {
			t.Errorf("in the frame of mover %d it is carried by %v", mover, s.BaseVelocity)
		}
	}
	for seed := range uint64(8) {
		f, last := hopper(w, seed), Sample{}
		for at := clock.Micros(100_000); at < 3_200_000; at += 1000 {
			v := every(200, at)
			v.Platform = at + 200*ms
			s, fit := look(f, w).At(1, v)
			if d := s.BaseVelocity.Dist(last.BaseVelocity); fit == Interpolated && last.At != 0 && d > .3 { // of 30 m/s
				t.Fatalf("seed %d, at %d: carried by %v a millisecond after %v", seed, at, s.BaseVelocity, last.BaseVelocity)
			}
			last = s
		}
	}
}

// GAP-52: the stride distances of a thousand views, the same bits on every machine; and every
// result is within its range.
func TestGoldenGaits(t *testing.T) {
	r := rand.New(rand.NewPCG(98, 0))
	f, h := NewSnapshotHistory(128), fnv.New64a()
	for tick := uint32(1); tick <= 500; tick++ {
		at := clock.TickTime(int64(tick), 60)
		frame := f.Record(tick, at)
		for id := ID(1); id <= 4; id++ {
			frame.Add(id, Sample{
				At: at - clock.Micros(r.Int64N(9000)),
				Pose: Pose{
					Position:       geom.V(r.Float64(), 0, r.Float64()),
					Velocity:       geom.V(r.Float64()*12-6, r.Float64(), r.Float64()*12-6),
					StrideDistance: r.Float64() * StrideWrap, Stance: Stance{r.Float64(), r.Float64(), r.Float64()},
				},
				GameData: GameData{Life: uint8(tick / 200)},
			})
		}
		for range 4 {
			v := every(tick, max(0, at-clock.Micros(r.Int64N(200000))+100*ms))
			v.Seen.Mask &= r.Uint64()
			if r.IntN(2) == 0 {
				v.BlendFrom, v.BlendAt = Received{max(tick, 5) - 4, 3}, max(1, v.At-clock.Micros(r.Int64N(int64(BlendTime))))
			}
			s, _ := look(f, nil).At(ID(1+r.IntN(4)), v)
			for _, x := range []float64{s.StrideDistance / StrideWrap, s.Stance.Crouch, s.Stance.Air, s.Stance.Swim} {
				if !(x >= 0 && x <= 1) || s.StrideDistance == StrideWrap {
					t.Fatalf("tick %d, view %+v: walked %v in %v", tick, v, s.StrideDistance, s.Stance)
				}
				var b [8]byte
				binary.LittleEndian.PutUint64(b[:], math.Float64bits(x+0))
				h.Write(b[:])
			}
		}
	}
	compare(t, "testdata/gaits.hex", h.Sum(nil))
}
