package replicate

import (
	mathbits "math/bits"
	"slices"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/track"
)

// MaxParts is the most datagrams that one snapshot may take.
const MaxParts = 16

// idOrder is the order of an id's step from the one before it, less 1 (bits.Count).
const idOrder = 0

// The sizes of a snapshot's pieces, in bits, at most.
const (
	backBits  = 6                        // how many ticks back something is
	partHead  = 1 + 4 + backBits + 1 + 1 // the part's number, the base, kinks or none, gone or none
	partTail  = 1 + 1                    // no more things, whether it is the last part
	stepBits  = 2*9 + 1 + idOrder        // an id's step
	refBits   = 2 + backBits             // which reference
	codedBits = refBits + track.DeltaBits + 1 + track.MaxKeyframes*track.KeyframeBits
	thingBits = 1 + stepBits + 1 + codedBits
)

// Least is how many bits Sender.Pack needs. RoomForOne is how many let it pack at least
// one thing, whatever it is; most need a tenth of that.
const (
	MinBits          = partHead + 1 + partTail
	MinBitsForEntity = partHead + 1 + partTail + thingBits
)

// fill packs what is due into the store, as much of it as the budget holds.
func (s *Sender) fill() {
	room := s.match.rules.Budget*8 - 2*(partHead+1+partTail) - s.goneBits()
	n := len(s.picks)
	if n == 0 {
		return
	}
	last := s.picks[n-1].id
	used, coded := 0, n*s.usual+headsBits(n, last) <= room
	for i := 0; coded && i < n; i++ {
		used += s.code(&s.picks[i])
	}
	if coded && used+headsBits(n, last) <= room {
		for i := range s.picks {
			s.picks[i].chosen = true
		}
		s.learnUsual(used, n)
		return
	}
	s.ration(room, last)
}

