package damage

import (
	"cmp"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// Hit is one hurt on its way to somebody.
type Hit struct {
	Attacker track.ID // who dealt it; 0 is nobody: a fall, a crusher, water
	Target   track.ID
	Life     uint8 // of Whom, that it is meant for
	Weapon   uint8 // index into the weapon table, where By is not 0
	// Shot is the number of the command that fired it, and Stage which of its receipts.
	Shot  uint32
	Stage uint8
	Tag   rig.Tag  // what counted most
	Part  rig.Part // which part was hit, where that is one; else 0
	Count uint8    // how many pellets met; 1 of anything else
	Heads uint8    // how many of them met the head
	// Damage is how much it does to who wears no armour and is nobody's friend.
	Damage uint16
	// Seen is the match time of the picture that it was aimed at.
	Seen clock.Micros
	// Distance is how far it went, metres; 0 where that says nothing.
	Distance float64
}

// Outcome says why a blow did nothing.
type Outcome uint8

// The reasons. Done is none: it did something.
const (
	Applied Outcome = iota
	// UnknownTarget: there is nobody of that number.
	UnknownTarget
	// TargetDead: whom it meets is dead already (GAP-50).
	TargetDead
	// OtherLife: whom it was meant for lives another life since (GAP-50).
	OtherLife
	// FriendlyFire: whom it meets is on the same team (Rules.Friendly).
	FriendlyFire
	// SelfDamage: whom it meets dealt it (Rules.Self).
	SelfDamage
	// Duplicate: this receipt was taken before (GAP-48, HIT-14).
	Duplicate
	// TooOld: it is so old that nobody knows whether it was taken before.
	TooOld
	// NoDamage: it does no damage, or a share of it that is less than half a point (HIT-07).
	NoDamage
	whys
)

// String returns the reason in words, "" for Done.
func (w Outcome) String() string {
	names := [...]string{"", "nobody is there", "was dead already", "lives another life",
		"is on the same team", "dealt it himself", "was counted before", "is too old to be counted", "does no damage"}
	if w < whys {
		return names[w]
	}
	return "unknown reason"
}

// Result is what became of a blow.
type Result struct {
	Hit
	At      clock.Micros // match time at which it counted
	Health  uint16       // points that it took off the health
	Armour  uint16       // points of damage that armour took instead
	Worn    uint16       // points of armour that this cost
	Left    uint16       // health afterwards
	Killed  bool         // whether it was the one that killed
	Outcome Outcome
}

// Age returns how long before it counted its shooter had seen it.
func (d *Result) Age() clock.Micros { return d.At - d.Seen }

// blows appends a receipt's to into, each target's once (GAP-48).
func blows(r *shot.Receipt, stage uint8, into []Hit) []Hit {
	first := len(into)
	for i := range min(int(r.EventCount), len(r.Events)) {
		h := &r.Events[i]
		if has(into[first:], h.Target) {
			continue
		}
		b := Hit{Attacker: r.Shooter, Target: h.Target, Life: h.Life, Weapon: r.Weapon, Shot: r.Shot, Stage: stage,
			Tag: h.Tag, Count: h.Count, Heads: h.Heads, Damage: h.Damage, Seen: r.ViewGranted}
		if h.Target == r.Outcome.Target {
			b.Part, b.Distance = r.Outcome.Part, r.Outcome.Distance
		}
		into = append(into, b)
	}
	return into
}

func has(list []Hit, whom track.ID) bool {
	for i := range list {
		if list[i].Target == whom {
			return true
		}
	}
	return false
}

// before orders a tick's blows: who saw his shot first dealt it first; among those of one
// instant the smaller numbers. Blows that it holds equal are equal.
func before(a, b Hit) int {
	return cmp.Or(
		cmp.Compare(a.Seen, b.Seen), cmp.Compare(a.Attacker, b.Attacker), cmp.Compare(a.Shot, b.Shot), cmp.Compare(a.Stage, b.Stage),
		cmp.Compare(a.Target, b.Target), cmp.Compare(a.Damage, b.Damage), cmp.Compare(a.Tag, b.Tag), cmp.Compare(a.Life, b.Life),
		cmp.Compare(a.Part, b.Part), cmp.Compare(a.Weapon, b.Weapon), cmp.Compare(a.Count, b.Count), cmp.Compare(a.Heads, b.Heads),
		cmp.Compare(a.Distance, b.Distance))
}
