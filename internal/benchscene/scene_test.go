package benchscene

import (
	"math"
	"testing"

	"github.com/backstep-net/backstep/geom"
)

// The geometry is that of the published figures, bit for bit.
func TestScenesAreThePublishedOnes(t *testing.T) {
	for _, c := range []struct {
		scene Scene
		want  uint64
	}{{A, 0xbd80029e90c7ecf3}, {B, 0x3f7bc94cc0459cbc}, {D, 0x32c94e2bdbcaa737}} {
		if got := hash(c.scene); got != c.want {
			t.Errorf("scene %s: hash %016x, want %016x", c.scene.Name, got, c.want)
		}
	}
}

// hash is FNV-1a over the vertices and boxes as float32 and int32, little endian, from the
// offset basis that the published hashes were made with.
func hash(s Scene) uint64 {
	h := uint64(1469598103934665603)
	word := func(w uint32) {
		for range 4 {
			h = (h ^ uint64(w&255)) * 1099511628211
			w >>= 8
		}
	}
	vector := func(v geom.Vec3) {
		word(math.Float32bits(float32(v.X)))
		word(math.Float32bits(float32(v.Y)))
		word(math.Float32bits(float32(v.Z)))
	}
	if s.Cells > 0 {
		v, _ := s.Terrain()
		for _, p := range v {
			vector(p)
		}
	}
	for _, b := range s.Strewn() {
		vector(b.Half)
		vector(b.Centre)
		word(uint32(int32(b.Yaw)))
	}
	return h
}
