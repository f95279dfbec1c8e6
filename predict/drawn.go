package predict

import "github.com/backstep-net/backstep/clock"

// maxUnaware is how long beyond the round trip an owner may remain unaware of a Modify: the
// wait for a packet, and one or two that are lost. An owner that claims to be unaware for
// longer gains nothing from then on.
const maxUnaware = 250 * clock.Millisecond

// drawn keeps what the owner draws where that is not the state before the newest step. Shots
// leave from there: a shot from the true state would hit what the screen did not show. There
// are two cases, and both can hold at the same time:
//
//   - The authority simulated time without the owner. The owner still draws the state before
//     that time, until its next move (away, returned).
//   - The owner does not know yet of a Modify, or of the correction after a silence, up to a round
//     trip long. It predicts the same moves from the state without the change (unaware).
type drawn[S comparable] struct {
	phase  phase
	number uint32       // the newest move that counts as made by the owner
	at     clock.Micros // the stamp up to which the owner got since
	since  clock.Micros // the stamp at which that time began
	exact  bool         // kept has all moves of the owner since

	unaware  bool
	hasAware bool
	stepped  bool         // state has the move that is run next
	epoch    uint8        // of the correction that brings the change
	aware    uint32       // the first move made with the change, if there is one
	left     clock.Micros // simulated time for which the owner may remain unaware

	kept          S // the state before the time without the owner, with its late moves
	state, before S // without the change, after and before the newest step
}

// phase says whether time was simulated without the owner.
type phase uint8

const (
	present  phase = iota // none since the newest move
	away                  // some since the newest move
	returned              // some just before the newest move
)

// leave notes the state before time is simulated without the owner.
func (a *Authority[S, C]) leave() {
	if d := &a.drawn; d.phase != away {
		d.kept, d.at, d.since, d.number, d.phase = a.state, a.stamp, a.stamp, a.last, away
		d.exact = true
	}
}

// follow notes a move that arrived too late to be run. Its owner goes on from there: the gap
// before the next move begins where this one ends.
func (a *Authority[S, C]) follow(c *Command[C]) {
	d := &a.drawn
	now := a.budget.refilledAt
	if !d.follows(c.Number) || c.Stamp-d.since > a.silenceTimeout(now) || a.budget.tokens < int64(clock.Second) {
		return
	}
	a.budget.tokens -= int64(clock.Second)
	if d.exact = d.exact && c.Stamp-c.Duration == d.at; d.exact {
		a.rules.Step(&d.kept, c)
	}
	d.at, d.number = c.Stamp, c.Number
}

// comeBack notes that a move of the owner is run, and where its frame began.
func (a *Authority[S, C]) comeBack(c *Command[C]) {
	d := &a.drawn
	if !d.follows(c.Number) {
		d.phase = present
		return
	}
	d.phase, a.began = returned, d.at
}

// resume follows the state that the owner draws from the move on that comes back, before it is run:
// if that has to be corrected, the owner does not know yet what was simulated without it. It made its
// late moves before it could know, so their time counts as well as the round trip.
func (a *Authority[S, C]) resume(c *Command[C]) {
	d := &a.drawn
	if d.phase != returned || !d.exact || d.unaware || a.correcting {
		return
	}
	whole := a.next // c was cut to the time that had not been simulated
	if *whole = a.queue[c.Number%queueMoves].Command; whole.Stamp-whole.Duration != d.at {
		return
	}
	late := max(a.arrived-c.Stamp-a.minDelay(), 0)
	d.modified(&d.kept, a.epoch+1, late+a.RoundTrip+maxUnaware)
	a.rules.Step(&d.state, whole)
	d.stepped = true
}

// agrees notes that a claim needed no correction. Then the owner is not unaware of one after a silence.
func (d *drawn[S]) agrees(epoch uint8) {
	if d.unaware && d.epoch == epoch+1 {
		d.unaware = false
	}
}

// follows reports whether a move is the one after which the owner is no longer away.
func (d *drawn[S]) follows(number uint32) bool { return d.phase == away && number == d.number+1 }

// modified notes the state without a change that the correction of an epoch brings. A further
// change before the owner is aware of the first leaves it as it is.
func (d *drawn[S]) modified(unmodified *S, epoch uint8, left clock.Micros) {
	if !d.unaware {
		d.state, d.before, d.left, d.epoch, d.unaware, d.hasAware = *unmodified, *unmodified, left, epoch, true, false
	}
}

// learn notes that a packet shows epoch applied as the newest that its owner has applied.
// number is the newest move of that packet, which was made with the change. Older moves in
// the packet were in earlier packets too; where those were lost they count as made without.
func (d *drawn[S]) learn(applied uint8, number uint32) {
	if !d.unaware || int8(applied-d.epoch) < 0 {
		return
	}
	if !d.hasAware || newer(d.aware, number) > 0 {
		d.aware, d.hasAware = number, true
	}
}

// steps reports whether the move of that number, which lasts d, was made without the change,
// and begins its step.
func (d *drawn[S]) steps(number uint32, lasts clock.Micros) bool {
	if d.stepped {
		d.stepped = false
		return false
	}
	if d.unaware && (d.left < lasts || d.hasAware && newer(number, d.aware) >= 0) {
		d.unaware = false
	}
	if d.unaware {
		d.before = d.state
		d.left -= lasts
	}
	return d.unaware
}

// forget makes the true state what the owner draws.
func (d *drawn[S]) forget() { d.phase, d.unaware = present, false }

// DrawnState returns the state that the owner drew before it made the move that Next ran, from
// which a shot of that move leaves: the state after the move before, without time that the
// authority has simulated alone since but with late moves, as far as they are waited for, and without
// a Modify or a correction that the owner did not know of yet. Where the move before is missing it
// is StateBefore.
func (a *Authority[S, C]) DrawnState() *S {
	switch {
	case a.drawn.phase == returned:
		return &a.drawn.kept
	case a.drawn.unaware:
		return &a.drawn.before
	}
	return &a.before
}

// correctionState returns the state after the newest move from which its owner can go on:
// without the time that was simulated alone, if the owner will simulate the same time as the
// gap before its next move.
func (a *Authority[S, C]) correctionState() *S {
	d := &a.drawn
	if d.phase == away && d.number == a.last && d.at == d.since && a.stamp-d.at <= MaxGap {
		return &d.kept
	}
	return &a.state
}
