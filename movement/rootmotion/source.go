package rootmotion

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

// Kind is the way in which a source moves the character. Zero is no source.
type Kind uint8

// The kinds, each made by the function of its name (Play makes an Animation).
const (
	KindConstant  Kind = 1 + iota // a velocity [RMS-10]
	KindRadial                    // away from or towards a centre [RMS-11]
	KindMoveTo                    // to a place, on time [RMS-12, RMS-13]
	KindJumpTo                    // a leap of given width and height [RMS-14]
	KindAnimation                 // a clip's root track [RMS-19]
)

// Flags change how a source acts.
type Flags uint16

// The flags. Without Additive a source overrides.
const (
	// Additive adds to the velocity instead of replacing it. Constant and Radial
	// only: the other kinds say where the character is, and always override.
	Additive Flags = 1 << iota
	// Local turns Vector with the character's facing. A clip is always local.
	Local
	// IgnoreVertical leaves the vertical velocity to gravity and the ground.
	IgnoreVertical
	// SensitiveLiftOff starts Falling at 0.01 m/s upwards instead of 0.1
	// [RMS-17].
	SensitiveLiftOff
	// Pull turns a Radial towards its centre.
	Pull
	// LimitSpeed keeps a MoveTo that was held up from racing to where it should
	// be: it goes no faster than the path does at that moment [RMS-12].
	LimitSpeed

	// ended: removed, or landed; the next Finish takes it away.
	ended

	allFlags = ended<<1 - 1
)

// Finish is what a source's end does to the velocity [RMS-18].
type Finish uint8

// The finish policies. Clamp shortens the whole velocity to the length of
// FinishVelocity.
const (
	Keep  Finish = iota // nothing
	Set                 // it becomes FinishVelocity
	Clamp               // it becomes no faster than FinishVelocity is long
)

// Source is one motion over a time: plain data, without pointers. Group.Apply rounds its
// numbers to single precision. The functions named after the kinds set the fields that
// their kind needs; the game sets others before Group.Apply. A kind ignores the fields
// that do not mention it.
type Source struct {
	// Start is the stamp of the command that applied it, the same at both ends of a
	// connection [RMS-02]. Zero: Apply's.
	Start clock.Micros
	// Duration; zero or less is until removed. An animation ends with its clip
	// too, unless that loops.
	Duration clock.Micros
	// Elapsed of it. Above zero the source begins part-way. Elapsed times Rate is
	// an animation's play position.
	Elapsed clock.Micros

	// Vector is the velocity in m/s of a Constant; the fixed direction of a
	// Radial, zero for none; the target of a MoveTo, for the feet; the horizontal
	// way in metres from take-off to landing of a JumpTo.
	Vector geom.Vec3
	// Point is the centre of a Radial, the beginning of a MoveTo's path.
	Point geom.Vec3
	// FinishVelocity in m/s, world, for Finish.
	FinishVelocity geom.Vec3
	// Length is a Radial's radius, a JumpTo's height, in metres.
	Length float64
	// Strength is a Radial's velocity in m/s at full strength, an animation's
	// scale of displacement (not of turn).
	Strength float64
	// Rate is a Constant's turn in rad/s about up, an animation's speed: 1 is as
	// made, 0.01 … 8.
	Rate float64

	// Flags that change how it acts; zero overrides, in world space.
	Flags Flags
	// ID that Apply gave: never 0 for a source in a group [RMS-02].
	ID uint16
	// LandAfter in ms is how long a JumpTo may touch the ground without ending.
	LandAfter uint16

	// Kind of motion; zero is no source.
	Kind Kind
	// Finish policy; zero keeps the velocity.
	Finish Finish
	// Priority decides between overrides: the highest acts alone; of equals the
	// one applied last [RMS-16].
	Priority int8

	// Curve of the model's Library over the source's life: strength of a Constant
	// and a Radial, progress (0 … 1) of a MoveTo and a JumpTo. Zero is none: full
	// strength, even progress. An index that the library does not have is none
	// too, here and below.
	Curve uint8
	// FallOff is the curve of a Radial's strength by distance, 0 at the centre,
	// 1 at the radius. Zero is none: the same throughout.
	FallOff uint8
	// Offset is the library's track that a MoveTo adds to its straight path (in
	// metres, −Z along the path, Y up), and that replaces a JumpTo's parabola.
	// Zero is none.
	Offset uint8
	// Clip is the library's clip that an animation plays, counted from zero.
	Clip uint8
}

// Constant returns a source that overrides the velocity by v m/s for d. Set
// Additive to add it, Local to turn it with the character.
func Constant(v geom.Vec3, d clock.Micros) Source {
	return Source{Kind: KindConstant, Vector: v, Duration: d}
}

