package track

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
)

// MaxKinks is how many samples between two sent ones a frame carries of one thing at
// most: one on each side of a dash's beginning.
const MaxKinks = 2

// KinkLeast is by how much a path drawn without a kink must miss for it to be sent,
// in metres: a fifth of what an observer of a dash may be off (RMS-20), ten steps of
// the grid that positions travel on, and what a runner's stamps jitter by.
const KinkLeast = 0.01

// kinkAge is how much older than the sample that it leads up to a kink may be.
const kinkAge = clock.Second

// KinksBetween finds the kinks of a thing's path up to its sample in the frame of tick,
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
func (f *Frames) KinksBetween(id ID, tick, since uint32, w *collide.World, into *[MaxKinks]Entity) int {
	frame, i, s := f.stretch(id, tick, since)
	if frame == nil {
		return 0
	}
	found, ok := frame.bend(i, since)
	if !ok {
		found = f.bent(id, i, since, &s, w)
		frame.keep(i, found)
	}
	return f.unfold(found, id, tick, i, into)
}

// kinks is KinksBetween and keeps nothing.
func (f *Frames) kinks(id ID, tick, since uint32, w *collide.World, into *[MaxKinks]Entity) int {
	frame, i, s := f.stretch(id, tick, since)
	if frame == nil {
		return 0
	}
	found, ok := frame.bend(i, since)
	if !ok {
		found = f.bent(id, i, since, &s, w)
	}
	return f.unfold(found, id, tick, i, into)
}

// bend is which kinks a thing has in a frame for who was told of it at the tick since:
// n of them, so many ticks back.
type bend struct {
	since uint32
	n     int
	back  [MaxKinks]uint32
}

// bend returns what was found of the thing at index i, if it was asked for last.
func (f *Frame) bend(i int, since uint32) (bend, bool) {
	if i < len(f.bends) && f.bends[i].since == since {
		return f.bends[i], true
	}
	return bend{}, false
}

func (f *Frame) keep(i int, b bend) {
	for i >= len(f.bends) {
		f.bends = append(f.bends, bend{})
	}
	f.bends[i] = b
}

// unfold puts the kinks themselves into into.
func (f *Frames) unfold(b bend, id ID, tick uint32, hint int, into *[MaxKinks]Entity) int {
	for k := range b.n {
		frame := f.Frame(tick - b.back[k])
		into[k] = frame.Entities[frame.index(id, hint)]
	}
	return b.n
}

// stretch returns the frame of a tick, where the thing is in it, and its path from the
// tick since on; a nil frame where there is no such path.
func (f *Frames) stretch(id ID, tick, since uint32) (*Frame, int, stretch) {
	frame, told := f.Frame(tick), f.Frame(since)
	if frame == nil || told == nil || tick < since+2 {
		return nil, 0, stretch{}
	}
	i := frame.index(id, 0)
	j := told.index(id, max(i, 0))
	if i < 0 || j < 0 || !told.Entities[j].Continues(&frame.Entities[i].Sample) {
		return nil, 0, stretch{}
	}
	a, b := &told.Entities[j].Sample, &frame.Entities[i].Sample
	return frame, i, stretch{since, tick, a, b, b.At - kinkAge}
}

// bent finds the kinks of a stretch.
func (f *Frames) bent(id ID, hint int, since uint32, whole *stretch, w *collide.World) bend {
	none, tick := bend{since: since}, whole.to
	first, at, miss := f.worst(id, hint, *whole, w)
	if !(miss > KinkLeast) {
		return none
	}
	if whole.b.At-whole.a.At > MaxGap {
		if rested, n := f.rested(id, hint, whole); rested != nil {
			first, at = rested, n
		}
	}
	second, then := f.secondKink(id, hint, whole, first, at, w)
	switch {
	case second == nil:
		return bend{since, 1, [MaxKinks]uint32{tick - at}}
	case second.At < first.At:
		at, then = then, at
	}
	return bend{since, 2, [MaxKinks]uint32{tick - at, tick - then}}
}

