package track

import (
	"math/bits"
	"slices"

	"github.com/backstep-net/backstep/collide"
)

// Interpolator is where views are looked up: frames and, on a server, what the client whose
// views they are was told of them. A client's own frames are what it was told: its Told is
// nil, as is that of a player at the server's own machine, to whom all is told.
type Interpolator struct {
	History *SnapshotHistory
	Sent    *SentLog
	// World has the moving bodies that carry the riders; nil is a world without any.
	World *collide.World
	// Extrapolation is how things are carried on in views that say so; nil is the zero one.
	Extrapolation *Extrapolation
}

// At returns the thing's pose in the view, in the world's frame.
//
// Of the view's frames, from the newest back, the first that mentions the thing says
// whether it is there: by a sample, or by a mark that it is gone. Where none mentions it,
// or the newest is not known, it is Missing.
//
// The samples that matter are those and the kinks of the view's frames since the last
// that told it gone: the latest one whose stamp is not after v.At (the last of equal
// stamps, HIS-07) and the one after that: Shown between the two, or Ahead of the first
// where there is no second. Where every stamp is after v.At the earliest is Held. No
// other sample matters. A view Drawn in another way shows the newest sample: as it is, or
// carried on to the view's time and, ever less of them, what its arrivals moved it by.
//
// While the view is Healing that is not yet all: what was drawn at v.Healed from the
// frames of v.Before, less what those of v.Seen say of the same instant, is how far the
// news moved the thing. It is added, ever less of it, so that nobody is seen to jump.
func (p Interpolator) At(id ID, v View) (s Sample, fit SampleSource) {
	var w walk
	fit = w.begin(p, v, v.Seen).at(id, &s)
	if fit != Missing && v.Blending() {
		var h blending
		h.begin(p, v).blend(id, &s)
	}
	return s, fit
}

// Entities appends to into everything in the view but except, by ascending ID: each as
// At gives it, and what At says is Missing not at all. Nothing is allocated where into
// has room.
func (p Interpolator) Entities(v View, except ID, into []Entity) []Entity {
	var w walk
	var there idSet
	w.begin(p, v, v.Seen).present(&there)
	first := len(into)
	for k, word := range there.bits[:there.words] {
		for ; word != 0; word &= word - 1 {
			id := ID(k*64 + bits.TrailingZeros64(word))
			if id == except {
				continue
			}
			n := len(into)
			if into = slices.Grow(into, 1)[:n+1]; w.at(id, &into[n].Sample) == Missing {
				into = into[:n]
				continue
			}
			into[n].ID = id
		}
	}
	if v.Blending() {
		var h blending
		h.begin(p, v)
		for i := range into[first:] {
			h.blend(into[first+i].ID, &into[first+i].Sample)
		}
	}
	return into
}

// Newest returns the newest sample that those frames have of a thing, a rider's in its
// base's frame; false where it is not there.
func (p Interpolator) Newest(id ID, seen Received) (s Sample, there bool) {
	var w walk
	newest, _ := w.begin(p, View{Mode: DrawNewest}, seen).bracket(id)
	if newest.cell == nil {
		return s, false
	}
	newest.load(&s)
	return s, true
}

// blending is the picture of the instant of news, without it and with it.
type blending struct {
	left          float64 // of what news moved things by, 1 … 0
	before, after walk
}

// begin starts what heals a view that is healing. It leaves what was drawn as slowly as it
// reaches what is known.
func (h *blending) begin(p Interpolator, v View) *blending {
	t := float64(v.At-v.BlendAt) / float64(BlendTime)
	h.left = 1 - float64(float64(t*t)*(3-float64(2*t)))
	v.At = v.BlendAt
	h.before.begin(p, v, v.BlendFrom)
	h.after.begin(p, v, v.Seen)
	return h
}

// blend moves a pose of the view by what is left of how far the news moved it.
func (h *blending) blend(id ID, s *Sample) {
	var before, after Sample
	if h.before.at(id, &before) != Missing && h.after.at(id, &after) != Missing {
		s.blend(&before, &after, h.left)
	}
}

// mentions is one frame of a view, and what it mentions: nil sets are those of a whole
// frame, which tells of everything.
type mentions struct {
	frame        *Snapshot
	at           int64 // frame's instant
	has, removed *idSet
}

// walk goes through the frames of a view, from the newest back, as far as it must.
type walk struct {
	source    Interpolator
	view      View
	seen      Received
	mask      uint64 // those of seen that were not come by yet
	n         int
	list      [ReceivedWindow + 1]mentions
	next      int                     // where the next thing is, most likely
	right     Sample                  // scratch
	keyframes [MaxKeyframes]sampleRef // of the last frame that was asked for any
}

// begin starts a walk through the frames that have come.
func (w *walk) begin(p Interpolator, v View, seen Received) *walk {
	w.source, w.view, w.seen, w.mask, w.n, w.next = p, v, seen, seen.Mask, 0, 0
	if f := p.History.Snapshot(seen.Newest); f != nil {
		w.add(f)
	} else {
		w.mask = 0
	}
	return w
}

// add takes a frame into the list, if it tells anything.
func (w *walk) add(f *Snapshot) {
	h := mentions{frame: f, at: f.steps()}
	switch {
	case w.source.Sent != nil:
		t := w.source.Sent.snapshot(f.Tick)
		if t == nil {
			return
		}
		h.has, h.removed = &t.has, &t.gone
	case !f.Complete:
		f.mark()
		h.has, h.removed = &f.has, &f.removed
	}
	w.list[w.n] = h
	w.n++
}

