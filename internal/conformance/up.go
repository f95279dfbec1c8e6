package conformance

import (
	mathbits "math/bits"

	"github.com/backstep-net/backstep/bits"
)

// Up is a client's datagram in a match of sleds.
type Up struct {
	Sequence uint32 `json:"sequence"` // low 10 bits
	Received *Echo  `json:"received"`
	Moves    *Moves `json:"moves"`
}

// Moves is the section of moves.
type Moves struct {
	Epoch uint8  `json:"epoch"` // low 6 bits
	Based bool   `json:"based"`
	Base  uint32 `json:"base,omitempty"` // number
	List  []Move `json:"list"`
	Claim *Place `json:"claim,omitempty"`
	lost  bool   // the base is not known
	past  *Past  // by which to read
}

// Move is one command; times in grains of 40 µs.
type Move struct {
	Number   uint32 `json:"number"`
	Stamp    int64  `json:"stamp"`
	Duration int64  `json:"duration"`
	Input    Input  `json:"input"`
}

// Input is a sled's.
type Input struct {
	Push  int8        `json:"push"`
	Shot  *Shot       `json:"shot,omitempty"`
	Arena *ArenaInput `json:"arena,omitempty"` // instead, in the arena
}

// Shot is a claim.
type Shot struct {
	Weapon uint8  `json:"weapon"`
	Yaw    int16  `json:"yaw"` // 65,536 a turn
	Pitch  int16  `json:"pitch"`
	View   uint64 `json:"view"` // µs
	Newest uint32 `json:"newest"`
	Mask   uint64 `json:"mask,string"` // not every reader of JSON has 64 bits
	Drawn  uint8  `json:"drawn,omitempty"`
	Heals  *Heals `json:"heals,omitempty"`
	// Arrivals are of a picture that smooths.
	Arrivals *Arrivals `json:"arrivals,omitempty"`
	Saw      Sighted   `json:"saw"`
	Sum      uint16    `json:"sum,omitempty"` // over all that it met, of what may meet several
}

// Heals is what a shot's picture goes over from.
type Heals struct {
	Age  uint32 `json:"age"` // µs
	Back uint8  `json:"back"`
	Mask uint64 `json:"mask,string"`
}

// Arrivals are the pictures after which snapshots were first drawn: bit i of Ticks is tick
// newest − 1 − i, of Times i · 8 ms before the view.
type Arrivals struct {
	Ticks uint64 `json:"ticks,string"`
	Times uint64 `json:"times,string"`
}

// Sighted is what a shot met: 0 nothing, 1 the world, 2 a player.
type Sighted struct {
	Kind   uint8  `json:"kind"`
	Target uint16 `json:"target,omitempty"`
	Part   uint8  `json:"part,omitempty"`
	Tag    uint8  `json:"tag,omitempty"`
}

// Place is a claim of where the newest move ended.
type Place struct {
	X     uint16 `json:"x"`
	Y     uint16 `json:"y"`
	Z     uint16 `json:"z"`
	Check uint8  `json:"check"`
}

// Past is what the reader of moves must know.
type Past struct {
	Game      string `json:"game,omitempty"` // "": sleds
	Ticks     int    `json:"ticks"`
	Snapshots int    `json:"snapshots"`
	Newest    uint32 `json:"newest"` // tick that was sent
	Last      uint32 `json:"last"`   // move that was run
	Now       int64  `json:"now"`    // match time in grains
	Base      *Move  `json:"base,omitempty"`
}

// Pack packs a client's datagram in either direction.
func (u *Up) Pack(t *Tape, past *Past) {
	kind := 1
	number(t, "kind", &kind, 3)
	if kind != 1 {
		t.Fail(bits.ErrRange)
	}
	number(t, "sequence, low bits", &u.Sequence, 10)
	ticks := numbers{12, past.Newest, past.Ticks, past.Snapshots}
	ticks.pack(t, "received", &u.Received)
	if t.flag("moves", u.Moves != nil) {
		if u.Moves == nil {
			u.Moves = new(Moves)
		}
		u.Moves.past = past
		u.Moves.pack(t)
	}
	t.End()
}

