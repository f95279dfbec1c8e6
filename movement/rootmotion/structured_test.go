package rootmotion

import (
	"math/rand"
	"testing"

	"github.com/backstep-net/backstep/internal/fuzz/structured"
)

// Inputs that know the format find no sources of motion that panic, are accepted in two forms or
// allocate. [THR-13, THR-14]
func TestStructuredInputs(t *testing.T) {
	r := rand.New(rand.NewSource(5))
	var groups []Group
	for range 20 {
		groups = append(groups, randomGroup(r))
	}
	structured.Run(t, structured.Packed("movement/rootmotion.Group", "FuzzPack", (*Group).Pack, nil, nil, groups...))
}
