package predict

import "github.com/backstep-net/backstep/clock"

// Correction describes a correction that an Owner received (ACK-14). The zero value means
// that there was none.
type Correction struct {
	Number   uint32       // the corrected move
	At       clock.Micros // stamp of the owner's newest move when the correction arrived
	Distance float64      // between predicted and true position after that move, m
	Digest   bool         // whether the digests differed
	Known    bool         // whether the move was still saved; if not, Distance and Digest are zero
	Cause    Cause        // why the authority began it
	Replayed int          // moves simulated again on top of it
	// Differences are the fields in which the prediction was wrong, as Rules.Differ
	// names them; unused entries have no name. All are unused where the owner's state was
	// changed by anything but its moves.
	Differences [maxDifferences]Difference
}

// maxDifferences is the most fields that a Correction names.
const maxDifferences = 4

// maxCheckpoints is how many whole states an owner keeps. They span Keep; the prediction after
// any move in between is found by simulating the moves from the checkpoint before it again.
const maxCheckpoints = 16

// checkpoint is the predicted state after a move, before the next move was made.
type checkpoint[S comparable] struct {
	number uint32
	stamp  clock.Micros
	state  S
}

// checkpoints is a ring of the newest checkpoints since a correction.
type checkpoints[S comparable] struct {
	ring [maxCheckpoints]checkpoint[S]
	n    int // saved since the newest correction
}

// find returns the newest checkpoint that is not newer than move number, or nil.
func (k *checkpoints[S]) find(number uint32) *checkpoint[S] {
	for i := k.n - 1; i >= max(0, k.n-maxCheckpoints); i-- {
		if m := &k.ring[i%maxCheckpoints]; newer(number, m.number) >= 0 {
			return m
		}
	}
	return nil
}

// saveCheckpoint saves the state, which is that after move number, if the newest checkpoint
// is old enough.
func (o *Owner[S, C]) saveCheckpoint(number uint32, stamp clock.Micros) {
	k := &o.checkpoints
	if k.n > 0 && stamp-k.ring[(k.n-1)%maxCheckpoints].stamp < o.Keep/(maxCheckpoints-1) {
		return
	}
	k.ring[k.n%maxCheckpoints] = checkpoint[S]{number, stamp, o.state}
	k.n++
}

// predicted simulates into o.replica the state that was predicted after move number. It
// reports false where that is unknown: for moves not made yet, or made too long ago.
func (o *Owner[S, C]) predicted(number uint32) bool {
	if newer(number, o.number) > 0 {
		return false
	}
	from := o.checkpoints.find(number)
	if from == nil || newer(o.number, from.number) >= ownerMoves {
		return false
	}
	o.replica = from.state
	for n := from.number + 1; newer(number, n) >= 0; n++ {
		c := &o.slot(n).Command
		if c.Number != n { // skipped by a correction newer than any move
			return false
		}
		if gap := o.gapBefore(c); gap > 0 {
			o.fillGap(&o.replica, c, gap)
		}
		o.rules.Step(&o.replica, c)
	}
	return true
}

// recordCorrection records the error of the prediction that the waiting correction replaces, and in
// which fields it was wrong (ACK-14). again says that the correction replaces one that was not applied.
func (o *Owner[S, C]) recordCorrection(again bool) {
	v := &o.correction
	c := Correction{Number: v.Number, At: o.stamp, Cause: v.Cause}
	if m := o.slot(v.Number); m.Number == v.Number {
		truth := o.end(&v.State)
		c.Known = true
		c.Distance = m.after.position.Dist(truth.position)
		c.Digest = m.after.digest != truth.digest
		if v.Cause != Teleport {
			o.count.MaxDistance = max(o.count.MaxDistance, c.Distance)
		}
		if o.predicted(v.Number) && o.end(&o.replica) == m.after {
			o.log.differences = o.rules.Differ(&o.replica, &v.State, o.log.differences[:0])
			copy(c.Differences[:], o.log.differences)
		}
	}
	o.log.add(c, again)
}

// correctionLog keeps the newest corrections received, oldest first.
type correctionLog struct {
	records     [16]Correction
	n           int
	differences []Difference // scratch of recordCorrection
}

// add appends a correction, or replaces the newest one by it.
func (l *correctionLog) add(c Correction, replace bool) {
	switch {
	case replace && l.n > 0:
		l.n--
	case l.n == len(l.records):
		copy(l.records[:], l.records[1:])
		l.n--
	}
	l.records[l.n] = c
	l.n++
}

// RecentCorrections returns the newest corrections received, at most 16, oldest first, valid until
// the next Receive or Advance. A correction that was repeated before the owner applied it
// counts once.
func (o *Owner[S, C]) RecentCorrections() []Correction { return o.log.records[:o.log.n] }

// LastCorrection returns the newest correction received, the zero Correction before the first.
func (o *Owner[S, C]) LastCorrection() Correction {
	if o.log.n == 0 {
		return Correction{}
	}
	return o.log.records[o.log.n-1]
}
