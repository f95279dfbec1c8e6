package predict

import "github.com/backstep-net/backstep/clock"

// Correction describes a correction that an Owner took (ACK-14). The zero value means
// that there was none.
type Correction struct {
	Number   uint32       // the move it corrects
	At       clock.Micros // the stamp of the owner's newest move when it came
	Distance float64      // between predicted and true position after that move, m
	Digest   bool         // whether the digests differed
	Known    bool         // whether the move was still saved; else the two above are zero
	Cause    Cause        // why it was begun
	Replayed int          // moves simulated again on top of it
	// Differences are the fields in which the prediction was wrong, as Rules.Differ
	// names them; unused ones have no name. None are known where the owner's state was
	// changed by other means than its moves.
	Differences [maxDifferences]Difference
}

// maxDifferences is how many fields a Correction names at most.
const maxDifferences = 4

// checkpoints is how many whole states an owner keeps, so that it can say later what
// it had predicted: they span Keep, and moves in between are simulated again from one.
const checkpoints = 16

// checkpoint is the predicted state after a move, as it was before the next was made.
type checkpoint[S comparable] struct {
	number uint32
	stamp  clock.Micros
	state  S
}

// mark keeps the state, which is that after move number, if the newest checkpoint is
// old enough.
func (o *Owner[S, C]) mark(number uint32, stamp clock.Micros) {
	if o.marks > 0 && stamp-o.marked[(o.marks-1)%checkpoints].stamp < o.Keep/(checkpoints-1) {
		return
	}
	o.marked[o.marks%checkpoints] = checkpoint[S]{number, stamp, o.state}
	o.marks++
}

// predicted simulates into o.replica what the state after move number was predicted
// to be. It reports false where that is not known: of moves not made yet, or too long
// ago.
func (o *Owner[S, C]) predicted(number uint32) bool {
	if newer(number, o.number) > 0 {
		return false
	}
	for i := o.marks - 1; i >= max(0, o.marks-checkpoints); i-- {
		m := &o.marked[i%checkpoints]
		if newer(number, m.number) < 0 {
			continue
		}
		if newer(o.number, m.number) >= ownerMoves {
			return false
		}
		o.replica = m.state
		for n := m.number + 1; newer(number, n) >= 0; n++ {
			c := &o.slot(n).Command
			if c.Number != n { // passed over by a correction newer than it
				return false
			}
			o.fill(&o.replica, c)
			o.rules.Step(&o.replica, c)
		}
		return true
	}
	return false
}

// record notes of the correction that waits how wrong the prediction was, and in
// what (ACK-14).
func (o *Owner[S, C]) record(again bool) {
	v := &o.fix
	c := Correction{Number: v.Number, At: o.stamp, Cause: v.Cause}
	if m := o.slot(v.Number); m.Number == v.Number {
		truth := o.end(&v.State)
		c.Known = true
		c.Distance = m.after.position.Dist(truth.position)
		c.Digest = m.after.digest != truth.digest
		if v.Cause != Teleport {
			o.count.Farthest = max(o.count.Farthest, c.Distance)
		}
		if o.predicted(v.Number) && o.end(&o.replica) == m.after {
			o.named = o.rules.Differ(&o.replica, &v.State, o.named[:0])
			copy(c.Differences[:], o.named)
		}
	}
	switch {
	case again && o.recorded > 0:
		o.recorded--
	case o.recorded == len(o.records):
		copy(o.records[:], o.records[1:])
		o.recorded--
	}
	o.records[o.recorded] = c
	o.recorded++
}

// Corrections returns the last corrections that came, at most 16, oldest first: valid
// until the next Receive or Advance. One that was repeated before the owner could
// apply it is one.
func (o *Owner[S, C]) Corrections() []Correction { return o.records[:o.recorded] }

// LastCorrection returns what is known of the newest correction that came.
func (o *Owner[S, C]) LastCorrection() Correction {
	if o.recorded == 0 {
		return Correction{}
	}
	return o.records[o.recorded-1]
}
