package bits

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/backstep-net/backstep/geom"
)

func deg(d float64) float64 { return d * math.Pi / 180 }

// written returns the bits and bytes that pack writes.
func written(t *testing.T, pack func(p *Packer)) (int, []byte) {
	t.Helper()
	var p Packer
	p.Write(make([]byte, 256))
	pack(&p)
	if p.Err() != nil {
		t.Fatalf("writing: %v", p.Err())
	}
	return p.Bits(), p.Bytes()
}

// WIR-01: the row's angles, codes and decoded degrees (ours are −180 … 180). [GAP-01]
func TestAngle16(t *testing.T) {
	for _, c := range []struct {
		in   float64
		code uint32
		out  float64
	}{
		{0, 0, 0}, {45.3, 8247, 45.302124}, {90, 16384, 90}, {-90, 49152, -90},
		{-10, 63716, 350.002441 - 360}, {359.996, 65535, -360. / 65536}, {359.998, 0, 0},
		{720.5, 91, 91 * 360. / 65536}, {0.0027, 0, 0}, {0.00275, 1, 360. / 65536},
		{180, 32768, -180}, {-180, 32768, -180},
	} {
		if got := angleCode(deg(c.in), 1<<16); got != c.code {
			t.Errorf("code of %v°: got %d want %d", c.in, got, c.code)
		}
		if got := SnapAngle16(deg(c.in)) * 180 / math.Pi; math.Abs(got-c.out) > 1e-6 {
			t.Errorf("%v° reads as %v°, want %v°", c.in, got, c.out)
		}
	}
}

// WIR-02: the row's angles in eight bits. [GAP-01]
func TestAngle8(t *testing.T) {
	for _, c := range []struct {
		in   float64
		code uint32
		out  float64
	}{
		{45.3, 32, 45}, {-45, 224, -45}, {359.5, 0, 0}, {0.70, 0, 0}, {0.71, 1, 1.40625},
		{-10, 249, 350.15625 - 360},
	} {
		if got := angleCode(deg(c.in), 1<<8); got != c.code {
			t.Errorf("code of %v°: got %d want %d", c.in, got, c.code)
		}
		if got := angle8(uint8(angleCode(deg(c.in), 1<<8))) * 180 / math.Pi; math.Abs(got-c.out) > 1e-9 {
			t.Errorf("%v° reads as %v°, want %v°", c.in, got, c.out)
		}
	}
}

// WIR-03: pitch, yaw and roll of a move are five bytes; pitch is the low half of
// the first word.
func TestViewRotationIsFiveBytes(t *testing.T) {
	for _, c := range []struct {
		yaw, pitch float64
		word       uint32
	}{{90, -10, 0x4000F8E4}, {45.3, 10, 0x2037071C}, {-179.5, 89, 0x805B3F4A}} {
		yaw, pitch, roll := deg(c.yaw), deg(c.pitch), 0.0
		n, b := written(t, func(p *Packer) { p.Angle16(&pitch); p.Angle16(&yaw); p.Angle8(&roll) })
		word := uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
		if n != 40 || word != c.word {
			t.Errorf("yaw %v° pitch %v°: got %d bits, word %#x, want 40 and %#x", c.yaw, c.pitch, n, word, c.word)
		}
	}
}

