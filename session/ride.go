package session

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/track"
)

// aloftMost is for how long at most who left a base through the air is told in its
// frame.
const aloftMost = 2 * clock.Second

// ride is the base in whose frame a player's poses are told to others: the one that
// is stood on and, in the air, the one that was left. So who jumps on a train is
// drawn above it, though trains are drawn later than people.
type ride struct {
	base  collide.BodyID
	stood clock.Micros   // platform time at which base last carried the player
	was   collide.BodyID // the base before
	since clock.Micros   // match time at which base took its place; 0: not yet
}

// follow takes in the pose after a move that ended at the platform time, and that
// others see at a match time.
func (r *ride) follow(pose *track.Sample, platform, at clock.Micros) {
	base := pose.Base
	if base != collide.Static {
		r.stood = platform
	} else if r.keeps(pose) && platform-r.stood < aloftMost {
		return
	}
	if base != r.base {
		r.was, r.since, r.base = r.base, at, base
	}
}

// keeps reports whether a pose is one in the air, above the base that was left.
func (r *ride) keeps(pose *track.Sample) bool {
	return pose.Aloft && pose.Base == collide.Static && r.base != collide.Static
}
