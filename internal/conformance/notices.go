package conformance

import "github.com/backstep-net/backstep/bits"

// News is what a player is told beside.
type News struct {
	Status   *Hex      `json:"status,omitempty"`
	Receipts []Receipt `json:"receipts"`
	Sights   []Seen    `json:"sights"`
	Hurts    []Hurt    `json:"hurts"`
}

// Receipt is the word on a shot: from Life on only of one that was cast.
type Receipt struct {
	Number   uint16   `json:"number"`
	Shot     uint32   `json:"shot"`
	Shooter  uint16   `json:"shooter"`
	Weapon   uint8    `json:"weapon"`
	Asked    uint64   `json:"asked"`
	Granted  uint64   `json:"granted"`
	Verdict  uint8    `json:"verdict"`
	Reason   uint8    `json:"reason"`
	Met      Sighted  `json:"met"`
	Life     uint8    `json:"life"`
	Distance uint32   `json:"distance"` // 1/64 m
	Point    Grid     `json:"point"`    // 1/128 m
	Agrees   bool     `json:"agrees"`
	Tested   uint8    `json:"tested"`
	Sum      uint16   `json:"sum"`
	Victims  []Victim `json:"victims"`
}

// Victim is one of those whom a shot hurt.
type Victim struct {
	Target uint16 `json:"target"`
	Life   uint8  `json:"life"`
	Tag    uint8  `json:"tag"`
	Count  uint8  `json:"count"`
	Heads  uint8  `json:"heads"`
	Damage uint16 `json:"damage"`
	Why    uint8  `json:"why"`
}

// Seen is a shot as others see it, or where a projectile ended.
type Seen struct {
	Number  uint16 `json:"number"`
	Shooter uint16 `json:"shooter"`
	Weapon  uint8  `json:"weapon"`
	Burst   bool   `json:"burst,omitempty"`
	To      Grid   `json:"to"`            // 1/64 m
	Ago     uint16 `json:"ago,omitempty"` // of a burst, ms before the tick
	From    Grid   `json:"from"`
	More    []Grid `json:"more,omitempty"` // where other pellets went
}

// Hurt is what the receiver suffered.
type Hurt struct {
	Number uint16 `json:"number"`
	By     uint16 `json:"by"`
	Weapon uint8  `json:"weapon"`
	Tag    uint8  `json:"tag"`
	Damage uint16 `json:"damage"`
	From   Grid   `json:"from"` // 1/64 m
	Ago    uint16 `json:"ago"`  // ms
}

func (n *News) pack(t *Tape) {
	if t.flag("status", n.Status != nil) {
		if n.Status == nil {
			n.Status = new(Hex)
		}
		t.blob("status bytes", n.Status, 64)
	}
	sized(t, "receipts", &n.Receipts, 16)
	for i, first := 0, uint16(0); i < len(n.Receipts); i++ {
		numbered(t, "first receipt", &n.Receipts[i].Number, &first, i)
		n.Receipts[i].pack(t)
	}
	sized(t, "sights", &n.Sights, 16)
	for i, first := 0, uint16(0); i < len(n.Sights); i++ {
		numbered(t, "first sight", &n.Sights[i].Number, &first, i)
		n.Sights[i].pack(t)
	}
	sized(t, "hurts", &n.Hurts, 16)
	for i, first := 0, uint16(0); i < len(n.Hurts); i++ {
		numbered(t, "first hurt", &n.Hurts[i].Number, &first, i)
		n.Hurts[i].pack(t)
	}
	t.demand(n.Status != nil || len(n.Receipts)+len(n.Sights)+len(n.Hurts) > 0)
}

// sized packs the length of a list of at most so many things.
func sized[T any](t *Tape, name string, list *[]T, most int) {
	n := len(*list)
	ranged(t, name, &n, 0, most)
	if !t.Writing() {
		*list = make([]T, n)
	}
}

// numbered packs the number of the first of a list; each other is one more.
func numbered(t *Tape, name string, n, first *uint16, i int) {
	if i == 0 {
		number(t, name, n, 16)
		*first = *n
	}
	*n = *first + uint16(i)
}

