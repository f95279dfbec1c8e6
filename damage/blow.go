package damage

import (
	"cmp"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// Blow is one hurt on its way to somebody.
type Blow struct {
	By     track.ID // who dealt it; 0 is nobody: a fall, a crusher, water
	Whom   track.ID
	Life   uint8 // of Whom, that it is meant for
	Weapon uint8 // index into the weapon table, where By is not 0
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

// Why says why a blow did nothing.
type Why uint8

// The reasons. Done is none: it did something.
const (
	Done Why = iota
	// Stranger: there is nobody of that number.
	Stranger
	// Dead: whom it meets is dead already (GAP-50).
	Dead
	// OtherLife: whom it was meant for lives another life since (GAP-50).
	OtherLife
	// Friend: whom it meets is on the same team (Rules.Friendly).
	Friend
	// Own: whom it meets dealt it (Rules.Self).
	Own
	// Again: this receipt was taken before (GAP-48, HIT-14).
	Again
	// Forgotten: it is so old that nobody knows whether it was taken before.
	Forgotten
	// Nothing: it does no damage, or a share of it that is less than half a point (HIT-07).
	Nothing
	whys
)

// String returns the reason in words, "" for Done.
func (w Why) String() string {
	names := [...]string{"", "nobody is there", "was dead already", "lives another life",
		"is on the same team", "dealt it himself", "was counted before", "is too old to be counted", "does no damage"}
	if w < whys {
		return names[w]
	}
	return "unknown reason"
}

// Dealt is what became of a blow.
type Dealt struct {
	Blow
	At     clock.Micros // match time at which it counted
	Health uint16       // points that it took off the health
	Armour uint16       // points of damage that armour took instead
	Worn   uint16       // points of armour that this cost
	Left   uint16       // health afterwards
	Killed bool         // whether it was the one that killed
	Why    Why
}

// Ago returns how long before it counted its shooter had seen it.
func (d *Dealt) Ago() clock.Micros { return d.At - d.Seen }

// blows appends a receipt's to into, each target's once (GAP-48).
func blows(r *shot.Receipt, stage uint8, into []Blow) []Blow {
	first := len(into)
	for i := range min(int(r.Hurt), len(r.Hurts)) {
		h := &r.Hurts[i]
		if has(into[first:], h.Target) {
			continue
		}
		b := Blow{By: r.Shooter, Whom: h.Target, Life: h.Life, Weapon: r.Weapon, Shot: r.Shot, Stage: stage,
			Tag: h.Tag, Count: h.Count, Heads: h.Heads, Damage: h.Damage, Seen: r.ViewGranted}
		if h.Target == r.Outcome.Target {
			b.Part, b.Distance = r.Outcome.Part, r.Outcome.Distance
		}
		into = append(into, b)
	}
	return into
}

func has(list []Blow, whom track.ID) bool {
	for i := range list {
		if list[i].Whom == whom {
			return true
		}
	}
	return false
}

// before orders a tick's blows: who saw his shot first dealt it first; among those of one
// instant the smaller numbers. Blows that it holds equal are equal.
func before(a, b Blow) int {
	return cmp.Or(
		cmp.Compare(a.Seen, b.Seen), cmp.Compare(a.By, b.By), cmp.Compare(a.Shot, b.Shot), cmp.Compare(a.Stage, b.Stage),
		cmp.Compare(a.Whom, b.Whom), cmp.Compare(a.Damage, b.Damage), cmp.Compare(a.Tag, b.Tag), cmp.Compare(a.Life, b.Life),
		cmp.Compare(a.Part, b.Part), cmp.Compare(a.Weapon, b.Weapon), cmp.Compare(a.Count, b.Count), cmp.Compare(a.Heads, b.Heads),
		cmp.Compare(a.Distance, b.Distance))
}
