package remote

import (
	rigid "github.com/backstep-net/backstep/body"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

// A heap is corrected as a whole. One body of it put right alone would be put into its
// neighbours, which are not right yet; the solver would push them apart, the next states
// would take that back, and the heap would boil. So all that are not the player's are put
// where the states have them, at one instant, and
// the time since then is played again with the same solver.

// replayStep is the longest step of that: as finely as a server of 60 ticks a second.
const replayStep clock.Micros = 16667

// heaped reports whether a state that has come differs from what the client had, of a
// body that touches another and is not the player's.
func (b *Bodies) heaped(now clock.Micros) bool {
	for i := range b.list {
		h := &b.list[i]
		if !h.fresh || h.until > now {
			continue
		}
		theirs := motionOf(&h.state)
		ours, ok := h.path.at(h.at)
		if !ok {
			ours = h.before
		}
		if c := changeTo(h.at, &ours, &theirs); !c.slight() && b.crowded(i) {
			return true
		}
	}
	return false
}

// crowded reports whether a body is near enough to another to touch it.
func (b *Bodies) crowded(i int) bool {
	h := &b.list[i]
	for k := range b.list {
		o := &b.list[k]
		near := h.reach + o.reach + besides
		if k != i && o.before.Position.Sub(h.before.Position).LenSq() < float64(near*near) {
			return true
		}
	}
	return false
}

// replay corrects all bodies: the player's one by one, and the others together.
func (b *Bodies) replay(now clock.Micros) {
	from, until := b.now, b.now
	for i := range b.list {
		h := &b.list[i]
		if h.until > now {
			if h.fresh {
				b.compare(h, now)
			}
			h.before = b.physics.Motion(h.in)
			continue
		}
		if h.fresh {
			from = min(from, h.at)
		}
		until = max(until, b.now+h.lead)
	}
	from = max(from, b.now-2*b.rules.PingLimit)
	for i := range b.list {
		if h := &b.list[i]; h.until <= now {
			b.rewind(h, from)
		}
	}
	for at := from; at < until; {
		next := min(at+replayStep, until)
		if at < b.now {
			next = min(next, b.now)
		}
		b.replayed(at, next, now)
		at = next
	}
	b.resume(now)
}

// rewind puts a body where it was at an instant: where its state says, if that is not
// later.
func (b *Bodies) rewind(h *held, from clock.Micros) {
	start, ok := h.path.at(from)
	if !ok || h.before.Asleep {
		start = h.before
	}
	if h.fresh {
		theirs := motionOf(&h.state)
		ours, ok := h.path.at(h.at)
		if !ok {
			ours = h.before
		}
		b.count(theirs.Position.Sub(ours.Position).Len())
		h.stuck = h.effort.stuck(&b.rules, ours.Position, theirs.Position, h.at-h.compared)
		h.compared = h.at
		if h.at <= from {
			start, h.fresh = theirs, false
		}
	}
	h.path.cut(from)
	h.path.add(from, start)
	if !h.before.Asleep || start != h.before {
		b.physics.Set(h.in, start)
	}
}

// replayed plays one step again. The player's bodies go along their path meanwhile.
func (b *Bodies) replayed(at, next, now clock.Micros) {
	for i := range b.list {
		h := &b.list[i]
		if h.until > now {
			if m, ok := h.path.at(at); ok {
				b.physics.Set(h.in, m)
			}
		} else if h.fresh && h.at <= at {
			h.fresh = false
			b.physics.Set(h.in, onward(motionOf(&h.state), (at-h.at).Seconds()))
		}
	}
	b.physics.Step(next-at, at, nil)
	for i := range b.list {
		h := &b.list[i]
		mine := b.now + h.lead
		if h.until > now || mine <= at {
			continue
		}
		m := b.physics.Motion(h.in)
		if mine < next {
			last := h.path.get(0).Motion
			m = between(&last, &m, float64(mine-at)/float64(next-at))
		}
		h.path.add(min(next, mine), m)
	}
}

// resume puts the bodies where they are now: the player's as before, the others where the
// replay has them, which is drawn slowly. What rests on the server, and still does, rests.
func (b *Bodies) resume(now clock.Micros) {
	for i := range b.list {
		if h := &b.list[i]; h.until > now {
			b.physics.Set(h.in, h.before)
		}
	}
	for i := range b.list {
		h := &b.list[i]
		if h.until > now {
			continue
		}
		to := h.path.get(0).Motion
		if theirs := motionOf(&h.state); h.fresh || h.stuck || theirs.Asleep && still(&to, &theirs) {
			to = theirs
		}
		b.correct(h, &h.before, to, h.stuck)
		h.stuck = false
	}
}

// correct puts a body from where it is to where it belongs, which is drawn slowly, unless
// it is too far away, or stuck.
func (b *Bodies) correct(h *held, is *rigid.Motion, to rigid.Motion, stuck bool) {
	h.offset = h.offset.Add(is.Position.Sub(to.Position))
	h.twist = h.twist.Add(turnBetween(to.Rotation, is.Rotation))
	if stuck || h.offset.Len() > b.rules.Snap {
		b.snapped(stuck)
		h.offset, h.twist = geom.Vec3{}, geom.Vec3{}
	}
	b.physics.Set(h.in, to)
}
