package replicate

import (
	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/track"
)

// wholeAssemblies is how many snapshots may be incomplete at a time.
const wholeAssemblies = 4

// WholeInbox puts the parts of snapshots together on a client. The zero WholeInbox is
// ready. It keeps a few incomplete snapshots at most; a newer one takes the place
// of the oldest.
type WholeInbox struct {
	open    [wholeAssemblies]wholeAssembly
	scratch wholeList
	whole   track.Frame
}

// wholeList is the things of one part, or of them all, and their kinks.
type wholeList struct{ entities, kinks []track.Entity }

// clear returns the list empty, its storage kept.
func (l wholeList) clear() wholeList { return wholeList{l.entities[:0], l.kinks[:0]} }

// join returns l with another list after it.
func (l wholeList) join(m *wholeList) wholeList {
	return wholeList{append(l.entities, m.entities...), append(l.kinks, m.kinks...)}
}

// wholeAssembly is one snapshot that has not come in full. Tick 0 is a free place.
type wholeAssembly struct {
	tick  uint32
	have  uint32 // bit i: part i has come
	parts int    // how many there are, 0 while the last has not come
	part  [MaxParts]wholeList
}

// Read reads one part, the last thing in its datagram, of the snapshot of a tick
// that was at match time at, and returns the snapshot that it completes, or nil:
// while parts are missing, where seen does not want the tick, and where the part is
// bad (p.Err says why; nothing of it is kept). A part that contradicts the others
// ends its snapshot. The frame is good until the next Read.
func (in *WholeInbox) Read(p *bits.Packer, tick uint32, at clock.Micros, seen track.Received) *track.Frame {
	part := 0
	p.Ranged(&part, 0, MaxParts-1)
	last := in.readEntities(p, at)
	p.End()
	if p.Err() != nil || !seen.Wants(tick) {
		return nil
	}
	if part == 0 && last {
		in.drop(tick)
		return in.deliver(tick, at)
	}
	a := in.find(tick)
	if a == nil {
		return nil
	}
	if !in.add(a, part, last) {
		p.Fail(errOrder)
		a.tick = 0
		return nil
	}
	if a.parts == 0 || a.have != 1<<a.parts-1 {
		return nil
	}
	return in.join(a, p, at)
}

// readEntities reads a part's entities into scratch, and returns whether it is the
// last part. The loop is bounded by the message and by ids that must ascend.
func (in *WholeInbox) readEntities(p *bits.Packer, base clock.Micros) (final bool) {
	l := in.scratch.clear()
	last := track.ID(0)
	for p.Err() == nil {
		more := false
		p.Bool(&more)
		if !more {
			break
		}
		var e track.Entity
		packEntity(p, &e, &last, base)
		l.entities = append(l.entities, e)
		l.kinks = readKinks(p, &e, l.kinks)
	}
	p.Bool(&final)
	in.scratch = l
	return final
}

// readKinks appends an entity's kinks to a list: they come latest first and are kept
// by time.
func readKinks(p *bits.Packer, e *track.Entity, kinks []track.Entity) []track.Entity {
	some, two := false, false
	p.Bool(&some)
	if !some {
		return kinks
	}
	p.Bool(&two)
	last := track.Entity{ID: e.ID}
	last.PackKink(p, &e.Sample)
	if two {
		first := track.Entity{ID: e.ID}
		first.PackKink(p, &last.Sample)
		kinks = append(kinks, first)
	}
	return append(kinks, last)
}

// find returns the place of a snapshot's parts: its own, a free one, or that of
// the oldest snapshot if it is older.
func (in *WholeInbox) find(tick uint32) *wholeAssembly {
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
func (in *WholeInbox) drop(tick uint32) {
	for i := range in.open {
		if in.open[i].tick == tick {
			in.open[i].tick = 0
		}
	}
}

// add keeps the part in scratch. It reports false where parts contradict each other.
func (in *WholeInbox) add(a *wholeAssembly, part int, last bool) bool {
	if last {
		a.parts = part + 1
	}
	a.have |= 1 << part
	a.part[part] = a.part[part].clear().join(&in.scratch)
	return a.parts == 0 || a.have < 1<<a.parts
}

// join delivers the snapshot whose parts have all come.
func (in *WholeInbox) join(a *wholeAssembly, p *bits.Packer, at clock.Micros) *track.Frame {
	whole, tick := in.scratch.clear(), a.tick
	a.tick = 0
	for i := range a.parts {
		next := &a.part[i]
		if n := len(whole.entities); n > 0 && len(next.entities) > 0 && next.entities[0].ID <= whole.entities[n-1].ID {
			p.Fail(errOrder)
			return nil
		}
		whole = whole.join(next)
	}
	in.scratch = whole
	return in.deliver(tick, at)
}

// deliver hands out a whole snapshot, which is in scratch.
func (in *WholeInbox) deliver(tick uint32, at clock.Micros) *track.Frame {
	in.whole = track.Frame{Tick: tick, At: at, Whole: true, Entities: in.scratch.entities, Kinks: in.scratch.kinks}
	return &in.whole
}