func (m *Moves) pack(t *Tape) {
	number(t, "epoch", &m.Epoch, 6)
	m.packCount(t)
	if len(m.List) == 0 {
		return
	}
	m.Based = t.flag("based", m.Based)
	before, between := Move{}, uint32(0)
	if m.Based {
		before, between = m.packBase(t)
	} else {
		m.packFirst(t, &m.List[0])
	}
	for i := range m.List {
		if m.lost || t.Err() != nil {
			return
		}
		c := &m.List[i]
		if i > 0 || m.Based {
			c.packNext(t, &before, between)
		}
		c.Input.pack(t, &before.Input, m.past.Game)
		before, between = *c, 0
	}
	if m.Claim == nil {
		m.Claim = new(Place)
	}
	number(t, "claim X", &m.Claim.X, 10)
	number(t, "claim Y", &m.Claim.Y, 10)
	number(t, "claim Z", &m.Claim.Z, 10)
	number(t, "claim check", &m.Claim.Check, 8)
}

func (m *Moves) packCount(t *Tape) {
	n := len(m.List)
	few := n
	if few > 15 {
		few = 0
	}
	number(t, "count", &few, 4)
	if few == 0 {
		number(t, "count, long", &n, 7)
		if n > 120 || n > 0 && n < 16 {
			t.Fail(bits.ErrRange)
		}
	} else {
		n = few
	}
	if !t.Writing() && t.Err() == nil {
		m.List = make([]Move, n)
	}
}

func (m *Moves) packBase(t *Tape) (base Move, between uint32) {
	low := m.Base & 1023
	number(t, "base, low bits", &low, 10)
	n := uint64(0)
	if t.Writing() {
		base = *m.past.Base
		n = uint64(m.List[0].Number - base.Number - 1)
	}
	uvarint(t, "moves between", &n)
	if n > 255 {
		t.Fail(bits.ErrRange)
	}
	between = uint32(n)
	if !t.Writing() {
		if m.past.Base == nil || m.past.Base.Number&1023 != low {
			m.lost = true
			return base, between
		}
		base = *m.past.Base
		m.Base = base.Number
	}
	return base, between
}

func (m *Moves) packFirst(t *Tape, c *Move) {
	low := c.Number & 0xffff
	number(t, "number, low bits", &low, 16)
	stamp := c.Stamp & (1<<19 - 1)
	number(t, "stamp, low bits", &stamp, 19)
	number(t, "duration", &c.Duration, 12)
	if t.Writing() || t.Err() != nil {
		return
	}
	c.Number = m.past.Last + uint32(int32(int16(uint16(low)-uint16(m.past.Last))))
	off := (stamp - m.past.Now) & (1<<19 - 1)
	if off >= 1<<18 {
		off -= 1 << 19
	}
	if c.Stamp = m.past.Now + off; c.Stamp < 1 || c.Duration < 1 || c.Duration > 3125 {
		t.Fail(bits.ErrRange)
	}
}

func (c *Move) packNext(t *Tape, b *Move, between uint32) {
	from := t.Bits()
	packDuration(t, &c.Duration, b.Duration)
	t.note(from, "duration", c.Duration)
	gap := int64(between) * b.Duration
	pause := c.Stamp - b.Stamp - c.Duration - gap
	from = t.Bits()
	none := pause == 0
	if t.Bool(&none); none {
		pause = 0
	} else if t.Varint(&pause); pause == 0 || max(pause, -pause) > 1<<35 {
		t.Fail(bits.ErrRange)
	}
	t.note(from, "pause", pause)
	if t.Writing() {
		return
	}
	c.Number = b.Number + 1 + between
	if c.Stamp = b.Stamp + gap + c.Duration + pause; c.Stamp <= b.Stamp {
		t.Fail(bits.ErrRange)
	}
}

// packDuration packs a duration against the one before.
func packDuration(t *Tape, d *int64, before int64) {
	more := *d - before
	size := max(more, -more)
	one := func(v bool) bool { t.Bool(&v); return v }
	up := more > 0
	switch {
	case one(size == 0):
		more = 0
	case one(size == 1):
		if t.Bool(&up); up {
			more = 1
		} else {
			more = -1
		}
	case one(size <= 33):
		t.Bool(&up)
		u := uint64(size - 2)
		t.Uint(&u, 5)
		if more = int64(u) + 2; !up {
			more = -more
		}
	default:
		u := uint64(*d)
		t.Uint(&u, 12)
		if more = int64(u) - before; max(more, -more) <= 33 {
			t.Fail(bits.ErrRange)
		}
	}
	if *d = before + more; *d < 1 || *d > 3125 {
		t.Fail(bits.ErrRange)
	}
}

