package rewind

import (
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/track"
)

// HitKind is the kind of thing a shot met.
type HitKind uint8

// The kinds. Nothing is a shot that met nothing within reach. Player is anybody with a
// figure, also one that nobody plays.
const (
	Nothing HitKind = iota
	World
	Player
)

// HitTarget is what a shot met, without where: as much as a client claims to have
// seen, and what verdicts are compared by. The rest is zero unless Kind is Player.
type HitTarget struct {
	Kind   HitKind
	Target track.ID
	// Part is which volume of the target's rig, and Tag what that counts as.
	Part rig.Part
	Tag  rig.Tag
}

// Normalize returns m with nothing in it that its Kind does not have.
func (m HitTarget) Normalize() HitTarget {
	if m.Kind != Player {
		return HitTarget{Kind: m.Kind}
	}
	return m
}

// Outcome is what a shot met and where.
type Outcome struct {
	HitTarget
	// Life of the target as it was hit, to tell it from what it is by now (GAP-50).
	Life uint8
	// Distance from the shot's origin in metres; where nothing was met, the
	// reach.
	Distance float64
	// Point is where the shot ended.
	Point geom.Vec3
}

// Policy says which part counts where a shot meets several of one target (GAP-53).
type Policy uint8

// The policies.
const (
	// NearestPart is the one that is met first.
	NearestPart Policy = iota
	// HeadFirst is the head, if it is met anywhere on the way before the world (HIT-06).
	HeadFirst
)
