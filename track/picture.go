package track

import (
	"math/bits"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
)

// Picture is where views are looked up: frames and, on a server, what the client whose
// views they are was told of them. A client's own frames are what it was told: its Told is
// nil, as is that of a player at the server's own machine, to whom all is told.
type Picture struct {
	Frames *Frames
	Told   *Told
	// World has the moving bodies that carry the riders; nil is a world without any.
	World *collide.World
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
// other sample matters. A view Drawn in another way shows the newest sample alone.
//
// While the view is Healing that is not yet all: what was drawn at v.Healed from the
// frames of v.Before, less what those of v.Seen say of the same instant, is how far the
// news moved the thing. It is added, ever less of it, so that nobody is seen to jump.
func (p Picture) At(id ID, v View) (s Sample, fit Fit) {
	var w walk
	fit = w.begin(p, v, v.Seen).at(id, &s)
	if fit != Missing && v.Healing() {
		var h healing
		h.begin(p, v).heal(id, &s)
	}
	return s, fit
}

// Entities appends to into everything in the view but except, by ascending ID: each as
// At gives it, and what At says is Missing not at all. Nothing is allocated where into
// has room.
func (p Picture) Entities(v View, except ID, into []Entity) []Entity {
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
			into = append(into, Entity{ID: id})
			if w.at(id, &into[n].Sample) == Missing {
				into = into[:n]
			}
		}
	}
	if v.Healing() {
		var h healing
		h.begin(p, v)
		for i := range into[first:] {
			h.heal(into[first+i].ID, &into[first+i].Sample)
		}
	}
	return into
}

// Newest returns the newest sample that those frames have of a thing, a rider's in its
// base's frame; false where it is not there.
func (p Picture) Newest(id ID, seen Received) (Sample, bool) {
	var w walk
	s, _ := w.begin(p, View{Drawn: DrawNewest}, seen).around(id)
	if s == nil {
		return Sample{}, false
	}
	return *s, true
}

// healing is the picture of the instant of news, without it and with it.
type healing struct {
	left          float64 // of what news moved things by, 1 … 0
	before, after walk
}

// begin starts what heals a view that is healing. It leaves what was drawn as slowly as it
// reaches what is known.
func (h *healing) begin(p Picture, v View) *healing {
	t := float64(v.At-v.Healed) / float64(Heal)
	h.left = 1 - float64(float64(t*t)*(3-float64(2*t)))
	v.At = v.Healed
	h.before.begin(p, v, v.Before)
	h.after.begin(p, v, v.Seen)
	return h
}

// heal moves a pose of the view by what is left of how far the news moved it.
func (h *healing) heal(id ID, s *Sample) {
	var before, after Sample
	if h.before.at(id, &before) != Missing && h.after.at(id, &after) != Missing {
		s.displace(&before, &after, h.left)
	}
}

// heard is one frame of a view, and what it mentions: nil sets are those of a whole
// frame, which tells of everything.
type heard struct {
	frame     *Frame
	has, gone *idSet
}

// walk goes through the frames of a view, from the newest back, as far as it must.
type walk struct {
	picture Picture
	view    View
	seen    Received
	mask    uint64 // those of seen that were not come by yet
	n       int
	list    [Reach + 1]heard
	kinks   [MaxKinks]Entity // of the last frame that was asked for any
}

// begin starts a walk through the frames that have come.
func (w *walk) begin(p Picture, v View, seen Received) *walk {
	w.picture, w.view, w.seen, w.mask, w.n = p, v, seen, seen.Mask, 0
	if f := p.Frames.Frame(seen.Newest); f != nil {
		w.add(f)
	} else {
		w.mask = 0
	}
	return w
}

// add takes a frame into the list, if it tells anything.
func (w *walk) add(f *Frame) {
	h := heard{frame: f}
	switch {
	case w.picture.Told != nil:
		t := w.picture.Told.telling(f.Tick)
		if t == nil {
			return
		}
		h.has, h.gone = &t.has, &t.gone
	case !f.Whole:
		f.mark()
		h.has, h.gone = &f.has, &f.gone
	}
	w.list[w.n] = h
	w.n++
}