// Bend notes in the frame of tick the kinks of all its things, for clients who were all
// told of everything at the tick since.
func (f *Frames) Bend(tick, since uint32, w *collide.World) {
	frame := f.Frame(tick)
	if frame == nil {
		return
	}
	var kinks [MaxKinks]Entity
	frame.Kinks = frame.Kinks[:0]
	for i := range frame.Entities {
		n := f.KinksBetween(frame.Entities[i].ID, tick, since, w, &kinks)
		frame.Kinks = append(frame.Kinks, kinks[:n]...)
	}
}

// rested returns the last sample of a stretch that is still where the stretch begins,
// and its tick; nil where it has left at once. Of a rest that is too long to be bridged
// that is the kink that matters: a picture stands there until then.
func (f *Frames) rested(id ID, hint int, s *stretch) (*Sample, uint32) {
	for n := s.to - 1; n > s.from; n-- {
		k := f.within(id, hint, n, s)
		if k != nil && k.Base == s.a.Base && k.Position.Sub(s.a.Position).LenSq() <= KinkLeast*KinkLeast {
			return k, n
		}
	}
	return nil, 0
}

// stretch is a part of a path: from a sample of one tick to one of another, of which
// what is not after oldest does not count.
type stretch struct {
	from, to uint32
	a, b     *Sample
	oldest   clock.Micros
}

// within returns the sample of a tick, recorded at index hint or near it, if it may be
// a kink of the stretch; else nil.
func (f *Frames) within(id ID, hint int, tick uint32, s *stretch) *Sample {
	frame := f.Frame(tick)
	if frame == nil {
		return nil
	}
	i := frame.index(id, hint)
	if i < 0 {
		return nil
	}
	k := &frame.Entities[i].Sample
	if k.At <= max(s.a.At, s.oldest) || k.At >= s.b.At || !s.a.Continues(k) {
		return nil
	}
	return k
}

// worst returns the sample of a stretch that Shown misses most, its tick and by how
// much; nil where there is none, or where all stand still.
func (f *Frames) worst(id ID, hint int, s stretch, w *collide.World) (worst *Sample, tick uint32, most float64) {
	var without Sample
	for n := s.from + 1; n < s.to; n++ {
		k := f.within(id, hint, n, &s)
		if k == nil || k.stands(s.a, s.b) {
			continue
		}
		v := View{At: k.At, Platform: k.At}
		truth := *k
		truth.place(&v, w)
		show(&without, s.a, s.b, &v, w)
		if miss := without.Position.Dist(truth.Position); worst == nil || miss > most {
			worst, tick, most = k, n, miss
		}
	}
	return worst, tick, most
}

// stands reports whether s is where a and b are: a quick yes.
func (s *Sample) stands(a, b *Sample) bool {
	return s.Position == a.Position && s.Position == b.Position &&
		s.Base == a.Base && s.Base == b.Base && s.Since|a.Since|b.Since == 0
}

// secondKink returns what misses most once the kink of a tick is known, and its tick; nil
// where that is too little.
func (f *Frames) secondKink(id ID, hint int, s *stretch, kink *Sample, at uint32, w *collide.World) (*Sample, uint32) {
	l, left, before := f.worst(id, hint, stretch{s.from, at, s.a, kink, s.oldest}, w)
	r, right, after := f.worst(id, hint, stretch{at, s.to, kink, s.b, s.oldest}, w)
	if before > after {
		r, right, after = l, left, before
	}
	if !(after > KinkLeast) {
		return nil, 0
	}
	return r, right
}

// KinksOf returns the thing's kinks in the frame, by time; empty for none. The list
// is good until the frame is reused.
func (f *Frame) KinksOf(id ID) []Entity {
	if len(f.Kinks) == 0 { // most
		return nil
	}
	lo, hi := 0, len(f.Kinks)
	for lo < hi {
		if m := (lo + hi) / 2; f.Kinks[m].ID < id {
			lo = m + 1
		} else {
			hi = m
		}
	}
	end := lo
	for end < len(f.Kinks) && f.Kinks[end].ID == id {
		end++
	}
	return f.Kinks[lo:end]
}
