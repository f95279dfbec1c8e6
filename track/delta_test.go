package track

import (
	"bytes"
	"encoding/hex"
	"math"
	mathbits "math/bits"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

// anyThing returns a sample of any entity: a body now and then, or a character that plays a
// motion.
func anyThing(r *rand.Rand) Sample {
	s := anySample(r)
	s.Kind = Kind(r.IntN(3))
	if r.IntN(2) == 0 {
		s.Rotation = geom.Quat{X: r.NormFloat64(), Y: r.NormFloat64(), Z: r.NormFloat64(), W: r.NormFloat64()}
		s.AngularVelocity = geom.V(r.NormFloat64()*9, r.NormFloat64()*9, 0)
		s.Asleep = r.IntN(2) == 0
	}
	if s.UserData = uint16(r.IntN(3)); r.IntN(2) == 0 {
		s.Clip, s.ClipAt = uint8(r.IntN(3)), s.At-clock.Micros(r.Int64N(1e7))
	}
	if r.IntN(50) == 0 {
		s.Rotation = []geom.Quat{{X: 1e-9}, {W: math.NaN()}, {X: math.Inf(1)}, {W: -1}, {X: 3, W: 4}}[r.IntN(5)]
	}
	return s
}

// turned returns a rotation after some time at an angular velocity.
func turned(q geom.Quat, spin geom.Vec3, d clock.Micros) geom.Quat {
	rate := spin.Len()
	if !(rate > 0) {
		return q
	}
	return geom.AxisAngle(spin.Div(rate), rate*d.Seconds()).Mul(q)
}

// soon returns a sample of the same entity a little later, some of its groups changed.
func soon(s Sample, r *rand.Rand) Sample {
	n := s
	d := clock.Micros(r.Int64N(400000) - 50000)
	n.At += d
	other := anyThing(r)
	if r.IntN(4) > 0 {
		n.Velocity = s.Velocity.Add(geom.V(r.NormFloat64(), 0, r.NormFloat64()))
		n.Position = s.Position.MulAdd(s.Velocity.Lerp(n.Velocity, 0.5), d.Seconds()).Add(geom.V(r.NormFloat64()/100, 0, 0))
	}
	if r.IntN(4) > 0 {
		n.StrideDistance += n.Position.Sub(s.Position).Len() * float64(r.IntN(3))
	}
	if r.IntN(4) == 0 {
		n.Stance.Crouch = r.Float64()
	}
	if r.IntN(8) == 0 {
		n.Stance = other.Stance
	}
	if r.IntN(3) > 0 {
		n.Yaw += r.NormFloat64() / 10
	}
	if r.IntN(4) == 0 {
		n.Mode, n.Crouched = other.Mode, other.Crouched
	}
	if r.IntN(8) == 0 {
		n.Life, n.Dead, n.Teleport, n.Position = other.Life, other.Dead, other.Teleport, other.Position
	}
	if r.IntN(8) == 0 {
		n.Base, n.PreviousBase, n.BaseChangedAt = other.Base, other.PreviousBase, n.At-clock.Micros(r.Int64N(6e5))
		n.Lag = clock.Micros(r.Int64N(4e5))
	}
	if r.IntN(8) == 0 {
		n.Up = other.Up
	}
	if r.IntN(3) == 0 {
		n.Rotation, n.AngularVelocity, n.Asleep = turned(s.Rotation, s.AngularVelocity, d), other.AngularVelocity, other.Asleep
	}
	if r.IntN(8) == 0 {
		n.Clip, n.ClipAt, n.UserData = other.Clip, other.ClipAt, other.UserData
	}
	return n
}

// Against anything that the reader has, and against nothing, it gets exactly the
// quantised sample (REP-02, REP-03), in no more bits than promised. [GAP-02]
func TestADeltaRestoresTheQuantisedSample(t *testing.T) {
	const seed = 12
	r := rand.New(rand.NewPCG(seed, 0))
	buf := make([]byte, DeltaBits()/8+1)
	for i := range 50000 {
		ref := Quantise(anyThing(r))
		s := Quantise(soon(ref, r))
		if r.IntN(3) == 0 {
			ref, s = Quantise(lookingAhead(ref)), Quantise(lookingAhead(s))
		}
		if r.IntN(3) == 0 {
			s = Quantise(anyThing(r))
		}
		if Quantise(s) != s {
			t.Fatalf("seed %d, %d: quantised twice %+v is %+v", seed, i, s, Quantise(s))
		}
		at, refAt := s.At+clock.Micros(r.Int64N(1e5)-5e4), ref.At+clock.Micros(r.Int64N(1e5))
		against := &ref
		if r.IntN(4) == 0 {
			against = nil
		}
		var p bits.Packer
		p.Write(buf)
		w := s
		w.PackDelta(&p, at, against, refAt)
		if p.Err() != nil || w != s || p.Bits() > DeltaBits() {
			t.Fatalf("seed %d, %d: %d bits of at most %d, %v", seed, i, p.Bits(), DeltaBits(), p.Err())
		}
		got := anyThing(r) // what was there before does not matter
		p.Read(p.Bytes())
		got.PackDelta(&p, at, against, refAt)
		if p.End(); p.Err() != nil || got != s {
			t.Fatalf("seed %d, %d: %v: read %+v\nwrote %+v\n  ref %+v", seed, i, p.Err(), got, s, ref)
		}
	}
}

// A keyframe is packed as the difference from the sample that it leads to, and read the same;
// one that is a second or more older, or no older, is refused.
func TestAKeyframeIsPackedAgainstTheNextSample(t *testing.T) {
	const seed = 13
	r := rand.New(rand.NewPCG(seed, 0))
	buf := make([]byte, DeltaBits()/8+1)
	for i := range 20000 {
		next := Quantise(anyThing(r))
		k := Quantise(soon(next, r))
		k.At = next.At - clock.Micros(1+r.IntN(20000))*StampGrid
		k = Quantise(k)
		var p bits.Packer
		p.Write(buf)
		w := k
		w.PackKeyframe(&p, &next)
		var got Sample
		p.Read(p.Bytes())
		got.PackKeyframe(&p, &next)
		if p.End(); p.Err() != nil || got != k || p.Bits() > DeltaBits() {
			t.Fatalf("seed %d, %d: %v, %d bits: read %+v\nwrote %+v", seed, i, p.Err(), p.Bits(), got, k)
		}
	}
	for _, back := range []clock.Micros{0, -50, clock.Second + 50, math.MaxInt64 / 4} {
		var p bits.Packer
		p.Write(buf)
		k, next := Sample{At: clock.Second - back}, Sample{At: clock.Second}
		if k.PackKeyframe(&p, &next); p.Err() != bits.ErrRange {
			t.Errorf("a keyframe %d µs back: got %v want %v", back, p.Err(), bits.ErrRange)
		}
	}
}

// leaves calls visit for each field of a struct that has no fields of its own.
func leaves(v reflect.Value, name string, visit func(name string, v reflect.Value)) {
	if v.Kind() != reflect.Struct {
		visit(name, v)
		return
	}
	for i := range v.NumField() {
		leaves(v.Field(i), name+"."+v.Type().Field(i).Name, visit)
	}
}

// nudge changes a number or a flag to the next value that every grid of a sample can tell apart.
func nudge(v reflect.Value) {
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.Float64:
		v.SetFloat(v.Float() + 1./15)
	case reflect.Int64:
		v.SetInt(v.Int() + int64(StampGrid))
	default:
		v.SetUint(v.Uint() + 1)
	}
}

