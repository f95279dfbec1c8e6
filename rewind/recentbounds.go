package rewind

import (
	"slices"

	"github.com/backstep-net/backstep/collide"
)

// haunts are where everybody was lately: what a scene that is asked small questions, as the
// steps of a flight are, looks at before it finds out what a view is drawn from. They hold
// the spans of every view that is drawn from nothing before their first group, and stay from
// one Show to the next.
type haunts struct {
	of    *History
	first uint32 // group of ticks
	to    uint32 // the newest tick
	added int    // how many groups were added to before since it was made
	// before has each slot in the groups but the newest, and swaths in all.
	before row
	swaths []swath
	rows   []*row // scratch
}

// smallQuestion is how long the way of a question is at most, in metres, that is asked of the
// haunts first: a step of what flies at 480 m/s.
const smallQuestion = 4

// mostAdded is how many groups are added until haunts are made anew, smaller.
const mostAdded = 8

// small reports whether to ask the haunts first.
func (q *question) small() bool { return !q.dir.IsZero() && q.reach <= smallQuestion }

// update brings the haunts up to the newest tick of the boxes, for views that are drawn from
// nothing before the oldest tick.
func (a *haunts) update(h *History, oldest uint32, meets *kindSet) {
	w := &h.swept
	first, group, had := oldest>>w.shift, w.to>>w.shift, a.to>>w.shift
	switch {
	case a.of != h || first < a.first || group > had+1 || group != had && a.added == mostAdded:
		a.of, a.first, a.added, a.before.boxes = h, first, 0, a.before.boxes[:0]
	case a.to == w.to:
		return
	case group != had: // the one that was the newest is complete
		a.added++
		a.rows = append(a.rows[:0], &a.before, &w.rows[had&w.mask])
		for k := range a.before.boxes {
			if w.met(k, meets) {
				a.before.boxes[k].join(a.rows, k)
			}
		}
	}
	a.to = w.to
	if len(a.before.boxes) < len(w.slots) {
		a.rows = w.between(a.first<<w.shift, max(group<<w.shift, 1)-1, a.rows[:0])
		for k := len(a.before.boxes); k < len(w.slots); k++ {
			if a.before.boxes = append(a.before.boxes, nowhere); w.met(k, meets) {
				a.before.boxes[k].join(a.rows, k)
			}
		}
	}
	a.join(w, meets)
}

// join makes the swaths of those whose haunts are asked for.
func (a *haunts) join(w *swept, meets *kindSet) {
	a.rows = append(a.rows[:0], &a.before, &w.rows[a.to>>w.shift&w.mask])
	a.swaths = slices.Grow(a.swaths[:0], len(w.slots))[:len(w.slots)]
	for k := range a.swaths {
		if !w.met(k, meets) {
			continue
		}
		s := &a.swaths[k]
		if s.join(a.rows, k); s.base != collide.Static || !w.slots[k].kinds.within(meets) {
			s.flags |= moves // from the frame of a body, or was of a kind that is not met
		}
	}
}
