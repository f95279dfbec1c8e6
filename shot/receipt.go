package shot

import (
	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/track"
)

// Verdict is the result of a shot.
type Verdict uint8

// The verdicts. A Refused shot was not cast.
const (
	Refused Verdict = iota
	// Miss: it damaged no target.
	Miss
	// Hit: it damaged at least one target, before Receipt.ConfirmDamage.
	Hit
	// Launched: a projectile is in flight; a second receipt of the same shot has its hits.
	Launched
)

// String returns "refused", "miss", "hit" or "launched".
func (v Verdict) String() string {
	names := [...]string{"refused", "miss", "hit", "launched"}
	if int(v) < len(names) {
		return names[v]
	}
	return "unknown verdict"
}

// Reason says why a shot was refused, or why a hit did no damage.
type Reason uint8

// The reasons. NoReason goes with verdicts that need none.
const (
	NoReason Reason = iota
	// UnknownWeapon: the claim's index is not in the table.
	UnknownWeapon
	// ShooterDead: the shooter was dead before the command (HIT-14).
	ShooterDead
	// Replayed: a shot with this number or a later one was judged before (HIT-14).
	Replayed
	// TooFast: more shots than the weapon fires in server time (THR-19).
	TooFast
	// FutureView: the view is later than the server's clock (GAP-42).
	FutureView
	// OldView: the view, or its newest snapshot, is older than the shooter's link explains
	// (THR-20).
	OldView
	// Forgotten: the view's newest snapshot is not in the history (HIS-06).
	Forgotten
	// AlreadyDead: a hit, but the target has died or begun another life since (GAP-50).
	AlreadyDead
	// NotReady: the weapon did not fire, by the server's rounds and timers.
	NotReady
	// WrongWeapon: the claim names another weapon than the held one.
	WrongWeapon
	// Covered: a hit, but the target has been out of sight for longer than
	// LagCompensation.Cover.
	Covered
	// Evaded: a hit, but the target is now in a state in which old shots do no damage.
	Evaded
	reasons
)

// String returns the reason in words, "" for NoReason.
func (r Reason) String() string {
	names := [...]string{"", "unknown weapon", "shooter is dead", "shot was judged before",
		"too fast", "view is in the future", "view is too old", "view is forgotten",
		"target was dead already", "weapon was not ready", "another weapon is in hand",
		"target has got behind cover", "target evaded"}
	if int(r) < len(names) {
		return names[r]
	}
	return "unknown reason"
}

// Receipt is the server's answer to one shot: the claimed view, the granted view and the result.
// It is enough to show, log and debug a shot.
type Receipt struct {
	Shot    uint32   // number of the command that fired
	Shooter track.ID // entity that fired
	Weapon  uint8    // index into the weapon table
	// ViewRequested is the view time that the client claimed. ViewGranted is the one that was
	// judged, which is later on a link slower than the cap (HIT-12), and 0 for a refused shot.
	ViewRequested, ViewGranted clock.Micros
	Verdict                    Verdict
	Reason                     Reason
	// Outcome is what the server's cast hit.
	Outcome rewind.Outcome
	// Agrees reports that the client claimed the same: kind, target and hitbox. That of a launch is true:
	// the second receipt says what the projectile hit.
	Agrees bool
	// Damage is the sum over Events, from the server's weapon table.
	Damage uint16
	// Events has the damaged targets, EventCount of them, each once (GAP-48): pellets, a melee
	// weapon and a blast can have several.
	Events     [MaxDamageEvents]DamageEvent
	EventCount uint8
	// Scene identifies the poses that it was tested against.
	Scene SceneCheck
}

// fill sets the result of a shot that was cast.
func (r *Receipt) fill(m *HitSet) {
	r.Outcome, r.Events, r.EventCount, r.Damage, r.Scene = m.Outcome, m.Events, m.EventCount, m.Damage, m.Scene
	if r.Verdict = Miss; m.EventCount > 0 {
		r.Verdict = Hit
	}
}

