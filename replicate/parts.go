package replicate

import (
	"errors"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/track"
)

// MaxParts is the most datagrams that one snapshot may take.
const MaxParts = 16

// The sizes of a part's pieces, in bits: what goes before the entities, what one
// entity takes at most, and what goes after them.
const (
	headBits   = 4
	entityBits = 1 + 15 + track.SampleBits + 1
	kinksBits  = 1 + track.MaxKinks*track.KinkBits // what kinks add to it
	tailBits   = 2
)

// Room is how many bits Pack asks for: enough for a part with one entity and its
// kinks, 139 bytes. A datagram with less left takes no part.
const Room = headBits + entityBits + kinksBits + tailBits

// errOrder is what a snapshot with ids out of order is.
var errOrder = errors.New("replicate: entities out of order")

// Parts is one frame on its way to one receiver. A snapshot has come when all
// its parts have come; a client that lacks one has not received the tick.
type Parts struct {
	frame  *track.Frame
	except track.ID
	next   int
	part   int
	done   bool
}

// Split begins to send a frame to the player except, who is not told of
// themselves; zero leaves nobody out. The frame must not change until More
// reports false.
//
//	for parts := replicate.Split(frame, id); parts.More(); {
//		p.Write(buf)
//		… the tick, and what else the datagram says
//		parts.Pack(&p)
//		send(p.Bytes())
//	}
func Split(frame *track.Frame, except track.ID) Parts {
	return Parts{frame: frame, except: except}
}

// More reports whether a part is still to be packed. Every frame has at least
// one, even an empty one.
func (s *Parts) More() bool { return !s.done }

// Pack writes the next part: its number and as many entities as fit in what p has
// left. Which tick it is of, the datagram must say before it. It panics where that is less than Room bits, or where More reports false. A frame
// that needs more than MaxParts fails with bits.ErrRange.
func (s *Parts) Pack(p *bits.Packer) {
	if s.done || p.Left() < Room {
		panic("replicate: Parts.Pack needs a part to send and Room for it")
	}
	p.Ranged(&s.part, 0, MaxParts-1)
	last := track.ID(0)
	for s.skip(); s.next < len(s.frame.Entities); s.skip() {
		e := s.frame.Entities[s.next]
		kinks, size := s.frame.KinksOf(e.ID), entityBits+tailBits
		if len(kinks) > 0 {
			size += kinksBits
		}
		if p.Left() < size {
			break
		}
		packEntity(p, &e, &last, s.frame.At)
		writeKinks(p, &e, kinks)
		s.next++
	}
	more := false
	p.Bool(&more)
	s.done = s.next >= len(s.frame.Entities)
	p.Bool(&s.done)
	s.part++
	if s.part > MaxParts {
		s.done = true
	}
}

// skip steps over the receiver.
func (s *Parts) skip() {
	if s.next < len(s.frame.Entities) && s.frame.Entities[s.next].ID == s.except {
		s.next++
	}
}

// packEntity packs one entity after the bit that announces it: the step from the
// id before it, then its sample.
func packEntity(p *bits.Packer, e *track.Entity, last *track.ID, base clock.Micros) {
	more := true
	if p.Writing() {
		p.Bool(&more)
	}
	step := uint64(e.ID - *last - 1)
	p.Uvarint(&step)
	if id := uint64(*last) + step + 1; step < uint64(track.MaxID) && id <= uint64(track.MaxID) {
		e.ID = track.ID(id)
	} else {
		p.Fail(bits.ErrRange)
	}
	*last = e.ID
	e.Sample.Pack(p, base)
}

// writeKinks writes an entity's kinks after it: one bit for none, another for whether
// there are two, then each, the latest first.
func writeKinks(p *bits.Packer, e *track.Entity, kinks []track.Entity) {
	some, two := len(kinks) > 0, len(kinks) > 1
	p.Bool(&some)
	if !some {
		return
	}
	p.Bool(&two)
	next := e
	for i := len(kinks) - 1; i >= 0; i-- {
		k := kinks[i]
		k.PackKink(p, &next.Sample)
		next = &kinks[i]
	}
}
