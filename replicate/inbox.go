package replicate

import (
	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/track"
)

// assemblies is how many snapshots may be incomplete at a time.
const assemblies = 4

// Inbox puts the parts of snapshots together on a client. The zero Inbox is
// ready. It keeps a few incomplete snapshots at most; a newer one takes the place
// of the oldest.
type Inbox struct {
	open    [assemblies]assembly
	scratch []track.Entity
	whole   track.Frame
}

// assembly is one snapshot that has not come in full. Tick 0 is a free place.
type assembly struct {
	tick  uint32
	at    clock.Micros
	have  uint32 // bit i: part i has come
	parts int    // how many there are, 0 while the last has not come
	part  [MaxParts][]track.Entity
}

// Read reads one part and returns the snapshot that it completes, or nil: while
// parts are missing, where seen does not want the tick, and where the part is bad
// (p.Err says why; nothing of it is kept). The frame is good until the next Read.
func (in *Inbox) Read(p *bits.Packer, seen track.Received) *track.Frame {
	var h head
	h.pack(p)
	entities, last := in.readEntities(p, h.at)
	if p.Err() != nil || !seen.Wants(h.tick) {
		return nil
	}
	if h.part == 0 && last {
		in.drop(h.tick)
		return in.deliver(h.tick, h.at, entities)
	}
	a := in.find(h.tick)
	if a == nil {
		return nil
	}
	return in.add(a, &h, entities, last, p)
}

// readEntities reads a part's entities into scratch, and whether it is the last
// part. The loop is bounded by the message and by ids that must ascend.
func (in *Inbox) readEntities(p *bits.Packer, base clock.Micros) (list []track.Entity, final bool) {
	list = in.scratch[:0]
	last := track.ID(0)
	for p.Err() == nil {
		more := false
		p.Bool(&more)
		if !more {
			break
		}
		var e track.Entity
		packEntity(p, &e, &last, base)
		list = append(list, e)
	}
	p.Bool(&final)
	in.scratch = list
	return list, final
}

// find returns the place of a snapshot's parts: its own, a free one, or that of
// the oldest snapshot if it is older.
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

// add keeps a part, and returns the snapshot if it is whole.
func (in *Inbox) add(a *assembly, h *head, list []track.Entity, last bool, p *bits.Packer) *track.Frame {
	if a.have == 0 {
		a.at = h.at
	}
	if last {
		a.parts = h.part + 1
	}
	a.have |= 1 << h.part
	a.part[h.part] = append(a.part[h.part][:0], list...)
	if h.at != a.at || a.parts != 0 && a.have >= 1<<a.parts {
		p.Fail(errOrder)
		a.tick = 0
		return nil
	}
	if a.parts == 0 || a.have != 1<<a.parts-1 {
		return nil
	}
	whole := in.scratch[:0]
	for i := range a.parts {
		if n := len(whole); n > 0 && len(a.part[i]) > 0 && a.part[i][0].ID <= whole[n-1].ID {
			p.Fail(errOrder)
			a.tick = 0
			return nil
		}
		whole = append(whole, a.part[i]...)
	}
	in.scratch = whole
	a.tick = 0
	return in.deliver(h.tick, h.at, whole)
}

// deliver hands out a whole snapshot.
func (in *Inbox) deliver(tick uint32, at clock.Micros, list []track.Entity) *track.Frame {
	in.whole = track.Frame{Tick: tick, At: at, Entities: list}
	return &in.whole
}
