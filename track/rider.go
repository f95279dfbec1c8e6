package track

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// Placed returns s in the world's frame: a rider on its base where that stands at
// the platform time, its velocity with the base's in it; anything else as it is. A
// base that w does not have, or no w, is taken for none.
func (s Sample) Placed(w *collide.World, platform clock.Micros) Sample {
	if s.Base == collide.Static {
		return s
	}
	base := s.Base
	s.Base = collide.Static
	if w == nil || w.Body(base) == nil {
		return s
	}
	view := collide.View{World: w, At: platform}
	pose := view.Pose(base)
	s.Position = pose.Apply(s.Position)
	s.Velocity = pose.Turn.Rotate(s.Velocity).Add(view.VelocityAt(base, s.Position))
	return s
}

// Shown returns the pose that a view with a.At ≤ v.At < b.At shows, in the world's
// frame. A rider moves with its base: Between its places on it, put where the base
// stands at v.Platform. From one base to another both samples are placed first.
func Shown(a, b *Sample, v View, w *collide.World) (Sample, Fit) {
	if a.Base|b.Base == collide.Static { // most
		return Between(a, b, v.At)
	}
	if a.Base == b.Base {
		s, fit := Between(a, b, v.At)
		return s.Placed(w, v.Platform), fit
	}
	from, to := a.Placed(w, v.Platform), b.Placed(w, v.Platform)
	return Between(&from, &to, v.At)
}

// Upwards returns the direction against gravity: Up as a unit vector, +Y where it
// is zero.
func (s *Sample) Upwards() geom.Vec3 {
	if s.Up.IsZero() {
		return geom.Up
	}
	return s.Up.Unit()
}

// upBetween returns the Up of a pose between two that differ in it.
func upBetween(a, b *Sample, t float64) geom.Vec3 {
	if up := a.Upwards().Lerp(b.Upwards(), t).Unit(); !up.IsZero() {
		return up
	}
	return a.Up
}
