package rewind

import (
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/track"
)

// Kind is the kind of thing a shot met.
type Kind uint8

// The kinds. Nothing is a shot that met nothing within reach.
const (
	Nothing Kind = iota
	World
	Player
)

// Mark is what a shot met, without where: as much as a client claims to have
// seen, and what verdicts are compared by. Target and Part are zero unless Kind is
// Player.
type Mark struct {
	Kind   Kind
	Target track.ID
	Part   Part
}

// Outcome is what a shot met and where.
type Outcome struct {
	Mark
	// Life and Teleport of the target as it was hit, to tell it from what it is
	// by now (GAP-50).
	Life uint8
	// Distance from the shot's origin in metres; where nothing was met, the
	// reach.
	Distance float64
	// Point is where the shot ended.
	Point geom.Vec3
}

// Cast shoots a ray from a point along the unit vector dir for reach metres, at
// the targets and the world, and returns the nearest thing it meets. Client and
// server call this one function, on the same targets, for the same outcome.
//
// w.At is the instant at which bodies with a path are in the way: the view's
// Platform, so that lifts and doors stop a shot where the shooter drew them (GAP-46).
// Targets are in the world's frame, as a view shows them.
//
// Only characters are met, and not the dead; the world wins a tie. Of the target that is met
// first, the head counts if the ray meets it anywhere within reach and before the
// world, else the body (HIT-06, GAP-53). An origin inside a target meets it at
// distance 0. The shooter must not be among the targets (GAP-44, GAP-49).
func Cast(w *collide.View, targets []track.Entity, from, dir geom.Vec3, reach float64) Outcome {
	o := Outcome{Distance: reach}
	if hit, ok := w.Ray(from, dir.Mul(reach)); ok {
		o.Kind = World
		o.Distance = float64(hit.Fraction * reach)
	}
	limit, nearest := o.Distance, o.Distance
	for i := range targets {
		t := &targets[i]
		if t.Dead || t.Kind != 0 || !couldMeet(&t.Sample, from, dir) {
			continue
		}
		entry, distance, part := meet(&t.Sample, from, dir, limit)
		if part == NoPart || entry >= nearest {
			continue
		}
		nearest = entry
		o.Mark = Mark{Player, t.ID, part}
		o.Life, o.Distance = t.Life, distance
	}
	o.Point = from.MulAdd(dir, o.Distance)
	return o
}

// couldMeet is a quick no: whether the ray's line comes near the ball around
// everything that can be hit of a character. It never says no to a hit.
func couldMeet(s *track.Sample, from, dir geom.Vec3) bool {
	rel := s.Position.Sub(from).MulAdd(s.Upwards(), ballHeight)
	along := rel.Dot(dir)
	return rel.LenSq()-float64(along*along) <= ballRadius*ballRadius
}

// meet returns where a ray enters a target, and the part it counts for with that
// part's distance. NoPart is a ray that does not meet it before limit.
func meet(s *track.Sample, from, dir geom.Vec3, limit float64) (entry, distance float64, part Part) {
	body, head := Volumes(s)
	b, onBody := rayCapsule(from, dir, body)
	h, onHead := raySphere(from, dir, head.Centre, head.Radius)
	onBody, onHead = onBody && b < limit, onHead && h < limit
	switch {
	case onHead && onBody:
		return min(b, h), h, Head
	case onHead:
		return h, h, Head
	case onBody:
		return b, b, Body
	}
	return 0, 0, NoPart
}

// Clean returns m with nothing in it that its Kind does not have.
func (m Mark) Clean() Mark {
	if m.Kind != Player {
		return Mark{Kind: m.Kind}
	}
	return m
}
