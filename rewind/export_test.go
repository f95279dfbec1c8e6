package rewind

// Lazy reports whether the scene is a view's of which only candidates are rebuilt, and Rebuilt
// how many were so far.
func (s *Scene) Lazy() bool   { return s.source.history != nil }
func (s *Scene) Rebuilt() int { return len(s.targets) }
