package record_test

import (
	"bytes"
	"testing"

	"github.com/backstep-net/backstep/record"
)

// THR-17: whatever the bytes are, reading ends with an error or does not,
// and never with a panic. What is in a chunk is fuzzed behind a good checksum.
func FuzzRead(f *testing.F) {
	world := tiny()
	begun := record.Begun([]byte(tinyHead), world)
	f.Add(uint8(0), begun)
	f.Add(uint8(3), []byte{1, 1, 0, 0, 3, 9, 9, 9, 3, 200, 200, 2, 6, 1, 2, 3, 4, 5, 6, 7, 8})
	f.Add(uint8(4), []byte{5, 7, 1, 1, 5, 6, 2, 4, 6, 8, 0, 3, 1, 3, 1, 'a', 4, 1, 1, 1, 'b', 1, 1, 5, 1, 0})
	f.Add(uint8(5), []byte{1, 8, 0, 0})
	f.Fuzz(func(t *testing.T, kind uint8, b []byte) {
		if kind != 0 {
			b = record.Chunk(bytes.Clone(begun), kind, uint32(len(b)), 1, 600, record.Packed(b))
		}
		r, err := record.Read(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			return
		}
		defer r.Close()
		walk(r)
	})
}
