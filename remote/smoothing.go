package remote

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/track"
)

// SetSmoothing sets the figures of the linear and the exponential mode. A server that rebuilds
// what they draw has the same.
func (r *Remotes) SetSmoothing(s track.Smoothing) { r.extrapolation.Smoothing = s }

// SetBodyShape hands in the characters' bodies, so that the linear and the exponential mode carry
// nobody on into a wall. A server that rebuilds what they draw has the same.
func (r *Remotes) SetBodyShape(s track.BodyShape) { r.extrapolation.Body = s }

// SetStep hands in what carries things on in the smoothing modes, in place of straight on
// by their velocity (SIM-03, RMS-07): step moves s by what it does in d by itself, with the
// game's own rules: along the ground, against walls, through a motion that plays. It is
// called for what does not ride on a body, from the newest sample's instant to the picture's
// and, where a new sample came, from both samples to the picture before; for at most
// track.MaxDeadReckoning. A sample holds all there is to know, mode and gravity with it, so those of
// the newest one count and those in between never did (SIM-02, SIM-05, RMS-07). What the step
// makes of it is error as far as shots go: a server carries on straight. Nil is straight on.
func (r *Remotes) SetStep(step func(s *track.Sample, d clock.Micros)) { r.extrapolation.Step = step }

// smoothingFrames is which frames the picture of what is carried on is drawn from, and after which
// pictures the last of them were first drawn, newest first.
type smoothingFrames struct {
	viewTime clock.Micros // view time of the last picture
	seen     track.Received
	list     [track.MaxArrivals]arrival
	n        int
}

// arrival is the last picture without some frames, and the newest tick that it was drawn from.
type arrival struct {
	at     clock.Micros
	newest uint32
}

// updateSmoothing takes in the frames that came since the last picture, at most once in
// track.ArrivalGap: more often nobody sees the difference, and a View has not the room. What
// comes after a long silence is seen at once, as with what is interpolated.
func (r *Remotes) updateSmoothing() {
	a := &r.smoothing
	last := a.viewTime
	a.viewTime = r.viewTime(Linear)
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

// applyTo puts the frames into a view of what is carried on, and when they came.
func (a *smoothingFrames) applyTo(v *track.View) {
	v.Seen = a.seen
	for i := range a.n {
		if !v.AddArrival(a.list[i].at, a.list[i].newest) {
			break
		}
	}
}
