package replicate

import (
	mathbits "math/bits"
	"slices"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/track"
)

// MaxParts is the most datagrams that one snapshot may take. It bounds what a peer can make an Inbox keep:
// that many parts of maxAssemblies snapshots.
const MaxParts = 16

// idOrder is the order of an id's step from the one before it, less 1 (bits.Count). Ids are given out without
// holes (session.Server.Spawn): where most entities are sent, most steps are 1, which takes one bit.
const idOrder = 0

// The largest sizes of the fields of a snapshot, in bits.
const (
	backBits    = 6                        // how many ticks back
	headerBits  = 1 + 4 + backBits + 1 + 1 // the part's number, the baseline, whether it has keyframes, whether it has removals
	trailerBits = 1 + 1                    // no more entities, whether it is the last part
)

// MinBits is how many bits Sender.Pack needs. For an entity of any size it needs 420 bytes more,
// for most a tenth of that.
const MinBits = headerBits + 1 + trailerBits

// choosePayload encodes what is due and chooses as much of it as the budget holds. Urgency is only
// worked out if not all of it fits. Whether it will is first estimated by the average size, so that
// a match far above its budget does not encode every entity for every client in vain.
func (s *Sender) choosePayload() {
	budget := s.match.rules.Budget
	if s.budget > 0 {
		budget = min(budget, s.budget)
	}
	budget = budget*8 - 2*(headerBits+1+trailerBits) - s.removedBits()
	n := len(s.candidates)
	if n == 0 {
		return
	}
	last := s.candidates[n-1].id
	used, encoded := 0, n*s.averageBits+listBits(n, last) <= budget
	for i := 0; encoded && i < n; i++ {
		used += s.encode(&s.candidates[i])
	}
	if encoded && used+listBits(n, last) <= budget {
		for i := range s.candidates {
			s.candidates[i].chosen = true
		}
		s.updateAverage(used, n)
		return
	}
	s.chooseByUrgency(budget, last)
}

// chooseByUrgency chooses by urgency what fits into budget bits.
func (s *Sender) chooseByUrgency(budget int, last track.ID) {
	s.order = s.order[:0]
	for i := range s.candidates {
		p := &s.candidates[i]
		t := &s.entities[p.id]
		// Of those that will be chosen as well: markSent takes it back.
		t.wait += s.urgency(p, t)
		s.order = append(s.order, place{p.weight + t.wait, int32(i)})
	}
	slices.SortFunc(s.order, func(a, b place) int {
		switch {
		case a.weight > b.weight:
			return -1
		case a.weight < b.weight:
			return 1
		}
		// A fixed order at equal urgency, so that two runs of one match send the same bytes.
		return int(a.candidate) - int(b.candidate)
	})
	s.overdueFirst()
	used, n, missed := 0, 0, 0
	for _, o := range s.order {
		p := &s.candidates[o.candidate]
		if p.bits == 0 {
			s.encode(p)
		}
		// The most urgent is sent whatever its size, or one that is larger than the budget would wait for ever.
		if n > 0 && used+p.size()+listBits(n+1, last) > budget {
			// A smaller one may still fit, but trying all would encode everything that waits.
			if missed++; missed > maxSkipped {
				break
			}
			continue
		}
		p.chosen = true
		used, n = used+p.size(), n+1
	}
	s.updateAverage(used, n)
}

// overdueFirst puts the most urgent entity that is overdue and beyond Near in front of the order. Those within Near may
// fill every budget alone, and the client would lose all others. [GAP-59]
func (s *Sender) overdueFirst() {
	for i, o := range s.order {
		if s.candidates[o.candidate].weight == overdueWeight {
			copy(s.order[1:], s.order[:i])
			s.order[0] = o
			return
		}
	}
}

// place is the place of a candidate in the order by urgency. Candidates themselves stay in the order of
// their ids, as the wire has them.
type place struct {
	weight    float64
	candidate int32 // its index
}

// maxSkipped is how many entities that do not fit are skipped for smaller ones.
const maxSkipped = 4

// updateAverage records how many bits n entities took: an average over about eight snapshots,
// rounded up, so that it never sinks to 0.
func (s *Sender) updateAverage(used, n int) {
	if n > 0 {
		s.averageBits = (s.averageBits*7 + used/n + 7) / 8
	}
}

