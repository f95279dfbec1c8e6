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
}

// record records the bodies after a tick.
func (s *bodyHistory) record() {
	if s.server != nil {
		s.before, s.after = s.after, s.server.Bodies(s.before[:0])
	}
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
	snaps   int         // before time zero
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
		b.snaps = b.drawer.BodyStats().Snaps
	}
}

// frameDrawn notes a frame at a match time.
func (b *bodies) frameDrawn(at clock.Micros) {
	if b.drawer == nil {
		return
	}
	for _, d := range b.drawer.Bodies() {
		b.pending = append(b.pending, drawnBody{at, d.ID, d.Position})
	}
}

// compare compares the frames between the two newest ticks with these.
func (b *bodies) compare(s *bodyHistory) {
	for _, d := range b.pending {
		if at, ok := s.at(d.id, d.at); ok {
			b.errors = append(b.errors, d.position.Dist(at))
		}
	}
	b.pending = b.pending[:0]
}

// figures returns the figures; nil where there are no bodies.
func (b *bodies) figures() *BodyFigures {
	if b.drawer == nil {
		return nil
	}
	return &BodyFigures{Error: spreadOf(b.errors), Snaps: b.drawer.BodyStats().Snaps - b.snaps}
}