// ConfirmDamage removes the damage of event i if its target is not alive now or in another life
// than in the view (GAP-50). Call it for each event before dealing damage.
func (r *Receipt) ConfirmDamage(i int, alive bool, life uint8) {
	// The shot hit it in the past. Without this check a respawned player would take damage for its former
	// life.
	if h := &r.Events[i]; !alive || life != h.Life {
		r.spareTarget(i, AlreadyDead)
	}
}

// spareTarget removes the damage of an event for a reason. If no damage is left the whole shot has
// that reason.
func (r *Receipt) spareTarget(i int, why Reason) {
	h := &r.Events[i]
	h.Damage, h.Reason = 0, why
	m := HitSet{Events: r.Events, EventCount: r.EventCount}
	r.Damage = 0
	for i := range m.Events[:m.EventCount] {
		r.Damage = saturatingAdd(r.Damage, m.Events[i].Damage)
	}
	if r.Damage == 0 {
		r.Reason = why
	}
}

// pointScale is the grid points a metre of the point in a receipt, which is only for effects.
const pointScale = 128

// Quantise returns exactly what a reader of r gets: the point on a grid of 1/128 m, the distance on
// one of 1/64 m, the damage as the sum of the events, and no hits for a shot that was not cast.
func (r Receipt) Quantise() Receipt {
	r.Weapon = min(r.Weapon, MaxWeapons-1)
	r.ViewRequested = min(max(r.ViewRequested, 0), maxView)
	r.ViewGranted = min(max(r.ViewGranted, 0), maxView)
	if !r.cast() {
		return Receipt{
			Shot: r.Shot, Shooter: r.Shooter, Weapon: r.Weapon, ViewRequested: r.ViewRequested, ViewGranted: r.ViewGranted,
			Verdict: r.Verdict, Reason: r.Reason, Agrees: r.Verdict == Launched,
		}
	}
	r.Outcome.HitTarget = r.Outcome.HitTarget.Normalize()
	if r.Outcome.Kind != rewind.Player {
		r.Outcome.Life = 0
	}
	r.Outcome.Distance = bits.SnapGrid(r.Outcome.Distance, 0, maxDistance, 1.0/64)
	r.Outcome.Point = bits.SnapVec(r.Outcome.Point, pointScale)
	r.Scene.Count = min(r.Scene.Count, maxSceneCount)
	if r.Scene.Count == 0 {
		r.Scene.Sum = 0
	}
	r.normalize()
	return r
}

// cast reports whether the shot was cast.
func (r *Receipt) cast() bool { return r.Verdict == Miss || r.Verdict == Hit }

// normalize clears unused events and adds up the damage.
func (r *Receipt) normalize() {
	for i := int(r.EventCount); i < MaxDamageEvents; i++ {
		r.Events[i] = DamageEvent{}
	}
	r.Damage = 0
	for i := range r.Events[:r.EventCount] {
		r.Damage = saturatingAdd(r.Damage, r.Events[i].Damage)
	}
}

// maxDistance bounds the distance of a receipt, in metres.
const maxDistance = 4096

// Pack packs r with its point and distance quantised, in at most 800 bits, or 900 with ids above 1022;
// most receipts take a quarter of that.
func (r *Receipt) Pack(p *bits.Packer) {
	number := uint64(r.Shot)
	if p.Uvarint(&number); number > 1<<32-1 {
		p.Fail(bits.ErrRange)
		number = 0
	}
	r.Shot = uint32(number)
	track.PackID(p, &r.Shooter, 0)
	packEnum(p, &r.Weapon, MaxWeapons-1)
	packTime(p, &r.ViewRequested)
	packGranted(p, r)
	packEnum(p, &r.Verdict, Launched)
	packEnum(p, &r.Reason, reasons-1)
	// A refused shot has no outcome, and one that was launched none yet.
	if !r.cast() {
		if !p.Writing() {
			*r = r.Quantise()
		}
		return
	}
	packHitTarget(p, &r.Outcome.HitTarget)
	if r.Outcome.Kind == rewind.Player {
		p.Byte(&r.Outcome.Life)
	} else if !p.Writing() {
		r.Outcome.Life = 0
	}
	p.Grid(&r.Outcome.Distance, 0, maxDistance, 1.0/64)
	p.Vec(&r.Outcome.Point, pointScale)
	p.Bool(&r.Agrees)
	packEnum(p, &r.Scene.Count, maxSceneCount)
	if r.Scene.Count > 0 {
		p.Uint16(&r.Scene.Sum)
	} else if !p.Writing() {
		r.Scene.Sum = 0
	}
	r.packEvents(p)
}

