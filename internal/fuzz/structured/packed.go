package structured

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/backstep-net/backstep/bits"
)

// Packed describes the decoder of a message that one method packs and unpacks: reset makes the
// value that is read into, and check, if not nil, says what is wrong with a value that was read.
// What is accepted has to be written as the same bytes.
func Packed[T any](name, target string, pack func(*T, *bits.Packer), reset func(*T), check func(*T) error, seeds ...T) Decoder {
	if reset == nil {
		reset = func(v *T) { var zero T; *v = zero }
	}
	var into T
	var p bits.Packer
	out := make([]byte, 1<<16)
	d := Decoder{Name: name, Target: target, Read: func(p *bits.Packer) { reset(&into); pack(&into, p) }}
	d.Decode = func(b []byte) (bool, error) {
		reset(&into)
		p.Read(b)
		pack(&into, &p)
		if p.End(); p.Err() != nil {
			return false, nil
		}
		if check != nil {
			if err := check(&into); err != nil {
				return true, err
			}
		}
		p.Write(out)
		if pack(&into, &p); p.Err() != nil || !bytes.Equal(p.Bytes(), b) {
			return true, fmt.Errorf("read %x, wrote %x (%v)", b, p.Bytes(), p.Err())
		}
		return true, nil
	}
	for i := range seeds {
		p.Write(out)
		if pack(&seeds[i], &p); p.Err() != nil {
			panic("structured: a seed of " + name + " cannot be packed: " + p.Err().Error())
		}
		d.Seeds = append(d.Seeds, bytes.Clone(p.Bytes()))
	}
	return d
}

// Fuzz makes a fuzz target of a description: the seeds, and the decoder with its properties.
func Fuzz(f *testing.F, d Decoder) {
	for _, b := range d.Seeds {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if _, err := d.Decode(b); err != nil {
			t.Fatal(err)
		}
	})
}