// WIR-05 to WIR-08, in centimetres as the rows: bits with a header of always
// five bits (one more than WIR-06 says where the reference writes four), and the
// vector that is read. Scale is in units a metre. [GAP-05]
func TestVec(t *testing.T) {
	far := geom.V(1.23, -45.6, 789.01)
	for _, c := range []struct {
		row       string
		in, out   geom.Vec3
		scale     float64
		bits      int
		wantBytes string
	}{
		{"WIR-05", far, far, 10000, 59, "700f4018f76a6806"},
		{"WIR-06", far, geom.V(1.2, -45.6, 789.0), 1000, 47, ""},
		{"WIR-06", far, geom.V(1, -46, 789), 100, 38, ""},
		{"WIR-07", geom.V(600, 0, 0), geom.V(600, 0, 0), 10000, 56, ""},
		{"WIR-07", geom.V(600, 0, 0), geom.V(600, 0, 0), 100, 38, ""},
		{"WIR-08", geom.Vec3{}, geom.Vec3{}, 10000, 11, "4005"},
		{"WIR-08", geom.V(.004, 0, 0), geom.Vec3{}, 10000, 11, "4005"},
		{"WIR-08", geom.V(.005, 0, 0), geom.V(.01, 0, 0), 10000, 11, ""},
		{"WIR-08", geom.V(-.005, 0, 0), geom.Vec3{}, 10000, 11, "4005"},
		{"WIR-08", geom.V(12345.67, -9876.54, 321), geom.V(12345.67, -9876.54, 321), 10000, 71, ""},
		{"WIR-08", geom.V(5368709.12, 0, 0), geom.V(5368709.12, 0, 0), 10000, 98, ""},
		{"WIR-08", geom.V(2e7, -2e7, 0), geom.V(10737418.23, -10737418.24, 0), 10000, 98, ""},
		{"WIR-09", geom.V(10700000, 0, 0), geom.V(10700000, 0, 0), 10000, 98, ""},
	} {
		in, want := c.in.Div(100), c.out.Div(100)
		n, b := written(t, func(p *Packer) { p.Vec(&in, c.scale) })
		if n != c.bits || c.wantBytes != "" && hex.EncodeToString(b) != c.wantBytes {
			t.Errorf("%s %v cm at %v a metre: got %d bits %x, want %d %s", c.row, c.in, c.scale, n, b, c.bits, c.wantBytes)
		}
		var p Packer
		var got geom.Vec3
		p.Read(b)
		p.Vec(&got, c.scale)
		if p.End(); p.Err() != nil || got.Dist(want) > 1e-9 || got != SnapVec(in, c.scale) {
			t.Errorf("%s %v cm: read %v want %v (%v)", c.row, c.in, got, want, p.Err())
		}
	}
}

// GAP-02: numbers that are not finite are an error when written, and cannot be
// read from any bytes.
func TestNotFinite(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		v := geom.V(1, bad, 1)
		for name, pack := range map[string]func(p *Packer){
			"Float64": func(p *Packer) { p.Float64(&bad) },
			"Vec64":   func(p *Packer) { p.Vec64(&v) },
			"Vec":     func(p *Packer) { p.Vec(&v, 100) },
			"Grid":    func(p *Packer) { p.Grid(&bad, -1, 1, .5) },
			"Angle16": func(p *Packer) { p.Angle16(&bad) },
			"Angle8":  func(p *Packer) { p.Angle8(&bad) },
		} {
			var p Packer
			p.Write(make([]byte, 64))
			if pack(&p); !errors.Is(p.Err(), ErrNotFinite) {
				t.Errorf("%s of %v: got %v want ErrNotFinite", name, bad, p.Err())
			}
		}
		if a, g, w := SnapAngle16(bad), SnapGrid(bad, -1, 1, .5), SnapVec(v, 100); a != 0 || g != 0 || w != geom.V(1, 0, 1) {
			t.Errorf("snapped %v: %v %v %v, want zeros", bad, a, g, w)
		}
		var p Packer
		var b [8]byte
		p.Write(b[:])
		raw := math.Float64bits(bad)
		p.Uint(&raw, 64)
		p.Read(b[:])
		got := 7.0
		if p.Float64(&got); got != 0 || !errors.Is(p.Err(), ErrNotFinite) {
			t.Errorf("read %v (%v), want 0 and ErrNotFinite", got, p.Err())
		}
	}
}

// What no writer could have written is an error: every value has exactly one form.
func TestNonCanonicalFormsAreRefused(t *testing.T) {
	for _, c := range []struct {
		name  string
		bytes string
		read  func(p *Packer)
		want  error
	}{
		{"uvarint with a last group of zero", "0100", func(p *Packer) { var v uint64; p.Uvarint(&v) }, ErrRange},
		{"uvarint of seventeen groups", "ffffffffffffffffffffff", func(p *Packer) { var v uint64; p.Uvarint(&v) }, ErrRange},
		{"minus zero", "0000000000000080", func(p *Packer) { var v float64; p.Float64(&v) }, ErrRange},
		{"ranged beyond its bound", "07", func(p *Packer) { var v int; p.Ranged(&v, 0, 5) }, ErrRange},
		{"grid beyond its bound", "07", func(p *Packer) { var v float64; p.Grid(&v, 0, 5, 1) }, ErrRange},
		{"vector wider than needed", "8124", func(p *Packer) { var v geom.Vec3; p.Vec(&v, 1) }, ErrRange},
		{"vector header 30", "1e0000000000000000000000000000", func(p *Packer) { var v geom.Vec3; p.Vec(&v, 1) }, ErrRange},
		{"bits after the end", "02", func(p *Packer) { var v bool; p.Bool(&v); p.End() }, ErrRange},
		{"bytes after the end", "0000", func(p *Packer) { var v bool; p.Bool(&v); p.End() }, ErrLong},
		{"blob that is cut", "0300", func(p *Packer) { var v []byte; p.Blob(&v, 255) }, ErrShort},
		{"nothing at all", "", func(p *Packer) { var v uint64; p.Uint(&v, 1) }, ErrShort},
	} {
		b, _ := hex.DecodeString(c.bytes)
		var p Packer
		p.Read(b)
		if c.read(&p); !errors.Is(p.Err(), c.want) {
			t.Errorf("%s: got %v want %v", c.name, p.Err(), c.want)
		}
	}
}

