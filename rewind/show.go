package rewind

import (
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/track"
)

// past is where a server's scene comes from; the zero past is nowhere.
type past struct {
	history *History
	picture track.Picture
	view    track.View
	except  track.ID
}

// Show makes the scene that of a view of a client who was told so much (nil: everything),
// in the world w (nil: none): the same, bit for bit, as if the client had shown it what it
// drew, without the shooter except (GAP-44, GAP-49). ErrForgotten is as with View; the
// scene is then an empty one. Neither w nor the history may change until the next Show.
func (h *History) Show(s *Scene, v track.View, told *track.Told, w *collide.World, except track.ID) error {
	s.past = past{}
	list, err := h.View(v, told, w, except, s.rebuilt[:0])
	s.rebuilt = list
	s.Show(collide.View{World: w, At: v.Platform}, list)
	return err
}

// rebuild returns the index of a target that was not rebuilt so far, −1 for none.
func (s *Scene) rebuild(track.ID) int { return -1 }

// candidates returns who may be met.
func (s *Scene) candidates(*question) []int32 { return nil }
