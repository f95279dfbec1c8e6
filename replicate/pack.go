package replicate

import (
	"slices"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/track"
)

// The orders of an id's step from the one before it, less 1 (bits.Count).
const idOrder = 0

// The sizes of a snapshot's pieces, in bits, at most.
const (
	backBits  = 6                        // how many ticks back something is
	partHead  = 1 + 4 + backBits + 1 + 1 // the part's number, the base, kinks or none, gone or none
	partTail  = 1 + 1                    // no more things, whether it is the last part
	stepBits  = 2*9 + 1 + idOrder        // an id's step
	refBits   = 2 + backBits             // which reference
	codedBits = refBits + track.DeltaBits + 1 + track.MaxKinks*track.BendBits
	thingBits = 1 + stepBits + 1 + codedBits
)

// Least is how many bits Sender.Pack needs. RoomForOne is how many let it pack at least
// one thing, whatever it is; most need a tenth of that.
const (
	Least      = partHead + 1 + partTail
	RoomForOne = partHead + 1 + partTail + thingBits
)

// fill packs what is due into the store, as much of it as the budget holds.
func (s *Sender) fill() {
	room := s.match.rules.Budget*8 - 2*(partHead+1+partTail) - s.goneBits()
	n := len(s.picks)
	used, coded := 0, n*(s.usual+thingHead(n)) <= room
	for i := 0; coded && i < n; i++ {
		used += s.code(&s.picks[i])
	}
	if coded && used+n*thingHead(n) <= room {
		for i := range s.picks {
			s.picks[i].chosen = true
		}
		s.learnUsual(used, n)
		return
	}
	s.ration(room)
}

// ration chooses by urgency what the room is for.
func (s *Sender) ration(room int) {
	for i := range s.picks {
		p := &s.picks[i]
		t := &s.things[p.id]
		t.wait += s.urgency(p, t)
		p.weight += t.wait
	}
	slices.SortFunc(s.picks, func(a, b pick) int {
		switch {
		case a.weight > b.weight:
			return -1
		case a.weight < b.weight:
			return 1
		}
		return int(a.id) - int(b.id)
	})
	used, n, missed := 0, 0, 0
	for i := range s.picks {
		p := &s.picks[i]
		if p.bits == 0 {
			s.code(p)
		}
		if used+int(p.bits)+(n+1)*thingHead(n+1) > room {
			if missed++; missed > mostMissed {
				break
			}
			continue
		}
		p.chosen = true
		used, n = used+int(p.bits), n+1
	}
	s.learnUsual(used, n)
	slices.SortFunc(s.picks, func(a, b pick) int { return int(a.id) - int(b.id) })
}

// mostMissed is how many things that do not fit are looked past for smaller ones.
const mostMissed = 4

// learnUsual notes how many bits n things took.
func (s *Sender) learnUsual(used, n int) {
	if n > 0 {
		s.usual = (s.usual*7 + used/n + 7) / 8
	}
}

// thingHead returns how many bits each of n things takes beside what it is coded as, at
// most, in the mean: that there is one, its id's step, and whether it has kinks. The steps
// of n ids are MaxID together, and take the most where they are equal.
func thingHead(n int) int {
	if n == 0 {
		return 0
	}
	step := int(track.MaxID) / n
	width := 0
	for x := step>>idOrder + 1; x > 0; x >>= 1 {
		width++
	}
	return 1 + idOrder + 1 + 2*width + 1
}

// goneBits returns how many bits the gone marks take.
func (s *Sender) goneBits() int { return len(s.gone) * thingHead(len(s.gone)) }

// code packs a thing into the store and returns how many bits it takes there.
func (s *Sender) code(p *pick) int {
	const most = (codedBits + 7) / 8
	if len(s.store) < s.stored+most {
		s.store = append(s.store, make([]byte, len(s.store)+4*most)...)
	}
	m := s.match
	e := &m.frame.Entities[p.index]
	c := &s.coder
	c.Write(s.store[s.stored : s.stored+most])
	ref, refAt := s.reference(e.ID, int(p.index))
	e.PackDelta(c, m.frame.At, ref, refAt)
	if kinks := m.kinks(int(p.index), s.since(e.ID)); len(kinks) > 0 {
		writeBends(c, e, kinks)
		p.kinks, s.bent = true, true
	}
	if c.Err() != nil {
		panic("replicate: a thing cannot be packed: " + c.Err().Error())
	}
	p.at, p.bits = int32(s.stored), int32(c.Bits())
	s.stored += len(c.Bytes())
	return c.Bits()
}

// since returns the tick in which the client was told of a thing last, 0 for never or too
// long ago: track.Told.Since.
func (s *Sender) since(id track.ID) uint32 {
	if t := &s.things[id]; t.sent != 0 && s.tick-t.sent <= track.Reach {
		return t.sent
	}
	return 0
}