// Writing a value that does not fit is an error and does not change what was written.
func TestWriterErrors(t *testing.T) {
	five, nine, blob := uint64(5), 9, []byte("too long")
	for name, c := range map[string]struct {
		pack func(p *Packer)
		want error
	}{
		"uint":   {func(p *Packer) { p.Uint(&five, 2) }, ErrRange},
		"ranged": {func(p *Packer) { p.Ranged(&nine, 0, 8) }, ErrRange},
		"blob":   {func(p *Packer) { p.Blob(&blob, 3) }, ErrRange},
		"short":  {func(p *Packer) { p.Blob(&blob, 100) }, ErrShort},
	} {
		var p Packer
		p.Write(make([]byte, 2))
		yes := true
		p.Bool(&yes)
		if c.pack(&p); !errors.Is(p.Err(), c.want) {
			t.Errorf("%s: got %v want %v", name, p.Err(), c.want)
		}
		p.Fail(ErrLong)
		if !errors.Is(p.Err(), c.want) {
			t.Errorf("%s: the first error does not stick: %v", name, p.Err())
		}
	}
}

// A writer that was rewound has discarded what came after, in its last byte too.
func TestRewind(t *testing.T) {
	var p Packer
	three, all := uint64(5), ^uint64(0)
	p.Write(make([]byte, 10))
	p.Uint(&three, 3)
	p.Uint(&all, 64)
	p.Uint(&all, 64)
	if p.Err() == nil {
		t.Fatal("131 bits fit into ten bytes")
	}
	p.Rewind(3)
	if got := p.Bytes(); p.Err() != nil || !bytes.Equal(got, []byte{5}) {
		t.Errorf("got %x (%v), want 05", got, p.Err())
	}
}

// After an error a reader gives zeros, or the value nearest zero in the range.
func TestReadingAfterAnError(t *testing.T) {
	p := Packer{err: ErrShort}
	n, g, v, u, f, b := 3, 3.0, geom.V(1, 1, 1), uint64(3), 3.0, []byte{3}
	p.Ranged(&n, 5, 9)
	p.Grid(&g, -2, -1, .25)
	p.Vec(&v, 10)
	p.Uvarint(&u)
	p.Float64(&f)
	p.Blob(&b, 10)
	if n != 5 || g != -1 || v != (geom.Vec3{}) || u != 0 || f != 0 || b != nil {
		t.Errorf("got %v %v %v %v %v %v, want 5 -1 {0 0 0} 0 0 []", n, g, v, u, f, b)
	}
}

// Quantise before simulating: a reader yields exactly the snapped number, and
// snapping twice changes nothing.
func TestSnapIsWhatAReaderGets(t *testing.T) {
	const seed = 1
	r := rand.New(rand.NewPCG(seed, 0))
	grids := [][3]float64{{0, 1, 0.1}, {-1, 1, 1. / 127}, {0, 0.7, 0.1}, {-1000, 1000, 1. / 1024}, {0, 1.1, 0.1}, {3, 3, 1}, {-0.3, 1, 0.3}}
	buf := make([]byte, 64)
	for i := range 50000 {
		g := grids[i%len(grids)]
		lo, hi, step := g[0], g[1], g[2]
		x := lo + (hi-lo)*(r.Float64()*1.2-0.1)
		a, e := r.NormFloat64()*10, r.NormFloat64()*10
		v := geom.V(r.NormFloat64(), r.NormFloat64(), r.NormFloat64()).Mul(math.Exp(r.NormFloat64() * 6))
		scale := math.Round(math.Exp(r.Float64() * 10))
		var p Packer
		pack := func(x, a, e *float64, v *geom.Vec3) {
			p.Grid(x, lo, hi, step)
			p.Angle16(a)
			p.Angle8(e)
			p.Vec(v, scale)
			p.End()
		}
		p.Write(buf)
		pack(&x, &a, &e, &v)
		var x2, a2, e2 float64
		var v2 geom.Vec3
		p.Read(p.Bytes())
		pack(&x2, &a2, &e2, &v2)
		sx, sa, se, sv := SnapGrid(x, lo, hi, step), SnapAngle16(a), angle8(uint8(angleCode(e, 1<<8))), SnapVec(v, scale)
		if p.Err() != nil || x2 != sx || a2 != sa || e2 != se || v2 != sv {
			t.Fatalf("seed %d, %d: read %v %v %v %v, snapped %v %v %v %v (%v)", seed, i, x2, a2, e2, v2, sx, sa, se, sv, p.Err())
		}
		if SnapGrid(sx, lo, hi, step) != sx || SnapAngle16(sa) != sa || SnapVec(sv, scale) != sv {
			t.Fatalf("seed %d, %d: snapping twice differs: %v %v %v %v", seed, i, sx, sa, se, sv)
		}
		if sx < lo || sx > hi || sa < -math.Pi || sa >= math.Pi || math.Abs(sx-geom.Clamp(x, lo, hi)) > step {
			t.Fatalf("seed %d, %d: out of range: %v of %v…%v, %v", seed, i, sx, lo, hi, sa)
		}
	}
}

