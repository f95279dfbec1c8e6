package track

import (
	"math/bits"
	"slices"

	"github.com/backstep-net/backstep/collide"
)

// Interpolator reconstructs poses for views.
type Interpolator struct {
	// History has the snapshots: of a client those that it received, of a server its own. It must
	// be set.
	History *SnapshotHistory
	// Sent says which entities of the server's snapshots were sent to the client of the view. Nil
	// means all of them: on a client, where History has only what it was sent, and for a player on
	// the server's own machine.
	Sent *SentLog
	// World has the movers that carry riders; nil is a world without any.
	World *collide.World
	// Extrapolation says how entities are extrapolated in views whose Mode asks for it; nil is
	// the zero one.
	Extrapolation *Extrapolation
}

// At returns the entity's pose in the view, in the world's frame.
//
// The newest of the view's snapshots that mentions the entity says whether it is there: by a
// sample, or by a mark that it is removed. If none mentions it, or the newest snapshot is not
// known, the result is Missing.
//
// The samples that matter are those and the keyframes of the view's snapshots since the last
// that removed the entity: the latest one whose stamp is not after v.At (the last of equal
// stamps) [HIS-07] and the one after that. The pose is interpolated between the two
// (Interpolate), or extrapolated from the first if there is no second. If every stamp is after
// v.At the earliest sample is Held. No other sample matters. In a View with another Mode the
// newest sample counts: as it is, or extrapolated to the view's time and blended with what its
// arrivals corrected.
//
// A View that is Blending adds one more term: the difference between the pose at v.BlendAt from
// the snapshots of v.BlendFrom and the pose at the same instant from those of v.Seen is how far
// late samples moved the entity. It is added with a decreasing weight, so that no entity is seen
// to jump.
func (p Interpolator) At(id ID, v View) (s Sample, source SampleSource) {
	var w walk
	source = w.begin(p, v, v.Seen).at(id, &s)
	if source != Missing && v.Blending() {
		var h blending
		h.begin(p, v).blend(id, &s)
	}
	return s, source
}

