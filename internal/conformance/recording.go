package conformance

import (
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/geom"
)

// Line is one field of a message: where it lies and what it says.
type Line struct {
	From, Bits int
	Name       string
	Value      string
}

// Tape packs a message in either direction and notes each field as it goes by.
type Tape struct {
	bits.Packer
	Lines []Line
}

// note adds the line of a field that began at bit from.
func (t *Tape) note(from int, name string, value any) {
	if t.Err() == nil && name != "" {
		t.Lines = append(t.Lines, Line{from, t.Bits() - from, name, fmt.Sprint(value)})
	}
}

// integer is any of the types a field may have.
type integer interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// number packs n bits.
func number[T integer](t *Tape, name string, v *T, n int) {
	from, u := t.Bits(), uint64(*v)
	t.Uint(&u, n)
	*v = T(u)
	t.note(from, name, *v)
}

// signed packs n bits of two's complement.
func signed[T integer](t *Tape, name string, v *T, n int) {
	from, u := t.Bits(), uint64(int64(*v))&(1<<n-1)
	t.Uint(&u, n)
	*v = T(int64(u<<(64-n)) >> (64 - n))
	t.note(from, name, *v)
}

// ranged packs lo … hi.
func ranged[T integer](t *Tape, name string, v *T, lo, hi int) {
	from, n := t.Bits(), int(*v)
	t.Ranged(&n, lo, hi)
	*v = T(n)
	t.note(from, name, *v)
}

// uvarint packs a small number.
func uvarint[T integer](t *Tape, name string, v *T) {
	from, u := t.Bits(), uint64(*v)
	t.Uvarint(&u)
	*v = T(u)
	t.note(from, name, *v)
}

// varint packs a small number of either sign.
func varint[T integer](t *Tape, name string, v *T) {
	from, n := t.Bits(), int64(*v)
	t.Varint(&n)
	*v = T(n)
	t.note(from, name, *v)
}

// flag packs one bit and returns it.
func (t *Tape) flag(name string, v bool) bool {
	from := t.Bits()
	t.Bool(&v)
	t.note(from, name, map[bool]int{false: 0, true: 1}[v])
	return v
}

// Grid is a vector in units of a grid.
type Grid [3]int64

// vec packs a vector of scale units a metre.
func (t *Tape) vec(name string, g *Grid, scale float64) {
	from := t.Bits()
	v := geom.V(float64(g[0])/scale, float64(g[1])/scale, float64(g[2])/scale)
	t.Vec(&v, scale)
	*g = Grid{int64(v.X * scale), int64(v.Y * scale), int64(v.Z * scale)}
	t.note(from, name, fmt.Sprintf("%d %d %d /%v", g[0], g[1], g[2], scale))
}

// text packs a string of at most max bytes.
func (t *Tape) text(name string, s *string, max int) {
	from, b := t.Bits(), []byte(*s)
	t.Blob(&b, max)
	*s = string(b)
	t.note(from, name, fmt.Sprintf("%q", *s))
}

// Hex is bytes that stand in JSON as hexadecimal digits.
type Hex []byte

// MarshalText implements encoding.TextMarshaler.
func (h Hex) MarshalText() ([]byte, error) { return []byte(hex.EncodeToString(h)), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (h *Hex) UnmarshalText(b []byte) (err error) {
	*h, err = hex.DecodeString(string(b))
	return err
}

// blob packs at most max bytes.
func (t *Tape) blob(name string, v *Hex, max int) {
	from, b := t.Bits(), []byte(*v)
	t.Blob(&b, max)
	*v = append(Hex{}, b...)
	t.note(from, name, fmt.Sprintf("%d bytes %x", len(b), b))
}

// octets packs n bytes, not aligned.
func (t *Tape) octets(name string, v *Hex, n int) {
	from := t.Bits()
	*v = append(*v, make(Hex, max(0, n-len(*v)))...)
	for i := range n {
		t.Byte(&(*v)[i])
	}
	t.note(from, name, hex.EncodeToString(*v))
}

// Trace returns the fields of a message, a line each: first bit, bits, name, value.
func Trace(lines []Line) string {
	var s strings.Builder
	for i := 0; i < len(lines); i++ {
		l := lines[i]
		for ; i+1 < len(lines) && lines[i+1].Name == l.Name; i++ { // a list
			l.Bits += lines[i+1].Bits
			l.Value += ", " + lines[i+1].Value
		}
		fmt.Fprintf(&s, "%5d %4d  %-26s %s\n", l.From, l.Bits, l.Name, l.Value)
	}
	return s.String()
}
