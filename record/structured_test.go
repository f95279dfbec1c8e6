package record_test

import (
	"bytes"
	"testing"

	"github.com/backstep-net/backstep/internal/fuzz/structured"
	"github.com/backstep-net/backstep/record"
)

// Inputs that know the format find no recording that panics or takes more memory than a chunk may hold. What
// is changed is the content of a chunk, behind a sum that is right. [THR-17, THR-14]
func TestStructuredInputs(t *testing.T) {
	begun := record.Begun([]byte(tinyHead), tiny())
	structured.Run(t, structured.Decoder{
		Name: "record.Read", Target: "", Slow: 100, MaxBytes: 4 << 20, PerByte: 1 << 10,
		Seeds: [][]byte{
			{1, 1, 0, 0, 3, 9, 9, 9, 3, 200, 200, 2, 6, 1, 2, 3, 4, 5, 6, 7, 8},
			{5, 7, 1, 1, 5, 6, 2, 4, 6, 8, 0, 3, 1, 3, 1, 'a', 4, 1, 1, 1, 'b', 1, 1, 5, 1, 0}, {1, 8, 0, 0}},
		Decode: func(b []byte) (bool, error) {
			kind := uint8(3 + len(b)%3)
			file := record.Chunk(bytes.Clone(begun), kind, uint32(len(b)), 1, 600, record.Packed(b))
			r, err := record.Read(bytes.NewReader(file), int64(len(file)))
			if err != nil {
				return false, nil
			}
			defer r.Close()
			walk(r)
			return true, nil
		},
	})
}
