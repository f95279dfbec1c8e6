package predict

import "github.com/backstep-net/backstep/clock"

// absence keeps the state that an owner draws while time is simulated without its moves: in a
// silence, or in a gap of its own frame.
type absence[S comparable] struct {
	phase  absencePhase
	exact  bool         // state has every move that the owner made since the absence began
	number uint32       // the owner's newest move, also if it arrived too late to be run
	since  clock.Micros // stamp at which the absence began
	until  clock.Micros // stamp of move number
	state  S            // before the absence, with the late moves
}

// absencePhase says whether time was simulated without the owner's moves.
type absencePhase uint8

const (
	present  absencePhase = iota // no such time since the newest move
	absent                       // some since the newest move
	returned                     // some just before the newest move
)

// begin saves the state before time is simulated without the owner, which made move number at stamp.
func (b *absence[S]) begin(state *S, stamp clock.Micros, number uint32) {
	if b.phase != absent {
		b.state, b.until, b.since, b.number, b.phase, b.exact = *state, stamp, stamp, number, absent, true
	}
}

// endsWith reports whether the absence ends with the move of that number.
func (b *absence[S]) endsWith(number uint32) bool { return b.phase == absent && number == b.number+1 }

// runTooLate adds a move that arrived too late to be run to the state that the owner draws. The gap
// before the next move begins where this one ends. Each such move costs a token of the budget.
func (a *Authority[S, C]) runTooLate(c *Command[C]) {
	b := &a.absence
	now := a.budget.refilledAt
	if !b.endsWith(c.Number) || c.Stamp-b.since > a.silenceTimeout(now) || a.budget.tokens < int64(clock.Second) {
		return
	}
	a.budget.tokens -= int64(clock.Second)
	if b.exact = b.exact && c.Stamp-c.Duration == b.until; b.exact {
		a.rules.Step(&b.state, c)
	}
	b.until, b.number = c.Stamp, c.Number
}

// endAbsence records that a move of the owner is run, and where its frame began.
func (a *Authority[S, C]) endAbsence(c *Command[C]) {
	b := &a.absence
	if !b.endsWith(c.Number) {
		b.phase = present
		return
	}
	b.phase, a.began = returned, b.until
}

// predictFromAbsence begins a stale prediction at the first move after an absence, before the move is
// run: if its claim has to be corrected, the owner did not know what was simulated without it. It made
// its late moves before it could know, so their delay counts as well as the round trip.
func (a *Authority[S, C]) predictFromAbsence(c *Command[C]) {
	b := &a.absence
	if b.phase != returned || !b.exact || a.stale.active || a.correcting {
		return
	}
	whole := a.next // c was cut to the time that had not been simulated
	if *whole = a.queue[c.Number%queueMoves].Command; whole.Stamp-whole.Duration != b.until {
		return
	}
	late := max(a.arrived-c.Stamp-a.minDelay(), 0)
	a.stale.begin(&b.state, a.epoch+1, late+a.RoundTrip+maxUnaware)
	a.rules.Step(&a.stale.state, whole)
	a.stale.stepped = true
}
