package damage

import (
	"slices"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// MaxLog is how many of the last blows a Ledger tells of.
const MaxLog = 256

// Ledger keeps everybody's vitals and what was done to them. Make one with NewLedger; it
// serves one goroutine. Its size does not grow with the match.
type Ledger struct {
	rules   Rules
	seats   []seat // by id
	waiting []Hit  // for Settle
	log     [MaxLog]Result
	logged  int // ever
}

// seat is what a ledger keeps of one id.
type seat struct {
	vitals Vitals
	memory memory
}

// NewLedger returns a ledger of ids below seats, all of them dead. It panics where seats is
// not positive or the rules are out of range.
func NewLedger(rules Rules, seats int) *Ledger {
	if seats <= 0 {
		panic("damage: NewLedger needs at least one seat")
	}
	return &Ledger{rules: rules.filled(), seats: make([]seat, seats)}
}

// Rules returns the rules, their zeros replaced.
func (l *Ledger) Rules() Rules { return l.rules }

// Join forgets what an id fired before: whoever has it now counts shots from the beginning.
// It lives from Enter on. It panics for an id that there is no seat for, as Enter, Leave,
// Heal and Equip do.
func (l *Ledger) Join(id track.ID) { *l.seat(id) = seat{} }

// Enter begins a life with full health and no armour, in a team. What was on its way to an
// earlier life hurts nobody any more (GAP-50).
func (l *Ledger) Enter(id track.ID, life uint8, team Team) {
	l.seat(id).vitals = Vitals{Health: l.rules.Health, Team: team, Life: life}
}

// Leave ends a life that nobody took. The team stays: what is in the air still knows its
// friends.
func (l *Ledger) Leave(id track.ID) {
	v := &l.seat(id).vitals
	v.Health, v.Armour = 0, 0
}

// Vitals returns somebody's, the zero Vitals for ids that there is no seat for.
func (l *Ledger) Vitals(id track.ID) Vitals {
	if int(id) >= len(l.seats) {
		return Vitals{}
	}
	return l.seats[id].vitals
}

// Heal gives health up to Rules.Health to who lives, at once, and returns how much it was.
func (l *Ledger) Heal(id track.ID, points uint16) uint16 {
	v := &l.seat(id).vitals
	if v.Dead() {
		return 0
	}
	return fill(&v.Health, points, l.rules.Health)
}

// Equip gives armour up to Rules.Armour to who lives, at once, and returns how much it was.
func (l *Ledger) Equip(id track.ID, points uint16) uint16 {
	v := &l.seat(id).vitals
	if v.Dead() {
		return 0
	}
	return fill(&v.Armour, points, l.rules.Armour)
}

// fill adds points up to most and returns how many fitted.
func fill(v *uint16, points, most uint16) uint16 {
	got := min(points, most-min(*v, most))
	*v += got
	return got
}

// ApplyReceipt notes whom a receipt hurts, for Settle. It counts once: stage tells the receipts of
// one shot apart where several of them hurt, else it is 0. Receipts that hurt nobody cost
// nothing.
func (l *Ledger) ApplyReceipt(r *shot.Receipt, stage uint8) {
	first := len(l.waiting)
	l.waiting = blows(r, stage, l.waiting)
	if len(l.waiting) == first {
		return
	}
	why := UnknownTarget
	if int(r.Shooter) < len(l.seats) {
		why = l.seats[r.Shooter].memory.take(receipt{r.Shot, stage})
	}
	if why == Applied {
		return
	}
	for _, b := range l.waiting[first:] {
		l.note(Result{Hit: b, Outcome: why})
	}
	l.waiting = l.waiting[:first]
}

// Apply notes a blow that comes with no receipt, for Settle: a fall, a crusher, water. It
// counts as often as it is said.
func (l *Ledger) Apply(b Hit) { l.waiting = append(l.waiting, b) }

// Settle lets everything that was taken since the last Settle count at match time now, and
// appends to into what did something, in the order in which it did. That order does not
// depend on the order of the Takes: who saw his shot first dealt it first. The blows of one
// who dies of another's in the same Settle count all the same, so two may kill each other.
func (l *Ledger) Settle(now clock.Micros, into []Result) []Result {
	slices.SortFunc(l.waiting, before)
	for i := range l.waiting {
		d := l.deal(&l.waiting[i], now)
		if l.note(d); d.Outcome == Applied {
			into = append(into, d)
		}
	}
	l.waiting = l.waiting[:0]
	return into
}

// deal lets one blow count.
func (l *Ledger) deal(b *Hit, now clock.Micros) Result {
	d := Result{Hit: *b, At: now}
	share := 0.0
	if share, d.Outcome = l.share(b); d.Outcome != Applied {
		return d
	}
	v := &l.seats[b.Target].vitals
	points := portion(b.Damage, share)
	d.Armour, d.Worn = l.rules.Plates[b.Tag].meet(points, v.Armour)
	d.Health = min(points-d.Armour, v.Health)
	if d.Health == 0 && d.Armour == 0 {
		d.Outcome = NoDamage
		return d
	}
	v.Armour -= d.Worn
	v.Health -= d.Health
	d.Left, d.Killed = v.Health, v.Health == 0
	return d
}

// share returns which share of a blow counts, or why it does not.
func (l *Ledger) share(b *Hit) (float64, Outcome) {
	if int(b.Target) >= len(l.seats) {
		return 0, UnknownTarget
	}
	switch v := &l.seats[b.Target].vitals; {
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

// refused returns why, where there is no share.
func refused(share float64, why Outcome) Outcome {
	if share == 0 {
		return why
	}
	return Applied
}

// note writes into the log.
func (l *Ledger) note(d Result) {
	l.log[l.logged%MaxLog] = d
	l.logged++
}

// Log appends the last blows to into, oldest first, at most Logged: also those that did
// nothing, and why, for who disputes one. Those that were refused at Take have no At.
func (l *Ledger) Log(into []Result) []Result {
	for i := max(0, l.logged-MaxLog); i < l.logged; i++ {
		into = append(into, l.log[i%MaxLog])
	}
	return into
}

func (l *Ledger) seat(id track.ID) *seat {
	if int(id) >= len(l.seats) {
		panic("damage: there is no seat for this id")
	}
	return &l.seats[id]
}

// Digest is a hash of everybody's vitals and of which receipts were taken: equal ledgers
// have equal digests on every processor, whatever the order of the Takes was.
func (l *Ledger) Digest() uint64 {
	h := uint64(0)
	for i := range l.seats {
		v, m := &l.seats[i].vitals, &l.seats[i].memory
		h = mix(h ^ uint64(v.Health) ^ uint64(v.Armour)<<16 ^ uint64(v.Team)<<32 ^ uint64(v.Life)<<40)
		h = mix(h ^ uint64(m.count) ^ uint64(m.horizon)<<32)
		sum := uint64(0)
		for _, r := range m.taken[:m.count] {
			sum += mix(uint64(r.shot) | uint64(r.stage)<<32)
		}
		h = mix(h ^ sum)
	}
	return h
}

// mix is splitmix64's.
func mix(z uint64) uint64 {
	z += 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
