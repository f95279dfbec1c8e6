package predict

import "github.com/backstep-net/backstep/clock"

// Make makes one move of a player who sits at the authority itself: that ends at match
// time stamp, lasts d, and is simulated here and nowhere else (ENT-07). There is
// nothing to save, to replay, to test or to answer, so such an owner is never
// corrected; it may not have moves queued by Receive as well.
//
// Time is kept as an Owner keeps it: stamp is rounded down to Grain; d is cut to
// MaxDuration (TIM-04) and to what the stamp is above the one before (GAP-10), and
// rounded down too. So no more is ever simulated than the stamps advance. Make returns
// the move, which Command returns as well, or nil where that leaves nothing to simulate.
// Next carries on who makes none for longer than Limits.SilenceTimeout (GAP-11).
func (a *Authority[S, C]) Make(stamp, d clock.Micros, in C) *Command[C] {
	stamp -= stamp % TimeQuantum
	d = min(d, MaxDuration)
	if a.started {
		d = min(d, stamp-a.stamp)
	}
	if d -= d % TimeQuantum; d < TimeQuantum {
		return nil
	}
	a.began = stamp - d
	if a.started {
		a.began = a.stamp
	}
	a.gapFill, a.correcting, a.drawn.phase = false, false, present
	*a.current = Command[C]{a.last + 1, stamp, d, in}
	a.step()
	a.stamp, a.last, a.started = stamp, a.current.Number, true
	a.arrived, a.silence.lastArrival, a.silence.stepping = stamp, stamp, false
	a.silence.end()
	a.count.Executed++
	return a.current
}
