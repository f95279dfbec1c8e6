package predict

import "github.com/backstep-net/backstep/clock"

// minMoveInterval is the least time between two moves that wait to be sent and may not be
// combined. So an owner at any frame rate makes at most 250 of those a second; an authority
// accepts 600 (Limits.Rate).
const minMoveInterval = 4 * clock.Millisecond

// join combines the newest move, if it is pending, with the next one: it goes back to the state
// before the pending move and makes one step as long as both (CMB-10, CMB-12). It reports
// false, and changes nothing, where the two must stay apart: the newest move was packed or
// replayed since (ACK-13), both together would exceed MaxDuration, there is time between them
// (GAP-15), or the game refuses. If the game would allow it with the input of the newest move,
// the next one is a press, which keeps two moves apart once; a held button or a motion under way
// does so for long.
func (o *Owner[S, C]) join(stamp, d clock.Micros, in *C) bool {
	o.pressed = false
	if !o.Combining || !o.pending {
		return false
	}
	m := o.slot(o.number)
	meet := m.Duration+d <= MaxDuration && m.Stamp+d == stamp
	if !meet || !o.canCombine(stamp, d, in) {
		o.pressed = meet && o.canCombine(stamp, d, &m.Input)
		o.count.NotCombined++
		return false
	}
	m.Stamp, m.Duration, m.Input = stamp, m.Duration+d, *in
	o.state = o.before
	o.simulate(m)
	m.important = o.rules.Important(&o.before, &o.state, &m.Command)
	o.count.Combined++
	return true
}

// canCombine reports whether the game lets the newest move and one with that input be combined.
func (o *Owner[S, C]) canCombine(stamp, d clock.Micros, in *C) bool {
	o.scratch = Command[C]{o.number + 1, stamp, d, *in}
	return o.rules.Combine(&o.before, &o.state, &o.slot(o.number).Command, &o.scratch)
}

// tooSoon reports whether a move that may not be combined with the pending one would follow it
// by less than minMoveInterval, so that a later frame must make it.
func (o *Owner[S, C]) tooSoon(stamp clock.Micros) bool {
	return o.Combining && o.pending && stamp-o.stamp < minMoveInterval
}

// Urgent reports whether moves that were never packed should be sent at once instead of at the
// send interval: a press keeps a move apart from the one before (SND-04, SND-08), a move is
// important to others (SND-01), or Combining is off.
func (o *Owner[S, C]) Urgent() bool {
	n := o.unsent()
	if !o.Combining {
		return n > 0
	}
	for i := range n {
		if m := o.slot(o.number - uint32(i)); m.important || m.pressed {
			return true
		}
	}
	return false
}
