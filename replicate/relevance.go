package replicate

import (
	"math"
	"slices"

	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/track"
)

// What counts as alike (adaptive rate): less than nobody sees.
const (
	positionTolerance = 0.002                // metres
	velocityTolerance = 0.02                 // m/s, and rad/s
	angleTolerance    = 0.5 * math.Pi / 180  // radians
	rotationTolerance = 0.25 * math.Pi / 180 // half of it, as quaternions have it
)

// nearlyEqual reports whether a thing that was told as a and stands as b need not be told again.
func nearlyEqual(a, b *track.Sample) bool {
	if a.Position.Sub(b.Position).LenSq() >= positionTolerance*positionTolerance ||
		a.Velocity.Sub(b.Velocity).LenSq() >= velocityTolerance*velocityTolerance ||
		math.Abs(geom.WrapAngle(a.Yaw-b.Yaw)) >= angleTolerance || math.Abs(a.Pitch-b.Pitch) >= angleTolerance {
		return false
	}
	if a.Rotation != b.Rotation || a.AngularVelocity != b.AngularVelocity {
		d := geom.Quat{X: a.Rotation.X - b.Rotation.X, Y: a.Rotation.Y - b.Rotation.Y, Z: a.Rotation.Z - b.Rotation.Z, W: a.Rotation.W - b.Rotation.W}
		if float64(d.X*d.X)+float64(d.Y*d.Y)+float64(d.Z*d.Z)+float64(d.W*d.W) >= rotationTolerance*rotationTolerance ||
			a.AngularVelocity.Sub(b.AngularVelocity).LenSq() >= velocityTolerance*velocityTolerance {
			return false
		}
	}
	return a.Velocity.IsZero() == b.Velocity.IsZero() && // or it would be carried on
		a.Continues(b) && a.Kind == b.Kind && a.Mode == b.Mode && a.Crouched == b.Crouched &&
		a.StrideDistance == b.StrideDistance && a.Stance == b.Stance &&
		a.Base == b.Base && a.PreviousBase == b.PreviousBase && a.BaseChangedAt == b.BaseChangedAt && a.Lag == b.Lag && a.Up == b.Up &&
		a.Asleep == b.Asleep && a.Clip == b.Clip && a.ClipAt == b.ClipAt && a.UserData == b.UserData
}

// unchanged reports whether a thing need not be told again that was told as the k-th of a frame.
func (s *Sender) unchanged(frame *track.Snapshot, k int, now *track.Sample) bool {
	told := &s.match.sample
	if at, _ := frame.Position(k); at.Sub(now.Position).LenSq() >= positionTolerance*positionTolerance { // most
		return false
	}
	frame.Load(k, told)
	return nearlyEqual(told, now)
}

// candidate is a thing that is due.
type candidate struct {
	id       track.ID
	index    int32 // in the frame
	chosen   bool
	weight   float64
	encoding encoding // none where its bits are 0
	ref      uint64
	refBits  int // of ref: which reference it is packed against, as the client is told
}

// choose finds what is relevant, by ascending id, and of that what is due.
func (s *Sender) choose() {
	m := s.match
	if m.grid.size == 0 {
		for i := range m.entities {
			s.consider(i)
		}
		return
	}
	s.nearby = m.grid.around(s.position, s.nearby[:0])
	slices.Sort(s.nearby)
	for _, i := range s.nearby {
		s.consider(int(i))
	}
}

// consider notes the i-th thing of the tick where it is relevant, and picks it where it is
// due.
func (s *Sender) consider(i int) {
	e := &s.match.entities[i]
	if e.ID == s.except {
		return
	}
	t := s.entity(e.ID)
	near, relevant := s.relevant(i, t)
	if !relevant {
		return
	}
	if t.removedAt != 0 {
		t.reset()
	}
	t.relevant = true
	s.relevantIDs = append(s.relevantIDs, e.ID)
	due, pressing := s.due(e, i, t)
	if due || near {
		s.candidates = append(s.candidates, candidate{id: e.ID, index: int32(i), weight: weightOf(near, pressing)})
	}
}

// The weights of what cannot wait, beside which nothing else counts.
const (
	nearWeight    = 1e12
	overdueWeight = 1e6
)

func weightOf(near, pressing bool) float64 {
	switch {
	case near:
		return nearWeight
	case pressing:
		return overdueWeight
	}
	return 0
}

// relevant reports whether the receiver is to know of the i-th thing, and whether it is
// near.
func (s *Sender) relevant(i int, t *entityState) (near, relevant bool) {
	r, m := &s.match.rules, s.match
	if r.Near > 0 || r.Radius > 0 {
		distSq := m.positions[i].Sub(s.position).LenSq()
		near = r.Near > 0 && distSq <= float64(r.Near*r.Near)
		radius := r.Radius
		if t.relevant && t.removedAt == 0 {
			radius = r.LeaveRadius
		}
		if radius > 0 && !near && !(distSq <= float64(radius*radius)) {
			return false, false
		}
	}
	if r.Visible != nil && !r.Visible(&s.eye, &m.entities[i]) {
		return false, false
	}
	return near, true
}

// due reports whether a relevant thing is to be told, and whether the client would soon
// lose it otherwise.
func (s *Sender) due(e *track.Entity, i int, t *entityState) (due, pressing bool) {
	if t.sent == 0 {
		return true, false
	}
	age := s.tick - max(t.acked, t.first)
	pressing = age >= min(max(Refresh+s.roundTrip+ackSlack, overdueAge), maxOverdueAge)
	if s.base == 0 || s.tick-s.base >= Refresh {
		return true, pressing // the client may not be hearing anything
	}
	if !s.restsSince(e, i, t) || t.acked < t.rest {
		return true, pressing
	}
	t.rest = t.acked
	since := s.tick - t.sent
	silent := s.tick-s.base > s.roundTrip+2*ackSlack // all that was sent since may be lost
	return age >= Refresh && (silent || since > s.roundTrip+ackSlack || pressing && since >= retryInterval), pressing
}

// restsSince reports whether a thing still is as it was told last.
func (s *Sender) restsSince(e *track.Entity, i int, t *entityState) bool {
	if frame := s.match.frames.Snapshot(t.rest); frame != nil {
		if k := frame.Index(e.ID, i); k >= 0 && s.unchanged(frame, k, &e.Sample) {
			return true
		}
	}
	t.rest = 0
	return false
}

// urgency returns by how much more urgent it gets in a snapshot to tell of a thing, of
// which there was no room.
func (s *Sender) urgency(p *candidate, t *entityState) float64 {
	m := s.match
	e := &m.entities[p.index]
	importance := 1.0
	if m.rules.Importance != nil {
		if importance = m.rules.Importance(e); !(importance > minImportance) {
			importance = minImportance
		}
	}
	if t.sent == 0 {
		importance = float64(importance * newEntityFactor)
	}
	distance := m.positions[p.index].Dist(s.position)
	return float64(importance*(restingSpeed+math.Min(e.Velocity.Len(), maxSpeed))) / (halfUrgencyDistance + distance)
}

// What urgency is made of: a thing that stands is a quarter as urgent as one that runs at
// 6 m/s, and one at 24 m half as one at 8 m.
const (
	minImportance       = 1. / 1024
	newEntityFactor     = 4  // what the client does not know at all
	restingSpeed        = 2  // m/s
	maxSpeed            = 20 // m/s
	halfUrgencyDistance = 8  // metres
)
