package lab

import (
	"cmp"
	"slices"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/remote"
	"github.com/backstep-net/backstep/track"
)

// BodySource is a Server with rigid bodies.
type BodySource interface {
	// Bodies appends all bodies after the newest tick, by ascending id, with its match time.
	Bodies(into []track.Entity) []track.Entity
}

// BodyDrawer is a Client that draws the bodies of such a server.
type BodyDrawer interface {
	// Bodies returns the bodies as drawn in the newest frame.
	Bodies() []remote.DrawnBody
	BodyStats() remote.BodyStats
}

// bodyHistory has the bodies of the two newest ticks.
type bodyHistory struct {
	server        BodySource // nil: there are none
	before, after []track.Entity
	scratch       []track.Entity
}

// record records the bodies after a tick. After one that an overloaded server has skipped they are those of before.
func (s *bodyHistory) record() {
	if s.server == nil {
		return
	}
	now := s.server.Bodies(s.scratch[:0])
	if s.scratch = now; len(now) > 0 && now[0].At == s.newest() {
		return
	}
	s.before, s.after, s.scratch = s.after, now, s.before
}

// newest returns the match time of the newest bodies, −1 without any.
func (s *bodyHistory) newest() clock.Micros {
	if len(s.after) == 0 {
		return -1
	}
	return s.after[0].At
}

// minBodySpeed is the smallest speed on the server, in m/s, of bodies with errors that count.
const minBodySpeed = 0.2

// at returns the position of a moving body at a match time between the two ticks, and false for a
// body that rests or was teleported between them.
func (s *bodyHistory) at(id track.ID, at clock.Micros) (geom.Vec3, bool) {
	byID := func(e track.Entity, id track.ID) int { return cmp.Compare(e.ID, id) }
	i, ok := slices.BinarySearchFunc(s.before, id, byID)
	k, still := slices.BinarySearchFunc(s.after, id, byID)
	if !ok || !still {
		return geom.Vec3{}, false
	}
	a, b := &s.before[i], &s.after[k]
	long := b.At - a.At
	if at < a.At || at > b.At || long <= 0 || !(a.Velocity.Len() > minBodySpeed) {
		return geom.Vec3{}, false
	}
	allowed := float64(max(a.Velocity.Len(), b.Velocity.Len()) * long.Seconds())
	if a.Position.Dist(b.Position) > allowed+0.5 {
		return geom.Vec3{}, false
	}
	return a.Position.Lerp(b.Position, float64(at-a.At)/float64(long)), true
}

// bodies measures the bodies that one client draws.
type bodies struct {
	drawer  BodyDrawer  // nil: it draws none
	snaps   int         // since time zero
	counted int         // by the drawer, whose count begins again with each connection
	pending []drawnBody // since the newest tick
	errors  []float64
}

// drawnBody is one body in one drawn frame.
type drawnBody struct {
	at       clock.Micros // match time of the frame
	id       track.ID
	position geom.Vec3
}

// begin starts to measure at time zero.
func (b *bodies) begin(c Client, s *bodyHistory) {
	if len(s.after) == 0 {
		return
	}
	if b.drawer, _ = As[BodyDrawer](c); b.drawer != nil {
		b.counted = b.drawer.BodyStats().Snaps
	}
}

// frameDrawn notes a frame at a match time.
func (b *bodies) frameDrawn(at clock.Micros) {
	if b.drawer == nil {
		return
	}
	b.countSnaps()
	for _, d := range b.drawer.Bodies() {
		b.pending = append(b.pending, drawnBody{at, d.ID, d.Position})
	}
}

// countSnaps adds the snaps since the last call.
func (b *bodies) countSnaps() {
	now := b.drawer.BodyStats().Snaps
	if now < b.counted {
		b.counted = 0
	}
	b.snaps += now - b.counted
	b.counted = now
}

// compare compares the frames between the two newest ticks with these. Those after a tick that was skipped wait.
func (b *bodies) compare(s *bodyHistory) {
	waiting := 0
	for _, d := range b.pending {
		if d.at > s.newest() {
			b.pending[waiting] = d
			waiting++
			continue
		}
		if at, ok := s.at(d.id, d.at); ok {
			b.errors = append(b.errors, d.position.Dist(at))
		}
	}
	b.pending = b.pending[:waiting]
}

// figures returns the figures; nil where there are no bodies.
func (b *bodies) figures() *BodyFigures {
	if b.drawer == nil {
		return nil
	}
	b.countSnaps()
	return &BodyFigures{Error: spreadOf(b.errors), Snaps: b.snaps}
}