func (r *Receipt) pack(t *Tape) {
	shot := uint64(r.Shot)
	uvarint(t, "shot", &shot)
	t.demand(shot < 1<<32)
	r.Shot = uint32(shot)
	ranged(t, "shooter", &r.Shooter, 0, 1023)
	ranged(t, "weapon", &r.Weapon, 0, 7)
	uvarint(t, "view asked", &r.Asked)
	if same := t.flag("granted as asked", r.Granted == r.Asked); same {
		r.Granted = r.Asked
	} else if uvarint(t, "view granted", &r.Granted); r.Granted == r.Asked {
		t.Fail(bits.ErrRange)
	}
	t.demand(r.Asked <= 1<<53 && r.Granted <= 1<<53)
	ranged(t, "shot's verdict", &r.Verdict, 0, 3)
	ranged(t, "reason", &r.Reason, 0, 12)
	if !t.Writing() {
		r.Victims = []Victim{}
	}
	if r.Verdict == 1 || r.Verdict == 2 {
		r.packCast(t)
	}
}

// packCast packs what a shot met.
func (r *Receipt) packCast(t *Tape) {
	r.Met.pack(t)
	if r.Met.Kind == 2 {
		number(t, "life", &r.Life, 8)
	}
	ranged(t, "distance", &r.Distance, 0, 4096*64)
	t.vec("point", &r.Point, 128)
	r.Agrees = t.flag("agrees", r.Agrees)
	ranged(t, "tested", &r.Tested, 0, 15)
	if r.Tested > 0 {
		number(t, "tested sum", &r.Sum, 16)
	}
	sized(t, "victims", &r.Victims, 8)
	for i := range r.Victims {
		r.Victims[i].pack(t, r, i)
	}
	t.demand((len(r.Victims) > 0) == (r.Verdict == 2))
}

// pack packs a victim, the first of which mostly is what was met: one bit then.
func (v *Victim) pack(t *Tape, r *Receipt, i int) {
	plain := Victim{Target: r.Met.Target, Life: r.Life, Tag: r.Met.Tag, Count: 1}
	if plain.Tag == 2 {
		plain.Heads = 1
	}
	is := func() bool {
		c := *v
		c.Damage, c.Why = 0, 0
		return i == 0 && r.Met.Kind == 2 && c == plain
	}
	if i == 0 && r.Met.Kind == 2 && t.flag("who was met", is()) {
		damage, why := v.Damage, v.Why
		*v = plain
		v.Damage, v.Why = damage, why
	} else {
		ranged(t, "victim", &v.Target, 1, 1023)
		number(t, "life", &v.Life, 8)
		ranged(t, "tag", &v.Tag, 1, 7)
		ranged(t, "count", &v.Count, 1, 16)
		ranged(t, "heads", &v.Heads, 0, int(v.Count))
		t.demand(!is())
	}
	damage := uint64(v.Damage)
	uvarint(t, "damage", &damage)
	t.demand(damage < 1<<16)
	v.Damage = uint16(damage)
	ranged(t, "why", &v.Why, 0, 3)
}

func (s *Seen) pack(t *Tape) {
	ranged(t, "shooter", &s.Shooter, 1, 128)
	ranged(t, "weapon", &s.Weapon, 0, 7)
	s.Burst = t.flag("burst", s.Burst)
	t.vec("to", &s.To, 64)
	if s.Burst {
		ranged(t, "ago, ms", &s.Ago, 0, 4095)
		return
	}
	t.vec("from", &s.From, 64)
	if !t.flag("more pellets", len(s.More) > 0) {
		return
	}
	n := len(s.More)
	if ranged(t, "pellets", &n, 1, 15); !t.Writing() {
		s.More = make([]Grid, n)
	}
	for i := range s.More {
		t.vec("pellet", &s.More[i], 64)
	}
}

func (h *Hurt) pack(t *Tape) {
	ranged(t, "by", &h.By, 1, 128)
	ranged(t, "weapon", &h.Weapon, 0, 7)
	ranged(t, "tag", &h.Tag, 0, 7)
	number(t, "damage", &h.Damage, 16)
	t.vec("from", &h.From, 64)
	ranged(t, "ago, ms", &h.Ago, 0, 4095)
}
