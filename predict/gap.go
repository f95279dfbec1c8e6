package predict

import "github.com/backstep-net/backstep/clock"

// MaxGap is the longest gap before a move that both ends simulate. Gap and move together last
// at most one second, which is as long as an authority holds the input of a silent owner
// (Limits.InputHoldTime).
const MaxGap = clock.Second - MaxDuration

// gap returns the time between before, the stamp of the previous move, and the start of this
// one: the part of a long frame that one move cannot cover (TIM-04). Both ends simulate it with
// the input that was held (Rules.ClearOneTime), as the authority does anyway while no move arrives.
// It is 0 for a move shorter than MaxDuration and for a gap longer than MaxGap.
func (c *Command[C]) gap(before clock.Micros) clock.Micros {
	g := c.Stamp - c.Duration - before
	if c.Duration < MaxDuration || g < TimeQuantum || g > MaxGap {
		return 0
	}
	return g
}

// gapBefore returns the gap before a saved move.
func (o *Owner[S, C]) gapBefore(m *Command[C]) clock.Micros {
	last := &o.slot(m.Number - 1).Command
	if last.Number != m.Number-1 || last.Duration == 0 {
		return 0
	}
	return m.gap(last.Stamp)
}

// fillGap simulates the gap before a saved move.
func (o *Owner[S, C]) fillGap(s *S, m *Command[C], gap clock.Micros) {
	c := &o.scratch
	*c = o.slot(m.Number - 1).Command
	o.rules.ClearOneTime(&c.Input)
	for gap > 0 {
		c.Duration = min(gap, MaxDuration)
		c.Stamp += c.Duration
		gap -= c.Duration
		o.rules.Step(s, c)
	}
}

// maxMissing returns how much time before the next move may be simulated: up to MaxDuration
// where moves were lost, else the gap that the owner simulated itself.
func (a *Authority[S, C]) maxMissing(c *Command[C]) clock.Micros {
	switch {
	case c.Number != a.last+1:
		return MaxDuration
	case a.absence.phase != absent:
		return c.gap(a.stamp)
	case a.absence.endsWith(c.Number):
		return c.gap(a.absence.until)
	}
	return 0
}
