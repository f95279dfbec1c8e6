package replicate

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/track"
)

// bendAge is how much older than the sample that it leads up to a kink may be.
const bendAge = clock.Second

// bend appends the kinks of the i-th thing of the tick since the tick in which a client
// was told of it last: as track.Frames.Bend.
func (m *Match) bend(i int, since uint32, into []track.Entity) []track.Entity {
	e, sent := &m.frame.Entities[i], m.frames.Frame(since)
	if sent == nil {
		return into
	}
	a := find(sent, e.ID, i)
	if a == nil || !a.Continues(&e.Sample) {
		return into
	}
	first, at, miss := m.worst(e.ID, i, since, m.frame.Tick, a, &e.Sample, e.At-bendAge)
	if !(miss > track.KinkLeast) {
		return into
	}
	second, _, before := m.worst(e.ID, i, since, at, a, first, e.At-bendAge)
	r, _, after := m.worst(e.ID, i, at, m.frame.Tick, first, &e.Sample, e.At-bendAge)
	if !(before > after) {
		second, before = r, after
	}
	if !(before > track.KinkLeast) {
		return append(into, track.Entity{ID: e.ID, Sample: *first})
	}
	if second.At < first.At {
		first, second = second, first
	}
	return append(into, track.Entity{ID: e.ID, Sample: *first}, track.Entity{ID: e.ID, Sample: *second})
}

// worst returns the sample of a thing between two ticks that is farthest from the way
// between the samples a and b, its tick, and by how much.
func (m *Match) worst(id track.ID, hint int, from, to uint32, a, b *track.Sample, oldest clock.Micros) (worst *track.Sample, tick uint32, most float64) {
	for n := from + 1; n < to; n++ {
		frame := m.frames.Frame(n)
		if frame == nil {
			continue
		}
		k := find(frame, id, hint)
		if k == nil || k.At <= max(a.At, oldest) || k.At >= b.At || !a.Continues(k) {
			continue
		}
		v := track.View{At: k.At, Platform: k.At}
		without, _ := track.Shown(a, b, v, m.world)
		with, _ := track.Shown(k, k, v, m.world)
		if miss := without.Position.Dist(with.Position); worst == nil || miss > most {
			worst, tick, most = k, n, miss
		}
	}
	return worst, tick, most
}
