package benchscene

import (
	"fmt"
	"testing"
)

// The geometry is that of the published figures, bit for bit.
func TestScenesAreThePublishedOnes(t *testing.T) {
	for _, s := range Measured {
		if got := fmt.Sprintf("%016x", s.Hash()); got != s.Published {
			t.Errorf("scene %s: hash %s, want %s", s.Name, got, s.Published)
		}
	}
}
