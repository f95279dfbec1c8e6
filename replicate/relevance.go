package replicate

import (
	"math"
	"slices"

	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/track"
)

// Below these differences, which are not visible, two samples count as equal (adaptive rate).
const (
	// Two steps of the grid on which positions are sent.
	positionTolerance = 0.002                // metres
	velocityTolerance = 0.02                 // m/s, and rad/s
	angleTolerance    = 0.5 * math.Pi / 180  // radians
	rotationTolerance = 0.25 * math.Pi / 180 // a quarter degree: quaternions have half the angle
)

// nearlyEqual reports whether an entity that was sent as a and is now b need not be sent again.
func nearlyEqual(a, b *track.Sample) bool {
	if a.Position.Sub(b.Position).LenSq() >= positionTolerance*positionTolerance ||
		a.Velocity.Sub(b.Velocity).LenSq() >= velocityTolerance*velocityTolerance ||
		math.Abs(geom.WrapAngle(a.Yaw-b.Yaw)) >= angleTolerance || math.Abs(a.Pitch-b.Pitch) >= angleTolerance {
		return false
	}
	// A character has neither, so the usual case costs two comparisons.
	if a.Rotation != b.Rotation || a.AngularVelocity != b.AngularVelocity {
		// A quaternion and its negative are one rotation and count as different here. That costs a sample and
		// no error.
		d := geom.Quat{X: a.Rotation.X - b.Rotation.X, Y: a.Rotation.Y - b.Rotation.Y, Z: a.Rotation.Z - b.Rotation.Z, W: a.Rotation.W - b.Rotation.W}
		if float64(d.X*d.X)+float64(d.Y*d.Y)+float64(d.Z*d.Z)+float64(d.W*d.W) >= rotationTolerance*rotationTolerance ||
			a.AngularVelocity.Sub(b.AngularVelocity).LenSq() >= velocityTolerance*velocityTolerance {
			return false
		}
	}
	if a.Velocity.IsZero() != b.Velocity.IsZero() {
		return false // an entity that stopped would be extrapolated for ever
	}
	// Every other field is compared exactly. One that is added to the sample is then sent as soon
	// as it changes, without a line here.
	same := *b
	same.At, same.Position, same.Velocity, same.Yaw, same.Pitch = a.At, a.Position, a.Velocity, a.Yaw, a.Pitch
	same.Rotation, same.AngularVelocity = a.Rotation, a.AngularVelocity
	return same == *a
}

// hasMoved reports whether an entity is visibly elsewhere than as the k-th of a snapshot.
func hasMoved(snapshot *track.Snapshot, k int, now *track.Sample) bool {
	at, _ := snapshot.Position(k)
	return at.Sub(now.Position).LenSq() >= positionTolerance*positionTolerance
}

// unchanged reports whether an entity that was sent as the k-th of a snapshot need not be sent again.
func (s *Sender) unchanged(snapshot *track.Snapshot, k int, now *track.Sample) bool {
	sent := &s.sample
	if hasMoved(snapshot, k, now) {
		return false // without decoding the sample
	}
	snapshot.Load(k, sent)
	return nearlyEqual(sent, now)
}

// candidate is an entity that is due to be sent.
type candidate struct {
	id     track.ID
	index  int32 // in the snapshot of the tick
	chosen bool  // it fits into the budget
	// Of its encoding, once there is one: whether it has keyframes, where it is in the store, and how many bits it has.
	keyframes    bool
	offset, bits int32 // bits is 0 before
	// ref says in refBits bits which reference it is packed against, as it is written.
	ref, refBits uint8
	// weight is added to the urgency: far more than any urgency for those that cannot wait.
	weight float64
}

// choose finds the relevant entities, by ascending id, and those of them that are due. With a grid
// it looks at those of nine cells only: a cell is as large as the largest radius.
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

// consider adds the i-th entity of the tick to the relevant ones if it is relevant, and to the
// candidates if it is due.
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
		t.reset() // it is back: what was sent of it before its removal no longer counts
	}
	if t.relevant = true; t.first == 0 {
		t.first = s.tick
	}
	s.relevantIDs = append(s.relevantIDs, e.ID)
	due, overdue := s.due(e, i, t)
	if due || near {
		s.candidates = append(s.candidates, candidate{id: e.ID, index: int32(i), weight: weightOf(near, overdue)})
	}
}