// Entities appends to into every entity in the view but except, in ascending order of ID: each
// as At returns it, without those that are Missing. Nothing is allocated if into has the
// capacity.
func (p Interpolator) Entities(v View, except ID, into []Entity) []Entity {
	var w walk
	var there [idWords]uint64
	words := w.begin(p, v, v.Seen).present(&there)
	first := len(into)
	for k, word := range there[:words] {
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

// Newest returns the newest sample that the snapshots of seen have of an entity, a rider's in
// its base's frame; false if the entity is not there.
func (p Interpolator) Newest(id ID, seen Received) (s Sample, there bool) {
	var w walk
	// In this mode the first sample found is the left one, whatever its stamp.
	newest, _ := w.begin(p, View{Mode: DrawNewest}, seen).bracket(id)
	if newest.cell == nil {
		return s, false
	}
	newest.load(&s)
	return s, true
}

// blending is the view at the instant of late samples, without them and with them.
type blending struct {
	left          float64 // weight of the correction, 1 … 0
	before, after walk
}

// begin prepares the blending of a view. The weight starts and ends with slope zero, so that the
// blending neither sets in nor ends with a jerk.
func (h *blending) begin(p Interpolator, v View) *blending {
	t := float64(v.At-v.BlendAt) / float64(BlendTime)
	h.left = 1 - float64(float64(t*t)*(3-float64(2*t)))
	v.At = v.BlendAt
	h.before.begin(p, v, v.BlendFrom)
	h.after.begin(p, v, v.Seen)
	return h
}

// blend moves a pose of the view by what is left of its correction.
func (h *blending) blend(id ID, s *Sample) {
	var before, after Sample
	if h.before.at(id, &before) != Missing && h.after.at(id, &after) != Missing {
		s.blend(&before, &after, h.left)
	}
}

// mentions is one snapshot of a view and the entities that it mentions; nil sets are those of a
// complete snapshot, which mentions every entity.
type mentions struct {
	snapshot     *Snapshot
	at           int64 // the snapshot's instant
	has, removed *idSet
}

// walk visits the snapshots of a view from the newest back, as far as it must. The list that it
// makes is used for all entities of the view: for most the first entry or two are enough.
type walk struct {
	source    Interpolator
	view      View
	seen      Received
	mask      uint64 // of seen, the snapshots not visited yet
	n         int
	list      [ReceivedWindow + 1]mentions
	next      int                     // index of the next entity, most likely
	right     Sample                  // scratch
	keyframes [MaxKeyframes]sampleRef // of the last snapshot that was searched for any
}

// begin starts a walk through the snapshots that have arrived.
func (w *walk) begin(p Interpolator, v View, seen Received) *walk {
	w.source, w.view, w.seen, w.mask, w.n, w.next = p, v, seen, seen.Mask, 0, 0
	if f := p.History.Snapshot(seen.Newest); f != nil {
		w.add(f)
	} else {
		w.mask = 0
	}
	return w
}

// add appends a snapshot to the list, if the client was sent one.
func (w *walk) add(f *Snapshot) {
	h := mentions{snapshot: f, at: f.steps()}
	switch {
	case w.source.Sent != nil:
		t := w.source.Sent.snapshot(f.Tick)
		if t == nil {
			return // not sent, or too long ago, whatever the client says that it saw
		}
		h.has, h.removed = &t.has, &t.gone
	case !f.Complete:
		f.mark()
		h.has, h.removed = &f.has, &f.removed
	}
	w.list[w.n] = h
	w.n++
}

// mentions returns entry i of the walk, nil if there are no more.
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

// present adds to there, which has a bit for each ID, the entities in the view: those of which the
// newest snapshot that mentions them has a sample. It returns how many words of there it uses.
func (w *walk) present(there *[idWords]uint64) (words int) {
	// An entity is decided by the newest snapshot that has or removes it. Sets of bits decide 64
	// entities at a time.
	var decided [idWords]uint64
	for i := 0; ; i++ {
		h := w.mentions(i)
		if h == nil {
			return words
		}
		if h.has == nil {
			for k := range h.snapshot.cells {
				id := h.snapshot.cells[k].id
				there[id/64] |= 1 << (id % 64) &^ decided[id/64]
				words = max(words, int(id/64)+1)
			}
			return words // an entity without a sample is not there
		}
		for k := range h.has.words {
			there[k] |= h.has.word(k) &^ decided[k]
			decided[k] |= h.has.word(k)
		}
		for k := range h.removed.words {
			decided[k] |= h.removed.word(k)
		}
		words = max(words, h.has.words)
		if w.source.Sent == nil && w.source.History.decides(&decided) {
			return words // the other snapshots, up to 64, have no further entity
		}
	}
}

// find returns the entity's index in a snapshot, −1 if it has none, and whether the snapshot
// removes the entity.
func (h *mentions) find(id ID, hint int) (i int, gone bool) {
	if h.has == nil {
		i = h.snapshot.Index(id, hint)
		return i, i < 0
	}
	if !h.has.has(id) {
		return -1, h.removed.has(id)
	}
	return h.snapshot.Index(id, hint), false
}

// at makes s the pose of the entity by the snapshots of the walk.
func (w *walk) at(id ID, s *Sample) SampleSource {
	v, source := &w.view, Held
	left, right := w.bracket(id)
	switch {
	case left.cell == nil && right.cell == nil:
		return Missing
	case left.cell != nil && right.cell != nil:
		left.load(s)
		if right.cell.base|left.cell.base == collide.Static && left.cell.baseChange == 0 && right.at()-s.At <= MaxGap { // most
			right.cell.loadPath(&w.right, right.snapshot.steps(), right.snapshot.extras)
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
		source = s.extrapolateView(v)
	}
	s.toView(v, w.source.World)
	return source
}

// bracket returns the samples between which the view shows the entity: left is not after the
// view's time and right is the next. Either may be nil: if there is none, or for right if the
// view does not need it.
func (w *walk) bracket(id ID) (left, right sampleRef) {
	// Entities are mostly visited in order, so the next one is next to the last in each snapshot.
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
		c := &h.snapshot.cells[i]
		if w.view.Mode != DrawInterpolated || c.stamp(h.at, h.snapshot.extras) <= w.view.At {
			return sampleRef{h.snapshot, c}, right
		}
		if sent := w.source.Sent; sent == nil && !h.snapshot.HasKeyframes() || sent != nil && sent.Has(h.snapshot.Tick-1, id) {
			right = sampleRef{h.snapshot, c} // most often, no keyframe can be in between
			continue
		}
		if left, right = w.between(h, sampleRef{h.snapshot, c}); left.cell != nil {
			return left, right
		}
	}
}

// between returns those two of the keyframes that lead to a sample after the view, and that
// sample, that lie around the view's time. If all are after it left is nil and next the first of
// them.
func (w *walk) between(h *mentions, right sampleRef) (left, next sampleRef) {
	if w.source.Sent == nil {
		keyframes := h.snapshot.keyframesOf(right.cell.id)
		for i := len(keyframes) - 1; i >= 0; i-- {
			k := sampleRef{h.snapshot, &keyframes[i]}
			if k.at() <= w.view.At {
				return k, right
			}
			right = k
		}
		return sampleRef{}, right
	}
	// On a server keyframes are not stored with what was sent, but found again as they were then.
	for i := w.sentKeyframes(h.snapshot.Tick, right.cell.id) - 1; i >= 0; i-- {
		if w.keyframes[i].at() <= w.view.At {
			return w.keyframes[i], right
		}
		right = w.keyframes[i]
	}
	return sampleRef{}, right
}

// sentKeyframes finds the keyframes that the client was sent with an entity's sample of a tick,
// and returns how many there are.
func (w *walk) sentKeyframes(tick uint32, id ID) int {
	history := w.source.History
	since := w.source.Sent.SentBefore(tick, id)
	if since == 0 || tick-since < 2 {
		return 0
	}
	if w.seen.Has(since) {
		// What is next in the walk is all that counts if it is after the view, as then are
		// the keyframes, which are later.
		if s := history.ref(id, since, 0); s.cell != nil && s.at() > w.view.At {
			return 0
		}
	}
	return history.findKeyframes(id, tick, since, w.source.World, nil, false, &w.keyframes)
}