// Every code of a grid and of an angle survives a round trip.
func TestEveryCodeSurvives(t *testing.T) {
	for q := range 1 << 16 {
		if got := angleCode(angle16(uint16(q)), 1<<16); got != uint32(q) {
			t.Fatalf("angle code %d comes back as %d", q, got)
		}
		if got := gridCode(gridValue(uint64(q), -0.7, 1e4, 1./7), -0.7, 1./7, 1<<20); got != uint64(q) {
			t.Fatalf("grid code %d comes back as %d", q, got)
		}
	}
}

// Integers of every size, in every alignment, over bytes that were not zero.
func TestIntegersInEveryAlignment(t *testing.T) {
	const seed = 2
	r := rand.New(rand.NewPCG(seed, 0))
	for range 2000 {
		var n [40]int
		var want [40]uint64
		for i := range n {
			n[i] = 1 + r.IntN(64)
			want[i] = r.Uint64() >> (64 - n[i])
		}
		var p Packer
		p.Write(bytes.Repeat([]byte{0xA5}, 330))
		for i := range n {
			p.Uint(&want[i], n[i])
		}
		b := bytes.Clone(p.Bytes())
		p.Read(b)
		for i := range n {
			var got uint64
			if p.Uint(&got, n[i]); got != want[i] {
				t.Fatalf("seed %d: %d bits: got %#x want %#x", seed, n[i], got, want[i])
			}
		}
		if p.End(); p.Err() != nil {
			t.Fatalf("seed %d: %v", seed, p.Err())
		}
	}
}

// Fields that fill a message of any length to its last bit, compared with a list of the
// bits; one bit more is ErrShort, and nothing is written outside the message.
func TestMessagesAreFilledToTheLastBit(t *testing.T) {
	const seed = 5
	r := rand.New(rand.NewPCG(seed, 0))
	for i := range 5000 {
		size := i % 26
		around := bytes.Repeat([]byte{0xA5}, size+16)
		buf, want := around[8:8+size], make([]byte, size)
		var fields []int
		var p Packer
		p.Write(buf)
		for p.Remaining() > 0 {
			n := min(1+r.IntN(64), p.Remaining())
			v := r.Uint64() >> (64 - n)
			for bit := range n {
				at := p.Bits() + bit
				want[at/8] |= byte(v>>bit&1) << (at % 8)
			}
			one := v == 1
			if fields = append(fields, n); n == 1 {
				p.Bool(&one)
			} else {
				p.Uint(&v, n)
			}
		}
		more := true
		if p.Bool(&more); p.Err() != ErrShort || !bytes.Equal(buf, want) {
			t.Fatalf("seed %d, message %d: %v, fields %v: %x, want %x", seed, i, p.Err(), fields, buf, want)
		}
		if frame := bytes.Repeat([]byte{0xA5}, 8); !bytes.Equal(around[:8], frame) || !bytes.Equal(around[8+size:], frame) {
			t.Fatalf("seed %d, message %d: written outside: %x", seed, i, around)
		}
		p.Read(want)
		for _, n := range fields {
			at, got, one := p.Bits(), uint64(0), false
			if n == 1 {
				p.Bool(&one)
			} else {
				p.Uint(&got, n)
			}
			for bit := range n {
				if b := want[(at+bit)/8] >> ((at + bit) % 8) & 1; n > 1 && b != byte(got>>bit&1) || n == 1 && one != (b == 1) {
					t.Fatalf("seed %d, message %d, %d bits at %d of %x: %#x %v", seed, i, n, at, want, got, one)
				}
			}
		}
		if p.Bool(&more); p.Err() != ErrShort || more {
			t.Fatalf("seed %d, message %d: read beyond the end: %v %v", seed, i, more, p.Err())
		}
	}
}

