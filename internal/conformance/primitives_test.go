package conformance

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/geom"
)

// Primitive is one value in one of the primitive codes, or bytes that no writer writes.
type Primitive struct {
	Code  string `json:"code"`           // as docs/protocol.md writes it
	After int    `json:"after"`          // one bits before it
	Value any    `json:"value"`          // numbers above 2⁵³ and those that are not finite as text
	Read  any    `json:"read,omitempty"` // what comes back, where that is not Value
	Bits  int    `json:"bits"`
	Bytes Hex    `json:"bytes"` // with the bits before it, filled with zeros
	Error string `json:"error,omitempty"`
	pack  func(p *bits.Packer)
	again func() any
}

// vectorOf returns a primitive of a value that pack packs by pointer.
func vectorOf[T any](code string, after int, v T, pack func(p *bits.Packer, v *T)) Primitive {
	got := v
	return Primitive{Code: code, After: after, Value: v,
		pack:  func(p *bits.Packer) { pack(p, &got) },
		again: func() any { return got }}
}

func primitives() (list []Primitive) {
	add := func(p Primitive) { list = append(list, p) }
	for _, c := range []struct {
		v     uint64
		n, at int
	}{{1, 1, 0}, {5, 3, 0}, {0x3ff, 10, 3}, {0xdeadbeef, 32, 0}, {0xdeadbeef, 32, 5}, {1 << 52, 53, 1}} {
		add(vectorOf(code("uint", c.n), c.at, c.v, func(p *bits.Packer, v *uint64) { p.Uint(v, c.n) }))
	}
	for i, v := range []uint64{0, 1, 15, 16, 255, 256, 1_000_000, 1 << 53} {
		add(vectorOf("uvarint", i%3, v, func(p *bits.Packer, v *uint64) { p.Uvarint(v) }))
	}
	for i, v := range []int64{0, -1, 1, -8, 8, 127, -128, 1 << 40} {
		add(vectorOf("varint", i%2, v, func(p *bits.Packer, v *int64) { p.Varint(v) }))
	}
	for _, c := range []struct{ v, lo, hi int }{{7, 7, 7}, {-1, -1, 1}, {1, -1, 1}, {128, 1, 128}, {250, 0, 250}} {
		add(vectorOf(code("ranged", c.lo, c.hi), 1, c.v, func(p *bits.Packer, v *int) { p.Ranged(v, c.lo, c.hi) }))
	}
	for _, v := range []float64{0, 1, -0.1, 5e-324, math.MaxFloat64} {
		add(vectorOf("float64", 2, v, (*bits.Packer).Float64))
	}
	add(vectorOf("vec64", 0, [3]float64{1, -2.5, 0.1}, func(p *bits.Packer, v *[3]float64) {
		g := geom.V(v[0], v[1], v[2])
		p.Vec64(&g)
		*v = [3]float64{g.X, g.Y, g.Z}
	}))
	for _, v := range []float64{0, math.Pi, -math.Pi, 1, -3, 7, 0.00004793, -0.00004793, 100} {
		add(vectorOf("angle16", 0, v, (*bits.Packer).Angle16))
	}
	for _, v := range []float64{0, math.Pi, 1, -1, 6.27} {
		add(vectorOf("angle8", 0, v, (*bits.Packer).Angle8))
	}
	for _, c := range []struct{ v, lo, hi, step float64 }{
		{0, 0, 4096, 1. / 64}, {12.3456, 0, 4096, 1. / 64}, {5000, 0, 4096, 1. / 64}, {-1, 0, 1000, 0.1}, {0.05, 0, 1000, 0.1}, {0.15, 0, 1000, 0.1}, {-0.5, -1, 1, 0.25},
	} {
		add(vectorOf(code("grid", c.lo, c.hi, c.step), 0, c.v, func(p *bits.Packer, v *float64) { p.Grid(v, c.lo, c.hi, c.step) }))
	}
	for _, c := range []struct {
		v     [3]float64
		scale float64
	}{{[3]float64{}, 1024}, {[3]float64{1. / 1024, 0, -1. / 1024}, 1024}, {[3]float64{6.1, 1.8, -4}, 64}, {[3]float64{0.5 / 64, -0.5 / 64, 1.5 / 64}, 64}, {[3]float64{1e7, -1e7, 0}, 1024}} {
		add(vectorOf(code("vec", c.scale), 4, c.v, func(p *bits.Packer, v *[3]float64) {
			g := geom.V(v[0], v[1], v[2])
			p.Vec(&g, c.scale)
			*v = [3]float64{g.X, g.Y, g.Z}
		}))
	}
	for i, v := range []string{"", "hi", "Ωmega"} {
		add(vectorOf(code("blob", 200), 3*i, v, func(p *bits.Packer, v *string) {
			b := []byte(*v)
			p.Blob(&b, 200)
			*v = string(b)
		}))
	}
	return append(list, unwritten()...)
}

