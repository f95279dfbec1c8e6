package track

import (
	"encoding/hex"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/internal/golden"
)

// anySample returns a sample that is not quantised, now and then an odd one.
func anySample(r *rand.Rand) Sample {
	s := Sample{
		At: clock.Micros(r.Int64N(4e9)),
		Pose: Pose{
			Position: geom.V(r.NormFloat64()*60, r.NormFloat64()*10, r.NormFloat64()*60),
			Velocity: geom.V(r.NormFloat64()*4, r.NormFloat64()*4, r.NormFloat64()*4),
			Yaw:      r.NormFloat64() * 4, Pitch: r.NormFloat64(), Mode: uint8(r.Uint32()),
			Crouched: r.IntN(2) == 0,
		},
		GameData: GameData{Dead: r.IntN(8) == 0, Life: uint8(r.Uint32()), Teleport: uint8(r.Uint32())},
	}
	if r.IntN(3) == 0 {
		s.Base = collide.MoverID(1 + r.IntN(int(collide.FirstObstacle)-1))
	}
	if r.IntN(3) == 0 {
		s.PreviousBase, s.BaseChangedAt = collide.MoverID(r.IntN(int(collide.FirstObstacle))), s.At-clock.Micros(r.Int64N(8e5)-5e4)
		s.Lag = clock.Micros(r.Int64N(1e6) - 5e4)
	}
	s.Airborne = r.IntN(9) == 0
	if r.IntN(3) > 0 {
		s.StrideDistance = []float64{r.Float64() * StrideWrap, r.NormFloat64() * 1e4, 63.9999, -1e-20, math.NaN(), math.Inf(-1)}[r.IntN(r.IntN(6)+1)]
	}
	if r.IntN(3) == 0 {
		s.Stance = Stance{r.Float64(), r.NormFloat64(), float64(r.IntN(2))}
	}
	if r.IntN(9) == 0 {
		s.Stance.Swim, s.BaseVelocity = math.NaN(), geom.V(1, 2, 3)
	}
	if r.IntN(3) == 0 {
		s.Up = geom.V(r.NormFloat64(), r.NormFloat64(), r.NormFloat64()).Unit()
	}
	switch r.IntN(20) {
	case 3:
		s.Up = geom.V(7, 0, 0)
	case 0:
		s.Position = geom.V(3e6, -3e6, math.Copysign(0, -1))
	case 1:
		s.Velocity = geom.Vec3{}
	case 2:
		s.Yaw, s.Pitch = math.Pi, -math.Pi
	}
	return s
}

// A snapshot's sample is quantised before it is used: whatever a server records,
// a reader gets exactly Quantise of it, and quantising twice changes nothing. [REP-02]
func TestAReaderGetsTheQuantisedSample(t *testing.T) {
	const seed = 11
	r := rand.New(rand.NewPCG(seed, 0))
	buf := make([]byte, 128)
	for i := range 50000 {
		s := anySample(r)
		base := s.At + clock.Micros(r.Int64N(2e6)-1e6)
		var p bits.Packer
		p.Write(buf)
		q := Quantise(s)
		w := q
		w.PackDelta(&p, base, nil, 0)
		if p.Err() != nil || p.Bits() > DeltaBits() {
			t.Fatalf("seed %d, %d: %d bits, want at most %d (%v)", seed, i, p.Bits(), DeltaBits(), p.Err())
		}
		var got Sample
		p.Read(p.Bytes())
		got.PackDelta(&p, base, nil, 0)
		p.End()
		if p.Err() != nil || got != q || Quantise(q) != q {
			t.Fatalf("seed %d, %d: read %+v\nquantised %+v\ntwice %+v (%v)", seed, i, got, q, Quantise(q), p.Err())
		}
		if q.At%StampGrid != 0 || max(q.At-s.At, s.At-q.At) > StampGrid/2 {
			t.Fatalf("seed %d, %d: stamp %d became %d", seed, i, s.At, q.At)
		}
		if math.Abs(s.Position.X) < 1e6 && q.Position.Dist(s.Position) > math.Sqrt(3)/2/PositionScale+1e-12 {
			t.Fatalf("seed %d, %d: position %v became %v", seed, i, s.Position, q.Position)
		}
	}
}