func TestVarints(t *testing.T) {
	for _, c := range []struct {
		v    int64
		bits int
	}{{0, 5}, {-8, 5}, {7, 5}, {8, 10}, {-9, 10}, {127, 10}, {128, 15}, {math.MaxInt64, 80}, {math.MinInt64, 80}} {
		n, b := written(t, func(p *Packer) { p.Varint(&c.v) })
		var p Packer
		var got int64
		p.Read(b)
		if p.Varint(&got); got != c.v || n != c.bits || p.Err() != nil {
			t.Errorf("%d: got %d in %d bits (%v), want %d bits", c.v, got, n, p.Err(), c.bits)
		}
	}
}

func TestRangedAtTheEndsOfInt(t *testing.T) {
	for _, c := range [][3]int{{math.MinInt, math.MaxInt, -1}, {math.MinInt, math.MinInt, math.MinInt}, {-5, 2, -5}, {-5, 2, 2}, {4, 4, 4}} {
		v := c[2]
		_, b := written(t, func(p *Packer) { p.Ranged(&v, c[0], c[1]) })
		var p Packer
		got := 99
		p.Read(b)
		if p.Ranged(&got, c[0], c[1]); got != c[2] || p.Err() != nil {
			t.Errorf("%d of %d…%d: got %d (%v)", c[2], c[0], c[1], got, p.Err())
		}
	}
}

// Misuse by the caller panics with a sentence.
func TestMisusePanics(t *testing.T) {
	var p Packer
	p.Write(make([]byte, 8))
	var u uint64
	var n int
	var f float64
	var v geom.Vec3
	for name, call := range map[string]func(){
		"Uint of 0 bits":      func() { p.Uint(&u, 0) },
		"Uint of 65 bits":     func() { p.Uint(&u, 65) },
		"Ranged upside down":  func() { p.Ranged(&n, 1, 0) },
		"Grid without a step": func() { p.Grid(&f, 0, 1, 0) },
		"Grid upside down":    func() { p.Grid(&f, 1, 0, 1) },
		"Grid too fine":       func() { p.Grid(&f, 0, 1e9, 1e-9) },
		"Grid of NaN":         func() { p.Grid(&f, math.NaN(), 1, 1) },
		"Vec without a scale": func() { p.Vec(&v, 0) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s does not panic", name)
				}
			}()
			call()
		}()
	}
}

// A writer that clamps takes any value and writes the nearest that a message can hold; reading it
// back gives what a packet would carry, and writing that again changes nothing.
func TestWriteClamped(t *testing.T) {
	type values struct {
		u       uint64
		n       int
		f, g, a float64
		v       geom.Vec3
		r       int64
		b       []byte
	}
	pack := func(p *Packer, x *values) {
		p.Uint(&x.u, 5)
		p.Ranged(&x.n, -3, 9)
		p.Float64(&x.f)
		p.Grid(&x.g, -2, 2, 0.25)
		p.Angle16(&x.a)
		p.Vec(&x.v, 100)
		p.Residual(&x.r, 3)
		p.Blob(&x.b, 4)
	}
	nan, inf := math.NaN(), math.Inf(-1)
	for _, c := range []struct {
		in, want values
	}{
		{values{u: 7, n: 4, f: 1.5, g: 0.5, r: -9, b: []byte("ab")}, values{u: 7, n: 4, f: 1.5, g: 0.5, r: -9, b: []byte("ab")}},
		{values{u: 99, n: -50, f: nan, g: inf, a: nan}, values{u: 31, n: -3}},
		{values{n: 50, g: 70, v: geom.V(nan, 1, 0), r: 1 << 60, b: []byte("abcdefg")},
			values{n: 9, g: 2, v: geom.V(0, 1, 0), r: 1<<39 - 1, b: []byte("abcd")}},
		{values{r: -1 << 60}, values{r: -1 << 39}},
	} {
		var w, r Packer
		w.WriteClamped(make([]byte, 100))
		in := c.in
		if pack(&w, &in); w.Err() != nil {
			t.Errorf("%+v: %v", c.in, w.Err())
		}
		var got values
		r.Read(w.Bytes())
		pack(&r, &got)
		if r.End(); r.Err() != nil || fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("got %v, %v; want %v", got, r.Err(), c.want)
		}
		again := got
		var plain Packer
		plain.Write(make([]byte, 100))
		if pack(&plain, &again); plain.Err() != nil || !slices.Equal(plain.Bytes(), w.Bytes()) {
			t.Errorf("%v: written again: %v", got, plain.Err())
		}
	}
}
