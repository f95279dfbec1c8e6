package track

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// ToWorld returns s in the world's frame: a rider on its base where that stands at the platform
// time, its velocity including the base's, which is BaseVelocity; any other sample unchanged. A
// base that w does not have, or a nil w, counts as none.
func (s Sample) ToWorld(w *collide.World, platform clock.Micros) Sample {
	if s.Base == collide.Static {
		return s
	}
	base := s.Base
	s.Base = collide.Static
	if w == nil || w.Mover(base) == nil {
		return s
	}
	view := collide.WorldAt{World: w, At: platform}
	pose := view.Pose(base)
	s.Position = pose.Apply(s.Position)
	s.BaseVelocity = view.VelocityAt(base, s.Position)
	s.Velocity = pose.Rotation.Rotate(s.Velocity).Add(s.BaseVelocity)
	return s
}

// ToBase returns s in the frame of a mover as that stands at match time at: for an entity that
// rides on it, or has jumped off it. A mover that w does not have counts as none.
func (s Sample) ToBase(mover collide.MoverID, w *collide.World, at clock.Micros) Sample {
	s = s.ToWorld(w, at)
	s.BaseVelocity = geom.Vec3{}
	if w == nil || w.Mover(mover) == nil {
		return s
	}
	view := collide.WorldAt{World: w, At: at}
	pose := view.Pose(mover)
	s.Base = mover
	s.Velocity = pose.Rotation.Inverse().Rotate(s.Velocity.Sub(view.VelocityAt(mover, s.Position)))
	s.Position = pose.ApplyInverse(s.Position)
	return s
}

// BaseBlendTime is for how long a view blends from one base to the next, if they are not far apart
// in it. Movers are drawn later than characters by the whole view delay, so without it a rider of
// a train would jump by metres when it gets off. If the distance is longer than baseBlendSpeed
// makes of BaseBlendTime it takes longer, up to MaxBaseBlendTime: with a fixed time the rim of a
// fast turntable would be left at the speed of a snap.
const (
	BaseBlendTime    = 200 * clock.Millisecond
	MaxBaseBlendTime = 600 * clock.Millisecond
	// baseBlendSpeed is in m/s: 0.13 m in a frame of 1/60 s.
	baseBlendSpeed = 8.0
)

// MinLag and MaxLag bound Sample.Lag: a stamp is a few milliseconds before its owner's time on the
// best links.
const (
	MinLag = -10 * clock.Millisecond
	MaxLag = 16183 * StampGrid // 809 ms: with the least, 14 bits
)

// Interpolate returns the pose that a view with a.At ≤ v.At < b.At shows, in the world's frame.
// A rider moves with its base: on a curve between its positions on it, at the base's pose
// at v.Platform. From one base to another it is drawn on the previous one until it changed, and
// then blended to the new one within BaseBlendTime to MaxBaseBlendTime.
func Interpolate(a, b *Sample, v View, w *collide.World) (s Sample, source SampleSource) {
	s = *a
	source = s.interpolateView(b, &v, w)
	return s, source
}

// interpolateView makes s, which is the earlier sample, the result of Interpolate.
func (s *Sample) interpolateView(b *Sample, v *View, w *collide.World) SampleSource {
	if s.Base|b.Base == collide.Static && s.BaseChangedAt == 0 { // most
		return s.interpolate(b, v.At)
	}
	var source SampleSource
	if s.Base == b.Base || !s.Continues(b) || b.At-s.At > MaxGap {
		source = s.interpolate(b, v.At)
	} else {
		source = s.interpolateBases(b, v.At, w)
	}
	s.toView(v, w)
	return source
}

// interpolateBases interpolates from s to b, on two bases.
func (s *Sample) interpolateBases(b *Sample, at clock.Micros, w *collide.World) SampleSource {
	was, changed := s.Base, b.At
	if b.BaseChangedAt > s.At && b.BaseChangedAt < b.At {
		changed = b.BaseChangedAt
	}
	// Both ends have to be in one frame, and the path is on the old base up to the change. The movers
	// are where they were when the owner moved, which its stamp is later than by Lag.
	end := b.ToBase(was, w, b.At-b.Lag)
	source := s.interpolate(&end, at)
	if at > changed {
		*s = s.ToBase(b.Base, w, at-b.Lag)
		s.PreviousBase, s.BaseChangedAt, s.Lag = was, changed, b.Lag
	}
	return source
}

// toView brings s, which is of the view's instant, into the world's frame as the view shows it.
func (s *Sample) toView(v *View, w *collide.World) {
	if s.Base == collide.Static && s.BaseChangedAt == 0 { // most
		return
	}
	p := s.ToWorld(w, v.Platform)
	if age := max(s.At-s.BaseChangedAt, 0); s.BaseChangedAt != 0 && age < MaxBaseBlendTime {
		// Where it would be drawn had it stayed on the old base: the view starts there and moves
		// gradually to the new one.
		before := s.ToBase(s.PreviousBase, w, s.At-s.Lag)
		before = before.ToWorld(w, v.Platform)
		if left := 1 - float64(age)/float64(BaseBlendTimeFor(p.Position.Dist(before.Position))); left > 0 {
			p.Position, p.BaseVelocity = p.Position.Lerp(before.Position, left), p.BaseVelocity.Lerp(before.BaseVelocity, left)
		}
	}
	p.clearBaseChange()
	*s = p
}

// BaseBlendTimeFor returns for how long a view blends from one base to the next if they are so
// many metres apart in it.
func BaseBlendTimeFor(apart float64) clock.Micros {
	return clock.Micros(geom.Clamp(apart/(baseBlendSpeed*1e-6), float64(BaseBlendTime), float64(MaxBaseBlendTime)))
}

// UpVector returns the direction against gravity: Up as a unit vector, +Y if it is zero.
func (s *Sample) UpVector() geom.Vec3 {
	if s.Up.IsZero() {
		return geom.Up
	}
	return s.Up.Unit()
}

// upBetween returns the Up of a pose between two that differ in it.
func upBetween(a, b *Sample, t float64) geom.Vec3 {
	if up := a.UpVector().Lerp(b.UpVector(), t).Unit(); !up.IsZero() {
		return up
	}
	return a.Up
}
