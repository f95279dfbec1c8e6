package conformance

import (
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/track"
)

// drawn returns a random sample near another, of which some groups are the same.
func drawn(r *rand.Rand, s track.Sample) track.Sample {
	vec := func(by float64) geom.Vec3 { return geom.V(r.NormFloat64(), r.NormFloat64(), r.NormFloat64()).Mul(by) }
	some := func() bool { return r.IntN(3) == 0 }
	s.At += clock.Micros(r.IntN(400)) * clock.Millisecond
	if s.BaseChangedAt != 0 && s.At-s.BaseChangedAt > 590*clock.Millisecond {
		s.PreviousBase, s.BaseChangedAt, s.Lag = 0, 0, 0
	}
	if some() {
		s.Position, s.Velocity = s.Position.Add(vec(3)), s.Velocity.Add(vec(2))
	}
	if some() {
		s.StrideDistance += float64(r.IntN(3)) * s.Velocity.Len() * r.Float64()
	}
	if some() {
		s.Stance.Crouch = r.Float64()
	}
	if some() {
		s.Stance.Air, s.Stance.Swim = r.Float64(), float64(r.IntN(2))
	}
	if some() {
		s.Yaw, s.Pitch = s.Yaw+r.NormFloat64(), geom.Clamp(s.Pitch+r.NormFloat64(), -1, 1)
	}
	if some() {
		s.Mode, s.Crouched = uint8(r.IntN(9)), some()
	}
	if some() {
		s.Kind, s.Dead, s.Life, s.Teleport = track.Kind(r.IntN(5)), some(), uint8(r.Uint32()), uint8(r.Uint32())
	}
	if some() {
		s.Base, s.PreviousBase, s.BaseChangedAt = collide.BodyID(r.IntN(3)), collide.BodyID(r.IntN(9)), s.At-clock.Micros(r.IntN(550_000))
		s.Lag = clock.Micros(r.IntN(830_000) - 15_000)
	}
	if some() {
		s.Up = vec(1).Unit()
	}
	if some() {
		s.Rotation, s.AngularVelocity, s.Asleep = geom.AxisAngle(vec(1).Unit(), r.Float64()).Mul(geom.IdentityQuat), vec(4), some()
	}
	if some() {
		s.Clip, s.ClipAt, s.UserData = uint8(r.IntN(3)), s.At-clock.Micros(r.IntN(1e6)), uint16(r.Uint32())
	}
	return track.Quantise(s)
}

// Samples of all kinds that our code packs read here as it meant them, and are written
// again as the same bits: with a reference, without, and as kinks (REP-02, REP-03, REP-07).
func TestSamplesReadAsTheDocumentSays(t *testing.T) {
	const seed = 9
	r := rand.New(rand.NewPCG(seed, 0))
	for i := range 20_000 {
		ref := drawn(r, track.Sample{At: clock.Second})
		s := drawn(r, ref)
		var w bits.Packer
		w.Write(make([]byte, 512))
		old := &ref
		if i%4 == 0 {
			old = nil
		}
		now := clock.TickTime(int64(60+r.IntN(30)), 60)
		s.PackDelta(&w, now, old, ref.At+1000)
		ref.PackDelta(&w, now, nil, 0)
		var tape Tape
		tape.Read(w.Bytes())
		p := parting{Tape: &tape, Part: &Part{}}
		var got, from Sample
		readDelta(&p, &from, old, now, ref.At+1000, &got)
		if tape.Err() != nil || got.Position != grid(s.Position, 1024) || got.At != int64(s.At/50) || got.Turn[0] != int64(s.Rotation.X*4096) ||
			got.Spin != grid(s.AngularVelocity, 64) || got.Walked != int64(s.StrideDistance*256) || got.Stance != stance(s.Stance) || got.Up != grid(s.Up, 1024) || got.Since != int64(s.BaseChangedAt/50) || got.Lag != int64(s.Lag/50) || got.Extra != s.UserData || got.Life != s.Life {
			t.Fatalf("seed %d, %d: %v: got %+v\nwant %+v", seed, i, tape.Err(), got, s)
		}
		var again Tape
		again.Packer.Write(make([]byte, 512))
		q := parting{Tape: &again, Part: &Part{}}
		readDelta(&q, &from, old, now, ref.At+1000, &got)
		n := again.Bits()
		for b := range n {
			if again.Bytes()[b/8]>>(b%8)&1 != w.Bytes()[b/8]>>(b%8)&1 {
				t.Fatalf("seed %d, %d: bit %d of %d differs: %+v", seed, i, b, n, got)
			}
		}
	}
}

func grid(v geom.Vec3, scale float64) Grid {
	return Grid{int64(v.X * scale), int64(v.Y * scale), int64(v.Z * scale)}
}

func stance(s track.Stance) [3]int64 {
	return [3]int64{int64(s.Crouch*15 + .5), int64(s.Air*15 + .5), int64(s.Swim*15 + .5)}
}

// readDelta packs a sample as a thing of a part, its reference in from.
func readDelta(p *parting, from *Sample, old *track.Sample, now, refAt clock.Micros, s *Sample) {
	at := halves(int64(now), 50)
	usual := int64(0)
	if old != nil {
		*from = plain(old)
		usual = from.At - halves(int64(refAt), 50)
	} else {
		*from = Sample{At: at}
	}
	d := s.At - at - usual
	residual(p.Tape, &d, 2)
	s.At = at + usual + d
	s.pack(p.Tape, from, old != nil)
}

// plain is a sample of ours in whole numbers.
func plain(s *track.Sample) Sample {
	return Sample{
		At: int64(s.At / 50), Position: grid(s.Position, 1024), Velocity: grid(s.Velocity, 64),
		Walked: int64(s.StrideDistance * 256), Stance: stance(s.Stance),
		Yaw: bits.AngleSteps(s.Yaw), Pitch: bits.AngleSteps(s.Pitch), Mode: s.Mode, Crouched: s.Crouched,
		Kind: uint8(s.Kind), Dead: s.Dead, Life: s.Life, Teleport: s.Teleport,
		Base: uint16(s.Base), Was: uint16(s.PreviousBase), Since: int64(s.BaseChangedAt / 50), Lag: int64(s.Lag / 50), Up: grid(s.Up, 1024),
		Asleep: s.Asleep, Spin: grid(s.AngularVelocity, 64),
		Turn: [4]int64{int64(s.Rotation.X * 4096), int64(s.Rotation.Y * 4096), int64(s.Rotation.Z * 4096), int64(s.Rotation.W * 4096)},
		Clip: s.Clip, Extra: s.UserData, ClipAt: int64(s.ClipAt / 50),
	}
}