// Radial returns a source that adds strength m/s away from centre, within radius
// metres of it, for d. It does not act outside. Distance is measured to the
// middle of the body. Group.SetTarget moves the centre.
func Radial(centre geom.Vec3, radius, strength float64, d clock.Micros) Source {
	return Source{Kind: KindRadial, Flags: Additive, Point: centre, Length: radius, Strength: strength, Duration: d}
}

// MoveTo returns a source that takes the feet from where they are to target in d,
// on a straight path unless Offset says otherwise. On the ground use
// IgnoreVertical where the ground is not the path: otherwise a path above the
// feet lifts them off. Group.SetTarget moves the target [RMS-13].
func MoveTo(from, target geom.Vec3, d clock.Micros) Source {
	return Source{Kind: KindMoveTo, Point: from, Vector: target, Duration: d}
}

// JumpTo returns a leap over the horizontal way in metres, height metres high at
// its middle, that comes down to where it left after d, or ends on whatever it
// lands on before [RMS-14].
func JumpTo(way geom.Vec3, height float64, d clock.Micros) Source {
	return Source{Kind: KindJumpTo, Vector: way, Length: height, Duration: d}
}

// Play returns a source that moves by the root track of the library's clip, from
// its beginning to its end at the speed it was made with.
func Play(clip uint8) Source {
	return Source{Kind: KindAnimation, Clip: clip, Strength: 1, Rate: 1}
}

// overrides reports whether the source replaces the velocity.
func (s *Source) overrides() bool {
	return s.Flags&Additive == 0 || s.Kind > KindRadial
}

// endSlack in seconds: a source within a third of a microsecond of its end has
// reached it, since slices are seconds in floating point.
const endSlack = 1.0 / 3e6

// end returns when the source ends, in seconds since it began, and whether it does
// so by itself.
func (s *Source) end(l *Library) (float64, bool) {
	end, ends := s.Duration.Seconds(), s.Duration > 0
	if s.Kind != KindAnimation {
		return end, ends
	}
	c := l.clip(s.Clip)
	if c == nil {
		return 0, true
	}
	if long := c.Length.Seconds() / s.Rate; !c.Loop && (!ends || end > long) {
		return long, true
	}
	return end, ends
}

// time is how many seconds ago the source began when left seconds of the move
// remain.
func (s *Source) time(left float64) float64 { return s.Elapsed.Seconds() - left }

// finished reports whether the source has ended when left seconds of the move
// remain.
func (s *Source) finished(l *Library, left float64) bool {
	end, ends := s.end(l)
	return s.Flags&ended != 0 || ends && s.time(left) >= end-endSlack
}

const (
	// maxCoordinate bounds places and velocities in m and m/s, as
	// movement.State.Pack does.
	maxCoordinate = 1e7
	// maxTime bounds every time of a source: 50 days.
	maxTime = clock.Micros(1) << 42
	// minRate and maxRate bound Source.Rate of an animation, so that a slice
	// passes a looping clip a bounded number of times.
	minRate, maxRate = 0.01, 8.0
)

// valid reports whether every field holds what a source can have.
func (s *Source) valid() bool {
	return s.Kind >= KindConstant && s.Kind <= KindAnimation &&
		s.Finish <= Clamp && s.Flags&^allFlags == 0 &&
		within(s.Start) && within(s.Duration) && within(s.Elapsed) && s.Elapsed >= 0 &&
		bounded(s.Vector) && bounded(s.Point) && bounded(s.FinishVelocity) &&
		s.Length >= 0 && s.Length <= maxCoordinate &&
		s.Strength >= -maxCoordinate && s.Strength <= maxCoordinate &&
		s.Rate >= -maxCoordinate && s.Rate <= maxCoordinate &&
		(s.Kind != KindAnimation || s.Rate >= minRate && s.Rate <= maxRate) &&
		(s.Kind != KindMoveTo && s.Kind != KindJumpTo || s.Duration > 0)
}

func within(t clock.Micros) bool { return t >= -maxTime && t <= maxTime }

func bounded(v geom.Vec3) bool { return v.LenSq() <= 3*maxCoordinate*maxCoordinate }

// snapped returns the source as a packet has it: every number in single precision,
// which is 1 mm at 10 km, and −0 as 0. A correction may carry six sources, and
// must fit into a datagram.
func (s Source) snapped() Source {
	s.Vector, s.Point, s.FinishVelocity = snapVec(s.Vector), snapVec(s.Point), snapVec(s.FinishVelocity)
	s.Length, s.Strength, s.Rate = snap(s.Length), snap(s.Strength), snap(s.Rate)
	return s
}

func snap(x float64) float64 { return float64(float32(x)) + 0 }

func snapVec(v geom.Vec3) geom.Vec3 { return geom.Vec3{X: snap(v.X), Y: snap(v.Y), Z: snap(v.Z)} }
