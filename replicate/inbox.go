package replicate

import (
	"errors"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/track"
)

// maxAssemblies is how many snapshots may be incomplete at a time. The parts of one are sent
// together, so a fourth begins only if parts of the first were lost or are very late.
const maxAssemblies = 4

// The errors of a part, beside those of package bits.
var (
	errParts     = errors.New("replicate: the parts of a snapshot contradict each other")
	errReference = errors.New("replicate: a snapshot refers to one that was never received")
)

// Inbox assembles the parts of snapshots on a client. The zero Inbox is ready. It keeps a few
// incomplete snapshots at most; a newer one replaces the oldest.
type Inbox struct {
	open     [maxAssemblies]assembly
	scratch  partLists
	snapshot track.Snapshot
	ref      track.Sample // scratch
}

// partLists is the content of one part, or of all of them, in ascending order of ID.
type partLists struct {
	entities, keyframes []track.Entity
	removed             []track.ID
}

// clear returns the lists empty, their storage kept.
func (l *partLists) clear() partLists {
	return partLists{l.entities[:0], l.keyframes[:0], l.removed[:0]}
}

// merge appends other lists, and reports whether ids still ascend: over all parts of a snapshot too,
// or an entity could be in it twice.
func (l *partLists) merge(m *partLists) bool {
	n, g := len(l.entities), len(l.removed)
	// The keyframes follow the order of the entities, which readEntity sees to.
	ordered := (n == 0 || len(m.entities) == 0 || l.entities[n-1].ID < m.entities[0].ID) &&
		(g == 0 || len(m.removed) == 0 || l.removed[g-1] < m.removed[0])
	l.entities = append(l.entities, m.entities...)
	l.keyframes = append(l.keyframes, m.keyframes...)
	l.removed = append(l.removed, m.removed...)
	return ordered
}

// disjoint reports whether no entity is both present and removed. Both lists ascend.
func (l *partLists) disjoint() bool {
	i := 0
	for _, id := range l.removed {
		for i < len(l.entities) && l.entities[i].ID < id {
			i++
		}
		if i < len(l.entities) && l.entities[i].ID == id {
			return false
		}
	}
	return true
}

// assembly is one snapshot of which parts are missing. Tick 0 marks a free one.
type assembly struct {
	tick  uint32
	have  uint32 // bit i: part i has arrived
	parts int    // how many there are, 0 until the last has arrived
	part  [MaxParts]partLists
}

// Read reads one part, the last thing in its datagram, of the snapshot of a tick that was at match
// time at. It returns the snapshot that the part completes, with the entities that it mentions.
// seen says which snapshots have arrived. have holds them, as Read returned them, for at least the
// 2 × track.ReceivedWindow newest ticks. Read returns nil while parts are missing; if the tick has
// arrived already or is too old, without reading the part; and if the part is bad, which p.Err
// explains. A part that refers to a snapshot that is not in have is bad. A part that
// contradicts the others discards its snapshot. The snapshot is valid until the next Read.
func (in *Inbox) Read(p *bits.Packer, tick uint32, at clock.Micros, seen track.Received, have *track.SnapshotHistory) *track.Snapshot {
	if p.Err() != nil || !seen.Wants(tick) {
		return nil
	}
	r := partReader{p: p, tick: tick, at: at, have: have, ref: &in.ref, partLists: in.scratch.clear()}
	part, last := r.read()
	in.scratch = r.partLists // it may have grown
	if p.Err() != nil {
		return nil
	}
	if part == 0 && last { // most snapshots are one part, which needs no assembly
		in.drop(tick)
		return in.deliver(p, tick, at)
	}
	a := in.find(tick)
	if a == nil {
		return nil
	}
	if !in.add(a, part, last) {
		p.Fail(errParts)
		a.tick = 0
		return nil
	}
	if a.parts == 0 || a.have != 1<<a.parts-1 {
		return nil
	}
	return in.complete(a, p, at)
}

// find returns the assembly of a snapshot: its own, a free one, or that of the oldest snapshot if
// it is older.
func (in *Inbox) find(tick uint32) *assembly {
	oldest := &in.open[0]
	for i := range in.open {
		a := &in.open[i]
		if a.tick == tick {
			return a
		}
		if a.tick < oldest.tick {
			oldest = a
		}
	}
	// A part that is older than all of these would push out a snapshot that is more likely to be completed.
	if oldest.tick > tick {
		return nil
	}
	// A newer snapshot is worth more than what is left of an older one: the server notices that
	// the older is never acknowledged and sends what changed again.
	oldest.tick, oldest.have, oldest.parts = tick, 0, 0
	return oldest
}

// drop discards the parts of a snapshot that arrived in one piece after all: a server never sends
// both, but a peer that does must not leave an assembly that is never completed.
func (in *Inbox) drop(tick uint32) {
	for i := range in.open {
		if in.open[i].tick == tick {
			in.open[i].tick = 0
		}
	}
}

// add keeps the part in scratch. It returns false if parts contradict each other.
func (in *Inbox) add(a *assembly, part int, last bool) bool {
	if last {
		if a.parts != 0 && a.parts != part+1 {
			return false
		}
		a.parts = part + 1
	}
	a.have |= 1 << part // a part that arrives twice replaces itself
	a.part[part] = a.part[part].clear()
	a.part[part].merge(&in.scratch)
	// No part may come after the last.
	return a.parts == 0 || a.have < 1<<a.parts
}

// complete delivers the snapshot whose parts have all arrived.
func (in *Inbox) complete(a *assembly, p *bits.Packer, at clock.Micros) *track.Snapshot {
	// The last part was read into scratch and copied from there, so scratch is free for the whole.
	all, tick := in.scratch.clear(), a.tick
	a.tick = 0
	for i := range a.parts {
		if !all.merge(&a.part[i]) {
			p.Fail(errParts)
		}
	}
	in.scratch = all
	return in.deliver(p, tick, at)
}