// A field that is forgotten in the table of groups, or in the cell of a snapshot, is silently the
// reference's for every reader. Each field of a sample in turn is changed alone: it is in exactly
// one group, a snapshot keeps it and a reader gets it. Two fields are not sent. [REP-02, REP-03]
func TestEveryFieldIsInOneGroup(t *testing.T) {
	full := Sample{
		At: clock.Second,
		Pose: Pose{
			Position: geom.V(1, 2, 3), Velocity: geom.V(4, 5, 6), Up: geom.V(0, 1, 0), Yaw: 1, Pitch: .5, Mode: 1,
			Rotation: geom.Quat{X: .6, W: .8}, AngularVelocity: geom.V(1, 2, 3), StrideDistance: 7, Stance: Stance{.2, .4, .6},
		},
		BaseLink: BaseLink{Base: 1, PreviousBase: 2, BaseChangedAt: 900 * ms, Lag: 50 * ms},
		GameData: GameData{Kind: 1, Life: 2, Teleport: 3, Clip: 4, ClipAt: 800 * ms, UserData: 5},
	}
	ref, changed := Quantise(full), full
	leaves(reflect.ValueOf(&changed).Elem(), "Sample", func(name string, v reflect.Value) {
		changed = full
		nudge(v)
		s := Quantise(changed)
		if strings.HasSuffix(name, ".Airborne") || strings.Contains(name, ".BaseVelocity") {
			if s != ref {
				t.Errorf("%s changed what is sent: %+v", name, s)
			}
			return
		}
		if s == ref {
			t.Errorf("%s is lost in a snapshot", name)
		}
		if n := mathbits.OnesCount(s.changedGroups(&ref)); n != 1 && name != "Sample.At" {
			t.Errorf("%s is in %d groups, want 1", name, n)
		}
		var p bits.Packer
		p.Write(make([]byte, DeltaBits()/8+1))
		s.PackDelta(&p, s.At, &ref, ref.At)
		var got Sample
		p.Read(p.Bytes())
		if got.PackDelta(&p, s.At, &ref, ref.At); p.Err() != nil || got != s {
			t.Errorf("%s: read %+v (%v)\nwant %+v", name, got, p.Err(), s)
		}
	})
}