// The grid of stamps is one of match time, not of the snapshot: the same pose sent in two
// snapshots is the same sample. Half a step rounds up, before zero too.
func TestStampsLieOnOneGrid(t *testing.T) {
	for _, c := range []struct{ in, want clock.Micros }{
		{0, 0}, {24, 0}, {25, 50}, {74, 50}, {75, 100}, {16667, 16650}, {16675, 16700},
		{-1, 0}, {-25, 0}, {-26, -50}, {-50, -50}, {-75, -50}, {-76, -100},
	} {
		if got := Quantise(Sample{At: c.in}).At; got != c.want {
			t.Errorf("stamp %d: got %d want %d", c.in, got, c.want)
		}
	}
	for _, base := range []clock.Micros{0, 16667, 33333, 1e12 + 7} {
		var p bits.Packer
		s := Sample{At: 123450}
		p.Write(make([]byte, 64))
		s.PackDelta(&p, base, nil, 0)
		var got Sample
		p.Read(p.Bytes())
		got.PackDelta(&p, base, nil, 0)
		if got.At != s.At {
			t.Errorf("sent in the frame of %d: got %d want %d", base, got.At, s.At)
		}
	}
}

// runner is a sample of a runner in mid-air.
var runner = Sample{
	At: 61_234_567,
	Pose: Pose{
		Position: geom.V(12.3456, 1.05, -78.9), Velocity: geom.V(-4.2, 3.1, 4.28), Yaw: 2.5, Pitch: -0.25,
		Mode: 2, Crouched: true, StrideDistance: 41.3, Stance: Stance{Crouch: 0.2, Air: 1},
	},
	GameData: GameData{Life: 3, Teleport: 1},
}

// rider stands on mover 3, aslant.
var rider = Sample{
	At:       61_250_000,
	Pose:     Pose{Position: geom.V(1, .5, -2), Up: geom.V(.6, .8, 0), Mode: 1},
	BaseLink: BaseLink{Base: 3, PreviousBase: 5, BaseChangedAt: 61_150_000},
}

// GAP-04: the format is frozen; a change of these bytes is a new protocol.
func TestGoldenSample(t *testing.T) {
	var p bits.Packer
	p.Write(make([]byte, 64))
	s := Quantise(runner)
	s.PackDelta(&p, 61_250_000, nil, 0)
	r := Received{Newest: 3675, Mask: 0xFFFFFFFFFFFFFFFB}
	r.Pack(&p)
	compare(t, "testdata/sample.hex", p.Bytes())
	p.Write(make([]byte, 64))
	other := Quantise(rider)
	other.PackDelta(&p, 61_250_000, nil, 0)
	compare(t, "testdata/rider.hex", p.Bytes())
	t.Logf("sample and received: %d bits", p.Bits())
}

// compare checks bytes against a file in hexadecimal.
func compare(t *testing.T, file string, b []byte) {
	t.Helper()
	golden.Check(t, file, hex.EncodeToString(b)+"\n")
}

// GAP-02, THR-15: nothing that is not a number can be sent or read, and a
// stamp beyond all reason is refused.
func TestOddSamples(t *testing.T) {
	nan := math.NaN()
	bad := Sample{
		Pose: Pose{
			Position: geom.V(nan, 0, 0), Velocity: geom.V(0, math.Inf(1), 0), Yaw: nan,
			AngularVelocity: geom.V(0, 0, nan), Rotation: geom.Quat{W: nan},
		},
	}
	if q := Quantise(bad); q != (Sample{}) {
		t.Errorf("what is not a number became %+v", q)
	}
	var p bits.Packer
	p.Write(make([]byte, 64))
	bad = Sample{BaseLink: BaseLink{Base: collide.FirstObstacle}}
	if bad.PackDelta(&p, 0, nil, 0); p.Err() != bits.ErrRange {
		t.Errorf("a rider of an obstacle: got %v want %v", p.Err(), bits.ErrRange)
	}
	for _, up := range []geom.Vec3{geom.V(0, 1.5, 0), geom.V(-1, 1, 1), {}} {
		p.Write(make([]byte, 64))
		some := true
		p.Bool(&some)
		p.Vec(&up, upScale)
		p.Read(p.Bytes())
		var s Sample
		if s.packUp(&p, reference{}); p.Err() != bits.ErrRange || !s.Up.IsZero() {
			t.Errorf("up %v: got %v, %v want %v", up, s.Up, p.Err(), bits.ErrRange)
		}
	}
	far := int64(maxStampSteps + 1)
	p.Write(make([]byte, 64))
	p.Residual(&far, stampOrder)
	p.Read(p.Bytes())
	var s Sample
	if s.PackDelta(&p, 0, nil, 0); p.Err() != bits.ErrRange || s != (Sample{}) {
		t.Errorf("a stamp 39 days off: got %+v, %v want zero, %v", s, p.Err(), bits.ErrRange)
	}
}
