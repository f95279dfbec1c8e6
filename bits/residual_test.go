package bits

import (
	"encoding/hex"
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/geom"
)

// The bits of numbers: the class in unary, then the place in the class. These bits are the
// format. [GAP-04]
func TestResidualsCostWhatTheirSizeIs(t *testing.T) {
	for _, c := range []struct {
		v    int64
		k    int
		bits int
		hex  string
	}{
		{0, 0, 1, "00"}, {-1, 0, 3, "01"}, {1, 0, 3, "05"}, {-2, 0, 5, "03"}, {2, 0, 5, "0b"},
		{0, 2, 3, "00"}, {-1, 2, 3, "02"}, {-2, 2, 3, "06"}, {2, 2, 5, "01"}, {-3, 2, 5, "05"},
		{100, 4, 11, "8705"}, {-128, 9, 10, "fe01"}, {2047, 0, 23, "fff77f"},
		{1 << 20, 9, 52, "ff0f0000020000"}, {-1 << 39, 0, 52, "ffffffffffff0f"},
	} {
		n, b := written(t, func(p *Packer) { p.Residual(&c.v, c.k) })
		if n != c.bits || hex.EncodeToString(b) != c.hex {
			t.Errorf("%d of order %d: %d bits %x, want %d bits %s", c.v, c.k, n, b, c.bits, c.hex)
		}
	}
}

// Whatever is written is read, in every alignment and at the end of a message; and what
// costs no more than a smaller number is no smaller.
func TestResidualsSurvive(t *testing.T) {
	const seed = 4
	r := rand.New(rand.NewPCG(seed, 0))
	for i := range 100000 {
		k, pad := r.IntN(17), r.IntN(9)
		v := int64(r.Uint64()) >> (25 + r.IntN(39))
		u := r.Uint64() >> (24 + r.IntN(40))
		var p Packer
		p.Write(make([]byte, 40))
		for range pad {
			yes := true
			p.Bool(&yes)
		}
		at := p.Bits()
		p.Residual(&v, k)
		if n := p.Bits() - at; n > ResidualBits {
			t.Fatalf("seed %d, %d: %d of order %d takes %d bits", seed, i, v, k, n)
		}
		p.Count(&u, k)
		b := p.Bytes()
		p.Read(b)
		var skip, gotU uint64
		var gotV int64
		if pad > 0 {
			p.Uint(&skip, pad)
		}
		p.Residual(&gotV, k)
		p.Count(&gotU, k)
		if p.End(); p.Err() != nil || gotV != v || gotU != u {
			t.Fatalf("seed %d, %d: order %d: read %d and %d (%v), want %d and %d", seed, i, k, gotV, gotU, p.Err(), v, u)
		}
	}
}

// A number that has a class must not be sent in full, nor one of more than 40 bits be sent
// at all, and a message that ends in the middle of one is too short.
func TestInvalidResiduals(t *testing.T) {
	big := uint64(1) << 40
	var p Packer
	p.Write(make([]byte, 16))
	if p.Count(&big, 3); p.Err() != ErrRange {
		t.Errorf("2⁴⁰: %v", p.Err())
	}
	for _, c := range []struct {
		hex  string
		k    int
		want error
	}{
		{"ff0f0000000000", 0, ErrRange}, // 0, whole
		{"ffefff0000000000", 0, ErrRange},
		{"fffffe0000000000", 0, ErrRange}, // 4078
		{"ffffff00000000", 0, nil},        // 4095, the first whole one
		{"ff", 0, ErrShort}, {"ff0f", 0, ErrShort}, {"07", 9, ErrShort}, {"", 0, ErrShort},
	} {
		b, _ := hex.DecodeString(c.hex)
		var u uint64
		p.Read(b)
		if p.Count(&u, c.k); p.Err() != c.want || c.want != nil && u != 0 {
			t.Errorf("%s of order %d: read %d, %v, want %v", c.hex, c.k, u, p.Err(), c.want)
		}
	}
}

// What was packed elsewhere is copied bit for bit, at any alignment.
func TestCopy(t *testing.T) {
	const seed = 6
	r := rand.New(rand.NewPCG(seed, 0))
	for range 2000 {
		n, pad := r.IntN(300), r.IntN(10)
		from := make([]byte, 38+r.IntN(3))
		for i := range from {
			from[i] = byte(r.Uint32())
		}
		var p Packer
		p.Write(make([]byte, 60))
		no := false
		for range pad {
			p.Bool(&no)
		}
		p.Copy(from, n)
		p.Bool(&no)
		p.Read(p.Bytes())
		for range pad {
			p.Bool(&no)
		}
		for i := range n {
			var bit bool
			if p.Bool(&bit); bit != (from[i/8]>>(i%8)&1 != 0) {
				t.Fatalf("seed %d: bit %d of %d after %d is %v", seed, i, n, pad, bit)
			}
		}
	}
}

// A vector in steps is the vector that a reader of Vec gets [WIR-05], an angle in steps
// that of a reader of Angle16 [WIR-01].
func TestStepsAreTheGrid(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 0))
	for range 1000 {
		v := geom.V(r.NormFloat64()*100, r.NormFloat64()*1e4, r.NormFloat64()*1e6)
		x, y, z := VecSteps(v, 1024)
		if got, ok := StepsVec(x, y, z, 1024); got != SnapVec(v, 1024) || !ok {
			t.Errorf("%v: got %v, %v want %v", v, got, ok, SnapVec(v, 1024))
		}
		if a := r.NormFloat64() * 9; StepsAngle(AngleSteps(a, 1<<16), 1<<16) != SnapAngle16(a) {
			t.Errorf("%v: got %v want %v", a, StepsAngle(AngleSteps(a, 1<<16), 1<<16), SnapAngle16(a))
		}
	}
	for _, x := range []int64{vecLargest, -vecLargest - 1} {
		if v, ok := StepsVec(0, x, 0, 1024); ok || v != (geom.Vec3{}) {
			t.Errorf("%d steps are %v", x, v)
		}
	}
}

func TestMisusedResidualsPanic(t *testing.T) {
	var w, rd Packer
	w.Write(make([]byte, 8))
	v, u := int64(0), uint64(0)
	for name, f := range map[string]func(){
		"order −1": func() { w.Residual(&v, -1) }, "order 17": func() { w.Count(&u, 17) },
		"copy of too few": func() { w.Copy([]byte{1}, 9) }, "copy when reading": func() { rd.Copy([]byte{1}, 1) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}

func BenchmarkResidual(b *testing.B) {
	var p Packer
	buf := make([]byte, 64)
	for b.Loop() {
		p.Write(buf)
		for v := int64(-4); v < 4; v++ {
			p.Residual(&v, 2)
		}
	}
}
