package damage

import (
	"math"

	"github.com/backstep-net/backstep/rig"
)

// Rules are a match's: data, the same for everybody.
type Rules struct {
	// Health is what a life begins with and what healing stops at; zero means 100.
	Health uint16
	// Armour is at most what somebody wears; zero means 100.
	Armour uint16
	// Friendly is the share, 0 … 1, of what a blow does that it does to another of the
	// same team; zero is no friendly fire.
	Friendly float64
	// Self is the share, 0 … 1, of what a blow does that it does to who dealt it, beside
	// what the weapon says of that (shot.Blast.Self); zero has nobody hurt himself
	// (HIT-09, GAP-49).
	Self float64
	// Plates are what armour does, by what the part that was hit counts as. Of a shot that
	// met several parts of somebody it is the part that counted most. Plates[rig.NoTag] is
	// for what hits no part: blasts that say none, falls, water.
	Plates [rig.Tags]ArmourPlate
}

// ArmourPlate is what armour does on a part of the body. The zero Plate is none: all of the
// damage passes.
type ArmourPlate struct {
	// Share of the damage that armour takes while there is any, 0 … 1.
	Share float64
	// Wear is the points of armour that a point of damage costs it; zero never wears.
	// Armour with fewer points left than that takes as much less.
	Wear float64
}

// maxWear bounds Plate.Wear.
const maxWear = 1000

// filled returns r with its zeros replaced. It panics where a share is none.
func (r Rules) filled() Rules {
	if r.Health == 0 {
		r.Health = 100
	}
	if r.Armour == 0 {
		r.Armour = 100
	}
	if !within(r.Friendly, 1) || !within(r.Self, 1) {
		panic("damage: the shares of Rules are 0 … 1")
	}
	for _, p := range r.Plates {
		if !within(p.Share, 1) || !within(p.Wear, maxWear) {
			panic("damage: a Plate has a Share of 0 … 1 and a Wear of 0 … 1000")
		}
	}
	return r
}

// within reports whether v is 0 … most, which NaN is not.
func within(v, most float64) bool { return v >= 0 && v <= most }

// portion returns a share of n points, rounded half up.
func portion(n uint16, share float64) uint16 {
	return uint16(math.Floor(float64(float64(n)*share) + 0.5))
}

// meet returns what a plate takes of so many points of damage, and what that costs the
// armour, which is worn points.
func (p ArmourPlate) meet(damage, armour uint16) (taken, worn uint16) {
	if armour == 0 {
		return 0, 0
	}
	taken = portion(damage, p.Share)
	if p.Wear == 0 {
		return taken, 0
	}
	if most := math.Floor(float64(armour) / p.Wear); float64(taken) > most {
		return uint16(most), armour // its last points go with it
	}
	return taken, min(uint16(math.Ceil(float64(float64(taken)*p.Wear))), armour)
}