// reference finds a sample of a thing that the client has, and writes which: one bit
// where it is the newest in the client's frames up to the base; else how many ticks back
// it is, or that there is none. Without a base there is none.
func (s *Sender) reference(id track.ID, hint int) (ref *track.Sample, refAt clock.Micros) {
	if s.base == 0 {
		return nil, 0
	}
	t := &s.things[id]
	var frame *track.Frame
	if t.acked != 0 && s.tick-t.acked <= oldest {
		if frame = s.match.frames.Frame(t.acked); frame != nil {
			ref = find(frame, id, hint)
		}
	}
	usual, named := ref != nil && s.newestIs(id, t), ref != nil
	s.coder.Bool(&usual)
	if usual {
		return ref, frame.At
	}
	s.coder.Bool(&named)
	if !named {
		return nil, 0
	}
	back := uint64(s.tick - t.acked)
	s.coder.Uint(&back, backBits)
	return ref, frame.At
}

// newestIs reports whether the newest sample of a thing that is known to have come is the
// newest that the client can have up to the base: there is none after it that may have
// come unknown.
func (s *Sender) newestIs(id track.ID, t *thing) bool {
	for tick := s.base; tick > t.acked; tick-- {
		if s.told.Has(tick, id) {
			return false
		}
	}
	return true
}

// writeBends writes the kinks of a thing that has some, the latest first.
func writeBends(p *bits.Packer, e *track.Entity, kinks []track.Entity) {
	two := len(kinks) > 1
	p.Bool(&two)
	next := &e.Sample
	for i := len(kinks) - 1; i >= 0; i-- {
		kinks[i].PackBend(p, next)
		next = &kinks[i].Sample
	}
}

// More reports whether a part is still to be packed. Every snapshot has at least one, even
// one that says nothing.
func (s *Sender) More() bool { return !s.done }

// Pack writes the next part: its number, and as much as fits in what p has left. Which
// tick it is of, the datagram must say before it. It panics where that is less than Least
// bits, or where More reports false. What is left after MaxParts parts is not told.
func (s *Sender) Pack(p *bits.Packer) {
	if s.done || p.Left() < Least {
		panic("replicate: Sender.Pack needs a part to send and room for it")
	}
	h := head{part: s.part, kinks: s.bent}
	if s.base != 0 {
		h.back = uint64(s.tick - s.base)
	}
	h.pack(p)
	s.packGone(p)
	s.packThings(p)
	more := false
	p.Bool(&more)
	s.part++
	s.done = s.nextGone == len(s.gone) && s.next == len(s.picks) || s.part == MaxParts
	p.Bool(&s.done)
}

// packGone writes the gone marks that fit, each after a bit that announces it.
func (s *Sender) packGone(p *bits.Packer) {
	const room = 1 + stepBits + 1 + partTail
	some := s.nextGone < len(s.gone) && p.Left() > room
	p.Bool(&some)
	if !some {
		return
	}
	parcel := &s.parcels[s.tick%parcels]
	last, more := track.ID(0), true
	for ; s.nextGone < len(s.gone) && p.Left() >= room; s.nextGone++ {
		id := s.gone[s.nextGone]
		p.Bool(&more)
		packStep(p, &id, &last)
		s.told.AddGone(s.tick, id)
		parcel.gone = append(parcel.gone, id)
	}
	more = false
	p.Bool(&more)
}

// packThings writes the chosen things that fit.
func (s *Sender) packThings(p *bits.Packer) {
	parcel := &s.parcels[s.tick%parcels]
	last, more := track.ID(0), true
	for ; s.next < len(s.picks); s.next++ {
		c := &s.picks[s.next]
		if !c.chosen {
			continue
		}
		if s.nextGone < len(s.gone) || p.Left() < 1+stepBits+1+int(c.bits)+partTail {
			return
		}
		p.Bool(&more)
		id := c.id
		packStep(p, &id, &last)
		if s.bent {
			p.Bool(&c.kinks)
		}
		p.Copy(s.store[c.at:], int(c.bits))
		s.told.Add(s.tick, id)
		parcel.ids = append(parcel.ids, id)
		s.sent(&s.things[id])
	}
}

// sent notes that a thing is told of in this snapshot.
func (s *Sender) sent(t *thing) {
	if t.sent = s.tick; t.first == 0 {
		t.first = s.tick
	}
	if t.rest == 0 {
		t.rest = s.tick
	}
	t.wait = 0
}

// head is how a part begins.
type head struct {
	part  int
	back  uint64 // how many ticks back the base is, 0 for none
	kinks bool   // some things have kinks
}

func (h *head) pack(p *bits.Packer) {
	later := h.part > 0
	p.Bool(&later)
	if later {
		p.Ranged(&h.part, 1, MaxParts-1)
	} else {
		h.part = 0
	}
	p.Uint(&h.back, backBits)
	p.Bool(&h.kinks)
}

// packStep packs an id as its step from the last one's.
func packStep(p *bits.Packer, id, last *track.ID) {
	step := uint64(*id - *last - 1)
	p.Count(&step, idOrder)
	if next := uint64(*last) + step + 1; step < uint64(track.MaxID) && next <= uint64(track.MaxID) {
		*id = track.ID(next)
	} else {
		p.Fail(bits.ErrRange)
		*id = track.MaxID
	}
	*last = *id
}
