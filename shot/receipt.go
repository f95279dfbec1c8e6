package shot

import (
	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/track"
)

// Verdict is what became of a shot.
type Verdict uint8

// The verdicts. A Refused shot was not cast: it met nothing and hurt nobody.
const (
	Refused Verdict = iota
	Miss
	Hit
	// Launched: a projectile is on its way; a second receipt of the same shot tells what
	// came of it.
	Launched
)

// Reason says why a shot was refused, or why a hit did no damage.
type Reason uint8

// The reasons. NoReason goes with verdicts that need none.
const (
	NoReason Reason = iota
	// UnknownWeapon: the claim's index is not in the table.
	UnknownWeapon
	// ShooterDead: the shooter was dead when the command came up (HIT-14).
	ShooterDead
	// Replayed: a shot of this number or a later one has been judged (HIT-14).
	Replayed
	// TooFast: more shots than the weapon fires in the server's time (THR-19).
	TooFast
	// FutureView: the view is later than the server's clock (GAP-42).
	FutureView
	// OldView: the view, or the newest frame it was drawn from, is older than the
	// shooter's line explains (THR-20).
	OldView
	// Forgotten: the view's newest frame is not in the history (HIS-06).
	Forgotten
	// AlreadyDead: a hit, but the target died or lives another life since
	// (GAP-50).
	AlreadyDead
	// NotReady: the weapon did not fire, by the server's count of its rounds and
	// its time.
	NotReady
	// WrongWeapon: the claim names another weapon than the one in hand.
	WrongWeapon
	// Covered: a hit, but the target has been out of the shooter's sight for longer than
	// Favour.Cover.
	Covered
	// Evaded: a hit, but the target has got into a state that old shots do not hurt.
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

// Receipt is the server's word on one shot: what was asked, what was granted and
// what came of it. It is enough to show, log and dispute a shot.
type Receipt struct {
	Shot    uint32 // number of the command that fired
	Shooter track.ID
	Weapon  uint8
	// ViewRequested is the view time the client claimed; ViewGranted the one that was
	// judged, which is later where the line is slower than the cap (HIT-12). It
	// is 0 where the shot was refused.
	ViewRequested, ViewGranted clock.Micros
	Verdict                    Verdict
	Reason                     Reason
	// Outcome is what the server's cast met.
	Outcome rewind.Outcome
	// Agrees reports that the client saw the same: kind, target and part.
	Agrees bool
	// Damage to the target, from the server's table; of a shot that hurts several the
	// sum.
	Damage uint16
	// Events is everybody whom it hurt, Hurt of them: of pellets, a blade and a blast they
	// may be several, each once (GAP-48).
	Events     [MaxDamageEvents]DamageEvent
	EventCount uint8
	// Scene is what it was tested against.
	Scene SceneCheck
}

// take makes the receipt that of a shot that was cast.
func (r *Receipt) take(m *HitSet) {
	r.Outcome, r.Events, r.EventCount, r.Damage, r.Scene = m.Outcome, m.Events, m.EventCount, m.Damage, m.Scene
	if r.Verdict = Miss; m.EventCount > 0 {
		r.Verdict = Hit
	}
}

// ConfirmDamage takes the present of the target of hurt i into account before damage is dealt:
// whether it is alive now, and which life that is. One who has died since takes none
// (GAP-50).
func (r *Receipt) ConfirmDamage(i int, alive bool, life uint8) {
	if h := &r.Events[i]; !alive || life != h.Life {
		r.spare(i, AlreadyDead)
	}
}

// spare takes the damage out of a hurt, and says why. Where nothing is left the whole shot
// has that reason.
func (r *Receipt) spare(i int, why Reason) {
	h := &r.Events[i]
	h.Damage, h.Why = 0, why
	m := HitSet{Events: r.Events, EventCount: r.EventCount}
	r.Damage = 0
	for i := range m.Events[:m.EventCount] {
		r.Damage = plus(r.Damage, m.Events[i].Damage)
	}
	if r.Damage == 0 {
		r.Reason = why
	}
}

// pointScale is grid units a metre of the point in a receipt, which is for
// effects only.
const pointScale = 128

// Quantise returns exactly what a reader gets for r: the point on a grid of
// 1/128 m, the distance on one of 1/64 m, the damage the sum of its hurts, and of a shot
// that was not cast nothing of what it met.
func (r Receipt) Quantise() Receipt {
	r.Weapon = min(r.Weapon, MaxWeapons-1)
	r.ViewRequested = min(max(r.ViewRequested, 0), maxView)
	r.ViewGranted = min(max(r.ViewGranted, 0), maxView)
	if !r.cast() {
		return Receipt{
			Shot: r.Shot, Shooter: r.Shooter, Weapon: r.Weapon, ViewRequested: r.ViewRequested, ViewGranted: r.ViewGranted,
			Verdict: r.Verdict, Reason: r.Reason,
		}
	}
	r.Outcome.HitTarget = r.Outcome.HitTarget.Normalize()
	if r.Outcome.Kind != rewind.Player {
		r.Outcome.Life = 0
	}
	r.Outcome.Distance = bits.SnapGrid(r.Outcome.Distance, 0, maxDistance, 1.0/64)
	r.Outcome.Point = bits.SnapVec(r.Outcome.Point, pointScale)
	r.Scene.Count = min(r.Scene.Count, maxTested)
	if r.Scene.Count == 0 {
		r.Scene.Sum = 0
	}
	r.tidy()
	return r
}

// cast reports whether the shot met the scene.
func (r *Receipt) cast() bool { return r.Verdict == Miss || r.Verdict == Hit }

// tidy leaves nothing behind the hurts there are, and adds up.
func (r *Receipt) tidy() {
	for i := int(r.EventCount); i < MaxDamageEvents; i++ {
		r.Events[i] = DamageEvent{}
	}
	r.Damage = 0
	for i := range r.Events[:r.EventCount] {
		r.Damage = plus(r.Damage, r.Events[i].Damage)
	}
}

// maxDistance bounds the distance of a receipt, in metres.
const maxDistance = 4096

// MaxReceiptBits is the most that a receipt takes; most take a quarter of it.
const MaxReceiptBits = 800

// Pack packs r, its point and distance quantised.
func (r *Receipt) Pack(p *bits.Packer) {
	number := uint64(r.Shot)
	if p.Uvarint(&number); number > 1<<32-1 {
		p.Fail(bits.ErrRange)
		number = 0
	}
	r.Shot = uint32(number)
	packID(p, &r.Shooter)
	packEnum(p, &r.Weapon, MaxWeapons-1)
	packTime(p, &r.ViewRequested)
	packGranted(p, r)
	packEnum(p, &r.Verdict, Launched)
	packEnum(p, &r.Reason, reasons-1)
	if !r.cast() {
		if !p.Writing() {
			*r = r.Quantise()
		}
		return
	}
	packMark(p, &r.Outcome.HitTarget)
	if r.Outcome.Kind == rewind.Player {
		p.Byte(&r.Outcome.Life)
	} else if !p.Writing() {
		r.Outcome.Life = 0
	}
	p.Grid(&r.Outcome.Distance, 0, maxDistance, 1.0/64)
	p.Vec(&r.Outcome.Point, pointScale)
	p.Bool(&r.Agrees)
	packEnum(p, &r.Scene.Count, maxTested)
	if r.Scene.Count > 0 {
		p.Uint16(&r.Scene.Sum)
	} else if !p.Writing() {
		r.Scene.Sum = 0
	}
	r.packHurts(p)
}

// packHurts packs whom it hurt. The first is mostly who the outcome is: one bit then.
func (r *Receipt) packHurts(p *bits.Packer) {
	packEnum(p, &r.EventCount, MaxDamageEvents)
	for i := range r.Events[:r.EventCount] {
		h := &r.Events[i]
		if i > 0 || !r.packPlain(p, h) {
			h.packWho(p)
			if i == 0 && h.who() == r.plain() {
				p.Fail(bits.ErrRange) // one bit says so
			}
		}
		packCount(p, &h.Damage)
		packWhy(p, &h.Why)
	}
	if (r.EventCount > 0) != (r.Verdict == Hit) {
		p.Fail(bits.ErrRange)
	}
	if !p.Writing() {
		r.tidy()
	}
}

// packPlain packs whether a hurt is of what the outcome says, which then is all.
func (r *Receipt) packPlain(p *bits.Packer, h *DamageEvent) bool {
	if r.Outcome.Kind != rewind.Player {
		return false
	}
	plain := h.who() == r.plain()
	p.Bool(&plain)
	if plain && !p.Writing() {
		*h = r.plain()
	}
	return plain
}

// plain is whom one ray hurts that met what the outcome says; of what is nobody it is like
// no hurt there is.
func (r *Receipt) plain() DamageEvent {
	o := &r.Outcome
	if o.Kind != rewind.Player {
		return DamageEvent{}
	}
	return DamageEvent{Target: o.Target, Life: o.Life, Tag: o.Tag, Count: 1, Heads: bit(o.Tag == rig.Head)}
}

// who is h without what is done to it.
func (h DamageEvent) who() DamageEvent {
	h.Damage, h.Why = 0, NoReason
	return h
}

func (h *DamageEvent) packWho(p *bits.Packer) {
	id := int(h.Target)
	p.Ranged(&id, 1, int(track.MaxID))
	h.Target = track.ID(id)
	p.Byte(&h.Life)
	tag, count, heads := int(h.Tag), int(h.Count), int(h.Heads)
	p.Ranged(&tag, 1, rig.Tags-1)
	p.Ranged(&count, 1, MaxPellets)
	p.Ranged(&heads, 0, count)
	h.Tag, h.Count, h.Heads = rig.Tag(tag), uint8(count), uint8(heads)
}

// whys are what spares somebody.
var whys = [4]Reason{NoReason, AlreadyDead, Covered, Evaded}

func packWhy(p *bits.Packer, why *Reason) {
	n := 0
	for i, w := range whys {
		if w == *why {
			n = i
		}
	}
	p.Ranged(&n, 0, len(whys)-1)
	*why = whys[n]
}

// packGranted packs the granted view: one bit where it is what was asked.
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

func packID(p *bits.Packer, id *track.ID) {
	n := int(*id)
	p.Ranged(&n, 0, int(track.MaxID))
	*id = track.ID(n)
}

// packEnum packs a small number of 0 … last.
func packEnum[E ~uint8](p *bits.Packer, v *E, last E) {
	n := int(*v)
	p.Ranged(&n, 0, int(last))
	*v = E(n)
}
