package rewind

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/track"
)

// moverState records the movers that do not stand where the instant of the world has them.
type moverState struct {
	without collide.MoverSet // broken, ignored, or elsewhere
	present []collide.MoverID
	now     clock.Micros       // the instant at which those stand
	truth   *collide.World     // with the triggers that the shooter did not know of
	known   collide.KnownWorld // scratch
}

// breaks reports whether an entity of this kind stands for a mover.
func (s *Scene) breaks(kind track.Kind) bool { return kind != 0 && kind == s.Blockers.Breaks }

// setWorld begins the scene's world; now is the present.
func (s *Scene) setWorld(w collide.WorldAt, now clock.Micros) {
	s.World, s.movers.truth, s.movers.now, s.movers.present = w, w.World, now, s.movers.present[:0]
	s.movers.without = collide.MoverSet{}
	// A copy: movers are added to the set below, and the caller's set is its own.
	if w.Exclude != nil {
		s.movers.without = *w.Exclude
	}
}

// finishWorld removes the movers that are not there, or not there at the view's time.
func (s *Scene) finishWorld() {
	b := &s.movers
	for i, rule := range s.Blockers.Rules {
		id := collide.MoverID(i + 1)
		if rule == Rewound || b.without.Has(id) {
			continue
		}
		b.without.Add(id)
		if rule == Present {
			b.present = append(b.present, id)
		}
	}
	// A set that is nil is not looked up at all, which is the case in nearly every level.
	if s.World.Exclude = nil; !b.without.Empty() {
		s.World.Exclude = &b.without
	}
}

// castWorld returns the first fraction of a displacement after which a ball, or a point, hits
// the level or one of its movers.
func (s *Scene) castWorld(from, delta geom.Vec3, radius float64) (part float64, ok bool) {
	// Tests and tools trace figures without a level.
	if s.World.World == nil {
		return 0, false
	}
	// A ray is cheaper than the sweep of a ball without radius.
	hit, ok := collide.Hit{}, false
	if radius > 0 {
		hit, ok = s.World.SweepSphere(geom.Sphere{Centre: from, Radius: radius}, delta)
	} else {
		hit, ok = s.World.Ray(from, delta)
	}
	// Those stand at another instant than the rest of the level, so they are cast one by one. A
	// level has few of them.
	for _, id := range s.movers.present {
		if h, met := s.castMover(id, from, delta, radius); met && (!ok || h.Fraction < hit.Fraction) {
			hit, ok = h, true
		}
	}
	if ok {
		s.surface = hit
	}
	return hit.Fraction, ok
}

// castMover casts against one mover where it is at present.
func (s *Scene) castMover(id collide.MoverID, from, delta geom.Vec3, radius float64) (collide.Hit, bool) {
	mover := s.World.World.Mover(id)
	if mover == nil {
		return collide.Hit{}, false
	}
	pose := s.movers.truth.Pose(id, s.movers.now)
	// Into the mover's space, since its triangles do not move there.
	at, way := pose.ApplyInverse(from), pose.Rotation.Inverse().Rotate(delta)
	hit, ok := collide.Hit{}, false
	if radius > 0 {
		hit, ok = mover.Shape.SweepCapsule(geom.Capsule{A: at, B: at, Radius: radius}, way)
	} else {
		hit, ok = mover.Shape.Ray(at, way)
	}
	hit.Point, hit.Mover = pose.Apply(hit.Point), id
	hit.Normal, hit.FaceNormal = pose.Rotation.Rotate(hit.Normal), pose.Rotation.Rotate(hit.FaceNormal)
	return hit, ok
}

// Surface returns the surface hit by the last cast that hit the level or a mover, even if that cast hit a
// nearer target: the normal to bounce off, and the mover.
func (s *Scene) Surface() *collide.Hit { return &s.surface }

// LineOfSight reports whether neither the level nor a mover is between two points.
// Characters hide nothing.
func (s *Scene) LineOfSight(from, to geom.Vec3) bool {
	// A projectile bounces off the surface of its last cast, which this cast must not replace.
	before := s.surface
	_, hit := s.castWorld(from, to.Sub(from), 0)
	s.surface = before
	return !hit
}
