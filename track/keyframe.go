package track

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
)

// MaxKeyframes is the most samples between two sent ones that a snapshot carries of one entity:
// one on each side of a dash's beginning.
const MaxKeyframes = 2

// MinKeyframeError, in metres: a keyframe is sent if the drawn path would be off by at least this without it. It is a fifth of the error that an observer of a dash may see [RMS-20], ten
// steps of the grid of positions, and the jitter of a runner's stamps.
const MinKeyframeError = 0.01

// maxKeyframeAge is how much older than the sample that it leads to a keyframe may be.
const maxKeyframeAge = clock.Second

// KeyframesBetween finds the keyframes of an entity's path up to its sample in the snapshot of tick,
// for a client that was sent one at the tick since and none in between (SentLog.SentBefore). They are
// chosen from the samples recorded in between, which the client never receives: those where
// Interpolate has the largest error, at most MaxKeyframes and only if that error is at least
// MinKeyframeError. They are put into into by time, and their number is returned. It is 0 for an
// entity that runs straight on or stands, for a path that breaks, and if either snapshot is not known
// or lacks the entity.
//
// A server uses this one function to find the keyframes to send and those that it has sent. It caches
// the result for the last since, because a server that sends to many clients calls it again and again. A
// nil cache is the snapshot's own, which an Interpolator reads: with that, only one goroutine may call it.
func (f *SnapshotHistory) KeyframesBetween(id ID, tick, since uint32, w *collide.World, cache *KeyframeCache, into *[MaxKeyframes]Entity) int {
	var refs [MaxKeyframes]sampleRef
	n := f.findKeyframes(id, tick, since, w, cache, true, &refs)
	for k := range refs[:n] {
		into[k].ID = id
		refs[k].load(&into[k].Sample)
	}
	return n
}

// findKeyframes returns the cells of the keyframes, and caches the result if keep is set.
func (f *SnapshotHistory) findKeyframes(id ID, tick, since uint32, w *collide.World, cache *KeyframeCache, keep bool, into *[MaxKeyframes]sampleRef) int {
	s := f.segment(id, tick, since)
	if s.from == 0 {
		return 0
	}
	if cache == nil {
		cache = &s.b.snapshot.keyframeCache
	}
	found, ok := cache.find(tick, s.hint, since)
	if !ok {
		if found = f.searchKeyframes(&s, w); keep {
			cache.keep(tick, s.hint, found)
		}
	}
	for k := range found.n {
		into[k] = f.ref(id, tick-uint32(found.back[k]), s.hint)
	}
	return int(found.n)
}

// sampleRef is where a sample is stored: a cell of a snapshot.
type sampleRef struct {
	snapshot *Snapshot
	cell     *cell // nil: nowhere
}

// load makes s the sample.
func (p *sampleRef) load(s *Sample) { p.cell.load(s, p.snapshot.steps(), p.snapshot.extras) }

// at returns the sample's At, without decoding the rest.
func (p *sampleRef) at() clock.Micros { return p.cell.stamp(p.snapshot.steps(), p.snapshot.extras) }

// ref returns where an entity's sample is in the snapshot of a tick, which may lack it or be
// unknown. It looks at index hint first.
func (f *SnapshotHistory) ref(id ID, tick uint32, hint int) sampleRef {
	snapshot := f.Snapshot(tick)
	if snapshot == nil {
		return sampleRef{}
	}
	i := snapshot.Index(id, hint)
	if i < 0 {
		return sampleRef{}
	}
	return sampleRef{snapshot, &snapshot.cells[i]}
}

// foundKeyframes are the n keyframes of an entity in a snapshot, as ticks before it, for a client
// that was sent the entity at the tick since.
type foundKeyframes struct {
	since uint32
	back  [MaxKeyframes]uint16
	n     uint8
}

// KeyframeCache is what SnapshotHistory.KeyframesBetween found last of each entity of one snapshot. Where
// several goroutines send at once each has one. The zero KeyframeCache is empty.
type KeyframeCache struct {
	tick uint32 // of the snapshot
	list []foundKeyframes
}

// find returns the result for the entity at index i of the snapshot of a tick, if it was for the same
// since.
func (c *KeyframeCache) find(tick uint32, i int, since uint32) (foundKeyframes, bool) {
	if c.tick == tick && i < len(c.list) && c.list[i].since == since {
		return c.list[i], true
	}
	return foundKeyframes{}, false
}

// keep caches the result for the entity at index i of the snapshot of a tick. Most clients are sent the
// same snapshots, so they ask for the same since one after another.
func (c *KeyframeCache) keep(tick uint32, i int, b foundKeyframes) {
	if c.tick != tick {
		c.tick, c.list = tick, c.list[:0]
	}
	for i >= len(c.list) {
		c.list = append(c.list, foundKeyframes{})
	}
	c.list[i] = b
}

// segment is a part of an entity's path: from its sample of one tick to that of another. Samples
// not after oldest do not count.
type segment struct {
	id       ID
	hint     int // probable index in the snapshots
	from, to uint32
	a, b     sampleRef
	oldest   clock.Micros
}

// segment returns an entity's path from the tick since to another; from is 0 if there is none.
func (f *SnapshotHistory) segment(id ID, tick, since uint32) segment {
	if tick < since+2 {
		return segment{} // no tick in between
	}
	snapshot := f.Snapshot(tick)
	if snapshot == nil {
		return segment{}
	}
	hint := snapshot.Index(id, 0)
	if hint < 0 {
		return segment{}
	}
	a, b := f.ref(id, since, hint), sampleRef{snapshot, &snapshot.cells[hint]}
	if a.cell == nil || !a.cell.continues(b.cell) {
		return segment{}
	}
	return segment{id, hint, since, tick, a, b, b.at() - maxKeyframeAge}
}

