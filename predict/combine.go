package predict

import "github.com/backstep-net/backstep/clock"

// join lets the newest move, if it is pending, take the next one into it: the state
// goes back to before it, and one step is made as long as both (CMB-10, CMB-12). It
// reports false, and nothing has happened, where the two must stay apart: because the
// newest was packed or simulated again since (ACK-13), because they would last longer
// than MaxDuration together or do not meet (GAP-15), or because the game says so.
func (o *Owner[S, C]) join(stamp, d clock.Micros, in *C) bool {
	if !o.Combining || !o.pending {
		return false
	}
	m := o.slot(o.number)
	o.second = Command[C]{o.number + 1, stamp, d, *in}
	if m.Duration+d > MaxDuration || m.Stamp+d != stamp ||
		!o.rules.Combine(&o.before, &o.state, &m.Command, &o.second) {
		o.count.Apart++
		return false
	}
	m.Stamp, m.Duration, m.Input = stamp, m.Duration+d, *in
	o.state = o.before
	o.simulate(m)
	o.count.Combined++
	return true
}

// Urgent reports whether what was never packed should be sent at once and not wait
// for the send interval: where two moves wait because they could not be combined
// (SND-04), where one does that changed what Rules.Digest sums up, which others should
// know soon (SND-01), and where one does that nothing may be combined with.
func (o *Owner[S, C]) Urgent() bool {
	switch o.unsent() {
	case 0:
		return false
	case 1:
		return !o.Combining || o.rules.Digest(&o.before) != o.rules.Digest(&o.state)
	}
	return true
}
