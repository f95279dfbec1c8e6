package predict

import "github.com/backstep-net/backstep/clock"

// In how many packets a move is sent.
const (
	maxRedundancy     = 16
	defaultRedundancy = 5         // enough for a loss of 10 %
	maxMoveLoss       = 1.0001e-5 // share of moves that may be lost in all of their packets
)

// SetLoss sets the measured loss on the way to the authority: the share of recent packets that
// did not arrive, 0 … 1, and the longest run of lost packets. It can raise the number of
// packets for each move above Redundancy: so far that at most one move in 100,000 is lost in
// all of them if losses are independent, and to one more than the longest run, 16 at most.
// A loss of 5 % takes 4 packets, 20 % takes 8.
func (o *Owner[S, C]) SetLoss(loss float64, run int) {
	o.lossRedundancy = 1
	for p := loss; p > maxMoveLoss && o.lossRedundancy < maxRedundancy; p = float64(p * loss) {
		o.lossRedundancy++
	}
	o.lossRedundancy = min(max(o.lossRedundancy, run+1), maxRedundancy)
}

// redundancy returns in how many packets each move is sent.
func (o *Owner[S, C]) redundancy() int {
	return min(max(o.Redundancy, o.lossRedundancy, 1), maxRedundancy)
}

// stallTime is how much later than its usual age plus four deviations an acknowledgement may
// be before the link counts as stalled.
const stallTime = 50 * clock.Millisecond

// stalled reports whether the acknowledgement of the oldest move is overdue.
func (o *Owner[S, C]) stalled() bool {
	return o.Unacked() > 0 && o.ackDelay.overdue(o.stamp-o.slot(o.oldest).Stamp)
}

// ackDelay is the smoothed age of moves when they are acknowledged, and its deviation (gain 1/8
// each, close to TCP's). The zero value knows of no acknowledgement.
type ackDelay struct{ age, deviation clock.Micros }

// note adds the age of a move that is acknowledged.
func (d *ackDelay) note(age clock.Micros) {
	age = max(age, 1)
	if d.age == 0 {
		d.age, d.deviation = age, age/4
	}
	off := age - d.age
	d.age += off / 8
	d.deviation += (max(off, -off) - d.deviation) / 8
}

// overdue reports whether a move of that age should have been acknowledged.
func (d *ackDelay) overdue(age clock.Micros) bool {
	return d.age > 0 && age > d.age+4*d.deviation+stallTime
}