// heard returns the frame number i of the walk, nil where there are no more.
func (w *walk) heard(i int) *heard {
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
		if f := w.picture.Frames.Frame(w.seen.Newest - back); f != nil {
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
		h := w.heard(i)
		if h == nil {
			return
		}
		if h.has == nil {
			for k := range h.frame.Entities {
				if id := h.frame.Entities[k].ID; !decided.has(id) {
					there.add(id)
				}
			}
			return // what it does not have is not there
		}
		for k := range h.has.words {
			there.bits[k] |= h.has.bits[k] &^ decided.bits[k]
			decided.bits[k] |= h.has.bits[k]
		}
		for k := range h.gone.words {
			decided.bits[k] |= h.gone.bits[k]
		}
		there.words = max(there.words, h.has.words)
	}
}

// find returns where a frame has the thing, −1 if it has not, and whether it says that
// the thing is gone.
func (h *heard) find(id ID, hint int) (i int, gone bool) {
	if h.has == nil {
		i = h.frame.index(id, hint)
		return i, i < 0
	}
	if !h.has.has(id) {
		return -1, h.gone.has(id)
	}
	return h.frame.index(id, hint), false
}

// at puts into s where the thing is by the frames of the walk.
func (w *walk) at(id ID, s *Sample) Fit {
	v, fit := &w.view, Held
	left, right := w.around(id)
	switch {
	case left == nil && right == nil:
		return Missing
	case left != nil && right != nil:
		return show(s, left, right, v, w.picture.World)
	case left == nil:
		s.hold(right, v.At)
	default:
		fit = s.ahead(left, v)
	}
	s.place(v, w.picture.World)
	return fit
}

// around returns the samples between which the view shows the thing: left is not after
// the view's time and right the next. Either may be nil: where there is none such or, of
// right, where the view does not ask for it. They are good until the next call.
func (w *walk) around(id ID) (left, right *Sample) {
	hint := 0
	for n := 0; ; n++ {
		h := w.heard(n)
		if h == nil {
			return nil, right
		}
		i, gone := h.find(id, hint)
		if gone {
			return nil, right
		}
		if i < 0 {
			continue
		}
		hint = i
		s := &h.frame.Entities[i].Sample
		if s.At <= w.view.At || w.view.Drawn != DrawBetween {
			return s, right
		}
		if left, right = between(w.kinksOf(h, id), s, w.view.At); left != nil {
			return left, right
		}
	}
}

// kinksOf returns the kinks that lead to a thing's sample in a frame: as it was told
// of them or, on a server, as they were sent.
func (w *walk) kinksOf(h *heard, id ID) []Entity {
	told, frames := w.picture.Told, w.picture.Frames
	if told == nil {
		return h.frame.KinksOf(id)
	}
	since := told.Since(h.frame.Tick, id)
	if since == 0 || h.frame.Tick-since < 2 {
		return nil
	}
	if w.seen.Has(since) {
		// What is next in the walk is all that counts if it is after the view, as then are
		// the kinks, which are later.
		if f := frames.Frame(since); f != nil {
			if s := f.Find(id); s != nil && s.At > w.view.At {
				return nil
			}
		}
	}
	n := frames.kinks(id, h.frame.Tick, since, w.picture.World, &w.kinks)
	return w.kinks[:n]
}

// between returns the two of kinks and right, the sample that they lead to, that lie
// around an instant before right's. Where all are after it left is nil and next the first
// of them.
func between(kinks []Entity, right *Sample, at clock.Micros) (left, next *Sample) {
	for i := len(kinks) - 1; i >= 0; i-- {
		k := &kinks[i].Sample
		if k.At <= at {
			return k, right
		}
		right = k
	}
	return nil, right
}
