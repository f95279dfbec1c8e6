package predict

import "github.com/backstep-net/backstep/clock"

// leastApart is the least time between two moves that wait to be sent together because
// they may not be one: an owner of more frames a second makes no more than 250 of those a
// second, of which an authority takes 600 (Limits.Rate).
const leastApart = 4 * clock.Millisecond

// join lets the newest move, if it is pending, take the next one into it: the state
// goes back to before it, and one step is made as long as both (CMB-10, CMB-12). It
// reports false, and nothing has happened, where the two must stay apart: because the
// newest was packed or simulated again since (ACK-13), because they would last longer
// than MaxDuration together or do not meet (GAP-15), or because the game says so. If with
// the input of the newest the game would not, the next one is a press: what is held, and
// what a character is in the middle of, keep moves apart for long, a press does so once.
func (o *Owner[S, C]) join(stamp, d clock.Micros, in *C) bool {
	o.pressed = false
	if !o.Combining || !o.pending {
		return false
	}
	m := o.slot(o.number)
	meet := m.Duration+d <= MaxDuration && m.Stamp+d == stamp
	if !meet || !o.agrees(stamp, d, in) {
		o.pressed = meet && o.agrees(stamp, d, &m.Input)
		o.count.Apart++
		return false
	}
	m.Stamp, m.Duration, m.Input = stamp, m.Duration+d, *in
	o.state = o.before
	o.simulate(m)
	o.count.Combined++
	return true
}

// agrees reports whether the game lets the newest move and one of that input be one.
func (o *Owner[S, C]) agrees(stamp, d clock.Micros, in *C) bool {
	o.second = Command[C]{o.number + 1, stamp, d, *in}
	return o.rules.Combine(&o.before, &o.state, &o.slot(o.number).Command, &o.second)
}

// tooSoon reports whether a move that may not join the newest, which waits to be sent, would
// come so soon after it that the next frame had better make it.
func (o *Owner[S, C]) tooSoon(stamp clock.Micros) bool {
	return o.Combining && o.pending && stamp-o.stamp < leastApart
}

// Urgent reports whether what was never packed should be sent at once and not wait
// for the send interval: where a press keeps one move apart from the one before (SND-04,
// SND-08), where one changed what Rules.Digest sums up, which others should know soon
// (SND-01), and where nothing is combined.
func (o *Owner[S, C]) Urgent() bool {
	n := o.unsent()
	if !o.Combining {
		return n > 0
	}
	for i := range n {
		if m := o.slot(o.number - uint32(i)); m.tells || m.pressed {
			return true
		}
	}
	return false
}
