package field

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/internal/fuzz/structured"
)

// decoder reads the fields of a datagram. What was read is written again by the entries it has.
func decoder() structured.Decoder {
	table, c := NewTable(specs), Cursor{}
	table.SetText(2, 4, "Ada", 5)
	table.SetNumber(1, score, 77, 6)
	table.SetNumber(3, 5, -1<<40, 7)
	table.Update(&c, 1)
	var p, w bits.Packer
	p.Write(make([]byte, 256))
	table.Pack(&p, &c, 1, 8, 1<<10)
	m, out := NewMirror(specs), make([]byte, 1<<16)
	return structured.Decoder{
		Name: "session/field.Mirror", Target: "FuzzFields", Seeds: [][]byte{bytes.Clone(p.Bytes()), {0}},
		Read: m.Read,
		Decode: func(b []byte) (bool, error) {
			p.Read(b)
			m.Read(&p)
			if p.End(); p.Err() != nil {
				return false, nil
			}
			w.Write(out)
			more := true
			for i := range m.read {
				w.Bool(&more)
				m.read[i].pack(&w, specs)
			}
			more = false
			if w.Bool(&more); !bytes.Equal(w.Bytes(), b) {
				return true, fmt.Errorf("read %x, wrote %x (%v)", b, w.Bytes(), w.Err())
			}
			return true, nil
		},
	}
}

// Inputs that know the format find no fields that panic or are accepted in two forms. [THR-13, THR-14]
func TestStructuredInputs(t *testing.T) { structured.Run(t, decoder()) }

// FuzzFields: any bytes are fields or an error. [THR-13]
func FuzzFields(f *testing.F) { structured.Fuzz(f, decoder()) }
