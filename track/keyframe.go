package track

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
)

// MaxKeyframes is how many samples between two sent ones a frame carries of one thing at
// most: one on each side of a dash's beginning.
const MaxKeyframes = 2

// MinKeyframeError is by how much a path drawn without a kink must miss for it to be sent,
// in metres: a fifth of what an observer of a dash may be off (RMS-20), ten steps of
// the grid that positions travel on, and what a runner's stamps jitter by.
const MinKeyframeError = 0.01

// maxKeyframeAge is how much older than the sample that it leads up to a kink may be.
const maxKeyframeAge = clock.Second

// KeyframesBetween finds the kinks of a thing's path up to its sample in the frame of tick,
// for who was told of it at the tick since and not in between (Told.Since): of the
// samples recorded in between, which a client has not got and never will, those that
// Shown between what it has misses most, at most MaxKinks and only what misses by
// KinkLeast. They are put into into by time, and their number is returned. Who runs
// straight on or stands has none, nor has a path that breaks; nor is there any where
// either frame is not known or lacks the thing.
//
// It is the one function by which a server finds what to send and what it has sent. It
// keeps what it found in the frame, for the tick since that was asked for last: who sends
// to many asks again and again. So it wants one goroutine; a Picture only looks there.
func (f *SnapshotHistory) KeyframesBetween(id ID, tick, since uint32, w *collide.World, into *[MaxKeyframes]Entity) int {
	var spots [MaxKeyframes]sampleRef
	n := f.findKeyframes(id, tick, since, w, true, &spots)
	for k := range spots[:n] {
		into[k].ID = id
		spots[k].load(&into[k].Sample)
	}
	return n
}

// findKeyframes finds where they are recorded, and keeps what it found if asked to.
func (f *SnapshotHistory) findKeyframes(id ID, tick, since uint32, w *collide.World, keep bool, into *[MaxKeyframes]sampleRef) int {
	s := f.segment(id, tick, since)
	if s.from == 0 {
		return 0
	}
	found, ok := s.b.frame.cachedKeyframes(s.hint, since)
	if !ok {
		if found = f.searchKeyframes(&s, w); keep {
			s.b.frame.cacheKeyframes(s.hint, found)
		}
	}
	for k := range found.n {
		into[k] = f.ref(id, tick-uint32(found.back[k]), s.hint)
	}
	return int(found.n)
}

// sampleRef is where a sample is kept: a cell of a frame.
type sampleRef struct {
	frame *Snapshot
	cell  *cell // nil: nowhere
}

func (p *sampleRef) load(s *Sample) { p.cell.load(s, p.frame.steps(), p.frame.extras) }

func (p *sampleRef) at() clock.Micros { return p.cell.stamp(p.frame.steps(), p.frame.extras) }

// ref returns where a thing is in the frame of a tick, which may lack it or be unknown; it
// looks at index hint first.
func (f *SnapshotHistory) ref(id ID, tick uint32, hint int) sampleRef {
	frame := f.Snapshot(tick)
	if frame == nil {
		return sampleRef{}
	}
	i := frame.Index(id, hint)
	if i < 0 {
		return sampleRef{}
	}
	return sampleRef{frame, &frame.cells[i]}
}

// foundKeyframes is which kinks a thing has in a frame for who was told of it at the tick since:
// n of them, so many ticks back.
type foundKeyframes struct {
	since uint32
	back  [MaxKeyframes]uint16
	n     uint8
}

// cachedKeyframes returns what was found of the thing at index i, if it was asked for last.
func (f *Snapshot) cachedKeyframes(i int, since uint32) (foundKeyframes, bool) {
	if i < len(f.keyframeCache) && f.keyframeCache[i].since == since {
		return f.keyframeCache[i], true
	}
	return foundKeyframes{}, false
}

func (f *Snapshot) cacheKeyframes(i int, b foundKeyframes) {
	for i >= len(f.keyframeCache) {
		f.keyframeCache = append(f.keyframeCache, foundKeyframes{})
	}
	f.keyframeCache[i] = b
}

// segment is a part of a thing's path: from its sample of one tick to that of another, of
// which what is not after oldest does not count.
type segment struct {
	id       ID
	hint     int // about where it is in the frames
	from, to uint32
	a, b     sampleRef
	oldest   clock.Micros
}