func (in *Input) pack(t *Tape, b *Input, game string) {
	if game == "arena" {
		if in.Arena == nil {
			in.Arena = new(ArenaInput)
		}
		if b.Arena == nil {
			b = &Input{Arena: new(ArenaInput)}
		}
		in.Arena.pack(t, b.Arena)
		return
	}
	from, before := t.Bits(), b.Push
	same := in.Push == before
	if t.Bool(&same); same {
		in.Push = before
	} else {
		n := int(in.Push)
		t.Ranged(&n, -1, 1)
		if in.Push = int8(n); in.Push == before {
			t.Fail(bits.ErrRange)
		}
	}
	t.note(from, "push", in.Push)
	if !t.flag("fire", in.Shot != nil) {
		in.Shot = nil
		return
	}
	if in.Shot == nil {
		in.Shot = new(Shot)
	}
	in.Shot.pack(t)
}

func (s *Shot) pack(t *Tape) {
	ranged(t, "weapon", &s.Weapon, 0, 7)
	signed(t, "yaw", &s.Yaw, 16)
	signed(t, "pitch", &s.Pitch, 16)
	uvarint(t, "view", &s.View)
	if s.View > 1<<53 {
		t.Fail(bits.ErrRange)
	}
	number(t, "view's newest", &s.Newest, 32)
	if s.Newest != 0 {
		number(t, "view's mask", &s.Mask, 64)
		if n := s.Newest - 1; n < 64 && s.Mask>>n != 0 {
			t.Fail(bits.ErrRange)
		}
	}
	ranged(t, "drawn", &s.Drawn, 0, 3)
	if t.flag("heals", s.Heals != nil) {
		if s.Heals == nil {
			s.Heals = new(Heals)
		}
		s.Heals.pack(t, s)
	} else {
		s.Heals = nil
	}
	s.packArrivals(t)
	s.Saw.pack(t)
	if t.flag("met several", s.Sum != 0) {
		number(t, "sum", &s.Sum, 16)
		t.demand(s.Sum != 0)
	}
}

// packArrivals is of what is drawn ahead.
func (s *Shot) packArrivals(t *Tape) {
	if s.Drawn != 1 && s.Drawn != 2 || !t.flag("arrivals", s.Arrivals != nil) {
		s.Arrivals = nil
		return
	}
	if s.Arrivals == nil {
		s.Arrivals = new(Arrivals)
	}
	a := s.Arrivals
	number(t, "arrived after ticks", &a.Ticks, 64)
	number(t, "arrived after instants", &a.Times, 56)
	n := mathbits.OnesCount64(a.Ticks)
	if n == 0 || n > 28 || n != mathbits.OnesCount64(a.Times) || mathbits.Len64(a.Ticks) >= int(s.Newest) || uint64(mathbits.Len64(a.Times)) > s.View/8000+1 {
		t.Fail(bits.ErrRange)
	}
}

func (h *Heals) pack(t *Tape, s *Shot) {
	ranged(t, "healed ago", &h.Age, 0, 149_999)
	ranged(t, "newest before", &h.Back, 0, 64)
	number(t, "mask before", &h.Mask, 64)
	if s.Drawn == 1 || s.Drawn == 2 || uint64(h.Age) >= s.View || uint32(h.Back) >= s.Newest {
		t.Fail(bits.ErrRange)
		return
	}
	if n := s.Newest - uint32(h.Back) - 1; n < 64 && h.Mask>>n != 0 {
		t.Fail(bits.ErrRange)
	}
}

func (s *Sighted) pack(t *Tape) {
	ranged(t, "met", &s.Kind, 0, 2)
	if s.Kind == 2 {
		ranged(t, "target", &s.Target, 1, 1023)
		ranged(t, "part", &s.Part, 1, 31)
		ranged(t, "tag", &s.Tag, 1, 7)
	}
}
