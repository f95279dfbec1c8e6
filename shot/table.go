package shot

import (
	"slices"

	"github.com/backstep-net/backstep/bits"
)

// MaxName is the longest name of a weapon, in bytes.
const MaxName = 32

// maxTable is the most bytes that a packed table takes.
const maxTable = 4096

// Append appends the packed table to b. A server sends it in its welcome, so clients have the same
// numbers and need no files. It panics if Check fails.
func (t Table) Append(b []byte) []byte {
	if err := t.Check(); err != nil {
		panic("shot: Table.Append: " + err.Error())
	}
	var p bits.Packer
	p.Write(make([]byte, maxTable))
	n := len(t)
	p.Ranged(&n, 1, MaxWeapons)
	for i := range t {
		w := t[i]
		w.Spread.Pattern = slices.Clone(w.Spread.Pattern) // packing writes to it, and matches share tables
		w.fields(&fields{packer: &p})
	}
	if err := p.Err(); err != nil {
		panic("shot: Table.Append: " + err.Error())
	}
	return append(b, p.Bytes()...)
}

// ReadTable reads a table that Append wrote. Other bytes are an error of bits or of Check.
func ReadTable(b []byte) (Table, error) {
	var p bits.Packer
	p.Read(b)
	n := 0
	p.Ranged(&n, 1, MaxWeapons)
	t := make(Table, n)
	for i := range t {
		t[i].fields(&fields{packer: &p})
	}
	if p.End(); p.Err() != nil {
		return nil, p.Err()
	}
	if err := t.Check(); err != nil {
		return nil, err
	}
	return t, nil
}

// packFloat packs a finite number without loss, in one bit where it is 0.
func packFloat(p *bits.Packer, x *float64) {
	some := *x != 0
	p.Bool(&some)
	if !some {
		*x = 0
		return
	}
	if p.Float64(x); *x == 0 {
		p.Fail(bits.ErrRange) // 0 has one encoding: the bit
	}
}

// packCount packs a number of points.
func packCount(p *bits.Packer, n *uint16) {
	v := uint64(*n)
	if p.Uvarint(&v); v > 65535 {
		p.Fail(bits.ErrRange)
		v = 0
	}
	*n = uint16(v)
}
