package track

import (
	"math"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

// MaxExtrapolation is how far a path is continued beyond its last sample, as the time that the
// distance takes at full speed [GAP-24], and MaxGap the widest gap between two samples that is
// interpolated. Client and server must agree on both.
const (
	MaxExtrapolation = 100 * clock.Millisecond
	MaxGap           = 250 * clock.Millisecond
)

// For how long a path is continued at full speed. From then on the speed falls linearly, to zero
// where MaxExtrapolation or MaxDeadReckoning is used up: 140 and 300 ms after the last sample.
// So an entity without samples comes to rest and does not stop dead: a gap of a frame or two,
// which is nearly all that ever occurs, is extrapolated in full, and no entity gets further than
// with an abrupt stop at MaxExtrapolation.
const (
	fullSpeedTime      = 60 * clock.Millisecond
	fullSpeedReckoning = 200 * clock.Millisecond
)

// fullSpeed is the speed in m/s, and of rotation in rad/s, from which on a path is continued by
// all of MaxExtrapolation, and by less in proportion below. A slow entity may have turned round
// within that time, and would be drawn walking backwards.
const fullSpeed = 1.0

// RestSpeed is the speed in m/s, and of rotation in rad/s, below which an entity is taken to
// stand: it is not extrapolated, and needs no further samples. In the time of MaxExtrapolation
// it moves 2 mm.
const RestSpeed = 0.02

// SampleSource says what a pose was computed from, best first.
type SampleSource uint8

// The sources.
const (
	// Missing: the entity is not in the view.
	Missing SampleSource = iota
	// Exact: a sample of this very instant [HIS-08].
	Exact
	// Interpolated: between two samples [HIS-09].
	Interpolated
	// Held: one sample as it is. That is so before the first sample known, past the last of an
	// entity at rest, across a teleport, a death or another life (the left sample, until the
	// right one's time) [HIS-10], and in a gap wider than MaxGap (the right one).
	Held
	// Extrapolated: past the last sample, continued by its velocity.
	Extrapolated
	// Stale: so much later that the entity stands where MaxExtrapolation left it [GAP-24].
	Stale
)

// String returns the source's name.
func (f SampleSource) String() string {
	names := [...]string{"missing", "exact", "interpolated", "held", "extrapolated", "stale"}
	if int(f) < len(names) {
		return names[f]
	}
	return "unknown"
}

// interpolate makes s the pose at an instant with s.At ≤ at < b.At, from s and b alone: the position
// on a smooth curve, velocities linearly, angles and rotations the shorter way [HIS-09], stride
// distance and stance linearly, the mode and whether it crouches from s. It holds s if the path
// breaks between the two. It holds b if they are more than MaxGap apart, so that a client cannot get
// an older pose by denying the samples in between. Both are in one frame; Interpolate is for those
// that may not be.
//
// The curve leaves s with its velocity and reaches b with b's (a cubic Hermite), limited so that it
// neither overshoots nor goes back: on each axis a velocity that points away from b counts as zero,
// and one of more than three times the average as that (Fritsch and Carlson 1980). On an axis on
// which both velocities are zero it is a straight line: a game that needs lines sends no velocities.
// The velocity is interpolated between the samples and is not the curve's own, which where it was
// limited belongs to neither.
func (s *Sample) interpolate(b *Sample, at clock.Micros) SampleSource {
	switch {
	case at == s.At:
		return Exact
	case !s.Continues(b):
		s.At = at
		return Held
	case b.At-s.At > MaxGap:
		*s = *b
		s.At = at
		return Held
	}
	t := float64(at-s.At) / float64(b.At-s.At)
	s.Position = s.curveAt(b, t)
	s.interpolateRest(b, t)
	s.At = at
	return Interpolated
}

// curveAt returns the position a part t of the way from s to b.
func (s *Sample) curveAt(b *Sample, t float64) geom.Vec3 {
	h := (b.At - s.At).Seconds()
	return geom.Vec3{
		X: curve(s.Position.X, b.Position.X, float64(s.Velocity.X*h), float64(b.Velocity.X*h), t),
		Y: curve(s.Position.Y, b.Position.Y, float64(s.Velocity.Y*h), float64(b.Velocity.Y*h), t),
		Z: curve(s.Position.Z, b.Position.Z, float64(s.Velocity.Z*h), float64(b.Velocity.Z*h), t),
	}
}

// interpolateRest moves everything of s but its position and stamp a part t of the way to b.
func (s *Sample) interpolateRest(b *Sample, t float64) {
	// Most fields of most entities are equal in both samples: a comparison is cheap, an angle's way
	// round or a rotation's slerp is not.
	if s.StrideDistance != b.StrideDistance {
		s.StrideDistance = s.strideTo(b, t)
	}
	if s.Stance != b.Stance {
		s.Stance = s.Stance.lerp(b.Stance, t)
	}
	s.Velocity = s.Velocity.Lerp(b.Velocity, t)
	if s.Yaw != b.Yaw {
		s.Yaw = geom.WrapAngle(geom.LerpAngle(s.Yaw, b.Yaw, t))
	}
	if s.Pitch != b.Pitch {
		s.Pitch = geom.WrapAngle(geom.LerpAngle(s.Pitch, b.Pitch, t))
	}
	if s.Up != b.Up {
		s.Up = upBetween(s, b, t)
	}
	if s.Rotation != b.Rotation || s.AngularVelocity != b.AngularVelocity {
		s.Rotation = s.rotation().Slerp(b.rotation(), t)
		s.AngularVelocity = s.AngularVelocity.Lerp(b.AngularVelocity, t)
	}
}

// curve returns one axis of a path a part t of the way from a to b. The tangents m and n are how
// far it would go at the velocities of its ends.
func curve(a, b, m, n, t float64) float64 {
	u := 1 - t
	x := float64(a*u) + float64(b*t)
	if m != 0 || n != 0 {
		d := b - a
		m, n = slope(m, d), slope(n, d)
		x += float64(float64(t*u) * (float64((m-d)*u) - float64((n-d)*t)))
	}
	return min(max(x, min(a, b)), max(a, b)) // rounding may leave the range by a bit
}

// slope returns a tangent's length, limited so that the curve never turns away from d.
func slope(m, d float64) float64 {
	switch {
	case !(float64(m*d) > 0):
		return 0
	case math.Abs(m) > 3*math.Abs(d):
		return float64(3 * d)
	}
	return m
}

// extrapolateView makes s, the only sample that a view needs, the pose in the view.
func (s *Sample) extrapolateView(v *View) SampleSource {
	switch {
	case v.At == s.At:
		return Exact
	case v.At < s.At || v.Mode == DrawNewest:
		s.At = v.At
		return Held
	}
	return s.extrapolate(v.At)
}

// extrapolate makes s the pose at an instant at ≥ s.At if no later sample is known: s continued
// by its velocity, in the end ever slower, as far as it gets within MaxExtrapolation, then
// standing there [GAP-24], in its own frame. A sample at rest is Held and the dead are not
// moved. It does not know the world: an entity may be drawn, and is then tested, inside a wall
// it was running at.
func (s *Sample) extrapolate(at clock.Micros) SampleSource {
	full, most := fullSpeedTime, MaxExtrapolation
	if q := max(s.Velocity.LenSq(), s.AngularVelocity.LenSq()); q < fullSpeed*fullSpeed {
		part := math.Sqrt(q) / fullSpeed
		full, most = clock.Micros(float64(full)*part), clock.Micros(float64(most)*part)
	}
	return s.deadReckon(at, full, most)
}

// deadReckon continues s to an instant: at full speed for the time full, then ever slower, to
// where it would be at full speed after most.
func (s *Sample) deadReckon(at, full, most clock.Micros) SampleSource {
	d := at - s.At
	s.At = at
	switch {
	case d == 0:
		return Exact
	case s.resting():
		return Held
	}
	// The speed falls linearly over slow, so the distance left is a triangle: a square of the part
	// of the speed that is left, over slow/2.
	source, way, left := Extrapolated, d.Seconds(), 1.0
	if slow := 2 * (most - full); d > full+slow {
		source, way, left = Stale, most.Seconds(), 0
	} else if d > full {
		left = 1 - float64(d-full)/float64(slow)
		way = most.Seconds() - float64(float64(left*left)*(slow/2).Seconds())
	}
	if !s.Dead {
		s.advance(way)
	}
	s.Velocity, s.AngularVelocity = s.Velocity.Mul(left), s.AngularVelocity.Mul(left)
	return source
}

// advance moves s by the distance of some seconds at full speed.
func (s *Sample) advance(time float64) {
	s.Position = s.Position.MulAdd(s.Velocity, time)
	if s.StrideDistance != 0 {
		s.StrideDistance = WrapStride(s.StrideDistance + float64(s.groundSpeed()*time))
	}
	if speed := s.AngularVelocity.Len(); speed > 0 {
		s.Rotation = geom.AxisAngle(s.AngularVelocity.Div(speed), float64(speed*time)).Mul(s.rotation()).Unit()
	}
}

// resting reports whether s is slower than RestSpeed.
func (s *Sample) resting() bool {
	return s.Velocity.LenSq() < RestSpeed*RestSpeed && s.AngularVelocity.LenSq() < RestSpeed*RestSpeed
}

// rotation returns Rotation as a unit quaternion.
func (s *Sample) rotation() geom.Quat {
	if s.Rotation == (geom.Quat{}) {
		return geom.IdentityQuat
	}
	return s.Rotation
}

// blend moves a pose by a share of the difference from after to before, two poses of another
// instant, all in the world's frame. It does nothing if the three are not of one path or the
// difference is too large.
func (s *Sample) blend(before, after *Sample, share float64) {
	// A respawn or a teleport between the three is no error to be hidden.
	way := before.Position.Sub(after.Position)
	if !before.Continues(after) || !after.Continues(s) || !(way.LenSq() <= MaxBlendDistance*MaxBlendDistance) {
		return
	}
	s.Position = s.Position.MulAdd(way, share)
	if before.Yaw != after.Yaw {
		s.Yaw = geom.WrapAngle(s.Yaw + float64(geom.WrapAngle(before.Yaw-after.Yaw)*share))
	}
	if before.Pitch != after.Pitch {
		s.Pitch = geom.WrapAngle(s.Pitch + float64(geom.WrapAngle(before.Pitch-after.Pitch)*share))
	}
	if before.StrideDistance != after.StrideDistance {
		s.StrideDistance = WrapStride(s.StrideDistance + float64(strideDifference(before.StrideDistance-after.StrideDistance)*share))
	}
	if before.Stance != after.Stance {
		s.Stance = s.Stance.blend(before.Stance, after.Stance, share)
	}
	if before.Rotation != after.Rotation {
		back := before.rotation().Mul(after.rotation().Inverse())
		s.Rotation = geom.IdentityQuat.Slerp(back, share).Mul(s.rotation()).Unit()
	}
}
