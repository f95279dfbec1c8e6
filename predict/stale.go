package predict

import "github.com/backstep-net/backstep/clock"

// maxUnaware is how long beyond the round trip an owner may go without a correction: the
// wait for a packet, and one or two that are lost. An owner that claims to be without it for
// longer gains nothing from then on.
const maxUnaware = 250 * clock.Millisecond

// stalePrediction is the state that an owner predicts as long as it has not received a correction. The
// authority simulates it alongside the true state.
type stalePrediction[S comparable] struct {
	active        bool
	applied       bool         // a packet has shown the correction as applied
	stepped       bool         // state already has the move that is run next
	epoch         uint8        // of the correction
	firstCorrect  uint32       // the first move made after the correction, if applied
	left          clock.Micros // simulated time for which the owner may still be without it
	state, before S            // after and before the newest step
}

// begin starts a prediction from a state without the change that the correction of an epoch brings.
// An active one continues: the owner has received neither change.
func (p *stalePrediction[S]) begin(unmodified *S, epoch uint8, left clock.Micros) {
	if !p.active {
		p.state, p.before, p.left, p.epoch, p.active, p.applied = *unmodified, *unmodified, left, epoch, true, false
	}
}

// noteApplied records that a packet shows epoch applied as the newest that its owner has applied.
// number is the newest move of that packet, which was made after the correction. Older moves in
// the packet were in earlier packets too; if those were lost they count as made before it.
func (p *stalePrediction[S]) noteApplied(applied uint8, number uint32) {
	if !p.active || int8(applied-p.epoch) < 0 {
		return
	}
	if !p.applied || newer(p.firstCorrect, number) > 0 {
		p.firstCorrect, p.applied = number, true
	}
}

// noteAgreed records that a claim agreed in an epoch. Then no correction follows a silence.
func (p *stalePrediction[S]) noteAgreed(epoch uint8) {
	if p.active && p.epoch == epoch+1 {
		p.active = false
	}
}

// beginStep prepares the step of a move of duration d, and reports whether state needs that step:
// not if it has it, nor if the move was made after the correction.
func (p *stalePrediction[S]) beginStep(number uint32, d clock.Micros) bool {
	if p.stepped {
		p.stepped = false
		return false
	}
	if p.active && (p.left < d || p.applied && newer(number, p.firstCorrect) >= 0) {
		p.active = false
	}
	if p.active {
		p.before = p.state
		p.left -= d
	}
	return p.active
}
