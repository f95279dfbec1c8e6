package rig_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/backstep-net/backstep/internal/fuzz/structured"
	"github.com/backstep-net/backstep/rig"
)

// Inputs that know the format find no rig that panics, is accepted in two forms, or allocates more than
// its bytes account for. [THR-13, THR-14]
func TestStructuredInputs(t *testing.T) {
	r, err := stick().Bake()
	if err != nil {
		t.Fatal(err)
	}
	structured.Run(t, structured.Decoder{
		Name: "rig.Rig", Target: "FuzzUnpack", Slow: 20, MaxBytes: 1 << 20, PerByte: 1 << 10,
		Seeds: [][]byte{r.Append(nil)},
		Decode: func(b []byte) (bool, error) {
			r, err := rig.Unpack(b)
			if err == nil && !bytes.Equal(r.Append(nil), b) {
				return true, errors.New("packed again it is other bytes")
			}
			return err == nil, nil
		},
	})
}