// What a sample costs, by what changed since the one that the reader has, 100 ms ago (REP-06: an
// unchanged sample costs next to nothing). [REP-02, WIR-04, WIR-10]
func TestWhatADeltaCosts(t *testing.T) {
	ref := Quantise(Sample{
		At: 1e6,
		Pose: Pose{
			Position: geom.V(10, 0, -20), Velocity: geom.V(6, 0, 0), Yaw: 1, Mode: 1, StrideDistance: 63.75,
			Rotation: geom.IdentityQuat, AngularVelocity: geom.V(0, 3, 0),
		},
		GameData: GameData{Life: 3},
	})
	for _, c := range []struct {
		what   string
		change func(s *Sample)
		most   int
	}{
		{"nothing", func(s *Sample) {}, 6},
		{"it stands and walks no further", func(s *Sample) { s.StrideDistance = 63.75 }, 6},
		{"it ran straight on", func(s *Sample) { s.Position.X, s.StrideDistance = s.Position.X+0.6, 0.35 }, 13},
		{"it goes down on its knees", func(s *Sample) { s.Stance.Crouch = 0.4 }, 19},
		{"it jumped into the water", func(s *Sample) { s.Stance.Crouch, s.Stance.Swim = 0.4, 0.2 }, 27},
		{"it turned its head", func(s *Sample) { s.Yaw += 0.02 }, 16},
		{"it ran a curve and looked about", func(s *Sample) {
			s.Position.X, s.Position.Z, s.Velocity.X, s.Velocity.Z, s.Yaw = s.Position.X+0.59, s.Position.Z+0.1, 5.6, 2.1, 1.3
			s.StrideDistance = 0.36
		}, 66},
		{"it crouched", func(s *Sample) { s.Crouched = true }, 22},
		{"it died", func(s *Sample) { s.Dead = true }, 38},
		{"a body spun on", func(s *Sample) { s.Rotation = turned(s.Rotation, s.AngularVelocity, 100*clock.Millisecond) }, 57},
	} {
		s := ref
		s.At += 100 * clock.Millisecond
		c.change(&s)
		s = Quantise(s)
		var p bits.Packer
		p.Write(make([]byte, 99))
		s.PackDelta(&p, 1.1e6, &ref, 1e6)
		if t.Logf("%s: %d bits", c.what, p.Bits()); p.Bits() > c.most {
			t.Errorf("%s: %d bits, want at most %d", c.what, p.Bits(), c.most)
		}
	}
}

// A body's rotation is predicted from its angular velocity well enough, up to half a turn.
func TestARotationIsPredicted(t *testing.T) {
	for _, rate := range []float64{0, 1, 5, 15, 31} {
		spin := geom.V(0.6*rate, 0, -0.8*rate)
		var n steps
		n[0], n[1], n[2] = bits.VecSteps(spin, VelocityScale)
		got, want := rotated(geom.IdentityQuat, n, n, 100*clock.Millisecond), turned(geom.IdentityQuat, spin, 100*clock.Millisecond)
		d := geom.V(got.X-want.X, got.Y-want.Y, got.Z-want.Z).Len() + math.Abs(got.W-want.W)
		if t.Logf("%v rad/s: %.5f off", rate, d); d > 0.006 {
			t.Errorf("%v rad/s for 100 ms: %v, want %v", rate, got, want)
		}
	}
}

