package damage

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/backstep-net/backstep/bits"
)

func packed(v Vitals) []byte {
	var p bits.Packer
	p.Write(make([]byte, 16))
	v.Pack(&p)
	return slices.Clone(p.Bytes())
}

// Vitals travel without loss, in 6 bytes.
func TestVitalsPack(t *testing.T) {
	const seed = 3
	r := rand.New(rand.NewPCG(seed, 0))
	for range 10000 {
		want := Vitals{uint16(r.Uint32()), uint16(r.Uint32()), Team(r.Uint32()), uint8(r.Uint32())}
		var p bits.Packer
		var got Vitals
		p.Read(packed(want))
		got.Pack(&p)
		if p.End(); p.Err() != nil || got != want {
			t.Fatalf("seed %d: %+v became %+v (%v)", seed, want, got, p.Err())
		}
	}
	if b := packed(Vitals{100, 55, 1, 9}); !bytes.Equal(b, []byte{100, 0, 55, 0, 1, 9}) {
		t.Errorf("%x, want 640037000109", b)
	}
}

// FuzzVitals: any bytes are vitals or an error, and what was read is written again.
func FuzzVitals(f *testing.F) { // THR-13
	f.Add(packed(Vitals{100, 1000, 1, 9}))
	f.Add([]byte{255, 255, 255, 255, 255})
	f.Fuzz(func(t *testing.T, b []byte) {
		var p bits.Packer
		var v Vitals
		p.Read(b)
		v.Pack(&p)
		if p.End(); p.Err() == nil && !bytes.Equal(packed(v), b) {
			t.Fatalf("read %x, wrote %x", b, packed(v))
		}
	})
}
