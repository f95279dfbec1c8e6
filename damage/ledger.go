package damage

import (
	"slices"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// MaxLog is how many of the newest hits a Ledger logs.
const MaxLog = 256

// Ledger keeps the vitals of all characters and a log of hits. Make one with NewLedger; it serves
// one goroutine. Its size is bounded.
type Ledger struct {
	rules   Rules
	entries []entry // by id
	pending []Hit   // for ApplyQueued
	log     [MaxLog]Result
	logged  int // ever
}

// entry is what a ledger keeps for one id.
type entry struct {
	vitals Vitals
	memory memory
}

// NewLedger returns a ledger of the ids below size, all of them dead. It panics if size is not
// positive or the rules are out of range.
func NewLedger(rules Rules, size int) *Ledger {
	if size <= 0 {
		panic("damage: NewLedger needs a positive size")
	}
	return &Ledger{rules: rules.filled(), entries: make([]entry, size)}
}

// Rules returns the rules with their zeros replaced.
func (l *Ledger) Rules() Rules { return l.rules }

// Join records that a player has joined, again after a lost connection or as a new one (session.Event.Reconnected).
// Either counts its shots from the beginning. One that comes back keeps its vitals; a new one lives from Spawn on.
// It panics if the id is out of range, as Spawn, Leave, Heal and AddArmour do.
func (l *Ledger) Join(id track.ID, again bool) {
	e := l.entry(id)
	if e.memory = (memory{taken: e.memory.taken[:0]}); !again {
		e.vitals = Vitals{}
	}
}

// Spawn begins a life with full health and no armour, in a team. Pending hits on an earlier life
// do nothing (GAP-50).
func (l *Ledger) Spawn(id track.ID, life uint8, team Team) {
	l.entry(id).vitals = Vitals{Health: l.rules.Health, Team: team, Life: life}
}

// Leave ends a life without a kill. The team stays, for projectiles in
// the air.
func (l *Ledger) Leave(id track.ID) {
	v := &l.entry(id).vitals
	v.Health, v.Armour = 0, 0
}

// Vitals returns the vitals of an id, the zero Vitals for an id out of range.
func (l *Ledger) Vitals(id track.ID) Vitals {
	if int(id) >= len(l.entries) {
		return Vitals{}
	}
	return l.entries[id].vitals
}

// Heal adds health up to Rules.Health at once and returns how many points it added: none to the
// dead.
func (l *Ledger) Heal(id track.ID, points uint16) uint16 {
	v := &l.entry(id).vitals
	if v.Dead() {
		return 0
	}
	return fill(&v.Health, points, l.rules.Health)
}

// AddArmour adds armour up to Rules.Armour at once and returns how many points it added: none to the
// dead.
func (l *Ledger) AddArmour(id track.ID, points uint16) uint16 {
	v := &l.entry(id).vitals
	if v.Dead() {
		return 0
	}
	return fill(&v.Armour, points, l.rules.Armour)
}

// fill adds points up to most and returns how many it added.
func fill(v *uint16, points, most uint16) uint16 {
	got := min(points, most-min(*v, most))
	*v += got
	return got
}

// QueueReceipt queues the hits of a receipt for ApplyQueued. A receipt counts once: stage tells the
// receipts of one shot apart if several of them do damage, else it is 0. It is 0 for both
// receipts of a projectile: the launch has no damage. A receipt without damage events is not
// remembered.
func (l *Ledger) QueueReceipt(r *shot.Receipt, stage uint8) {
	first := len(l.pending)
	l.pending = hitsOf(r, stage, l.pending)
	if len(l.pending) == first {
		return
	}
	why := UnknownTarget
	if int(r.Shooter) < len(l.entries) {
		why = l.entries[r.Shooter].memory.take(receiptID{r.Shot, stage})
	}
	if why == Applied {
		return
	}
	for _, b := range l.pending[first:] {
		l.note(Result{Hit: b, Outcome: why})
	}
	l.pending = l.pending[:first]
}

// Queue queues a hit without a receipt for ApplyQueued: a fall, a crusher, water. It counts each time.
func (l *Ledger) Queue(b Hit) { l.pending = append(l.pending, b) }

// ApplyQueued applies the hits that were queued since the last ApplyQueued at match time now, and appends
// the results that did damage to into, in the order in which they were applied. That order does
// not depend on the order of the calls: hits apply in the order of the views that they were
// aimed into. The hits of an attacker that dies in the same ApplyQueued still count, so two may kill
// each other.
func (l *Ledger) ApplyQueued(now clock.Micros, into []Result) []Result {
	slices.SortFunc(l.pending, before)
	for i := range l.pending {
		d := l.deal(&l.pending[i], now)
		if l.note(d); d.Outcome == Applied {
			into = append(into, d)
		}
	}
	l.pending = l.pending[:0]
	return into
}

// deal applies one hit.
func (l *Ledger) deal(b *Hit, now clock.Micros) Result {
	d := Result{Hit: *b, At: now}
	share := 0.0
	if share, d.Outcome = l.share(b); d.Outcome != Applied {
		return d
	}
	v := &l.entries[b.Target].vitals
	points := portion(b.Damage, share)
	d.Absorbed, d.ArmourLost = l.rules.Plates[b.HitGroup].absorb(points, v.Armour)
	d.HealthLost = min(points-d.Absorbed, v.Health)
	if d.HealthLost == 0 && d.Absorbed == 0 {
		d.Outcome = NoDamage
		return d
	}
	v.Armour -= d.ArmourLost
	v.Health -= d.HealthLost
	d.HealthLeft, d.Killed = v.Health, v.Health == 0
	return d
}

// share returns which share of a hit counts, or why none does.
func (l *Ledger) share(b *Hit) (float64, Outcome) {
	if int(b.Target) >= len(l.entries) {
		return 0, UnknownTarget
	}
	switch v := &l.entries[b.Target].vitals; {
	case b.Life != v.Life:
		return 0, OtherLife
	case v.Dead():
		return 0, TargetDead
	case b.Attacker == b.Target:
		return l.rules.Self, refused(l.rules.Self, SelfDamage)
	case v.Team != 0 && b.Attacker != 0 && l.Vitals(b.Attacker).Team == v.Team:
		return l.rules.Friendly, refused(l.rules.Friendly, FriendlyFire)
	}
	return 1, Applied
}

// refused returns why if the share is 0.
func refused(share float64, why Outcome) Outcome {
	if share == 0 {
		return why
	}
	return Applied
}

// note adds a result to the log.
func (l *Ledger) note(d Result) {
	l.log[l.logged%MaxLog] = d
	l.logged++
}

// Log appends the newest results to into, oldest first, at most MaxLog, including hits that did
// nothing and why. Hits that QueueReceipt refused have no At.
func (l *Ledger) Log(into []Result) []Result {
	for i := max(0, l.logged-MaxLog); i < l.logged; i++ {
		into = append(into, l.log[i%MaxLog])
	}
	return into
}

// entry returns the entry of an id. It panics if the id is out of range.
func (l *Ledger) entry(id track.ID) *entry {
	if int(id) >= len(l.entries) {
		panic("damage: id out of range: NewLedger needs a size above every id, session.MaxPlayers+1 for players, track.MaxID+1 for entities too")
	}
	return &l.entries[id]
}
