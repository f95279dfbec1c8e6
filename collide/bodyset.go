package collide

// BodySet is a set of moving bodies of a World. The zero BodySet is empty; sets are
// compared with == and copied with =.
type BodySet struct {
	// An array and no map: a set is part of what a command is simulated with, so it must be
	// compared and copied without allocating.
	bits [(MaxBodies + 64) / 64]uint64
}

// Add adds a body to the set. Static, obstacles and ids beyond MaxBodies are ignored.
//
// The bound is checked because obstacles have ids beyond the last word.
func (s *BodySet) Add(id BodyID) {
	if id != Static && id <= MaxBodies {
		s.bits[id/64] |= 1 << (id % 64)
	}
}

// Remove removes a body from the set.
func (s *BodySet) Remove(id BodyID) {
	if id <= MaxBodies {
		s.bits[id/64] &^= 1 << (id % 64)
	}
}

// Has reports whether the body is in the set.
func (s *BodySet) Has(id BodyID) bool {
	return id <= MaxBodies && s.bits[id/64]>>(id%64)&1 != 0
}

// Empty reports whether the set is empty.
func (s *BodySet) Empty() bool { return *s == BodySet{} }

// excludes reports whether the body is in v.Exclude.
func (v *WorldAt) excludes(id BodyID) bool { return v.Exclude != nil && v.Exclude.Has(id) }