// deliver returns a complete snapshot, which is in scratch.
func (in *Inbox) deliver(p *bits.Packer, tick uint32, at clock.Micros) *track.Snapshot {
	l := &in.scratch
	if !l.disjoint() { // such an entity would be in the view of one end only
		p.Fail(errParts)
	}
	if p.Err() != nil {
		return nil
	}
	in.snapshot.Clear(tick, at)
	in.snapshot.Removed = append(in.snapshot.Removed, l.removed...)
	for i := range l.entities {
		in.snapshot.Put(l.entities[i].ID, &l.entities[i].Sample)
	}
	for i := range l.keyframes {
		in.snapshot.PutKeyframe(l.keyframes[i].ID, &l.keyframes[i].Sample)
	}
	return &in.snapshot
}

// partReader reads one part.
type partReader struct {
	p    *bits.Packer
	tick uint32
	at   clock.Micros
	have *track.SnapshotHistory
	ref  *track.Sample // scratch
	// baseline is the tick of the snapshot up to which references are named in one bit, 0 for none: the
	// newest that the server knew to have arrived when it sent this one.
	baseline uint32
	partLists
}

// read reads a part and returns its number and whether it is the last.
func (r *partReader) read() (part int, last bool) {
	var h partHeader
	h.pack(r.p)
	if h.back != 0 {
		// A snapshot without its baseline is refused as a whole. Reading on would use the wrong
		// samples as references, and the client would draw poses that no server sent.
		r.baseline = r.tick - uint32(h.back)
		if uint64(r.tick) <= h.back || r.have.Snapshot(r.baseline) == nil {
			r.p.Fail(errReference)
			return 0, false
		}
	}
	r.readRemoved()
	for id := track.ID(0); r.more(); {
		r.readEntity(&id, h.keyframes)
	}
	if h.keyframes && len(r.keyframes) == 0 {
		r.p.Fail(bits.ErrRange) // non-canonical
	}
	r.p.Bool(&last)
	r.p.End() // a part is the last thing in its datagram
	return h.part, last
}

// more reads the bit that announces another item. It is false after an error, so that a loop ends.
func (r *partReader) more() bool {
	more := false
	r.p.Bool(&more)
	return more && r.p.Err() == nil
}

// readRemoved reads the removal marks, if there are any.
func (r *partReader) readRemoved() {
	some := false
	r.p.Bool(&some)
	if !some {
		return
	}
	for last := track.ID(0); r.more(); {
		var id track.ID
		packID(r.p, &id, &last)
		r.removed = append(r.removed, id)
	}
	if len(r.removed) == 0 {
		r.p.Fail(bits.ErrRange) // an empty list has a shorter form
	}
}

// readEntity reads one entity and its keyframes.
func (r *partReader) readEntity(last *track.ID, keyframes bool) {
	var id track.ID
	if packID(r.p, &id, last); r.p.Err() != nil {
		return
	}
	// It is read in its place: PackDelta moves what it gets to the heap, and Read must not allocate.
	// After an error all of the part is discarded, so half an entity does no harm.
	r.entities = append(r.entities, track.Entity{ID: id})
	e := &r.entities[len(r.entities)-1]
	has := false
	if keyframes {
		r.p.Bool(&has)
	}
	ref, refAt := r.reference(e.ID)
	e.PackDelta(r.p, r.at, ref, refAt)
	if has && r.p.Err() == nil {
		r.readKeyframes(e)
	}
}

// readKeyframes reads the keyframes of an entity: they arrive latest first and are kept by time. Each
// is read against the sample that it leads to.
func (r *partReader) readKeyframes(e *track.Entity) {
	two := false
	r.p.Bool(&two)
	first := len(r.keyframes)
	if two {
		r.keyframes = append(r.keyframes, track.Entity{ID: e.ID})
	}
	r.keyframes = append(r.keyframes, track.Entity{ID: e.ID})
	next := &e.Sample
	for i := len(r.keyframes) - 1; i >= first; i-- {
		r.keyframes[i].PackKeyframe(r.p, next)
		next = &r.keyframes[i].Sample
	}
}

// reference reads which sample an entity is packed against; see Sender.reference.
func (r *partReader) reference(id track.ID) (ref *track.Sample, refAt clock.Micros) {
	if r.baseline == 0 {
		return nil, 0
	}
	usual, named := false, false
	if r.p.Bool(&usual); usual {
		ref, refAt = r.newest(id)
	} else {
		if r.p.Bool(&named); !named {
			return nil, 0
		}
		back := uint64(0)
		r.p.Uint(&back, backBits)
		if snapshot := r.have.Snapshot(r.tick - min(uint32(back), r.tick)); snapshot != nil && back > 0 {
			if snapshot.Find(id, r.ref) {
				ref, refAt = r.ref, snapshot.At
			}
		}
	}
	if ref == nil {
		r.p.Fail(errReference)
	}
	return ref, refAt
}

// newest returns the newest sample of an entity up to the baseline. The server knows which that is: it
// names a reference in this way only if no later one may have arrived (Sender.isNewestPossible).
func (r *partReader) newest(id track.ID) (*track.Sample, clock.Micros) {
	for tick := r.baseline; tick > 0 && r.tick-tick <= maxReferenceAge; tick-- {
		if snapshot := r.have.Snapshot(tick); snapshot != nil {
			// Mostly both snapshots have the same entities, so this one has the same index in both.
			if i := snapshot.Index(id, len(r.entities)-1); i >= 0 {
				snapshot.Load(i, r.ref)
				return r.ref, snapshot.At
			}
		}
	}
	return nil, 0
}
