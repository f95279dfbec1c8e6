package collide

// MoverSet is a set of movers of a World. The zero MoverSet is empty; sets are
// compared with == and copied with =.
type MoverSet struct {
	// An array and no map: a set is part of what a command is simulated with, so it must be
	// compared and copied without allocating.
	bits [(MaxMovers + 64) / 64]uint64
}

// Add adds a mover to the set. Static, obstacles and ids beyond MaxMovers are ignored.
//
// The bound is checked because obstacles have ids beyond the last word.
func (s *MoverSet) Add(id MoverID) {
	if id != Static && id <= MaxMovers {
		s.bits[id/64] |= 1 << (id % 64)
	}
}

// Remove removes a mover from the set.
func (s *MoverSet) Remove(id MoverID) {
	if id <= MaxMovers {
		s.bits[id/64] &^= 1 << (id % 64)
	}
}

// Has reports whether the mover is in the set.
func (s *MoverSet) Has(id MoverID) bool {
	return id <= MaxMovers && s.bits[id/64]>>(id%64)&1 != 0
}

// Empty reports whether the set is empty.
func (s *MoverSet) Empty() bool { return *s == MoverSet{} }

// excludes reports whether the mover is in v.Exclude.
func (v *WorldAt) excludes(id MoverID) bool { return v.Exclude != nil && v.Exclude.Has(id) }
