package predict

// An owner does not always draw the state before its newest step. Shots leave from the drawn state: one from the
// true state would hit what the screen did not show. There are two cases, and both can hold at the same
// time:
//
//   - The authority simulated time without a move of the owner, which still draws the state before
//     that time, until its next move (absence).
//   - The owner has not yet received a Modify, or the correction after a silence. It predicts the
//     same moves from the state without the change (stalePrediction).

// DrawnState returns the state that the owner drew before it made the move that Next ran, from
// which a shot of that move leaves: the state after the previous move, without time that the
// authority simulated alone since then, with late moves as far as they are waited for, and without
// a Modify or a correction that the owner had not received. If the previous move is missing it
// is StateBefore.
func (a *Authority[S, C]) DrawnState() *S {
	switch {
	case a.absence.phase == returned:
		return &a.absence.state
	case a.stale.active:
		return &a.stale.before
	}
	return &a.before
}

// correctionState returns the state after the newest move from which its owner can go on:
// without the time that was simulated alone, if the owner will simulate the same time as the
// gap before its next move.
func (a *Authority[S, C]) correctionState() *S {
	b := &a.absence
	if b.phase == absent && b.number == a.last && b.until == b.since && a.stamp-b.until <= MaxGap {
		return &b.state
	}
	return &a.state
}
