package rewind

import (
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/track"
)

// HitKind is the kind of thing a shot hit.
type HitKind uint8

// The kinds. Nothing is a shot that hit nothing within reach. Player is any entity with
// hitboxes, also one that is no player.
const (
	Nothing HitKind = iota
	World
	Player
)

// String returns "nothing", "world" or "player".
func (k HitKind) String() string {
	names := [...]string{"nothing", "world", "player"}
	if int(k) < len(names) {
		return names[k]
	}
	return "unknown kind"
}

// HitTarget is what a shot hit, without the place: what a client claims to have seen, and what the
// verdict is compared with.
type HitTarget struct {
	Kind   HitKind  // unless it is Player, the other fields are zero
	Target track.ID // the entity that was hit
	// Hitbox is the number in the rig, HitGroup its damage class. Several hitboxes can share a group, such as both arms,
	// so a claim has both.
	Hitbox   rig.HitboxID
	HitGroup rig.HitGroup
}

// Normalize returns m without the fields that its Kind does not have.
func (m HitTarget) Normalize() HitTarget {
	if m.Kind != Player {
		return HitTarget{Kind: m.Kind}
	}
	return m
}

// Outcome is what a shot hit and where.
type Outcome struct {
	HitTarget
	// Life is that of the target as it was hit, to distinguish it from the present one [GAP-50].
	Life uint8
	// Distance is from the shot's origin in metres; if nothing was hit, the reach.
	Distance float64
	// Point is where the shot ended.
	Point geom.Vec3
}

// Policy says which hitbox counts if a shot hits several of one target [GAP-53].
type Policy uint8

// The policies.
const (
	// NearestHitbox is the one that is hit first.
	NearestHitbox Policy = iota
	// HeadFirst is the head, if it is hit anywhere on the way before the world [HIT-06].
	HeadFirst
)
