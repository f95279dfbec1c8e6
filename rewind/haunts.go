package rewind

import (
	"slices"

	"github.com/backstep-net/backstep/collide"
)

// haunts are where everybody was in all that the boxes know: what a scene that is asked small
// questions, as the steps of a flight are, looks at before it finds out what a view is drawn
// from. They hold the spans of every view that the boxes cover, and stay from one Show to
// the next.
type haunts struct {
	of     *History
	to     uint32 // the newest tick that is in them
	before row    // of each slot: all groups but the newest
	swaths []swath
	older  []*row // those groups
	pair   [2]*row
}

// smallQuestion is how long the way of a question is at most, in metres, that is asked of the
// haunts first: a step of what flies at 480 m/s.
const smallQuestion = 4

// update brings them up to the newest tick of the boxes.
func (a *haunts) update(h *History, meets *kinds) {
	w := &h.swept
	if a.of == h && a.to == w.to {
		return
	}
	newest := &w.rows[w.to>>w.shift&w.mask]
	if a.of != h || a.to>>w.shift != newest.group {
		a.before.boxes, a.older = a.before.boxes[:0], a.older[:0]
		for i := range w.rows {
			if r := &w.rows[i]; r != newest {
				a.older = append(a.older, r)
			}
		}
	}
	a.of, a.to = h, w.to
	for k := len(a.before.boxes); k < len(w.slots); k++ {
		a.before.boxes = append(a.before.boxes, nowhere)
		if w.met(k, meets) {
			a.before.boxes[k].join(a.older, k)
		}
	}
	a.pair = [2]*row{&a.before, newest}
	a.swaths = slices.Grow(a.swaths[:0], len(w.slots))[:len(w.slots)]
	for k := range a.swaths {
		if !w.met(k, meets) {
			continue
		}
		s := &a.swaths[k]
		if s.join(a.pair[:], k); s.base != collide.Static || !meets[w.slots[k].kind] {
			s.flags |= moves // from the frame of a body, or from a kind that is not met
		}
	}
}
