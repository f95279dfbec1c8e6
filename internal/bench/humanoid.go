package bench

import (
	"sync"

	"github.com/backstep-net/backstep/examples/arena/assets/figure"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/track"
)

// humanoids gives every character the arena's character model, of 19 hitboxes and a shield that is never raised: a
// rewind.HitboxProvider.
type humanoids struct{ *rig.Rig }

var _ rewind.HitboxProvider = humanoids{}

// humanoid returns the figure. The file is embedded: a broken one is a bug.
var humanoid = sync.OnceValue(func() humanoids {
	r, err := rig.Unpack(figure.Humanoid)
	if err != nil {
		panic("bench: figure.Humanoid: " + err.Error())
	}
	return humanoids{r}
})

// Hitboxes implements rewind.HitboxProvider.
func (h humanoids) Hitboxes(s *track.Sample, _ *rig.Posture) *rig.Rig {
	if s.Kind != 0 {
		return nil
	}
	return h.Rig
}

// MaxBounds implements rewind.HitboxProvider: the rig's own bounds.
func (h humanoids) MaxBounds() (side, top float64) {
	height, radius := h.Bounds()
	return radius, height + radius
}