// mentions returns the frame number i of the walk, nil where there are no more.
func (w *walk) mentions(i int) *mentions {
	for i >= w.n {
		if w.mask == 0 {
			return nil
		}
		back := uint32(bits.TrailingZeros64(w.mask)) + 1
		w.mask &= w.mask - 1
		if back >= w.seen.Newest {
			w.mask = 0 // before the first tick
			return nil
		}
		if f := w.source.History.Snapshot(w.seen.Newest - back); f != nil {
			w.add(f)
		}
	}
	return &w.list[i]
}

// present adds to there what is in the view: what the newest frame that mentions it
// has a sample of.
func (w *walk) present(there *idSet) {
	var decided idSet
	for i := 0; ; i++ {
		h := w.mentions(i)
		if h == nil {
			return
		}
		if h.has == nil {
			for k := range h.frame.cells {
				if id := h.frame.cells[k].id; !decided.has(id) {
					there.add(id)
				}
			}
			return // what it does not have is not there
		}
		for k := range h.has.words {
			there.bits[k] |= h.has.bits[k] &^ decided.bits[k]
			decided.bits[k] |= h.has.bits[k]
		}
		for k := range h.removed.words {
			decided.bits[k] |= h.removed.bits[k]
		}
		there.words = max(there.words, h.has.words)
	}
}

// find returns where a frame has the thing, −1 if it has not, and whether it says that
// the thing is gone.
func (h *mentions) find(id ID, hint int) (i int, gone bool) {
	if h.has == nil {
		i = h.frame.Index(id, hint)
		return i, i < 0
	}
	if !h.has.has(id) {
		return -1, h.removed.has(id)
	}
	return h.frame.Index(id, hint), false
}

// at puts into s where the thing is by the frames of the walk.
func (w *walk) at(id ID, s *Sample) SampleSource {
	v, fit := &w.view, Held
	left, right := w.bracket(id)
	switch {
	case left.cell == nil && right.cell == nil:
		return Missing
	case left.cell != nil && right.cell != nil:
		left.load(s)
		if right.cell.base|left.cell.base == collide.Static && left.cell.baseChange == 0 && right.at()-s.At <= MaxGap { // most
			right.cell.loadPath(&w.right, right.frame.steps(), right.frame.extras)
			return s.interpolate(&w.right, v.At)
		}
		right.load(&w.right)
		return s.interpolateView(&w.right, v, w.source.World)
	case left.cell == nil:
		right.load(s)
		s.At = v.At
	default:
		left.load(s)
		if v.Mode.Extrapolates() {
			return w.deadReckoned(id, left, s)
		}
		fit = s.extrapolateView(v)
	}
	s.toView(v, w.source.World)
	return fit
}

// bracket returns the samples between which the view shows the thing: left is not after
// the view's time and right the next. Either may be nowhere: where there is none such or, of
// right, where the view does not ask for it.
func (w *walk) bracket(id ID) (left, right sampleRef) {
	hint := w.next
	for n := 0; ; n++ {
		h := w.mentions(n)
		if h == nil {
			return sampleRef{}, right
		}
		i, gone := h.find(id, hint)
		if gone {
			return sampleRef{}, right
		}
		if i < 0 {
			continue
		}
		hint, w.next = i, i+1
		c := &h.frame.cells[i]
		if w.view.Mode != DrawInterpolated || c.stamp(h.at, h.frame.extras) <= w.view.At {
			return sampleRef{h.frame, c}, right
		}
		if told := w.source.Sent; told == nil && !h.frame.HasKeyframes() || told != nil && told.Has(h.frame.Tick-1, id) {
			right = sampleRef{h.frame, c} // as most often, nothing can be in between
			continue
		}
		if left, right = w.between(h, sampleRef{h.frame, c}); left.cell != nil {
			return left, right
		}
	}
}

// between returns the two of the kinks that lead to a sample, which is after the view, and
// that sample that lie around the view's time. Where all are after it left is nowhere and
// next the first of them.
func (w *walk) between(h *mentions, right sampleRef) (left, next sampleRef) {
	if w.source.Sent == nil {
		kinks := h.frame.keyframesOf(right.cell.id)
		for i := len(kinks) - 1; i >= 0; i-- {
			k := sampleRef{h.frame, &kinks[i]}
			if k.at() <= w.view.At {
				return k, right
			}
			right = k
		}
		return sampleRef{}, right
	}
	for i := w.sentKeyframes(h.frame.Tick, right.cell.id) - 1; i >= 0; i-- {
		if w.keyframes[i].at() <= w.view.At {
			return w.keyframes[i], right
		}
		right = w.keyframes[i]
	}
	return sampleRef{}, right
}

// sentKeyframes finds the kinks that the client was sent with a thing's sample of a tick, and
// returns how many there are.
func (w *walk) sentKeyframes(tick uint32, id ID) int {
	frames := w.source.History
	since := w.source.Sent.SentBefore(tick, id)
	if since == 0 || tick-since < 2 {
		return 0
	}
	if w.seen.Has(since) {
		// What is next in the walk is all that counts if it is after the view, as then are
		// the kinks, which are later.
		if s := frames.ref(id, since, 0); s.cell != nil && s.at() > w.view.At {
			return 0
		}
	}
	return frames.findKeyframes(id, tick, since, w.source.World, false, &w.keyframes)
}
