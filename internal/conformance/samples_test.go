package conformance

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/track"
)

// sampleVector is a sample as it lies in a part, coded against another one.
type sampleVector struct {
	Tick          int64          `json:"tick"`                    // the time of the snapshot, in 50 µs
	ReferenceTick int64          `json:"referenceTick,omitempty"` // of the one that has the reference
	Reference     map[string]any `json:"reference,omitempty"`     // none: without a reference
	Keyframe      bool           `json:"keyframe,omitempty"`      // coded as a keyframe before the reference
	Sample        map[string]any `json:"sample"`
	Bytes         Hex            `json:"bytes"`
}

// randomSample returns a sample near another, of which some groups are the same.
func randomSample(r *rand.Rand, s track.Sample) track.Sample {
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
		s.Base, s.PreviousBase, s.BaseChangedAt = collide.MoverID(r.IntN(3)), collide.MoverID(r.IntN(9)), s.At-clock.Micros(r.IntN(550_000))
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

// Samples of all kinds, with a reference, without, and as keyframes: each is read by our
// code as it was written, and lies in the suite for the second implementation (REP-02,
// REP-03, REP-07).
func TestSamples(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 0))
	var list []sampleVector
	for i := range 200 {
		ref := randomSample(r, track.Sample{At: clock.Second})
		s := randomSample(r, ref)
		now := clock.TickTime(int64(60+r.IntN(30)), 60)
		refAt := clock.TickTime(60, 60)
		v := sampleVector{Tick: grid50(now), Sample: sampleFields(&s)}
		pack := func(p *bits.Packer, s *track.Sample) { s.PackDelta(p, now, nil, 0) }
		switch i % 4 {
		case 0, 1:
			v.Reference, v.ReferenceTick = sampleFields(&ref), grid50(refAt)
			pack = func(p *bits.Packer, s *track.Sample) { s.PackDelta(p, now, &ref, refAt) }
		case 2:
			ref.At = s.At + clock.Micros(1+r.IntN(900))*track.StampGrid
			if ref.BaseChangedAt != 0 && ref.At-ref.BaseChangedAt >= 600*clock.Millisecond {
				ref.PreviousBase, ref.BaseChangedAt, ref.Lag = 0, 0, 0
			}
			v.Reference, v.Keyframe, v.Tick = sampleFields(&ref), true, 0
			pack = func(p *bits.Packer, s *track.Sample) { s.PackKeyframe(p, &ref) }
		}
		var p bits.Packer
		p.Write(make([]byte, 512))
		pack(&p, &s)
		if p.Err() != nil {
			continue // a keyframe: its base changed after its next sample's
		}
		v.Bytes = bytes.Clone(p.Bytes())
		var got track.Sample
		p.Read(v.Bytes)
		pack(&p, &got)
		if p.End(); p.Err() != nil || got != s {
			t.Fatalf("sample %d: got %+v, %v\nwant %+v", i, got, p.Err(), s)
		}
		list = append(list, v)
	}
	if len(list) < 180 {
		t.Errorf("got %d samples", len(list))
	}
	compare(t, "samples.jsonl", list)
}

// grid50 is an instant in 50 µs, half up.
func grid50(at clock.Micros) int64 { return int64(at+25) / 50 }

// sampleFields is a sample in whole numbers, by the names of the document.
func sampleFields(s *track.Sample) map[string]any {
	grid := func(scale float64, v ...float64) []int64 {
		list := make([]int64, len(v))
		for i := range v {
			list[i] = int64(v[i] * scale)
		}
		return list
	}
	vec := func(scale float64, v geom.Vec3) []int64 { return grid(scale, v.X, v.Y, v.Z) }
	q := s.Rotation
	stance := []int64{int64(s.Stance.Crouch*15 + .5), int64(s.Stance.Air*15 + .5), int64(s.Stance.Swim*15 + .5)}
	return lean(map[string]any{
		"at": grid50(s.At), "position": vec(1024, s.Position), "velocity": vec(64, s.Velocity),
		"strideDistance": int64(s.StrideDistance * 256), "yaw": bits.AngleSteps(s.Yaw, track.LookSteps), "pitch": bits.AngleSteps(s.Pitch, track.LookSteps),
		"mode": s.Mode, "crouched": s.Crouched, "stance": stance,
		"kind": s.Kind, "dead": s.Dead, "life": s.Life, "teleport": s.Teleport,
		"base": s.Base, "previousBase": s.PreviousBase, "baseChangedAt": grid50(s.BaseChangedAt), "lag": int64(s.Lag / 50),
		"up": vec(1024, s.Up), "asleep": s.Asleep, "angularVelocity": vec(64, s.AngularVelocity),
		"rotation": grid(4096, q.X, q.Y, q.Z, q.W), "clip": s.Clip, "userData": s.UserData, "clipAt": grid50(s.ClipAt),
	})
}