// segment returns a thing's path from the tick since on to another; from 0 where there is
// none.
func (f *SnapshotHistory) segment(id ID, tick, since uint32) segment {
	if tick < since+2 {
		return segment{}
	}
	frame := f.Snapshot(tick)
	if frame == nil {
		return segment{}
	}
	hint := frame.Index(id, 0)
	if hint < 0 {
		return segment{}
	}
	a, b := f.ref(id, since, hint), sampleRef{frame, &frame.cells[hint]}
	if a.cell == nil || !a.cell.continues(b.cell) {
		return segment{}
	}
	return segment{id, hint, since, tick, a, b, b.at() - maxKeyframeAge}
}

// searchKeyframes finds the kinks of a stretch.
func (f *SnapshotHistory) searchKeyframes(whole *segment, w *collide.World) foundKeyframes {
	none, tick := foundKeyframes{since: whole.from}, whole.to
	first, at, miss := f.worst(whole, w)
	if !(miss > MinKeyframeError) {
		return none
	}
	if whole.b.at()-whole.a.at() > MaxGap {
		if rested, n := f.rested(whole); rested.cell != nil {
			first, at = rested, n
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

// AddKeyframes notes in the frame of tick the kinks of all its things, for clients who were all
// told of everything at the tick since.
func (f *SnapshotHistory) AddKeyframes(tick, since uint32, w *collide.World) {
	frame := f.Snapshot(tick)
	if frame == nil {
		return
	}
	var kinks [MaxKeyframes]sampleRef
	frame.keyframes = frame.keyframes[:0]
	for i := range frame.cells {
		n := f.findKeyframes(frame.cells[i].id, tick, since, w, true, &kinks)
		for _, k := range kinks[:n] {
			frame.storeKeyframe(k)
		}
	}
}

// storeKeyframe adds a kink that is recorded in another frame, up to kinkAge before.
func (f *Snapshot) storeKeyframe(k sampleRef) {
	c := *k.cell
	if c.at += int32(k.frame.steps() - f.steps()); c.extras != 0 {
		f.extras = append(f.extras, k.frame.extras[c.extras-1])
		c.extras = uint16(len(f.extras))
	}
	f.keyframes = append(f.keyframes, c)
}

// rested returns the last sample of a stretch that is still where the stretch begins,
// and its tick; nowhere where it has left at once. Of a rest that is too long to be bridged
// that is the kink that matters: a picture stands there until then.
func (f *SnapshotHistory) rested(s *segment) (sampleRef, uint32) {
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

// within returns the sample of a tick, if it may be a kink of the stretch; else nowhere.
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

// worst returns the sample of a stretch that Shown misses most, its tick and by how
// much; nowhere where there is none, or where all stand still.
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

// missed returns by how much Shown of a and b, around a sample, misses it.
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

// secondKeyframe returns what misses most once the kink of a tick is known, and its tick;
// nowhere where that is too little.
func (f *SnapshotHistory) secondKeyframe(s *segment, kink sampleRef, at uint32, w *collide.World) (sampleRef, uint32) {
	l, left, before := f.worst(&segment{s.id, s.hint, s.from, at, s.a, kink, s.oldest}, w)
	r, right, after := f.worst(&segment{s.id, s.hint, at, s.to, kink, s.b, s.oldest}, w)
	if before > after {
		r, right, after = l, left, before
	}
	if !(after > MinKeyframeError) {
		return sampleRef{}, 0
	}
	return r, right
}

// HasKeyframes reports whether the frame has any kinks.
func (f *Snapshot) HasKeyframes() bool { return len(f.keyframes) > 0 }

// Keyframes appends to into all kinks of the frame.
func (f *Snapshot) Keyframes(into []Entity) []Entity { return f.append(f.keyframes, into) }

// KeyframesOf appends to into the thing's kinks in the frame, by time.
func (f *Snapshot) KeyframesOf(id ID, into []Entity) []Entity {
	return f.append(f.keyframesOf(id), into)
}

// keyframesOf returns the thing's kinks in the frame, by time.
func (f *Snapshot) keyframesOf(id ID) []cell {
	if len(f.keyframes) == 0 { // most
		return nil
	}
	lo, hi := 0, len(f.keyframes)
	for lo < hi {
		if m := (lo + hi) / 2; f.keyframes[m].id < id {
			lo = m + 1
		} else {
			hi = m
		}
	}
	end := lo
	for end < len(f.keyframes) && f.keyframes[end].id == id {
		end++
	}
	return f.keyframes[lo:end]
}
