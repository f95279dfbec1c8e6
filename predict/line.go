package predict

// Line tells the owner what is known of the way up: the share of its last packets
// that did not arrive, 0 … 1, and the longest run of them. Where much is lost, each
// move rides in more packets than Fold.
func (o *Owner[S, C]) Line(loss float64, run int) {}

// Urgent reports whether what was never packed should be sent at once and not wait
// for the send interval: where two moves wait because they could not be combined
// (SND-04), or one that changed something that others should know soon (SND-01).
func (o *Owner[S, C]) Urgent() bool { return newer(o.number, o.sent) > 1 }

// Corrections returns the last corrections taken, at most 16, oldest first: valid
// until the next Receive or Advance.
func (o *Owner[S, C]) Corrections() []Correction {
	if o.last == (Correction{}) {
		return nil
	}
	return []Correction{o.last}
}
