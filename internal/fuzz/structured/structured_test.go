package structured_test

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/internal/fuzz/structured"
)

// message has fields of many widths, one of which is there only if a flag says so.
type message struct {
	kind, more, rest uint64
	some             bool
	blob             []byte
}

func (m *message) pack(p *bits.Packer) {
	p.Uint(&m.kind, 3)
	if p.Bool(&m.some); m.some {
		p.Uint(&m.more, 17)
	}
	p.Uint(&m.rest, 12)
	p.Blob(&m.blob, 9)
}

func packed(t *testing.T, m message) []byte {
	t.Helper()
	var p bits.Packer
	p.Write(make([]byte, 64))
	if m.pack(&p); p.Err() != nil {
		t.Fatal(p.Err())
	}
	return bytes.Clone(p.Bytes())
}

// The fields of a message are found by reading it cut at each bit: no list says where they are.
func TestFieldsAreFound(t *testing.T) {
	b := packed(t, message{kind: 5, some: true, more: 77, rest: 9, blob: []byte("abc")})
	got := structured.Fields(b, func(p *bits.Packer) { new(message).pack(p) })
	for _, want := range []int{0, 3, 4, 21} {
		if !slices.Contains(got, want) {
			t.Errorf("got %v, want %d among them", got, want)
		}
	}
	if slices.Contains(got, 10) || slices.Contains(got, 25) {
		t.Errorf("got %v: nothing begins in the middle of a field", got)
	}
}

// The same seed gives the same inputs; they are of all lengths, and each field gets its extreme values.
func TestMutationsAreRepeatable(t *testing.T) {
	b := packed(t, message{kind: 5, some: true, more: 77, rest: 9})
	m := structured.Message{Bytes: b, Fields: structured.Fields(b, func(p *bits.Packer) { new(message).pack(p) })}
	one, two := structured.Rand(7), structured.Rand(7)
	lengths, all, none, changed := map[int]bool{}, false, false, 0
	var into, again []byte
	for range 5000 {
		into, again = structured.Mutate(&one, into, &m, &m), structured.Mutate(&two, again, &m, &m)
		if !bytes.Equal(into, again) {
			t.Fatalf("%x and %x of one seed", into, again)
		}
		lengths[len(into)] = true
		if !bytes.Equal(into, b) {
			changed++
		}
		var p bits.Packer
		var got message
		p.Read(into)
		if got.pack(&p); p.Err() == nil && got.kind == 5 && got.some {
			all, none = all || got.more == 1<<17-1, none || got.more == 0
		}
	}
	if len(lengths) < 10 || changed < 4000 || !all || !none {
		t.Errorf("%d lengths, %d of 5000 changed, a field of ones %v and of zeros %v", len(lengths), changed, all, none)
	}
}

// A description of a decoder that accepts two forms of one message is found out. [THR-13]
func TestTwoFormsAreFound(t *testing.T) {
	loose := func(v *uint64, p *bits.Packer) {
		p.Uint(v, 7)
		spare := uint64(0) // never read
		p.Uint(&spare, 1)
	}
	d := structured.Packed("loose", "", loose, nil, nil, 5)
	if ok, err := d.Decode([]byte{5}); !ok || err != nil {
		t.Errorf("the message itself: %v, %v", ok, err)
	}
	if ok, err := d.Decode([]byte{5 | 1<<7}); !ok || err == nil {
		t.Errorf("another form of it: %v, %v", ok, err)
	}
	checked := structured.Packed("checked", "", (*message).pack, nil, func(m *message) error {
		if m.kind == 7 {
			return errors.New("no such kind")
		}
		return nil
	}, message{})
	if _, err := checked.Decode(packed(t, message{kind: 7})); err == nil {
		t.Error("a value that the check refuses")
	}
}

// A failing input shrinks to what matters: two bytes in their order, wherever they stood. [THR-52]
func TestShrink(t *testing.T) {
	fails := func(b []byte) bool {
		i := bytes.IndexByte(b, 0xa0)
		return i >= 0 && slices.ContainsFunc(b[i+1:], func(v byte) bool { return v >= 9 })
	}
	long := make([]byte, 700)
	for i := range long {
		long[i] = byte(i * 31)
	}
	tries := 0
	got := structured.Shrink(long, 5000, func(b []byte) bool { tries++; return fails(b) })
	if !bytes.Equal(got, []byte{0xa0, 9}) {
		t.Errorf("got %x after %d tries, want a009", got, tries)
	}
	if got := structured.Shrink(long, 3, fails); !fails(got) {
		t.Errorf("with three tries: %x does not fail", got)
	}
}

// Numbers that are none are found at any depth.
func TestFinite(t *testing.T) {
	type inner struct{ list []float64 }
	for _, c := range []struct {
		v    any
		want string
	}{
		{struct{ a inner }{inner{[]float64{1, math.Inf(-1)}}}, ".a.list is -Inf"},
		{&inner{[]float64{math.NaN()}}, ".list is NaN"},
		{[2]float64{1, math.MaxFloat64}, ""},
		{(*inner)(nil), ""},
	} {
		got := ""
		if err := structured.Finite(c.v); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%+v: got %q, want %q", c.v, got, c.want)
		}
	}
}
