package conformance

import "github.com/backstep-net/backstep/bits"

// Down is a server's datagram in a match of sleds.
type Down struct {
	Tick    uint32   `json:"tick"`
	Skipped int      `json:"skipped,omitempty"`
	Heard   *Echo    `json:"heard"`
	Verdict *Verdict `json:"verdict"`
	News    *News    `json:"news"`
	Part    Part     `json:"part"`
}

// Verdict is what the server says of the moves.
type Verdict struct {
	Number     uint32      `json:"number"`
	Correction *Correction `json:"correction,omitempty"`
}

// Correction is a state and why.
type Correction struct {
	Cause  uint8 `json:"cause"`
	Places uint8 `json:"places"`
	Epoch  uint8 `json:"epoch"`
	State  State `json:"state"`
}

// State is a sled's, or a hero's.
type State struct {
	X     int64       `json:"x"`
	V     int64       `json:"v"`
	Arena *ArenaState `json:"arena,omitempty"`
}

// News is what a player is told beside.
type News struct {
	Status   *Hex      `json:"status,omitempty"`
	Receipts []Receipt `json:"receipts"`
	Sights   []Seen    `json:"sights"`
}

// Receipt is the word on a shot.
type Receipt struct {
	Shot     uint32  `json:"shot"`
	Shooter  uint16  `json:"shooter"`
	Weapon   uint8   `json:"weapon"`
	Asked    uint64  `json:"asked"`
	Granted  uint64  `json:"granted"`
	Verdict  uint8   `json:"verdict"`
	Reason   uint8   `json:"reason"`
	Met      Sighted `json:"met"`
	Life     uint8   `json:"life"`
	Distance uint32  `json:"distance"` // 1/64 m
	Point    Grid    `json:"point"`    // 1/128 m
	Agrees   bool    `json:"agrees"`
	Damage   uint16  `json:"damage"`
}

// Seen is a shot as others see it.
type Seen struct {
	Number  uint16 `json:"number"`
	Shooter uint16 `json:"shooter"`
	From    Grid   `json:"from"` // 1/64 m
	To      Grid   `json:"to"`
}

// Pack packs a server's datagram by what its receiver knows.
func (d *Down) Pack(t *Tape, c *Context) {
	kind := 2
	number(t, "kind", &kind, 3)
	number(t, "tick", &d.Tick, 32)
	if kind != 2 || d.Tick == 0 {
		t.Fail(bits.ErrRange)
	}
	if t.flag("skipped", d.Skipped > 0) {
		ranged(t, "ticks skipped", &d.Skipped, 1, 64)
	}
	sequences := numbers{width: 10, newest: c.Sequence}
	sequences.pack(t, "heard", &d.Heard)
	if t.flag("verdict", d.Verdict != nil) {
		if d.Verdict == nil {
			d.Verdict = new(Verdict)
		}
		d.Verdict.pack(t, c.Game)
	}
	if t.flag("news", d.News != nil) {
		if d.News == nil {
			d.News = new(News)
		}
		d.News.pack(t)
	}
	d.Part.pack(t, d.Tick, c.Ticks, c.Have, c.used)
	t.End()
}

func (v *Verdict) pack(t *Tape, game string) {
	number(t, "move", &v.Number, 32)
	if !t.flag("correction", v.Correction != nil) {
		return
	}
	if v.Correction == nil {
		v.Correction = new(Correction)
	}
	c := v.Correction
	ranged(t, "cause", &c.Cause, 0, 4)
	number(t, "places", &c.Places, 8)
	number(t, "epoch", &c.Epoch, 8)
	if game == "arena" {
		if c.State.Arena == nil {
			c.State.Arena = new(ArenaState)
		}
		c.State.Arena.pack(t)
		return
	}
	varint(t, "state X", &c.State.X)
	varint(t, "state V", &c.State.V)
}

func (n *News) pack(t *Tape) {
	if t.flag("status", n.Status != nil) {
		if n.Status == nil {
			n.Status = new(Hex)
		}
		t.blob("status bytes", n.Status, 64)
	}
	sized(t, "receipts", &n.Receipts)
	for i := range n.Receipts {
		n.Receipts[i].pack(t)
	}
	sized(t, "sights", &n.Sights)
	for i := range n.Sights {
		s := &n.Sights[i]
		number(t, "sight number", &s.Number, 16)
		ranged(t, "shooter", &s.Shooter, 1, 128)
		t.vec("from", &s.From, 64)
		t.vec("to", &s.To, 64)
	}
	if n.Status == nil && len(n.Receipts)+len(n.Sights) == 0 {
		t.Fail(bits.ErrRange)
	}
}

// sized packs the length of a list of at most 16 things.
func sized[T any](t *Tape, name string, list *[]T) {
	n := len(*list)
	ranged(t, name, &n, 0, 16)
	if !t.Writing() {
		*list = make([]T, n)
	}
}

func (r *Receipt) pack(t *Tape) {
	number(t, "shot", &r.Shot, 32)
	ranged(t, "shooter", &r.Shooter, 0, 1023)
	number(t, "weapon", &r.Weapon, 8)
	uvarint(t, "view asked", &r.Asked)
	if same := t.flag("granted as asked", r.Granted == r.Asked); same {
		r.Granted = r.Asked
	} else if uvarint(t, "view granted", &r.Granted); r.Granted == r.Asked {
		t.Fail(bits.ErrRange)
	}
	ranged(t, "shot's verdict", &r.Verdict, 0, 2)
	ranged(t, "reason", &r.Reason, 0, 9)
	r.Met.pack(t)
	if r.Met.Kind == 2 {
		number(t, "life", &r.Life, 8)
	}
	ranged(t, "distance", &r.Distance, 0, 4096*64)
	t.vec("point", &r.Point, 128)
	r.Agrees = t.flag("agrees", r.Agrees)
	number(t, "damage", &r.Damage, 16)
	if r.Asked > 1<<53 || r.Granted > 1<<53 {
		t.Fail(bits.ErrRange)
	}
}