// packEvents packs the events. The first is usually the hit of the outcome: then one bit.
func (r *Receipt) packEvents(p *bits.Packer) {
	packEnum(p, &r.EventCount, MaxDamageEvents)
	for i := range r.Events[:r.EventCount] {
		h := &r.Events[i]
		if i > 0 || !r.packSingleHit(p, h) {
			h.packTarget(p)
			if i == 0 && h.withoutResult() == r.singleHit() {
				p.Fail(bits.ErrRange) // one bit says so
			}
		}
		packCount(p, &h.Damage)
		packSpareReason(p, &h.Reason)
	}
	// The verdict follows from the events: a receipt in which they differ has no meaning.
	if (r.EventCount > 0) != (r.Verdict == Hit) {
		p.Fail(bits.ErrRange)
	}
	if !p.Writing() {
		r.normalize()
	}
}

// packSingleHit packs whether an event is that of singleHit, and if so nothing more.
func (r *Receipt) packSingleHit(p *bits.Packer, h *DamageEvent) bool {
	if r.Outcome.Kind != rewind.Player {
		return false
	}
	// Most hits are of one ray: then the event repeats the outcome.
	plain := h.withoutResult() == r.singleHit()
	p.Bool(&plain)
	if plain && !p.Writing() {
		*h = r.singleHit()
	}
	return plain
}

// singleHit returns the event of one ray that hit the outcome, without damage. For an outcome that
// is no player it is zero, which equals no event.
func (r *Receipt) singleHit() DamageEvent {
	o := &r.Outcome
	if o.Kind != rewind.Player {
		return DamageEvent{}
	}
	return DamageEvent{Target: o.Target, Life: o.Life, HitGroup: o.HitGroup, Count: 1, Heads: bit(o.HitGroup == rig.Head)}
}

// withoutResult returns h without damage and reason.
func (h DamageEvent) withoutResult() DamageEvent {
	h.Damage, h.Reason = 0, NoReason
	return h
}

// packTarget packs h without damage and reason.
func (h *DamageEvent) packTarget(p *bits.Packer) {
	track.PackID(p, &h.Target, 1)
	p.Byte(&h.Life)
	group, count, heads := int(h.HitGroup), int(h.Count), int(h.Heads)
	p.Ranged(&group, 1, rig.HitGroups-1)
	p.Ranged(&count, 1, MaxPellets)
	p.Ranged(&heads, 0, count)
	h.HitGroup, h.Count, h.Heads = rig.HitGroup(group), uint8(count), uint8(heads)
}

// spareReasons are the reasons of DamageEvent.Reason, in wire order.
var spareReasons = [4]Reason{NoReason, AlreadyDead, Covered, Evaded}

// packSpareReason packs one of spareReasons.
func packSpareReason(p *bits.Packer, why *Reason) {
	n := 0
	for i, w := range spareReasons {
		if w == *why {
			n = i
		}
	}
	p.Ranged(&n, 0, len(spareReasons)-1)
	*why = spareReasons[n]
}

// packGranted packs the granted view time, in one bit where it is the requested one.
func packGranted(p *bits.Packer, r *Receipt) {
	same := r.ViewGranted == r.ViewRequested
	p.Bool(&same)
	if same {
		r.ViewGranted = r.ViewRequested
		return
	}
	packTime(p, &r.ViewGranted)
	if !p.Writing() && r.ViewGranted == r.ViewRequested {
		p.Fail(bits.ErrRange)
	}
}

// packEnum packs a small number of 0 … last.
func packEnum[E ~uint8](p *bits.Packer, v *E, last E) {
	n := int(*v)
	p.Ranged(&n, 0, int(last))
	*v = E(n)
}
