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

// saveCheckpoint keeps the state, which is the one after move number, if the newest checkpoint
// is old enough.
func (o *Owner[S, C]) saveCheckpoint(number uint32, stamp clock.Micros) {
	if o.checkpointCount > 0 && stamp-o.checkpoints[(o.checkpointCount-1)%maxCheckpoints].stamp < o.Keep/(maxCheckpoints-1) {
		return
	}
	o.checkpoints[o.checkpointCount%maxCheckpoints] = checkpoint[S]{number, stamp, o.state}
	o.checkpointCount++
}

// predicted simulates into o.replica the state that was predicted after move number. It
// reports false where that is unknown: for moves not made yet, or made too long ago.
func (o *Owner[S, C]) predicted(number uint32) bool {
	if newer(number, o.number) > 0 {
		return false
	}
	for i := o.checkpointCount - 1; i >= max(0, o.checkpointCount-maxCheckpoints); i-- {
		m := &o.checkpoints[i%maxCheckpoints]
		if newer(number, m.number) < 0 {
			continue
		}
		if newer(o.number, m.number) >= ownerMoves {
			return false
		}
		o.replica = m.state
		for n := m.number + 1; newer(number, n) >= 0; n++ {
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
	return false
}

// record notes how wrong the prediction was that the waiting correction replaces, and in
// which fields (ACK-14). again says that the correction replaces one that was not applied.
func (o *Owner[S, C]) record(again bool) {
	v := &o.fix
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
			o.differences = o.rules.Differ(&o.replica, &v.State, o.differences[:0])
			copy(c.Differences[:], o.differences)
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

// RecentCorrections returns the newest corrections received, at most 16, oldest first, valid until
// the next Receive or Advance. A correction that was repeated before the owner applied it
// counts once.
func (o *Owner[S, C]) RecentCorrections() []Correction { return o.records[:o.recorded] }

// LastCorrection returns the newest correction received, the zero Correction before the first.
func (o *Owner[S, C]) LastCorrection() Correction {
	if o.recorded == 0 {
		return Correction{}
	}
	return o.records[o.recorded-1]
}
