package benchscene

import (
	"math"

	"github.com/backstep-net/backstep/geom"
)

// running is FNV-1a 64.
type running uint64

func newHash() *running {
	h := running(1469598103934665603)
	return &h
}

func (h *running) word(w uint32) {
	for range 4 {
		*h = (*h ^ running(w&255)) * 1099511628211
		w >>= 8
	}
}

func (h *running) vector(v geom.Vec3) {
	h.word(math.Float32bits(float32(v.X)))
	h.word(math.Float32bits(float32(v.Y)))
	h.word(math.Float32bits(float32(v.Z)))
}
