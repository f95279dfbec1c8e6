package remote

import (
	rigid "github.com/backstep-net/backstep/body"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/smoothing"
)

// Touching bodies, a pile, are corrected as a whole. One body corrected alone would be put into its
// neighbours, which are not corrected yet. The solver would push them apart, the next states would
// take that back, and the pile would jitter. So all bodies that are not predicted are set to their
// states at one instant, and the same solver simulates the time since then again. The same is done
// for a body far from the player, since the floor is a neighbour too: a box rotated by an old
// difference would have a corner in the floor and be thrown up. A body
// near the player, in a time between the match's and the player's, is corrected along its path.

// maxReplayStep is the longest step of a replay: that of a server of 60 ticks a second.
const maxReplayStep clock.Micros = 16667

// replays reports whether a new state differs from the client's path, for a body that is not
// predicted, and is simulated in the match's own time or touches another.
func (b *Bodies) replays(now clock.Micros) bool {
	for i := range b.list {
		h := &b.list[i]
		if !h.pending || h.predictedUntil > now {
			continue
		}
		theirs := motionOf(&h.state)
		ours, ok := h.path.at(h.stateAt)
		if !ok {
			ours = h.before
		}
		if c := differenceOf(h.stateAt, &ours, &theirs); !c.negligible() && (h.lead == 0 || b.touchesAnother(i)) {
			return true
		}
	}
	return false
}

// touchesAnother reports whether a body is near enough to another to touch it, by their bounding spheres.
func (b *Bodies) touchesAnother(i int) bool {
	h := &b.list[i]
	for k := range b.list {
		o := &b.list[k]
		near := h.radius + o.radius + contactDistance
		if k != i && o.before.Position.Sub(h.before.Position).LenSq() < float64(near*near) {
			return true
		}
	}
	return false
}

// replay corrects all bodies: the predicted ones one by one, the others together.
func (b *Bodies) replay(now clock.Micros) {
	from, until := b.now, b.now
	for i := range b.list {
		h := &b.list[i]
		if h.predictedUntil > now {
			if h.pending {
				b.correctByState(h, now)
			}
			h.before = b.physics.Motion(h.body)
			continue
		}
		if h.pending {
			from = min(from, h.stateAt)
		}
		until = max(until, b.now+h.lead)
	}
	// Bounds the work of a frame, however old the state is.
	from = max(from, b.now-2*b.rules.PingLimit)
	for i := range b.list {
		if h := &b.list[i]; h.predictedUntil <= now {
			b.rewindBody(h, from)
		}
	}
	for at := from; at < until; {
		// No step goes across the present: bodies in match time end there, those with a lead go on to theirs.
		next := min(at+maxReplayStep, until)
		if at < b.now {
			next = min(next, b.now)
		}
		b.stepReplay(at, next, now)
		at = next
	}
	b.finishReplay(now)
}

// rewindBody sets a body to where it was at an instant: to its state, unless that is later. A state that
// is later is applied when the replay reaches its instant.
func (b *Bodies) rewindBody(h *trackedBody, from clock.Micros) {
	start, ok := h.path.at(from)
	if !ok || h.before.Asleep {
		start = h.before
	}
	if h.pending {
		theirs := motionOf(&h.state)
		ours, ok := h.path.at(h.stateAt)
		if !ok {
			ours = h.before
		}
		b.countError(theirs.Position.Sub(ours.Position).Len())
		h.stuck = h.progress.stuck(&b.rules, ours.Position, theirs.Position, h.stateAt-h.comparedAt)
		h.comparedAt = h.stateAt
		if h.stateAt <= from {
			start, h.pending = theirs, false
		}
	}
	h.path.truncate(from)
	h.path.add(from, start)
	// Setting a sleeping body to where it is would change nothing and cost a wake.
	if !h.before.Asleep || start != h.before {
		b.physics.Set(h.body, start)
	}
}

// stepReplay simulates one step again. Predicted bodies follow their path meanwhile.
func (b *Bodies) stepReplay(at, next, now clock.Micros) {
	for i := range b.list {
		h := &b.list[i]
		if h.predictedUntil > now {
			if m, ok := h.path.at(at); ok {
				b.physics.Set(h.body, m)
			}
		} else if h.pending && h.stateAt <= at {
			h.pending = false
			b.physics.Set(h.body, extrapolate(motionOf(&h.state), (at-h.stateAt).Seconds()))
		}
	}
	b.physics.Step(next-at, at, nil)
	for i := range b.list {
		h := &b.list[i]
		bodyTime := b.now + h.lead
		if h.predictedUntil > now || bodyTime <= at {
			continue
		}
		m := b.physics.Motion(h.body)
		if bodyTime < next {
			last := h.path.get(0).Motion
			m = interpolate(&last, &m, float64(bodyTime-at)/float64(next-at))
		}
		h.path.add(min(next, bodyTime), m)
	}
}

// finishReplay sets the bodies to where they are now: the predicted ones as before, the others to
// the result of the replay, which is drawn gradually. A body that rests on the server, and still
// does here, is set to rest.
func (b *Bodies) finishReplay(now clock.Micros) {
	// The replay pushed them about as well; their own path has the pushes of the player, which it had not.
	for i := range b.list {
		if h := &b.list[i]; h.predictedUntil > now {
			b.physics.Set(h.body, h.before)
		}
	}
	for i := range b.list {
		h := &b.list[i]
		if h.predictedUntil > now {
			continue
		}
		to := h.path.get(0).Motion
		if theirs := motionOf(&h.state); h.pending || h.stuck || theirs.Asleep && still(&to, &theirs) {
			to = theirs
		}
		b.moveTo(h, &h.before, to, h.stuck)
		h.stuck = false
	}
}

// moveTo sets a body to where it belongs. The drawn body follows gradually, unless it is too far
// away or stuck.
func (b *Bodies) moveTo(h *trackedBody, current *rigid.Motion, to rigid.Motion, stuck bool) {
	near := h.offset.Move(current.Position, to.Position, b.rules.Snap, b.rules.Snap)
	h.offset.Turn(current.Rotation, to.Rotation)
	if stuck || !near {
		b.countSnap(stuck)
		h.offset = smoothing.Offset{}
	}
	b.physics.Set(h.body, to)
}
