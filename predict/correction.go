package predict

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

// How a correction is kept from being seen (SMO-01, GAP-25, GAP-38).
const (
	viewFull  = 2.56                    // m: the view error is never longer
	placeSnap = 1.0                     // m: a placement further than this is meant to be seen
	viewSnap  = 3.84                    // m: from here on it is not smoothed at all
	viewTime  = 100 * clock.Millisecond // in which it shrinks to 1/e
	viewNone  = 1e-4                    // m: and below this it is gone
)

// Receive takes the authority's answer. Moves up to its number are freed. A
// correction waits for the next Advance; it is ignored and counted where it is
// older than what is acknowledged (ACK-08) or of an epoch that was applied already.
// A correction of moves that were dropped, or newer than any made, is accepted
// (GAP-22).
func (o *Owner[S, C]) Receive(v *Verdict[S]) {
	correction := v.Correction && !o.applied(v.Epoch)
	tooNew := newer(v.Number, o.number) > 0 || o.waiting && newer(v.Number, o.fix.Number) > 0
	switch {
	case newer(v.Number, o.acked) < 0, tooNew && !correction:
		o.count.Ignored++
		return
	case correction:
		again := o.waiting
		o.fix, o.waiting = *v, true
		if v.Places != o.places { // by a correction that did not reach us
			o.fix.Cause = Teleport
		}
		o.record(again)
	case v.Correction:
		o.count.Ignored++
	}
	o.free(v.Number)
}

// applied reports whether the correction of this epoch, or a newer one, was taken.
// One that waits gives way to a later state of its epoch. The first one may be of
// any epoch: the authority may have begun many before it was heard.
func (o *Owner[S, C]) applied(epoch uint8) bool {
	if o.waiting {
		return int8(epoch-o.fix.Epoch) < 0
	}
	return o.begun && int8(epoch-o.epoch) <= 0
}

// free forgets the moves up to number.
func (o *Owner[S, C]) free(number uint32) {
	if newer(number, o.number) > 0 { // newer than any made: go on from there
		o.count.Acked += o.Unacked()
		o.number, o.sent, o.acked, o.oldest = number, number, number, number+1
		o.pending = false
		return
	}
	if newer(number, o.oldest) >= 0 {
		o.count.Acked += newer(number, o.oldest) + 1
		o.aged(o.stamp - o.slot(number).Stamp)
		o.oldest = number + 1
	}
	o.acked = number
	if newer(o.acked, o.sent) > 0 {
		o.sent, o.pending = o.acked, false
	}
}

// ApplyCorrection applies a waiting correction, as the next Advance would: it adopts the
// state (ACK-09), simulates the saved moves again without sending them (ACK-10,
// ACK-11), and leaves what that displaced in the view error. Afterwards State is
// what the next move starts from, for a shot that leaves before it. Without a
// correction it does nothing.
func (o *Owner[S, C]) ApplyCorrection() {
	if !o.waiting {
		return
	}
	o.waiting, o.begun, o.pending = false, true, false
	seen := o.rules.Position(&o.state)
	o.state, o.before, o.drawn = o.fix.State, o.fix.State, o.fix.State
	o.epoch, o.places = o.fix.Epoch, o.fix.Places
	o.replay()
	moved := seen.Sub(o.rules.Position(&o.state))
	switch o.fix.Cause {
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
		if moved.Len() > placeSnap {
			o.view = geom.Vec3{}
			return
		}
	}
	o.displace(moved)
}

// replay simulates the saved moves again, from the state that was adopted.
func (o *Owner[S, C]) replay() {
	o.marks = 0
	stamp := o.stamp
	if m := o.slot(o.fix.Number); m.Number == o.fix.Number {
		stamp, m.after = m.Stamp, o.end(&o.state)
	}
	o.mark(o.fix.Number, stamp)
	for i := range o.Unacked() {
		m := o.slot(o.oldest + uint32(i))
		o.mark(m.Number-1, stamp)
		o.simulate(m)
		stamp = m.Stamp
	}
	o.count.Replayed += o.Unacked()
	if o.recorded > 0 {
		o.records[o.recorded-1].Replayed = o.Unacked()
	}
}

// ViewError returns the offset, in metres, to add to the predicted position when
// drawing, so that a correction is not seen as a jump (GAP-38). Advance lets it
// decay with a time constant of 100 ms. It is at most 2.56 m long; where it would
// exceed 3.84 m it is zero and the jump is seen.
func (o *Owner[S, C]) ViewError() geom.Vec3 { return o.view }

// displace adds to the view error (SMO-01 with the total bounded as GAP-25 says).
func (o *Owner[S, C]) displace(d geom.Vec3) {
	sum := o.view.Add(d)
	if !(sum.Len() <= viewSnap) || !(d.Len() <= viewSnap) {
		o.view = geom.Vec3{}
		return
	}
	o.view = sum.ClampLen(viewFull)
}

// fade lets d of time pass over the view error: exp(−d/T), the same at every frame
// rate (GAP-26).
func (o *Owner[S, C]) fade(d clock.Micros) {
	if d <= 0 || o.view.IsZero() {
		return
	}
	o.view = o.view.Mul(geom.Exp(-float64(d) / float64(viewTime)))
	if o.view.Len() < viewNone {
		o.view = geom.Vec3{}
	}
}