// ration chooses by urgency what the room is for.
func (s *Sender) ration(room int, last track.ID) {
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
		if p.code.bits == 0 {
			s.code(p)
		}
		if used+p.size()+headsBits(n+1, last) > room {
			if missed++; missed > mostMissed {
				break
			}
			continue
		}
		p.chosen = true
		used, n = used+p.size(), n+1
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

// headsBits returns how many bits n things take at most beside what they are coded as: that
// there is one, whether it has kinks, and its id's step. The steps are last together, the
// highest id, and take most where they are equal: 1 + 2·log₂ of it.
func headsBits(n int, last track.ID) int {
	if n == 0 {
		return 0
	}
	square := (int(last)*int(last) + n*n - 1) / (n * n)
	return n * (3 + mathbits.Len(uint(square-1)))
}

// goneBits returns how many bits the gone marks take at most.
func (s *Sender) goneBits() int {
	if len(s.gone) == 0 {
		return 0
	}
	return headsBits(len(s.gone), s.gone[len(s.gone)-1])
}

// code has a thing packed and returns how many bits it takes.
func (s *Sender) code(p *pick) int {
	m, i, t := s.match, int(p.index), &s.things[p.id]
	since := t.sent
	if s.tick-since > track.ReceivedWindow {
		since = 0
	}
	ref, frame := s.reference(p.id, i, t)
	p.code = m.code(i, ref, frame, since)
	switch {
	case s.base == 0:
		p.refBits = 0
	case ref == nil:
		p.ref, p.refBits = 0, 2
	case s.newestIs(p.id, t):
		p.ref, p.refBits = 1, 1
	default:
		p.ref, p.refBits = 2|uint64(s.tick-t.acked)<<2, 2+backBits
	}
	return p.size()
}

// size returns how many bits a packed thing takes.
func (p *pick) size() int { return p.refBits + int(p.code.bits) }

// reference returns a sample of a thing that the client has, and its frame; nil for none. It
// is good until the next is asked for.
func (s *Sender) reference(id track.ID, hint int, t *thing) (*track.Sample, *track.Snapshot) {
	if s.base == 0 || t.acked == 0 || s.tick-t.acked > oldest {
		return nil, nil
	}
	frame := s.match.frames.Snapshot(t.acked)
	if frame == nil {
		return nil, nil
	}
	i := frame.Index(id, hint)
	if i < 0 {
		return nil, frame
	}
	frame.Load(i, &s.match.sample)
	return &s.match.sample, frame
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

// HasMore reports whether a part is still to be packed. Every snapshot has at least one, even
// one that says nothing.
func (s *Sender) HasMore() bool { return !s.done }

// Pack writes the next part: its number, and as much as fits in what p has left. Which
// tick it is of, the datagram must say before it. It panics where that is less than Least
// bits, or where More reports false. What is left after MaxParts parts is not told.
func (s *Sender) Pack(p *bits.Packer) {
	if s.done || p.Remaining() < MinBits {
		panic("replicate: Sender.Pack needs a part to send and room for it")
	}
	h := head{part: s.part}
	if s.base != 0 {
		h.back = uint64(s.tick - s.base)
	}
	begin := p.Bits()
	h.pack(p)
	c := s.contents(p.Remaining())
	p.Rewind(begin)
	h.kinks = c.kinks
	h.pack(p)
	s.packGone(p, c.gone)
	s.packThings(p, &c)
	s.part++
	s.done = s.nextGone == len(s.gone) && s.next == len(s.picks) || s.part == MaxParts
	p.Bool(&s.done)
}

// contents is what one part tells: the gone marks and the picks up to these, and whether
// some of those have kinks.
type contents struct {
	gone, picks int
	kinks       bool
}

// contents finds what fits into the bits that are left after a part's head. The head says
// of things what is found here, so this counts every bit that is packed.
func (s *Sender) contents(left int) contents {
	c := contents{gone: s.nextGone, picks: s.next}
	left -= partTail + 1 // whether anything is gone
	last := track.ID(0)
	for ; c.gone < len(s.gone); c.gone++ {
		need := 1 + stepSize(s.gone[c.gone]-last)
		if c.gone == s.nextGone {
			need++ // the end of the list
		}
		if need > left {
			return c
		}
		left, last = left-need, s.gone[c.gone]
	}
	s.thingsOf(&c, left)
	return c
}

// thingsOf finds which things fit into the bits that are left of a part.
func (s *Sender) thingsOf(c *contents, left int) {
	n, last := 0, track.ID(0)
	for ; c.picks < len(s.picks); c.picks++ {
		k := &s.picks[c.picks]
		if !k.chosen {
			continue
		}
		need, kinks := 1+stepSize(k.id-last)+k.size(), c.kinks || k.code.kinks
		if kinks {
			need++
		}
		if kinks && !c.kinks {
			need += n // those before have to say that they have none
		}
		if need > left {
			return
		}
		left, last, n, c.kinks = left-need, k.id, n+1, kinks
	}
}

// packGone writes the gone marks up to the one of that index, each after a bit that
// announces it.
func (s *Sender) packGone(p *bits.Packer, end int) {
	some := s.nextGone < end
	p.Bool(&some)
	if !some {
		return
	}
	parcel := &s.parcels[s.tick%parcels]
	last, more := track.ID(0), true
	for ; s.nextGone < end; s.nextGone++ {
		id := s.gone[s.nextGone]
		p.Bool(&more)
		packStep(p, &id, &last)
		s.told.AddRemoved(s.tick, id)
		parcel.gone = append(parcel.gone, id)
	}
	more = false
	p.Bool(&more)
}

// packThings writes the things of a part, each after a bit that announces it.
func (s *Sender) packThings(p *bits.Packer, part *contents) {
	parcel := &s.parcels[s.tick%parcels]
	last, more := track.ID(0), true
	for ; s.next < part.picks; s.next++ {
		c := &s.picks[s.next]
		if !c.chosen {
			continue
		}
		p.Bool(&more)
		id := c.id
		packStep(p, &id, &last)
		if part.kinks {
			p.Bool(&c.code.kinks)
		}
		if c.refBits > 0 {
			p.Uint(&c.ref, c.refBits)
		}
		p.Copy(s.match.codes.store[c.code.at:], int(c.code.bits))
		s.told.Add(s.tick, id)
		parcel.ids = append(parcel.ids, id)
		s.sent(&s.things[id])
	}
	more = false
	p.Bool(&more)
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

// stepSize returns how many bits packStep takes for an id that is so much above the last.
func stepSize(step track.ID) int { return 2*mathbits.Len16(uint16(step)) - 1 + idOrder }

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