// The bytes of some deltas, frozen. [GAP-04, WIR-04]
func TestGoldenDeltas(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 0))
	var lines []byte
	ref := Quantise(anyThing(r))
	for i := range 40 {
		s := Quantise(soon(ref, r))
		var p bits.Packer
		p.Write(make([]byte, DeltaBits()/8+1))
		if i%8 == 0 {
			s.PackDelta(&p, s.At+1000, nil, 0)
		} else {
			s.PackDelta(&p, s.At+1000, &ref, ref.At+1100)
		}
		lines = append(hex.AppendEncode(lines, p.Bytes()), '\n')
		ref = s
	}
	compare(t, "testdata/deltas.hex", lines)
}

// Any bytes are an error or a sample that Quantise could have made, and then the only encoding
// of it. [GAP-02]
func FuzzDelta(f *testing.F) { // THR-13
	r := rand.New(rand.NewPCG(8, 0))
	for range 30 {
		ref := Quantise(anyThing(r))
		s := Quantise(soon(ref, r))
		var p bits.Packer
		p.Write(make([]byte, 200))
		s.PackDelta(&p, 1e6, &ref, 9e5)
		f.Add(p.Bytes(), r.Uint64())
	}
	f.Fuzz(func(t *testing.T, b []byte, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 0))
		ref := Quantise(anyThing(r))
		for _, against := range []*Sample{&ref, nil} {
			var p bits.Packer
			var s Sample
			p.Read(b)
			s.PackDelta(&p, 1e6, against, 9e5)
			if p.End(); p.Err() != nil {
				continue
			}
			if Quantise(s) != s {
				t.Fatalf("read %+v, quantised %+v", s, Quantise(s))
			}
			p.Write(make([]byte, DeltaBits()/8+1))
			if s.PackDelta(&p, 1e6, against, 9e5); p.Err() != nil || !bytes.Equal(p.Bytes(), b) {
				t.Fatalf("read %+v from %x, wrote %x (%v)", s, b, p.Bytes(), p.Err())
			}
		}
	})
}

func BenchmarkWriteDelta(b *testing.B) {
	ref := Quantise(Sample{At: 1e6, Pose: Pose{Position: geom.V(10, 0, -20), Velocity: geom.V(6, 0, 0), Yaw: 1, Mode: 1}})
	s := Quantise(Sample{At: 1.1e6, Pose: Pose{Position: geom.V(10.59, 0, -20.1), Velocity: geom.V(5.6, 0, 2.1), Yaw: 1.3, Mode: 1}})
	var p bits.Packer
	buf := make([]byte, 64)
	for b.Loop() {
		p.Write(buf)
		s.PackDelta(&p, 1.1e6, &ref, 1e6)
	}
}

func BenchmarkWriteStrideDelta(b *testing.B) {
	ref := Quantise(Sample{At: 1e6, Pose: Pose{Position: geom.V(10, 0, -20), Velocity: geom.V(6, 0, 0), Yaw: 1, Mode: 1, StrideDistance: 3}})
	s := Quantise(Sample{
		At: 1.1e6,
		Pose: Pose{
			Position: geom.V(10.59, 0, -20.1), Velocity: geom.V(5.6, 0, 2.1), Yaw: 1.3, Mode: 1,
			StrideDistance: 3.6,
		},
	})
	var p bits.Packer
	buf := make([]byte, 64)
	for b.Loop() {
		p.Write(buf)
		s.PackDelta(&p, 1.1e6, &ref, 1e6)
	}
}

// What has not moved for longer than a stamp reaches, 39 days, is still sent, also as the difference from a sample
// that old: its stamp reads as 39 days ago, snapshot after snapshot. (A fuzzed checkpoint found it: the server
// panicked.)
func TestWhatHasStoodStillForMonths(t *testing.T) {
	const tick = 20 * clock.Millisecond
	door := Sample{At: tick}
	door.Position = geom.V(1, 2, 3)
	door = Quantise(door)
	read := door // what the client has
	for now := range 5 {
		at := clock.Micros(now+1)*400*24*3600*clock.Second + tick
		for _, s := range []struct{ at, refAt clock.Micros }{{at, at - tick}, {at + tick, at}} {
			var p bits.Packer
			p.Write(make([]byte, DeltaBits()/8+1))
			w, ref := door, read
			w.PackDelta(&p, s.at, &door, s.refAt)
			p.Read(p.Bytes())
			read.PackDelta(&p, s.at, &ref, s.refAt)
			want := door
			want.At = s.at - maxStampSteps*StampGrid
			if p.End(); p.Err() != nil || read != want {
				t.Fatalf("after %d · 400 days: got %+v, %v want %+v", now+1, read, p.Err(), want)
			}
		}
	}
}