// listBits returns how many bits n entities take at most beside their encodings: that there is one,
// whether it has keyframes, and its id's step. The sum of the steps is last, the highest id, and
// they take most if they are equal: 1 + 2·log₂ of the step each.
func listBits(n int, last track.ID) int {
	if n == 0 {
		return 0
	}
	// Of the square: twice the rounded logarithm of the step would be up to a bit more for each entity.
	square := (int(last)*int(last) + n*n - 1) / (n * n)
	return n * (3 + mathbits.Len(uint(square-1)))
}

// removedBits returns how many bits the removal marks take at most.
func (s *Sender) removedBits() int {
	if len(s.removed) == 0 {
		return 0
	}
	// Removals have no bit for keyframes, so this is a little too much.
	return listBits(len(s.removed), s.removed[len(s.removed)-1])
}

// encode encodes an entity and returns how many bits it takes.
func (s *Sender) encode(p *candidate) int {
	m, i, t := s.match, int(p.index), &s.entities[p.id]
	since := t.sent
	if s.tick-since > track.ReceivedWindow {
		since = 0 // no view reaches back to it, so no keyframe in between would be drawn
	}
	ref := uint32(0)
	if s.baseline != 0 && t.acked != 0 && s.tick-t.acked <= maxReferenceAge {
		ref = t.acked
	}
	e := s.Scratch.encode(m, i, ref, since)
	p.keyframes, p.offset, p.bits = e.keyframes, e.offset, e.bits
	// The three forms of Inbox's reference: 1 bit for the usual one, 2 for none, 8 for any other. A
	// snapshot without a baseline has none, and no bit.
	switch {
	case s.baseline == 0:
		p.ref, p.refBits = 0, 0
	case e.ref == 0:
		p.ref, p.refBits = 0, 2
	case s.isNewestPossible(p.id, t):
		p.ref, p.refBits = 1, 1
	default:
		p.ref, p.refBits = 2|uint8(s.tick-t.acked)<<2, 2+backBits
	}
	return p.size()
}

// size returns how many bits an encoded entity takes.
func (p *candidate) size() int { return int(p.refBits) + int(p.bits) }

// isNewestPossible reports whether one bit can name the reference. The client then takes the newest
// sample that it has up to the baseline. So the newest that is known to have arrived must be that one:
// none was sent after it that may have arrived without an acknowledgement.
func (s *Sender) isNewestPossible(id track.ID, t *entityState) bool {
	for tick := s.baseline; tick > t.acked; tick-- {
		if s.sentLog.Has(tick, id) {
			return false
		}
	}
	return true
}

// HasMore reports whether a part is still to be packed. Every snapshot has at least one part, even
// an empty one.
func (s *Sender) HasMore() bool { return !s.done }

// Pack writes the next part: its number, and as much as fits into the space that p has left. The
// datagram must name the tick before it. Pack panics if less than MinBits bits are left, and if
// HasMore reports false. What is left after MaxParts parts is not sent.
func (s *Sender) Pack(p *bits.Packer) {
	if s.done || s.owner != s || p.Remaining() < MinBits {
		panic("replicate: Sender.Pack needs a part of the snapshot begun last in its Scratch and MinBits bits of space")
	}
	h := partHeader{part: s.part}
	if s.baseline != 0 {
		h.back = uint64(s.tick - s.baseline)
	}
	begin := p.Bits()
	h.pack(p)
	c := s.contents(p.Remaining())
	// The header says whether the part has keyframes, which is known only now. Its length is the same.
	p.Rewind(begin)
	h.keyframes = c.keyframes
	h.pack(p)
	s.packRemoved(p, c.removed)
	s.packEntities(p, &c)
	s.part++
	s.done = s.nextRemoved == len(s.removed) && s.next == len(s.candidates) || s.part == MaxParts
	// What is left of a snapshot that is too long is due again in the next.
	p.Bool(&s.done)
}

// partContents is the content of one part: the removals and the candidates up to these indices, and
// whether some of those have keyframes.
type partContents struct {
	removed, candidates int
	keyframes           bool
}

