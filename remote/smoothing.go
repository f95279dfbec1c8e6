package remote

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/track"
)

// SetBodyShape sets the shape of the characters' bodies, so that the linear and the exponential
// mode extrapolate no entity into a wall. A server that rebuilds what they draw must use the same.
func (r *Remotes) SetBodyShape(s track.BodyShape) { r.extrapolation.Body = s }

// SetStep sets the function that extrapolates entities in the smoothing modes, instead of straight
// on by their velocity (SIM-03, RMS-07). step moves s by what it does in d by itself, with the
// game's own rules: along the ground, against walls, through a motion that plays. It is called for
// entities that do not ride on a mover, from the newest sample's instant to the drawn one and, when
// a new sample has arrived, from both samples to the view before; for at most
// track.MaxDeadReckoning. A sample holds the whole state, mode and gravity included, so the newest
// one counts and those in between never do (SIM-02, SIM-05, RMS-07). For shots, the difference that
// the step makes is an error: a server extrapolates straight on. Nil is straight on.
func (r *Remotes) SetStep(step func(s *track.Sample, d clock.Micros)) { r.extrapolation.Step = step }

// smoothingSnapshots holds the snapshots from which extrapolated entities are drawn, and after which
// views the last of them were first drawn, newest first.
type smoothingSnapshots struct {
	viewTime clock.Micros // view time of the last view
	seen     track.Received
	list     [track.MaxArrivals]arrival
	n        int
}

// arrival is the last view without some snapshots, and the newest tick that it was drawn from.
type arrival struct {
	at     clock.Micros
	newest uint32
}

// updateSmoothing takes over the snapshots that arrived since the last view, at most once in
// track.ArrivalGap: a higher rate makes no visible difference, and a View has no space for it. What
// arrives after a long silence is shown at once, as with interpolated entities.
func (r *Remotes) updateSmoothing() {
	a := &r.smoothing
	last := a.viewTime
	a.viewTime = r.viewTime(Linear)
	// On the grid of the wire, so that client and server blend from the same instant; rounded up past this view
	// it would be an arrival that no frame has drawn.
	last = min((last+track.ArrivalGrid/2)/track.ArrivalGrid, a.viewTime/track.ArrivalGrid) * track.ArrivalGrid
	switch {
	case a.seen.Newest == r.seen.Newest || a.seen.Newest == 0:
	case a.n > 0 && last < a.list[0].at+track.ArrivalGap:
		return
	case r.silence(a.seen.Newest) > maxSilence:
		a.n = 0
	default:
		copy(a.list[1:], a.list[:])
		a.list[0], a.n = arrival{last, a.seen.Newest}, min(a.n+1, len(a.list))
	}
	a.seen = r.seen
}

// applyTo sets the snapshots of a view of extrapolated entities, and when they arrived.
func (a *smoothingSnapshots) applyTo(v *track.View) {
	v.Seen = a.seen
	for i := range a.n {
		if !v.AddArrival(a.list[i].at, a.list[i].newest) {
			break
		}
	}
}
