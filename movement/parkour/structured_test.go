package parkour_test

import (
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/internal/fuzz/structured"
	"github.com/backstep-net/backstep/movement/parkour"
)

func decoder() structured.Decoder {
	return structured.Packed("movement/parkour.State", "FuzzPack", (*parkour.State).Pack, nil, nil,
		parkour.State{}, parkour.State{Sliding: true, SlideCooldown: clock.Second}, parkour.State{Wall: geom.V(.6, 0, -.8)},
		parkour.State{Ledge: parkour.Ledge{Mover: 3, From: geom.V(1, 2, 3), Corner: geom.V(1, 4, 3), To: geom.V(1, 4, 2), Elapsed: 5}})
}

// Inputs that know the format find no state that panics, is accepted in two forms or allocates.
// [THR-13, THR-14]
func TestStructuredInputs(t *testing.T) { structured.Run(t, decoder()) }

// FuzzPack: any bytes are a state or an error, and what was read is written as the same bytes. [THR-13]
func FuzzPack(f *testing.F) { structured.Fuzz(f, decoder()) }
