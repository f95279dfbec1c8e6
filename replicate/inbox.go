package replicate

import (
	"errors"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/track"
)

// maxAssemblies is how many snapshots may be incomplete at a time.
const maxAssemblies = 4

// What a part may be refused for, beside what bits finds.
var (
	errParts     = errors.New("replicate: the parts of a snapshot contradict each other")
	errReference = errors.New("replicate: a snapshot refers to one that never came")
)

// Inbox puts the parts of snapshots together on a client. The zero Inbox is ready. It
// keeps a few incomplete snapshots at most; a newer one takes the place of the oldest.
type Inbox struct {
	open     [maxAssemblies]assembly
	scratch  partLists
	snapshot track.Snapshot
	ref      track.Sample // scratch
}

// partLists is what one part says, or all of them.
type partLists struct {
	entities, keyframes []track.Entity
	removed             []track.ID
}

// clear returns the lists empty, their storage kept.
func (l *partLists) clear() partLists {
	return partLists{l.entities[:0], l.keyframes[:0], l.removed[:0]}
}

// merge adds other lists behind, and reports whether ids still ascend.
func (l *partLists) merge(m *partLists) bool {
	n, g := len(l.entities), len(l.removed)
	ordered := (n == 0 || len(m.entities) == 0 || l.entities[n-1].ID < m.entities[0].ID) &&
		(g == 0 || len(m.removed) == 0 || l.removed[g-1] < m.removed[0])
	l.entities = append(l.entities, m.entities...)
	l.keyframes = append(l.keyframes, m.keyframes...)
	l.removed = append(l.removed, m.removed...)
	return ordered
}

// disjoint reports whether nothing is both there and gone.
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

// assembly is one snapshot that has not come in full. Tick 0 is a free place.
type assembly struct {
	tick  uint32
	have  uint32 // bit i: part i has come
	parts int    // how many there are, 0 while the last has not come
	part  [MaxParts]partLists
}

// Read reads one part, the last thing in its datagram, of the snapshot of a tick that was
// at match time at, and returns the snapshot that it completes: what it tells of things,
// not those that it passes over. seen is which snapshots have come, and have what they
// said, as returned; at least the 2 × track.ReceivedWindow newest ticks of it. It returns nil while
// parts are missing, where seen does not want the tick, whose part then is not looked at,
// and where the part is bad (p.Err says why; nothing of it is kept): so it is where it
// refers to a snapshot that have lacks. A part that contradicts the others ends its
// snapshot. The frame is good until the next Read.
func (in *Inbox) Read(p *bits.Packer, tick uint32, at clock.Micros, seen track.Received, have *track.SnapshotHistory) *track.Snapshot {
	if p.Err() != nil || !seen.Wants(tick) {
		return nil
	}
	r := partReader{p: p, tick: tick, at: at, have: have, ref: &in.ref, partLists: in.scratch.clear()}
	part, last := r.read()
	in.scratch = r.partLists
	if p.Err() != nil {
		return nil
	}
	if part == 0 && last {
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

// find returns the place of a snapshot's parts: its own, a free one, or that of the oldest
// snapshot if it is older.
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
	if oldest.tick > tick {
		return nil
	}
	oldest.tick, oldest.have, oldest.parts = tick, 0, 0
	return oldest
}

// drop forgets the parts of a snapshot.
func (in *Inbox) drop(tick uint32) {
	for i := range in.open {
		if in.open[i].tick == tick {
			in.open[i].tick = 0
		}
	}
}

// add keeps the part in scratch. It reports false where parts contradict each other.
func (in *Inbox) add(a *assembly, part int, last bool) bool {
	if last {
		if a.parts != 0 && a.parts != part+1 {
			return false
		}
		a.parts = part + 1
	}
	a.have |= 1 << part
	a.part[part] = a.part[part].clear()
	a.part[part].merge(&in.scratch)
	return a.parts == 0 || a.have < 1<<a.parts
}

// complete delivers the snapshot whose parts have all come.
func (in *Inbox) complete(a *assembly, p *bits.Packer, at clock.Micros) *track.Snapshot {
	whole, tick := in.scratch.clear(), a.tick
	a.tick = 0
	for i := range a.parts {
		if !whole.merge(&a.part[i]) {
			p.Fail(errParts)
		}
	}
	in.scratch = whole
	return in.deliver(p, tick, at)
}

// deliver hands out a whole snapshot, which is in scratch.
func (in *Inbox) deliver(p *bits.Packer, tick uint32, at clock.Micros) *track.Snapshot {
	l := &in.scratch
	if !l.disjoint() {
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

// partReader is one part on its way in.
type partReader struct {
	p    *bits.Packer
	tick uint32
	at   clock.Micros
	have *track.SnapshotHistory
	ref  *track.Sample // scratch
	base uint32
	partLists
}

// read reads a part and returns its number and whether it is the last.
func (r *partReader) read() (part int, last bool) {
	var h partHeader
	h.pack(r.p)
	if h.back != 0 {
		r.base = r.tick - uint32(h.back)
		if uint64(r.tick) <= h.back || r.have.Snapshot(r.base) == nil {
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
	r.p.End()
	return h.part, last
}

// more reads the bit that announces something, and false after an error: so a loop ends.
func (r *partReader) more() bool {
	more := false
	r.p.Bool(&more)
	return more && r.p.Err() == nil
}

// readRemoved reads the gone marks, if there are any.
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
		r.p.Fail(bits.ErrRange)
	}
}

// readEntity reads one thing and its kinks.
func (r *partReader) readEntity(last *track.ID, kinks bool) {
	var e track.Entity
	packID(r.p, &e.ID, last)
	bent := false
	if kinks {
		r.p.Bool(&bent)
	}
	ref, refAt := r.reference(e.ID)
	e.PackDelta(r.p, r.at, ref, refAt)
	if r.p.Err() != nil {
		return
	}
	r.entities = append(r.entities, e)
	if bent {
		r.readKeyframes(&e)
	}
}

// readKeyframes reads the kinks of a thing: they come latest first and are kept by time.
func (r *partReader) readKeyframes(e *track.Entity) {
	two := false
	r.p.Bool(&two)
	last := track.Entity{ID: e.ID}
	last.PackKeyframe(r.p, &e.Sample)
	if two {
		first := track.Entity{ID: e.ID}
		first.PackKeyframe(r.p, &last.Sample)
		r.keyframes = append(r.keyframes, first)
	}
	r.keyframes = append(r.keyframes, last)
}

// reference reads what a thing's sample is told against; see Sender.reference.
func (r *partReader) reference(id track.ID) (ref *track.Sample, refAt clock.Micros) {
	if r.base == 0 {
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
		if frame := r.have.Snapshot(r.tick - min(uint32(back), r.tick)); frame != nil && back > 0 {
			if frame.Find(id, r.ref) {
				ref, refAt = r.ref, frame.At
			}
		}
	}
	if ref == nil {
		r.p.Fail(errReference)
	}
	return ref, refAt
}

// newest returns the newest sample of a thing up to the base.
func (r *partReader) newest(id track.ID) (*track.Sample, clock.Micros) {
	for tick := r.base; tick > 0 && r.tick-tick <= maxReferenceAge; tick-- {
		if frame := r.have.Snapshot(tick); frame != nil {
			if frame.Find(id, r.ref) {
				return r.ref, frame.At
			}
		}
	}
	return nil, 0
}
