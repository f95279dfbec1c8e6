package session

import (
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/track"
)

// Level is the world that the match is in.
func (s *Server[S, C]) Level() *collide.World { return s.config.World }

// Snapshots are the frames that the player draws from.
func (l *Local[S, C]) Snapshots() *track.SnapshotHistory { return l.others.History() }

// Snapshots are the frames that the player draws from.
func (c *Client[S, C]) Snapshots() *track.SnapshotHistory { return c.others.History() }