// code writes a code and its parameters.
func code(name string, params ...any) string {
	b, _ := json.Marshal(params)
	return name + "(" + string(b[1:len(b)-1]) + ")"
}

// unwritten are bytes that no writer writes and every reader must refuse.
func unwritten() []Primitive {
	bad := func(code string, b Hex, pack func(p *bits.Packer)) Primitive {
		return Primitive{Code: code, Bytes: b, pack: pack}
	}
	var (
		n  int
		u  uint64
		f  float64
		v  geom.Vec3
		by []byte
	)
	return []Primitive{
		bad("uvarint", Hex{0x01, 0x00}, func(p *bits.Packer) { p.Uvarint(&u) }),
		bad("ranged(0,2)", Hex{0x03}, func(p *bits.Packer) { p.Ranged(&n, 0, 2) }),
		bad("float64", Hex{0, 0, 0, 0, 0, 0, 0, 0x80}, func(p *bits.Packer) { p.Float64(&f) }),
		bad("float64", Hex{0, 0, 0, 0, 0, 0, 0xf0, 0x7f}, func(p *bits.Packer) { p.Float64(&f) }),
		bad("float64", Hex{0, 0, 0, 0, 0, 0, 0xf8, 0x7f}, func(p *bits.Packer) { p.Float64(&f) }),
		bad("grid(-1,1,0.25)", Hex{0x09}, func(p *bits.Packer) { p.Grid(&f, -1, 1, 0.25) }),
		bad("vec(64)", Hex{0x1e, 0, 0, 0}, func(p *bits.Packer) { p.Vec(&v, 64) }),
		bad("vec(64)", Hex{0x01, 0x92, 0x00}, func(p *bits.Packer) { p.Vec(&v, 64) }),
		bad("blob(200)", Hex{0x02, 0x41}, func(p *bits.Packer) { p.Blob(&by, 200) }),
		bad("blob(200)", Hex{0xc9, 0x00}, func(p *bits.Packer) { p.Blob(&by, 200) }),
		bad("bool blob(200)", Hex{0x01, 0x02}, func(p *bits.Packer) { ones(p, 1); p.Blob(&by, 200) }),
		bad("uint(3)", Hex{0x0d}, func(p *bits.Packer) { p.Uint(&u, 3) }),
		bad("uint(3)", Hex{0x05, 0x00}, func(p *bits.Packer) { p.Uint(&u, 3) }),
	}
}

// Each primitive code gives the bytes of the file and reads back what it says (GAP-02:
// halves go up, on both ends).
func TestPrimitives(t *testing.T) {
	list := primitives()
	for i := range list {
		v := &list[i]
		if v.again == nil {
			v.refuse(t)
		} else {
			v.fill(t)
		}
	}
	compare(t, "primitives.jsonl", list)
}

// fill writes the value and reads it again.
func (v *Primitive) fill(t *testing.T) {
	var p bits.Packer
	p.Write(make([]byte, 300))
	ones(&p, v.After)
	v.pack(&p)
	v.Bits, v.Bytes = p.Bits()-v.After, bytes.Clone(p.Bytes())
	p.Read(v.Bytes)
	ones(&p, v.After)
	v.pack(&p)
	if p.End(); p.Err() != nil {
		t.Errorf("%s of %v: got %v", v.Code, v.Value, p.Err())
	}
	if got := v.again(); got != v.Value {
		v.Read = got
	}
}

// refuse reads bytes that no writer writes.
func (v *Primitive) refuse(t *testing.T) {
	var p bits.Packer
	p.Read(v.Bytes)
	v.pack(&p)
	p.End()
	for err, name := range map[error]string{bits.ErrShort: "short", bits.ErrRange: "range", bits.ErrNotFinite: "not finite", bits.ErrLong: "long"} {
		if errors.Is(p.Err(), err) {
			v.Error = name
		}
	}
	if v.Error == "" {
		t.Errorf("%s reads %x without an error", v.Code, v.Bytes)
	}
}

// ones packs n bits that are set.
func ones(p *bits.Packer, n int) {
	for range n {
		yes := true
		p.Bool(&yes)
	}
}
