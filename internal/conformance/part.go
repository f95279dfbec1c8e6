package conformance

import (
	mathbits "math/bits"
	"slices"

	"github.com/backstep-net/backstep/bits"
)

// Part is a piece of a snapshot.
type Part struct {
	Number   int      `json:"number"`
	Base     int      `json:"base"` // ticks back; 0: none
	Gone     []uint16 `json:"gone,omitempty"`
	Entities []Entity `json:"entities"`
	Last     bool     `json:"last"`
}

// Entity is one thing in it.
type Entity struct {
	ID uint16 `json:"id"`
	// Reference is how many ticks back the sample is that it is told against: 0 for the
	// newest up to the base, −1 for none.
	Reference int `json:"reference"`
	Sample
	Kinks []Sample `json:"kinks,omitempty"` // latest first
}

// Sample is where something was; instants in 50 µs of match time.
type Sample struct {
	At       int64    `json:"at"`
	Position Grid     `json:"position"`         // 1/1024 m
	Velocity Grid     `json:"velocity"`         // 1/64 m/s
	Walked   int64    `json:"walked,omitempty"` // 1/256 m, mod 2¹⁴
	Yaw      int16    `json:"yaw"`
	Pitch    int16    `json:"pitch"`
	Mode     uint8    `json:"mode"`
	Crouched bool     `json:"crouched,omitempty"`
	Stance   [3]int64 `json:"stance,omitzero"` // low, air, swim in 1/15
	Kind     uint8    `json:"kind,omitempty"`
	Dead     bool     `json:"dead,omitempty"`
	Life     uint8    `json:"life"`
	Teleport uint8    `json:"teleport"`
	Base     uint16   `json:"base,omitempty"`
	Was      uint16   `json:"was,omitempty"`
	Since    int64    `json:"since,omitempty"` // 0: not lately
	Lag      int64    `json:"lag,omitempty"`   // 50 µs
	Up       Grid     `json:"up,omitzero"`     // 1/1024
	Asleep   bool     `json:"asleep,omitempty"`
	Spin     Grid     `json:"spin,omitzero"` // 1/64 rad/s
	Turn     [4]int64 `json:"turn,omitzero"` // 1/4096
	Clip     uint8    `json:"clip,omitempty"`
	Extra    uint16   `json:"extra,omitempty"`
	ClipAt   int64    `json:"clipAt,omitempty"`
}

// Have is what the receiver of a part has of an earlier snapshot, as far as it matters.
type Have struct {
	Tick     uint32   `json:"tick"`
	Entities []Entity `json:"entities"`
}

// halves returns ⌊a/b + ½⌋.
func halves(a, b int64) int64 {
	n := a + b/2
	q := n / b
	if n%b < 0 {
		q--
	}
	return q
}

// tickAt is a tick's time in 50 µs.
func tickAt(tick uint32, ticks int) int64 {
	return halves((int64(tick)*1_000_000+int64(ticks)/2)/int64(ticks), 50)
}

// count packs a number below 2⁴⁰ in classes of 2ᵏ, 2ᵏ⁺¹ …
func count(t *Tape, v *uint64, k int) {
	n, one, zero := 0, true, false
	if t.Writing() {
		if *v >= 1<<40 {
			t.Fail(bits.ErrRange)
			return
		}
		n = min(mathbits.Len64(*v+1<<k)-1-k, 12)
		for range n {
			t.Bool(&one)
		}
		if n < 12 {
			t.Bool(&zero)
		}
	} else {
		for more := true; n < 12 && t.Err() == nil; n++ {
			if t.Bool(&more); !more {
				break
			}
		}
	}
	if n == 12 {
		if t.Uint(v, 40); mathbits.Len64(*v+1<<k)-1-k < 12 {
			t.Fail(bits.ErrRange)
		}
		return
	}
	low := *v + 1<<k - 1<<(k+n)
	if k+n > 0 {
		t.Uint(&low, k+n)
	} else {
		low = 0
	}
	*v = low + 1<<(k+n) - 1<<k
}

// residual packs a number of either sign.
func residual(t *Tape, v *int64, k int) {
	u := uint64(*v) << 1
	if *v < 0 {
		u = ^u
	}
	if count(t, &u, k); u&1 == 0 {
		*v = int64(u >> 1)
	} else {
		*v = ^int64(u >> 1)
	}
}

// pack packs a part of the snapshot of a tick; have are the snapshots that the receiver
// has, and used is told of each that a thing is coded against.
func (p *Part) pack(t *Tape, tick uint32, ticks int, have []Have, used func(tick uint32, e *Entity)) {
	r := parting{t, p, tick, ticks, have, used}
	if first := !t.flag("part not 0", p.Number > 0); first {
		p.Number = 0
	} else {
		ranged(t, "part", &p.Number, 1, 15)
	}
	number(t, "base, ticks back", &p.Base, 6)
	bent := t.flag("some kinks", p.bent())
	r.gone()
	r.things(bent)
	p.Last = t.flag("last part", p.Last)
}