// The weights of entities that cannot wait. They exceed every urgency; see also Sender.overdueFirst.
const (
	nearWeight    = 1e12
	overdueWeight = 1e6
)

// weightOf returns what is added to the urgency of an entity that cannot wait.
func weightOf(near, overdue bool) float64 {
	switch {
	case near:
		return nearWeight
	case overdue:
		return overdueWeight
	}
	return 0
}

// relevant reports whether the receiver may know of the i-th entity, and whether that is near. An
// entity becomes relevant within Radius and stays so up to LeaveRadius: one that walks along the
// edge would otherwise be removed and sent in full again and again.
func (s *Sender) relevant(i int, t *entityState) (near, relevant bool) {
	r, m := &s.match.rules, s.match
	if r.Near > 0 || r.Radius > 0 {
		distSq := m.positions[i].Sub(s.position).LenSq()
		near = r.Near > 0 && distSq <= float64(r.Near*r.Near)
		radius := r.Radius
		if t.relevant && t.removedAt == 0 {
			radius = r.LeaveRadius
		}
		// A position that is not a number is within no radius.
		if radius > 0 && !near && !(distSq <= float64(radius*radius)) {
			return false, false
		}
	}
	// After the distances: it is the game's, and may cast rays.
	if r.Visible != nil && !r.Visible(&s.eye, &m.entities[i]) {
		return false, false
	}
	return near, true
}

// due reports whether a relevant entity has to be sent, and whether it is overdue: the client would
// soon lose it otherwise.
func (s *Sender) due(e *track.Entity, i int, t *entityState) (due, overdue bool) {
	// A sample counts from when the client is known to have it, or the entity became relevant. The bounds
	// keep an entity of a client with a very long round trip from dropping out of its view.
	age := s.tick - max(t.acked, t.first)
	overdue = age >= min(max(Refresh+s.roundTrip+ackSlack, overdueAge), maxOverdueAge)
	if t.sent == 0 || s.baseline == 0 || s.tick-s.baseline >= Refresh {
		return true, overdue // the client may not be receiving anything
	}
	if !s.stillAsSent(e, i, t) || t.acked < t.rest {
		return true, overdue // it moves, or its last change may have been lost
	}
	t.rest = t.acked // what is compared with next time must still be in the record
	since := s.tick - t.sent
	silent := s.tick-s.baseline > s.roundTrip+2*ackSlack // everything sent since may be lost
	return age >= Refresh && (silent || since > s.roundTrip+ackSlack || overdue && since >= retryInterval), overdue
}

// stillAsSent reports whether an entity still is as it was sent last. It compares with the first of
// the last run of equal samples, or the newest of them that arrived, and not with the tick before:
// many steps too small to be seen add up.
func (s *Sender) stillAsSent(e *track.Entity, i int, t *entityState) bool {
	m := s.match
	if t.rest == m.last && m.moved[i] {
		t.rest = 0
		return false // the usual case: it is in every snapshot, because it moves
	}
	if snapshot := m.snapshots.Snapshot(t.rest); snapshot != nil {
		if k := snapshot.Index(e.ID, i); k >= 0 && s.unchanged(snapshot, k, &e.Sample) {
			return true
		}
	}
	t.rest = 0
	return false
}

// urgency returns by how much the urgency of a deferred entity grows in a snapshot. It is more than 0
// whatever the game's Importance says, so every entity is sent some time, however far away.
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
	return float64(importance*(restingSpeed+min(e.Velocity.Len(), maxSpeed))) / (halfUrgencyDistance + distance)
}

// The constants of urgency: a resting entity is a quarter as urgent as one that runs at 6 m/s, and
// one at 24 m half as urgent as one at 8 m.
const (
	minImportance       = 1. / 1024
	newEntityFactor     = 4  // an entity that the client does not know at all
	restingSpeed        = 2  // m/s
	maxSpeed            = 20 // m/s
	halfUrgencyDistance = 8  // metres
)
