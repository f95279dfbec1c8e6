package collide

import (
	"bytes"
	"errors"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/internal/fuzz/structured"
)

// triggers is the log of one mover.
func triggers() structured.Decoder {
	pack := func(l *TriggerLog, p *bits.Packer) { l.Pack(p, 61*clock.Second) }
	moved := TriggerLog{Start: Motion{Waypoint: 2, At: 55 * clock.Second, Progress: clock.Second}}
	return structured.Packed("collide.TriggerLog", "FuzzTriggers", pack, nil, nil, TriggerLog{}, moved)
}

// world is a level, which a client gets as a file: reading it allocates the level.
func world(f testing.TB) structured.Decoder {
	var b Builder
	b.Ramp(geom.V(0, 0, 0), 1, 2, 3, 0.5, Surface{Walk: Always})
	w, err := b.Bake()
	if err != nil {
		f.Fatal(err)
	}
	return structured.Decoder{
		Name: "collide.World", Target: "FuzzUnpack", Slow: 20, MaxBytes: 1 << 20, PerByte: 1 << 12,
		Seeds: [][]byte{w.AppendBinary(nil), smallWorld(f).AppendBinary(nil)},
		Decode: func(b []byte) (bool, error) {
			w, err := Unpack(b)
			if err == nil && !bytes.Equal(w.AppendBinary(nil), b) {
				return true, errors.New("a world has two packed forms")
			}
			return err == nil, nil
		},
	}
}

// Inputs that know the format find no log and no world that panics or is accepted in two forms; logs
// allocate nothing, and worlds no more than their bytes account for. [THR-13, THR-14]
func TestStructuredInputs(t *testing.T) { structured.Run(t, triggers(), world(t)) }

// FuzzTriggers: any bytes are a log of triggers or an error. [THR-13]
func FuzzTriggers(f *testing.F) { structured.Fuzz(f, triggers()) }
