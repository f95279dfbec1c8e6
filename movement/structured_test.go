package movement

import (
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/internal/fuzz/structured"
)

// Inputs that know the format find no state and no commands that panic, are accepted in two forms or
// allocate. [THR-13, THR-14]
func TestStructuredInputs(t *testing.T) {
	pair := func(c *[2]Command, p *bits.Packer) { packAll(p, c[:], Command{}) }
	var pairs [][2]Command
	for _, c := range wireCosts {
		pairs = append(pairs, [2]Command{c.before, c.after})
	}
	state := structured.Packed("movement.State", "FuzzPack", (*State).Pack, nil, nil, Spawn(geom.V(1, 2, 3), 1))
	state.Rest = "[]byte(\"\")\n"
	structured.Run(t, state, structured.Packed("movement.Command", "", pair, nil, nil, pairs...))
}
