package damage

import (
	"math"

	"github.com/backstep-net/backstep/rig"
)

// Rules are the damage rules of a match, as plain data.
type Rules struct {
	// Health is the health at the start of a life, and the most that healing restores, in
	// points. Zero means 100.
	Health uint16
	// Armour is the most armour that a character can have, in points. Zero means 100.
	Armour uint16
	// Friendly is the share of its damage that a hit does to others of the same team, 0 … 1.
	// Zero is no friendly fire.
	Friendly float64
	// Self is the share of its damage that a hit does to its attacker, 0 … 1, in addition to
	// the weapon's share (shot.Blast.Self). Zero is no self-damage (HIT-09, GAP-49).
	Self float64
	// Plates is the protection of armour by the hit group that was hit. For a shot that
	// hit several hitboxes of a target it is that of the hitbox that counted most. Plates[rig.NoHitGroup]
	// is for hits without a hitbox: falls, water, blasts that name none.
	Plates [rig.HitGroups]ArmourPlate
}

// ArmourPlate is the protection of armour for one hit group. The zero ArmourPlate absorbs nothing.
type ArmourPlate struct {
	// Share is the share of the damage that armour absorbs while there is any, 0 … 1.
	Share float64
	// Wear is the points of armour that each absorbed point of damage costs, 0 … 1000. Zero
	// never wears. Armour with fewer points left than that absorbs as much less.
	Wear float64
}

// maxWear bounds ArmourPlate.Wear.
const maxWear = 1000

// filled returns r with its zeros replaced. It panics on a share or wear out of range.
func (r Rules) filled() Rules {
	if r.Health == 0 {
		r.Health = 100
	}
	if r.Armour == 0 {
		r.Armour = 100
	}
	if !within(r.Friendly, 1) || !within(r.Self, 1) {
		panic("damage: Rules.Friendly and Self must be 0 … 1")
	}
	for _, p := range r.Plates {
		if !within(p.Share, 1) || !within(p.Wear, maxWear) {
			panic("damage: an ArmourPlate needs a Share of 0 … 1 and a Wear of 0 … 1000")
		}
	}
	return r
}

// within reports whether v is 0 … most. NaN is not.
func within(v, most float64) bool { return v >= 0 && v <= most }

// portion returns a share of n points, rounded half up.
func portion(n uint16, share float64) uint16 {
	return uint16(math.Floor(float64(float64(n)*share) + 0.5))
}

// absorb returns how many points of damage a plate takes from a hit on so much armour, and how
// many points of armour that costs.
func (p ArmourPlate) absorb(damage, armour uint16) (taken, worn uint16) {
	if armour == 0 {
		return 0, 0
	}
	taken = portion(damage, p.Share)
	if p.Wear == 0 {
		return taken, 0
	}
	if most := math.Floor(float64(armour) / p.Wear); float64(taken) > most {
		return uint16(most), armour // the last points of armour
	}
	return taken, min(uint16(math.Ceil(float64(float64(taken)*p.Wear))), armour)
}
