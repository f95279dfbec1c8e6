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

// Bend notes in the frame of tick the kinks of its things' paths: of the samples
// recorded since the frame sent last, which a client has not got and never will,
// those that Shown between what it has misses most, at most MaxKinks of each thing
// and only what misses by KinkLeast. Who runs straight on or stands has none, nor has
// a path that breaks. It is for a server that does not send every tick: after the
// frame of tick has been filled and before it is sent. Nothing happens where either
// frame is unknown.
func (f *Frames) Bend(tick, since uint32, w *collide.World) {
	frame, sent := f.Frame(tick), f.Frame(since)
	if frame == nil || sent == nil || tick-since < 2 {
		return
	}
	frame.Kinks = frame.Kinks[:0]
	for i := range frame.Entities {
		e := &frame.Entities[i]
		j := sent.index(e.ID, i)
		if j < 0 || !sent.Entities[j].Continues(&e.Sample) {
			continue
		}
		whole := stretch{since, tick, &sent.Entities[j].Sample, &e.Sample, e.At - kinkAge}
		first, at, miss := f.worst(e.ID, i, whole, w)
		if !(miss > KinkLeast) {
			continue
		}
		second := f.secondKink(e.ID, i, whole, first, at, w)
		if second != nil && second.At < first.At {
			first, second = second, first
		}
		frame.Kinks = append(frame.Kinks, Entity{e.ID, *first})
		if second != nil {
			frame.Kinks = append(frame.Kinks, Entity{e.ID, *second})
		}
	}
}

// stretch is a part of a path: from a sample of one tick to one of another, of which
// what is not after oldest does not count.
type stretch struct {
	from, to uint32
	a, b     *Sample
	oldest   clock.Micros
}

// worst returns the sample of a stretch, recorded at index hint or near it, that
// Shown misses most, its tick and by how much; nil where there is none.
func (f *Frames) worst(id ID, hint int, s stretch, w *collide.World) (worst *Sample, tick uint32, most float64) {
	for n := s.from + 1; n < s.to; n++ {
		frame := f.Frame(n)
		if frame == nil {
			continue
		}
		i := frame.index(id, hint)
		if i < 0 {
			continue
		}
		k := &frame.Entities[i].Sample
		if k.At <= max(s.a.At, s.oldest) || k.At >= s.b.At || !s.a.Continues(k) {
			continue
		}
		v := View{At: k.At, Platform: k.At}
		without, _ := Shown(s.a, s.b, v, w)
		if miss := without.Position.Dist(k.inView(v, w).Position); worst == nil || miss > most {
			worst, tick, most = k, n, miss
		}
	}
	return worst, tick, most
}

// secondKink returns what misses most once the kink of a tick is known, nil where
// that is too little.
func (f *Frames) secondKink(id ID, hint int, s stretch, kink *Sample, at uint32, w *collide.World) *Sample {
	l, _, before := f.worst(id, hint, stretch{s.from, at, s.a, kink, s.oldest}, w)
	r, _, after := f.worst(id, hint, stretch{at, s.to, kink, s.b, s.oldest}, w)
	if before > after {
		r, after = l, before
	}
	if !(after > KinkLeast) {
		return nil
	}
	return r
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

// around returns the two of a thing's kinks in the frame and right, its sample, that
// lie around an instant before right's. Where all are after it left is nil and next
// the first of them.
func (f *Frame) around(id ID, right *Sample, at clock.Micros) (left, next *Sample) {
	kinks := f.KinksOf(id)
	for i := len(kinks) - 1; i >= 0; i-- {
		k := &kinks[i].Sample
		if k.At <= at {
			return k, right
		}
		right = k
	}
	return nil, right
}