// contents finds what fits into the bits that are left after a part's header. The header describes
// what is found here, so this counts every bit that is packed.
func (s *Sender) contents(left int) partContents {
	c := partContents{removed: s.nextRemoved, candidates: s.next}
	left -= trailerBits + 1 // whether there are removals
	last := track.ID(0)
	for ; c.removed < len(s.removed); c.removed++ {
		need := 1 + idStepBits(s.removed[c.removed]-last)
		if c.removed == s.nextRemoved {
			need++ // the end of the list
		}
		if need > left {
			return c
		}
		left, last = left-need, s.removed[c.removed]
	}
	s.fitEntities(&c, left)
	return c
}

// fitEntities finds which entities fit into the bits that are left of a part. It stops at the first
// that does not: parts are filled in order of ids, so that a reader can check that they agree.
func (s *Sender) fitEntities(c *partContents, left int) {
	n, last := 0, track.ID(0)
	for ; c.candidates < len(s.candidates); c.candidates++ {
		k := &s.candidates[c.candidates]
		if !k.chosen {
			continue
		}
		need, keyframes := 1+idStepBits(k.id-last)+k.size(), c.keyframes || k.keyframes
		if keyframes {
			need++
		}
		if keyframes && !c.keyframes {
			need += n // one bit for each entity before, which has none
		}
		if need > left {
			return
		}
		left, last, n, c.keyframes = left-need, k.id, n+1, keyframes
	}
}

// packRemoved writes the removals before the index end, each after a bit that announces it.
func (s *Sender) packRemoved(p *bits.Packer, end int) {
	some := s.nextRemoved < end
	p.Bool(&some)
	if !some {
		return
	}
	last, more := track.ID(0), true
	for ; s.nextRemoved < end; s.nextRemoved++ {
		id := s.removed[s.nextRemoved]
		p.Bool(&more)
		packID(p, &id, &last)
		s.sentLog.AddRemoved(s.tick, id)
	}
	more = false
	p.Bool(&more)
}

// packEntities writes the entities of a part, each after a bit that announces it.
func (s *Sender) packEntities(p *bits.Packer, part *partContents) {
	last := track.ID(0)
	for ; s.next < part.candidates; s.next++ {
		c := &s.candidates[s.next]
		if !c.chosen {
			continue
		}
		head, n := c.head(last, part.keyframes)
		p.Uint(&head, n)
		// The bits were packed once for all clients; only which reference they use is this one's.
		p.Copy(s.encodings.store[c.offset:], int(c.bits))
		s.sentLog.Add(s.tick, c.id)
		s.counts.Sent++
		s.counts.Deferred--
		s.markSent(&s.entities[c.id])
		last = c.id
	}
	more := false
	p.Bool(&more)
}

// head returns the n bits before an entity's encoding, after the one with the id last: that there is one, its id,
// whether it has keyframes if the part says so, and its reference.
func (p *candidate) head(last track.ID, keyframes bool) (head uint64, n int) {
	step, n := bits.CountCode(uint64(p.id-last-1), idOrder)
	head, n = 1|step<<1, n+1
	if keyframes {
		if p.keyframes {
			head |= 1 << n
		}
		n++
	}
	return head | uint64(p.ref)<<n, n + int(p.refBits)
}

// markSent records that an entity is in this snapshot. It need not have arrived: an entity that moves
// is in the next one too, and one that rests is repeated until it is acknowledged.
func (s *Sender) markSent(t *entityState) {
	if t.sent = s.tick; t.rest == 0 {
		t.rest = s.tick
	}
	t.wait = 0
}

// partHeader is how a part begins.
type partHeader struct {
	part      int
	back      uint64 // how many ticks back the baseline is, 0 for none
	keyframes bool   // some entities have keyframes
}

// pack packs the header. The first part, which mostly is the only one, has a number of one bit.
func (h *partHeader) pack(p *bits.Packer) {
	later := h.part > 0
	p.Bool(&later)
	if later {
		p.Ranged(&h.part, 1, MaxParts-1)
	} else {
		h.part = 0
	}
	p.Uint(&h.back, backBits)
	p.Bool(&h.keyframes)
}

// idStepBits returns how many bits packID takes for an id that is this much above the last. They
// must agree: fitEntities counts on it, and Pack would run out of space in the middle of a part.
func idStepBits(step track.ID) int { return 2*mathbits.Len16(uint16(step)) - 1 + idOrder }

// packID packs an id as its step from the last one's.
func packID(p *bits.Packer, id, last *track.ID) {
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
