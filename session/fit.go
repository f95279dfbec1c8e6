package session

import "github.com/backstep-net/backstep/track"

// SampleSource says how the last Frame found where it shows somebody: between two samples, or past
// the last one.
func (s *screen) SampleSource(id track.ID) track.SampleSource {
	if s.others == nil {
		return track.Missing
	}
	_, fit := s.others.At(id, s.drawn, s.scene.World)
	return fit
}
