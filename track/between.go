package track

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

// Horizon is how far a path is continued beyond its last sample (GAP-24), and
// MaxGap the widest gap between two samples that is interpolated. Both are part
// of what client and server must agree on.
const (
	Horizon = 100 * clock.Millisecond
	MaxGap  = 250 * clock.Millisecond
)

// Fit says how an answer was found, best first.
type Fit uint8

// The fits. Missing is no answer.
const (
	// Missing: the thing is not in the newest frame of the view.
	Missing Fit = iota
	// Exact: a sample of this very instant (HIS-08).
	Exact
	// Interpolated: between two samples (HIS-09).
	Interpolated
	// Held: one sample as it is: before the first sample known, across a
	// teleport, a death or another life (HIS-10: the left one, until the right
	// one's time), or in a gap wider than MaxGap (the right one).
	Held
	// Extrapolated: past the last sample by at most Horizon.
	Extrapolated
	// Stale: later than that; the thing stands where Horizon left it (GAP-24).
	Stale
)

// String returns the fit's name.
func (f Fit) String() string {
	names := [...]string{"missing", "exact", "interpolated", "held", "extrapolated", "stale"}
	if int(f) < len(names) {
		return names[f]
	}
	return "unknown"
}

// Between returns the pose at an instant with a.At ≤ at < b.At, from these two
// samples alone: positions and velocities linearly, angles the shorter way
// (HIS-09), mode and stance from the left. It holds a where the path breaks
// between the two, and b where they are more than MaxGap apart: so nobody can ask
// for an older pose by denying the samples in between. Both are in one frame; Shown
// is for those that may not be.
func Between(a, b *Sample, at clock.Micros) (Sample, Fit) {
	switch {
	case at == a.At:
		return *a, Exact
	case !a.Continues(b):
		return a.held(at), Held
	case b.At-a.At > MaxGap:
		return b.held(at), Held
	}
	t := float64(at-a.At) / float64(b.At-a.At)
	s := *a
	s.At = at
	s.Position = a.Position.Lerp(b.Position, t)
	s.Velocity = a.Velocity.Lerp(b.Velocity, t)
	s.Yaw = geom.WrapAngle(geom.LerpAngle(a.Yaw, b.Yaw, t))
	s.Pitch = geom.WrapAngle(geom.LerpAngle(a.Pitch, b.Pitch, t))
	if a.Up != b.Up {
		s.Up = upBetween(a, b, t)
	}
	return s, Interpolated
}

// Ahead returns the pose at an instant at ≥ s.At with no later sample known: s
// carried on by its velocity for at most Horizon, then standing there (GAP-24), in
// its own frame. The dead are not carried on. It does not know the world: for up to
// Horizon a thing may be drawn, and is then tested, inside a wall it was running at.
func Ahead(s *Sample, at clock.Micros) (Sample, Fit) {
	d := at - s.At
	if d == 0 {
		return *s, Exact
	}
	r, fit := s.held(at), Extrapolated
	if d > Horizon {
		d, fit = Horizon, Stale
		r.Velocity = geom.Vec3{}
	}
	if !s.Dead {
		r.Position = s.Position.MulAdd(s.Velocity, d.Seconds())
	}
	return r, fit
}

// held returns s restamped.
func (s *Sample) held(at clock.Micros) Sample {
	r := *s
	r.At = at
	return r
}
