package predict

import "github.com/backstep-net/backstep/clock"

// How often a move rides.
const (
	mostFold    = 16
	unknownLine = 5         // what is right where 10 % are lost
	lostMoves   = 1.0001e-5 // share of moves that may be lost with all the packets they rode in
)

// SetLoss tells the owner what is known of the way up: the share of its last packets
// that did not arrive, 0 … 1, and the longest run of them. Where much is lost, each
// move rides in more packets than Fold: in so many that all are lost for one move in
// 100,000 at most if losses are independent, and in one more than the longest run, 16
// at most. 5 % is 4 packets, 20 % is 8.
func (o *Owner[S, C]) SetLoss(loss float64, run int) {
	o.line = 1
	for p := loss; p > lostMoves && o.line < mostFold; p = float64(p * loss) {
		o.line++
	}
	o.line = min(max(o.line, run+1), mostFold)
}

// fold is in how many packets each move rides.
func (o *Owner[S, C]) fold() int { return min(max(o.Redundancy, o.line, 1), mostFold) }

// stallTime is for how long beyond what is usual, and four times what that varies by, an
// acknowledgement is waited for.
const stallTime = 50 * clock.Millisecond

// stalled reports whether the oldest move waits for its acknowledgement for much
// longer than is usual.
func (o *Owner[S, C]) stalled() bool {
	late := o.usual + 4*o.varies + stallTime
	return o.usual > 0 && o.Unacked() > 0 && o.stamp-o.slot(o.oldest).Stamp > late
}

// aged learns how old a move was when it was acknowledged.
func (o *Owner[S, C]) aged(age clock.Micros) {
	age = max(age, 1)
	if o.usual == 0 {
		o.usual, o.varies = age, age/4
	}
	off := age - o.usual
	o.usual += off / 8
	o.varies += (max(off, -off) - o.varies) / 8
}