// bent reports whether some thing has kinks.
func (p *Part) bent() bool {
	return slices.ContainsFunc(p.Entities, func(e Entity) bool { return len(e.Kinks) > 0 })
}

// parting is a part on its way.
type parting struct {
	*Tape
	*Part
	tick  uint32
	ticks int
	have  []Have
	used  func(tick uint32, e *Entity)
}

// step packs an id after the one before.
func (r *parting) step(id *uint16, last uint16) {
	from, step := r.Bits(), uint64(*id-last-1)
	count(r.Tape, &step, 0)
	if step >= 1023 || uint64(last)+step+1 > 1023 {
		r.Fail(bits.ErrRange)
		return
	}
	*id = last + uint16(step) + 1
	r.note(from, "id", *id)
}

func (r *parting) gone() {
	if !r.flag("some gone", len(r.Gone) > 0) {
		return
	}
	last := uint16(0)
	for i := 0; r.Err() == nil; i++ {
		if !r.flag("gone", i < len(r.Gone)) {
			break
		}
		if i == len(r.Gone) {
			r.Gone = append(r.Gone, 0)
		}
		r.step(&r.Gone[i], last)
		last = r.Gone[i]
	}
	r.demand(len(r.Gone) > 0)
}

func (r *parting) things(bent bool) {
	if r.Entities == nil {
		r.Entities = []Entity{}
	}
	last := uint16(0)
	for i := 0; r.Err() == nil; i++ {
		if !r.flag("thing", i < len(r.Entities)) {
			break
		}
		if i == len(r.Entities) {
			r.Entities = append(r.Entities, Entity{Reference: -1})
		}
		e := &r.Entities[i]
		r.step(&e.ID, last)
		last = e.ID
		kinks := bent && r.flag("kinks", len(e.Kinks) > 0)
		ref, refTick := r.reference(e)
		r.stamp(&e.Sample, ref, refTick)
		if known := ref != nil; known {
			e.Sample.pack(r.Tape, ref, known)
		} else {
			e.Sample.pack(r.Tape, &Sample{At: tickAt(r.tick, r.ticks)}, known)
		}
		if kinks {
			r.kinks(e)
		}
	}
	r.demand(!bent || r.bent())
}

func (r *parting) kinks(e *Entity) {
	n := 1
	if r.flag("two", len(e.Kinks) > 1) {
		n = 2
	}
	e.Kinks = append(e.Kinks, make([]Sample, n-len(e.Kinks))...)
	after := &e.Sample
	for i := range e.Kinks {
		k := &e.Kinks[i]
		steps := after.At - k.At
		ranged(r.Tape, "before, 50 µs", &steps, 1, 20000)
		k.At = after.At - steps
		k.pack(r.Tape, after, true)
		after = k
	}
}

// reference packs which sample a thing is told against, and returns it and its tick.
func (r *parting) reference(e *Entity) (*Sample, uint32) {
	if r.Base == 0 {
		e.Reference = -1
		return nil, 0
	}
	base := int64(r.tick) - int64(r.Base)
	if r.flag("as in the base", e.Reference == 0) {
		e.Reference = 0
		for i := len(r.have) - 1; i >= 0; i-- {
			if h := &r.have[i]; int64(h.Tick) <= base && r.tick-h.Tick <= 63 {
				if s := r.find(h, e.ID); s != nil {
					return s, h.Tick
				}
			}
		}
		r.Fail(bits.ErrRange)
		return nil, 0
	}
	if !r.flag("another", e.Reference > 0) {
		e.Reference = -1
		return nil, 0
	}
	number(r.Tape, "ticks back", &e.Reference, 6)
	for i := range r.have {
		if h := &r.have[i]; int64(h.Tick) == int64(r.tick)-int64(e.Reference) {
			if s := r.find(h, e.ID); s != nil {
				return s, h.Tick
			}
		}
	}
	r.Fail(bits.ErrRange)
	return nil, 0
}

func (r *parting) find(h *Have, id uint16) *Sample {
	for i := range h.Entities {
		if h.Entities[i].ID == id {
			if r.used != nil {
				r.used(h.Tick, &h.Entities[i])
			}
			return &h.Entities[i].Sample
		}
	}
	return nil
}

// stamp packs when a sample was: how far from its tick, against how far its reference was
// from its own.
func (r *parting) stamp(s, ref *Sample, refTick uint32) {
	from, now, usual := r.Bits(), tickAt(r.tick, r.ticks), int64(0)
	if ref != nil {
		usual = ref.At - tickAt(refTick, r.ticks)
	}
	d := s.At - now - usual
	residual(r.Tape, &d, 2)
	s.At = now + usual + d
	if off := s.At - now; max(off, -off) > 1<<36 {
		r.Fail(bits.ErrRange)
	}
	r.note(from, "stamp, 50 µs", s.At)
}
