package predict

import (
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/smoothing"
)

// teleportSnap is the distance in metres beyond which a teleport is not smoothed. A shorter one looks
// like a push.
const teleportSnap = 1.0

// Receive handles the authority's answer. Moves up to its number are freed. A correction
// waits for the next Advance; it is ignored and counted where it is older than the newest
// acknowledgement (ACK-08) or its epoch was applied already. A correction of moves that were
// dropped, or newer than any made, is accepted (GAP-22).
func (o *Owner[S, C]) Receive(v *Verdict[S]) {
	correction := v.Correction && !o.applied(v.Epoch)
	tooNew := newer(v.Number, o.number) > 0 || o.waiting && newer(v.Number, o.correction.Number) > 0
	switch {
	case newer(v.Number, o.acked) < 0, tooNew && !correction:
		o.count.Ignored++
		return
	case correction:
		again := o.waiting
		o.correction, o.waiting = *v, true
		if v.Teleports != o.teleports { // by a correction that was lost
			o.correction.Cause = Teleport
		}
		o.recordCorrection(again)
	case v.Correction:
		o.count.Ignored++
	}
	o.free(v.Number)
	o.updateAcknowledged()
}

// applied reports whether the correction of this epoch, or a newer one, was received. A waiting
// one is replaced by a later state of its epoch. The first may be of any epoch, since the
// authority may have begun many before one arrived.
func (o *Owner[S, C]) applied(epoch uint8) bool {
	if o.waiting {
		return int8(epoch-o.correction.Epoch) < 0
	}
	return o.corrected && int8(epoch-o.epoch) <= 0
}

// free forgets the moves up to number.
func (o *Owner[S, C]) free(number uint32) {
	if newer(number, o.number) > 0 { // newer than any made: continue from there
		o.count.Acked += o.Unacked()
		o.number, o.sent, o.acked, o.oldest = number, number, number, number+1
		o.pending = false
		return
	}
	if newer(number, o.oldest) >= 0 {
		o.count.Acked += newer(number, o.oldest) + 1
		o.ackDelay.note(o.stamp - o.slot(number).Stamp)
		o.oldest = number + 1
	}
	o.acked = number
	if newer(o.acked, o.sent) > 0 {
		o.sent, o.pending = o.acked, false
	}
}

// ApplyCorrection applies a waiting correction, as the next Advance would: it adopts the state
// (ACK-09), simulates the saved moves again without sending them (ACK-10, ACK-11), and adds
// the displacement to the view error. Afterwards State is the state that the next move starts
// from, for a shot that leaves before it. Without a correction it does nothing.
func (o *Owner[S, C]) ApplyCorrection() {
	if !o.waiting {
		return
	}
	o.waiting, o.corrected, o.pending = false, true, false
	before := o.rules.Position(&o.state)
	o.state, o.before, o.gapped = o.correction.State, o.correction.State, false
	o.epoch, o.teleports = o.correction.Epoch, o.correction.Teleports
	o.replay()
	after := o.rules.Position(&o.state)
	switch o.correction.Cause {
	case Misprediction:
		o.count.Corrections++
	case ServerForce:
		o.count.ServerForces++
	case Timeout:
		o.count.Timeouts++
	case Throttle:
		o.count.Throttles++
	case Teleport:
		o.count.Teleports++
		if before.Sub(after).Len() > teleportSnap {
			o.viewError = smoothing.Offset{}
			return
		}
	}
	o.viewError.Move(before, after, smoothing.Full, smoothing.Snap)
}

// replay simulates the saved moves again, from the adopted state.
func (o *Owner[S, C]) replay() {
	o.checkpoints.n = 0
	stamp, truth := o.stamp, o.end(&o.state)
	if m := o.slot(o.correction.Number); m.Number == o.correction.Number {
		stamp, m.after = m.Stamp, truth
	}
	o.noteEnd(o.correction.Number)
	o.saveCheckpoint(o.correction.Number, stamp)
	for i := range o.Unacked() {
		m := o.slot(o.oldest + uint32(i))
		o.saveCheckpoint(m.Number-1, stamp)
		o.simulate(m)
		stamp = m.Stamp
	}
	o.count.Replayed += o.Unacked()
	if n := o.log.n; n > 0 {
		o.log.records[n-1].Replayed = o.Unacked()
	}
}

// ViewError returns the offset, in metres, to add to the predicted position when drawing, so
// that a correction does not look like a jump (GAP-38). Advance lets it decay with a time
// constant of 100 ms. It is at most 2.56 m long; where it would exceed 3.84 m it is zero and
// the jump is visible.
func (o *Owner[S, C]) ViewError() geom.Vec3 { return o.viewError.Position }
