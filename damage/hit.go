package damage

import (
	"cmp"
	"slices"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// Hit is damage on its way to one target.
type Hit struct {
	Attacker track.ID // entity that deals it; 0 for none: a fall, a crusher, water
	Target   track.ID // entity that takes it
	Life     uint8    // of Target; a hit on another life does nothing
	Weapon   uint8    // index into the weapon table, unless Attacker is 0
	// Shot is the number of the command that fired it, and Stage tells receipts of one shot
	// apart: 0 for the first.
	Shot     uint32
	Stage    uint8
	HitGroup rig.HitGroup // of the hitbox that counted most
	Hitbox   rig.HitboxID // if it was one, else 0
	Count    uint8        // pellets that hit; 1 for anything else
	Heads    uint8        // how many of them hit the head
	// Damage is the damage in points before armour and Rules.Friendly or Self.
	Damage uint16
	// Seen is the match time of the view that the shot was aimed into.
	Seen clock.Micros
	// Distance is how far the shot travelled, in metres; 0 if unknown.
	Distance float64
}

// Outcome says whether a hit did damage, or why not.
type Outcome uint8

// The outcomes.
const (
	// Applied: it did damage.
	Applied Outcome = iota
	// UnknownTarget: there is no entity with that id.
	UnknownTarget
	// TargetDead: the target is dead already (GAP-50).
	TargetDead
	// OtherLife: the target began another life since (GAP-50).
	OtherLife
	// FriendlyFire: the target is on the same team and Rules.Friendly is 0.
	FriendlyFire
	// SelfDamage: the target is the attacker and Rules.Self is 0.
	SelfDamage
	// Duplicate: the receipt was applied before (GAP-48, HIT-14).
	Duplicate
	// TooOld: the receipt is too old to know whether it was applied before.
	TooOld
	// NoDamage: the damage is less than half a point (HIT-07).
	NoDamage
	outcomes
)

// String returns the reason in words, "" for Applied.
func (w Outcome) String() string {
	names := [...]string{"", "unknown target", "was dead already", "is in another life",
		"is on the same team", "is the attacker", "was applied before", "is too old", "does no damage"}
	if w < outcomes {
		return names[w]
	}
	return "unknown reason"
}

// Result is what a hit did.
type Result struct {
	Hit
	At         clock.Micros // match time of the ApplyQueued that applied it; 0 if QueueReceipt refused it
	HealthLost uint16       // points of health that it cost
	Absorbed   uint16       // points of damage that armour absorbed
	ArmourLost uint16       // points of armour that it cost
	HealthLeft uint16       // health after it
	Killed     bool         // whether it killed the target
	Outcome    Outcome      // whether it was applied, and if not, why
}

// hitsOf appends the hits of a receipt to into, one for each target (GAP-48).
func hitsOf(r *shot.Receipt, stage uint8, into []Hit) []Hit {
	first := len(into)
	for i := range min(int(r.EventCount), len(r.Events)) {
		h := &r.Events[i]
		if slices.ContainsFunc(into[first:], func(x Hit) bool { return x.Target == h.Target }) {
			continue
		}
		b := Hit{Attacker: r.Shooter, Target: h.Target, Life: h.Life, Weapon: r.Weapon, Shot: r.Shot, Stage: stage,
			HitGroup: h.HitGroup, Count: h.Count, Heads: h.Heads, Damage: h.Damage, Seen: r.ViewGranted}
		if h.Target == r.Outcome.Target {
			b.Hitbox, b.Distance = r.Outcome.Hitbox, r.Outcome.Distance
		}
		into = append(into, b)
	}
	return into
}

// before orders the hits of a tick by the match time of the view that they were aimed into, and
// by their fields in a fixed order at the same time. Hits that compare equal are equal.
func before(a, b Hit) int {
	return cmp.Or(
		cmp.Compare(a.Seen, b.Seen), cmp.Compare(a.Attacker, b.Attacker), cmp.Compare(a.Shot, b.Shot), cmp.Compare(a.Stage, b.Stage),
		cmp.Compare(a.Target, b.Target), cmp.Compare(a.Damage, b.Damage), cmp.Compare(a.HitGroup, b.HitGroup), cmp.Compare(a.Life, b.Life),
		cmp.Compare(a.Hitbox, b.Hitbox), cmp.Compare(a.Weapon, b.Weapon), cmp.Compare(a.Count, b.Count), cmp.Compare(a.Heads, b.Heads),
		cmp.Compare(a.Distance, b.Distance))
}
