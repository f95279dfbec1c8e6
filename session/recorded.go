package session

import "github.com/backstep-net/backstep/track"

// FullSnapshot returns the record of the last tick: everything there is, whoever was told of
// it, each at its own stamp. Nil before the first tick. It is good until the next, and
// not to be changed.
func (s *Server[S, C]) FullSnapshot() *track.Snapshot { return s.history.Snapshots.Snapshot(s.tick) }

// Format sums up how the game's commands and states travel: two ends that differ in it
// cannot read each other (GAP-04).
func (s *Server[S, C]) Format() uint32 { return s.format }
