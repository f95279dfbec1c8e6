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
	// Bodies appends every one as it stands after the newest tick, by ascending id, with
	// the match time of that.
	Bodies(into []track.Entity) []track.Entity
}

// BodyDrawer is a Client that draws the bodies of such a server.
type BodyDrawer interface {
	// Bodies are as the newest frame draws them.
	Bodies() []remote.DrawnBody
	BodyStats() remote.BodyStats
}

// bodyStand is how the bodies stood at the two newest ticks.
type bodyStand struct {
	server        BodySource // nil: there are none
	before, after []track.Entity
}

// look notes how they stand after a tick.
func (s *bodyStand) look() {
	if s.server != nil {
		s.before, s.after = s.after, s.server.Bodies(s.before[:0])
	}
}

// moves is how fast in m/s a body is on the server whose picture counts.
const moves = 0.2

// at is where a body that moves was at a match time between the two ticks, and false
// for one that rests, or was put elsewhere between them.
func (s *bodyStand) at(id track.ID, at clock.Micros) (geom.Vec3, bool) {
	byID := func(e track.Entity, id track.ID) int { return cmp.Compare(e.ID, id) }
	i, ok := slices.BinarySearchFunc(s.before, id, byID)
	k, still := slices.BinarySearchFunc(s.after, id, byID)
	if !ok || !still {
		return geom.Vec3{}, false
	}
	a, b := &s.before[i], &s.after[k]
	long := b.At - a.At
	if at < a.At || at > b.At || long <= 0 || !(a.Velocity.Len() > moves) {
		return geom.Vec3{}, false
	}
	allowed := float64(max(a.Velocity.Len(), b.Velocity.Len()) * long.Seconds())
	if a.Position.Dist(b.Position) > allowed+0.5 {
		return geom.Vec3{}, false
	}
	return a.Position.Lerp(b.Position, float64(at-a.At)/float64(long)), true
}

// bodies are those that one client draws.
type bodies struct {
	drawer  BodyDrawer  // nil: it draws none
	snaps   int         // before time zero
	pending []drawnBody // since the newest tick
	errors  []float64
}

// drawnBody is one body in one picture.
type drawnBody struct {
	at       clock.Micros // match time of the picture
	id       track.ID
	position geom.Vec3
}

// begin is time zero.
func (b *bodies) begin(c Client, s *bodyStand) {
	if len(s.after) == 0 {
		return
	}
	if b.drawer, _ = c.(BodyDrawer); b.drawer != nil {
		b.snaps = b.drawer.BodyStats().Snaps
	}
}

// drew notes a picture of a match time.
func (b *bodies) drew(at clock.Micros) {
	if b.drawer == nil {
		return
	}
	for _, d := range b.drawer.Bodies() {
		b.pending = append(b.pending, drawnBody{at, d.ID, d.Position})
	}
}

// compare compares the pictures between the two newest ticks with those.
func (b *bodies) compare(s *bodyStand) {
	for _, d := range b.pending {
		if at, ok := s.at(d.id, d.at); ok {
			b.errors = append(b.errors, d.position.Dist(at))
		}
	}
	b.pending = b.pending[:0]
}

// figures sums them up; nil where there are none.
func (b *bodies) figures() *BodyFigures {
	if b.drawer == nil {
		return nil
	}
	return &BodyFigures{Error: spreadOf(b.errors), Snaps: b.drawer.BodyStats().Snaps - b.snaps}
}