// searchKeyframes finds the keyframes of a segment, on the server that sends them and again when it
// rebuilds a view: from the record alone, so both find the same.
func (f *SnapshotHistory) searchKeyframes(whole *segment, w *collide.World) foundKeyframes {
	none, tick := foundKeyframes{since: whole.from}, whole.to
	// As in line simplification by Ramer, Douglas and Peucker, but with curves and at most twice:
	// the point that is missed most comes first, then the worst of the two pieces.
	first, at, miss := f.worst(whole, w)
	if !(miss > MinKeyframeError) {
		return none
	}
	if whole.b.at()-whole.a.at() > MaxGap {
		if lastAtRest, n := f.lastAtRest(whole); lastAtRest.cell != nil {
			first, at = lastAtRest, n
		}
	}
	second, then := f.secondKeyframe(whole, first, at, w)
	switch {
	case second.cell == nil:
		return foundKeyframes{whole.from, [MaxKeyframes]uint16{uint16(tick - at)}, 1}
	case second.at() < first.at():
		at, then = then, at
	}
	return foundKeyframes{whole.from, [MaxKeyframes]uint16{uint16(tick - at), uint16(tick - then)}, 2}
}

// lastAtRest returns the last sample of a segment that is still where the segment begins, and its
// tick; nil if it left at once. In a gap wider than MaxGap this keyframe matters
// most: until then a view shows the entity standing.
func (f *SnapshotHistory) lastAtRest(s *segment) (sampleRef, uint32) {
	begin := vecOf(&s.a.cell.position, PositionScale)
	for n := s.to - 1; n > s.from; n-- {
		k := f.within(n, s)
		if k.cell == nil || k.cell.base != s.a.cell.base {
			continue
		}
		if vecOf(&k.cell.position, PositionScale).Sub(begin).LenSq() <= MinKeyframeError*MinKeyframeError {
			return k, n
		}
	}
	return sampleRef{}, 0
}

// within returns the sample of a tick if it may be a keyframe of the segment, else nil.
func (f *SnapshotHistory) within(tick uint32, s *segment) sampleRef {
	k := f.ref(s.id, tick, s.hint)
	if k.cell == nil {
		return k
	}
	if at := k.at(); at <= max(s.a.at(), s.oldest) || at >= s.b.at() || !s.a.cell.continues(k.cell) {
		return sampleRef{}
	}
	return k
}

// worst returns the sample of a segment that Interpolate misses most, its tick and by how much;
// nil if there is none, or if all stand still.
func (f *SnapshotHistory) worst(s *segment, w *collide.World) (worst sampleRef, tick uint32, most float64) {
	var a, b Sample
	loaded := false
	for n := s.from + 1; n < s.to; n++ {
		k := f.within(n, s)
		if k.cell == nil || k.cell.stands(s.a.cell, s.b.cell) {
			continue
		}
		if !loaded {
			loaded = true
			s.a.load(&a)
			s.b.load(&b)
		}
		if miss := k.missed(&a, &b, w); worst.cell == nil || miss > most {
			worst, tick, most = k, n, miss
		}
	}
	return worst, tick, most
}

// missed returns by how much Interpolate of a and b, around a sample, misses it, in metres.
func (p *sampleRef) missed(a, b *Sample, w *collide.World) float64 {
	at, c := p.at(), p.cell
	if gap := b.At - a.At; a.Base|b.Base|c.base == collide.Static && a.BaseChangedAt == 0 && c.baseChange == 0 && gap <= MaxGap { // most
		return a.curveAt(b, float64(at-a.At)/float64(gap)).Dist(vecOf(&c.position, PositionScale))
	}
	var truth Sample
	p.load(&truth)
	v := View{At: at, Platform: at}
	truth.toView(&v, w)
	s := *a
	s.interpolateView(b, &v, w)
	return s.Position.Dist(truth.Position)
}

// secondKeyframe returns the sample that is missed most once the keyframe of a tick is known,
// and its tick; nil if it is missed by too little.
func (f *SnapshotHistory) secondKeyframe(s *segment, keyframe sampleRef, at uint32, w *collide.World) (sampleRef, uint32) {
	l, left, before := f.worst(&segment{s.id, s.hint, s.from, at, s.a, keyframe, s.oldest}, w)
	r, right, after := f.worst(&segment{s.id, s.hint, at, s.to, keyframe, s.b, s.oldest}, w)
	if before > after {
		r, right, after = l, left, before
	}
	if !(after > MinKeyframeError) {
		return sampleRef{}, 0
	}
	return r, right
}

// HasKeyframes reports whether the snapshot has any keyframes.
func (f *Snapshot) HasKeyframes() bool { return len(f.keyframes) > 0 }

// Keyframes appends all keyframes of the snapshot to into.
func (f *Snapshot) Keyframes(into []Entity) []Entity { return f.append(f.keyframes, into) }

// KeyframesOf appends the entity's keyframes in the snapshot to into, by time.
func (f *Snapshot) KeyframesOf(id ID, into []Entity) []Entity {
	return f.append(f.keyframesOf(id), into)
}

// keyframesOf returns the entity's keyframes in the snapshot, by time.
func (f *Snapshot) keyframesOf(id ID) []cell {
	if len(f.keyframes) == 0 { // most
		return nil
	}
	first := firstCell(f.keyframes, id)
	end := first
	for end < len(f.keyframes) && f.keyframes[end].id == id {
		end++
	}
	return f.keyframes[first:end]
}
