package body

// SavedState is the state of a World. After Restore the World continues as it would have from Save. The
// zero SavedState is empty; what Save fills it with is a copy.
type SavedState struct {
	bodies []Body
	used   []bool
	kept   []cachedImpulse
}

// Save copies the state into s, and reuses its memory. The level's movers are no state: they
// follow from the time that Step is given.
func (w *World) Save(s *SavedState) {
	s.bodies = append(s.bodies[:0], w.bodies...)
	s.used = append(s.used[:0], w.used...)
	s.kept = append(s.kept[:0], w.cachedImpulses...)
}

// Restore sets the state to one that a World of the same level and Config saved. Bodies keep their IDs;
// those added since are gone.
func (w *World) Restore(s *SavedState) {
	w.bodies = append(w.bodies[:0], s.bodies...)
	w.used = append(w.used[:0], s.used...)
	w.cachedImpulses = append(w.cachedImpulses[:0], s.kept...)
	// Everything else in a World follows from these three.
	w.sleepersValid = false
	for i, used := range w.used {
		if used {
			w.load(i)
		}
	}
}
