package collide

// BodySet is a set of a World's moving bodies. The zero BodySet is empty; sets are
// compared with == and copied with =.
type BodySet struct {
	bits [(MaxBodies + 64) / 64]uint64
}

// Add puts a body into the set. Static, obstacles and ids beyond MaxBodies are not
// taken.
func (s *BodySet) Add(id BodyID) {
	if id != Static && id <= MaxBodies {
		s.bits[id/64] |= 1 << (id % 64)
	}
}

// Remove takes a body out of the set.
func (s *BodySet) Remove(id BodyID) {
	if id <= MaxBodies {
		s.bits[id/64] &^= 1 << (id % 64)
	}
}

// Has reports whether the body is in the set.
func (s *BodySet) Has(id BodyID) bool {
	return id <= MaxBodies && s.bits[id/64]>>(id%64)&1 != 0
}

// Empty reports whether there is none in it.
func (s *BodySet) Empty() bool { return *s == BodySet{} }

// excludes reports whether the body is one that the View goes without.
func (v *WorldAt) excludes(id BodyID) bool { return v.Exclude != nil && v.Exclude.Has(id) }
