package bits

import (
	"bytes"
	"encoding/hex"
	"testing"

	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/internal/golden"
)

// sampler has one field of every kind that a Packer packs.
type sampler struct {
	yes         bool
	five        uint64
	b           uint8
	w           uint16
	d           uint32
	small, big  uint64
	minus       int64
	ranged      int
	f           float64
	exact       geom.Vec3
	grid        float64
	place, pace geom.Vec3
	yaw, roll   float64
	blob        []byte
}

func (s *sampler) pack(p *Packer) {
	p.Bool(&s.yes)
	p.Uint(&s.five, 5)
	p.Byte(&s.b)
	p.Uint16(&s.w)
	p.Uint32(&s.d)
	p.Uvarint(&s.small)
	p.Uvarint(&s.big)
	p.Varint(&s.minus)
	p.Ranged(&s.ranged, -10, 10)
	p.Float64(&s.f)
	p.Vec64(&s.exact)
	p.Grid(&s.grid, -1, 1, 1.0/127)
	p.Vec(&s.place, 10000)
	p.Vec(&s.pace, 100)
	p.Angle16(&s.yaw)
	p.Angle8(&s.roll)
	p.Blob(&s.blob, 100)
	p.End()
}

var sample = sampler{
	true, 21, 0xAB, 0xBEEF, 0xDEADBEEF, 9, 1 << 40, -300, 7, -1.0 / 3,
	geom.V(1, -2.5, 1e-300), 0.5, geom.V(0.0123, -0.456, 7.8901), geom.V(6, 0, 0),
	0.79, -0.1, []byte("backstep"),
}

// GAP-04: the format is frozen; a change of these bytes is a new protocol.
func TestGoldenBytes(t *testing.T) {
	_, b := written(t, sample.pack)
	golden.Check(t, "testdata/sampler.hex", hex.EncodeToString(b)+"\n")
}

func TestNoAllocations(t *testing.T) {
	var p Packer
	buf := make([]byte, 256)
	s := sample
	if n := testing.AllocsPerRun(100, func() {
		p.Write(buf)
		s.pack(&p)
		p.Read(p.Bytes())
		s.pack(&p)
	}); n != 0 {
		t.Errorf("packing and unpacking allocates %v times, want 0", n)
	}
}

// Whatever a reader accepts, a writer writes again as the same bytes; nothing
// panics, and nothing read is out of range.
func FuzzSampler(f *testing.F) { // THR-13
	_, b := sample.bytes()
	f.Add(b)
	f.Add(make([]byte, 80))
	f.Fuzz(func(t *testing.T, b []byte) {
		var p Packer
		var s sampler
		p.Read(b)
		s.pack(&p)
		if s.ranged < -10 || s.ranged > 10 || s.grid < -1 || s.grid > 1 || !s.place.Finite() || !s.exact.Finite() {
			t.Fatalf("out of range: %+v", s)
		}
		if p.Err() != nil {
			return
		}
		if _, again := s.bytes(); !bytes.Equal(again, b) {
			t.Fatalf("read %x, wrote %x", b, again)
		}
	})
}

func (s *sampler) bytes() (int, []byte) {
	var p Packer
	p.Write(make([]byte, 256))
	s.pack(&p)
	return p.Bits(), p.Bytes()
}

func BenchmarkWriteVec(b *testing.B) {
	var p Packer
	buf := make([]byte, 64)
	v := sample.place
	for b.Loop() {
		p.Write(buf)
		p.Vec(&v, 10000)
	}
}

func BenchmarkReadVec(b *testing.B) {
	var p Packer
	v := sample.place
	p.Write(make([]byte, 64))
	p.Vec(&v, 10000)
	buf := p.Bytes()
	for b.Loop() {
		p.Read(buf)
		p.Vec(&v, 10000)
	}
}

func BenchmarkWriteEverything(b *testing.B) {
	var p Packer
	buf := make([]byte, 256)
	for b.Loop() {
		p.Write(buf)
		sample.pack(&p)
	}
}

func BenchmarkReadEverything(b *testing.B) {
	var p Packer
	_, buf := sample.bytes()
	var s sampler
	for b.Loop() {
		p.Read(buf)
		s.pack(&p)
	}
}
