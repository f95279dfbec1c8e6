package clock

import "math"

// PingNotice decides when to warn a player of a high ping (LAG-02): the notice is hidden or
// shown, and nothing else (GAP-51). It samples the ping at an interval, is shown after a sample
// above the threshold, and is hidden a fixed time after the last such sample. All times are
// Micros (GAP-37). The zero PingNotice is ready to use.
type PingNotice struct {
	// Interval is the time between samples. Zero means 20 s.
	Interval Micros
	// FirstDelay is the time from the first Update to the first sample. Zero means Interval.
	FirstDelay Micros
	// Threshold is the ping above which, and not at which, the notice is shown. Zero means
	// 200 ms.
	Threshold Micros
	// Duration is how long the notice is shown. Zero means 5 s.
	Duration Micros

	started, shown bool
	next, until    Micros // the next sample, the end of showing
}

// Update takes the ping at an instant of the client's own clock and reports whether that shows or
// hides the notice. Call it every frame. After a pause without frames it takes one sample; later
// ones stay at whole intervals after the first.
func (n *PingNotice) Update(now, ping Micros) (changed bool) {
	every := orDefault(n.Interval, 20*Second)
	if !n.started {
		n.started, n.next = true, now+orDefault(n.FirstDelay, every)
	}
	before := n.shown
	if n.shown && now >= n.until {
		n.shown = false
	}
	if now >= n.next {
		n.next += ((now-n.next)/every + 1) * every
		if ping > orDefault(n.Threshold, 200*Millisecond) {
			n.shown, n.until = true, now+orDefault(n.Duration, 5*Second)
		}
	}
	return n.shown != before
}

// Shown reports whether the notice is shown.
func (n *PingNotice) Shown() bool { return n.shown }

// DriftTolerance is the rate error of a player's clock, in ppm, above which DriftNotice warns: ten
// times that of cheap oscillators.
const DriftTolerance = 10000

// DriftNotice decides when to warn a player that the machine's clock is off by more than
// DriftTolerance (TIM-15): as soon as that is certain, and again only after the clock was right
// in between. The zero DriftNotice is ready to use.
type DriftNotice struct{ shown bool }

// When DriftNotice is certain.
const (
	driftNoticeTime   = 8 * Second // the rate must have been steady for so long …
	driftNoticeSigmas = 3          // … so many standard errors beyond the tolerance …
	driftNoticeMargin = 1000       // … and those must be at most so many ppm
)

// Update returns whether to warn the player now, and by how many percent the clock runs fast, or
// slow below zero, by the drift that s has measured. Call it after each sample.
func (n *DriftNotice) Update(s *Sync) (percent float64, warn bool) {
	d := &s.drift
	off, margin := math.Abs(d.slope), float64(driftNoticeSigmas*d.stdErr)
	if off+margin < DriftTolerance {
		n.shown = false
	}
	if n.shown || d.newest-d.since < driftNoticeTime || margin > driftNoticeMargin || off-margin <= DriftTolerance {
		return 0, false
	}
	n.shown = true
	return 100 * (1/(1+d.slope/1e6) - 1), true
}

// orDefault returns d, or the default if d is not above zero.
func orDefault(d, byDefault Micros) Micros {
	if d <= 0 {
		return byDefault
	}
	return d
}
