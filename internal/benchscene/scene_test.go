package benchscene

import "testing"

// The geometry is that of the published figures, bit for bit.
func TestScenesAreThePublishedOnes(t *testing.T) {
	for _, c := range []struct {
		scene Scene
		want  uint64
	}{{A, 0xbd80029e90c7ecf3}, {B, 0x3f7bc94cc0459cbc}, {D, 0x32c94e2bdbcaa737}} {
		if got := c.scene.Hash(); got != c.want {
			t.Errorf("scene %s: hash %016x, want %016x", c.scene.Name, got, c.want)
		}
	}
}
