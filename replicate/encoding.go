package replicate

import (
	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/track"
)

// encodings holds the encoded entities of a tick. Each is packed once for all clients of a Scratch that
// need the same bits: same reference, same tick of the last sample sent.
type encodings struct {
	heads   []int32 // of each entity: its newest encoding, plus 1; 0 is none
	list    []encoding
	store   []byte // the packed bits, each encoding from a whole byte on
	used    int    // bytes of store
	packer  bits.Packer
	scratch [track.MaxKeyframes]track.Entity
}

// encoding is one entity as packed for some clients.
type encoding struct {
	ref, since   uint32 // the ticks of the reference, 0 for none, and of the last sample sent
	next         int32  // an older encoding of the same entity, plus 1
	offset, bits int32  // where it is in the store
	keyframes    bool
}

// maxSearched is how many encodings of an entity are searched for one that fits. Clients that keep
// up share a few; if each of hundreds lags by its own number of ticks, packing once more costs less
// than comparing with all of theirs.
const maxSearched = 32

// encodingBytes is the largest size of an encoding: a sample, how many keyframes, and those. Most
// take a tenth of it or less.
var encodingBytes = ((1+track.MaxKeyframes)*track.DeltaBits() + 1 + 7) / 8

// begin discards the encodings of the last tick and makes room for those of count entities.
func (c *encodings) begin(count int) {
	// A quarter more, so that a match that grows does not allocate in every tick.
	if cap(c.heads) < count {
		c.heads = make([]int32, count+count/4)
	}
	c.heads = c.heads[:count]
	clear(c.heads)
	c.list, c.used = c.list[:0], 0
}

// encode returns the i-th entity of the tick packed against its sample in the snapshot of tick ref, 0
// for none, for clients to which it was sent last at the tick since, 0 for never. Where the record has
// no such sample it is packed against none. The result is valid until the next call.
func (d *Scratch) encode(m *Match, i int, ref, since uint32) *encoding {
	c := &d.encodings
	n := c.heads[i]
	for searched := 0; n != 0 && searched < maxSearched; searched++ {
		if k := &c.list[n-1]; k.ref == ref && k.since == since {
			return k
		}
		n = c.list[n-1].next
	}
	e := &d.entity
	*e = m.entities[i] // a copy: packing writes to it, and other drafts read the original
	var sample *track.Sample
	refAt := clock.Micros(0)
	if ref != 0 {
		at := m.snapshots.Snapshot(ref)
		k := -1
		if at != nil {
			k = at.Index(e.ID, i)
		}
		if k < 0 {
			return d.encode(m, i, 0, since)
		}
		at.Load(k, &d.sample)
		sample, refAt = &d.sample, at.At
	}
	want := encoding{ref: ref, since: since}
	// Encodings are kept by their offset, so the store may move when it grows.
	if len(c.store) < c.used+encodingBytes {
		c.store = append(c.store, make([]byte, len(c.store)+4*encodingBytes)...)
	}
	// The tick of the reference and that of the last sample determine every bit: keyframes are those
	// between the two samples, and the entity, the tick and the world are the same for all.
	p := &c.packer
	p.Write(c.store[c.used : c.used+encodingBytes])
	e.PackDelta(p, m.snapshot.At, sample, refAt)
	if since != 0 {
		cache := &d.keyframes
		if d.shared {
			cache = nil
		}
		k := m.snapshots.KeyframesBetween(e.ID, m.snapshot.Tick, since, m.world, cache, &c.scratch)
		if want.keyframes = k > 0; want.keyframes {
			packKeyframes(p, e, c.scratch[:k])
		}
	}
	if p.Err() != nil { // a quantised sample always fits, so this is a bug
		panic("replicate: an entity cannot be packed: " + p.Err().Error())
	}
	want.offset, want.bits, want.next = int32(c.used), int32(p.Bits()), c.heads[i]
	c.used += len(p.Bytes())
	c.list = append(c.list, want)
	c.heads[i] = int32(len(c.list))
	return &c.list[len(c.list)-1]
}

// packKeyframes writes the keyframes of an entity that has some, the latest first: each is packed
// against the sample that it leads to, which the reader has by then.
func packKeyframes(p *bits.Packer, e *track.Entity, keyframes []track.Entity) {
	two := len(keyframes) > 1
	p.Bool(&two)
	next := &e.Sample
	for i := len(keyframes) - 1; i >= 0; i-- {
		keyframes[i].PackKeyframe(p, next)
		next = &keyframes[i].Sample
	}
}
