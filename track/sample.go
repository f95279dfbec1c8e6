package track

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// The grids on which a Sample is sent.
const (
	// StampGrid is the step of At, on absolute match time: 50 µs, in which a
	// runner at 6 m/s moves 0.3 mm.
	StampGrid clock.Micros = 50
	// PositionScale is grid units a metre: about 1 mm, so that an interpolated
	// path has no visible steps.
	PositionScale = 1024
	// VelocityScale is grid units per m/s.
	VelocityScale = 64
	// upScale is grid units of Up: 1/1024, in which a head moves 1.6 mm.
	upScale = 1024
)

// maxStampSteps bounds how far At may lie from the snapshot that carries it: 2³⁶ steps of 50 µs
// are 39 days. A stamp further away is clamped when written and an error when read.
const maxStampSteps = 1 << 36

// ID names an entity of a match. Zero names none, so that the zero value of a struct with an ID is
// "none". The largest is MaxID.
type ID uint16

// MaxID is the largest ID that can be sent.
const MaxID ID = 2047

// Kind is the kind of an entity. Zero is a character; the others are a game's own: a ball, a
// rocket, something to pick up.
type Kind uint8

// Sample is what is known about an entity at one instant. A sample that was received is
// quantised (Quantise); the server keeps the same quantised values. Everything is sent except
// Airborne and BaseVelocity; groups (wire.go) is the table of it.
type Sample struct {
	At clock.Micros // match time of the pose
	Pose
	BaseLink
	GameData
}

// Pose is where an entity is, how it moves and how it holds itself. Position and Velocity are in
// the frame of the base, if there is one [BAS-01], the velocity without the base's own; Yaw,
// Pitch, Up and Rotation are always the world's.
type Pose struct {
	Position geom.Vec3 // the feet, metres
	Velocity geom.Vec3 // m/s
	// Up is the unit vector against gravity; zero means +Y [BAS-05].
	Up       geom.Vec3
	Yaw      float64 // facing, radians
	Pitch    float64 // of the view, radians, positive upwards
	Mode     uint8   // the movement mode's number
	Crouched bool
	// Asleep says that a body rests until something touches it. Rotation is how the body is
	// rotated from its initial orientation, zero for not at all; AngularVelocity is in rad/s
	// about the world's axes. A character has none of the three.
	Asleep          bool
	Rotation        geom.Quat
	AngularVelocity geom.Vec3
	// StrideDistance is the distance walked over the ground, in metres, 0 … StrideWrap, where it
	// begins again: the phase of a gait. Zero is an entity that does not walk, such as a ball:
	// it is never guessed.
	StrideDistance float64
	// Stance is how far the body is into crouching, being in the air and swimming.
	Stance Stance
}

// BaseLink is the base of an entity, and the base before it: the change is blended,
// so that nothing drawn jumps. The zero BaseLink is an entity that stands on nothing that moves.
type BaseLink struct {
	// Base is the mover that the entity stands on, collide.Static for none [BAS-01].
	// The pose that a View shows (Interpolator.At) is in the world's frame and has no Base.
	Base collide.MoverID
	// PreviousBase is the base before this one and BaseChangedAt the match time at which it
	// changed, if that is less than MaxBaseBlendTime before At; else both are zero.
	PreviousBase  collide.MoverID
	BaseChangedAt clock.Micros
	// Lag is, if BaseChangedAt is not zero, by how much At is later than the platform time at
	// which the pose was made, since others see a player later than it moved. The movers that it
	// left and entered are placed at At − Lag. MinLag … MaxLag.
	Lag clock.Micros
	// Airborne says of a pose without a base that it is in the air. A session then sends it in
	// the frame of the base that was left, so that a player that jumps on a train is drawn above
	// it. It is not sent.
	Airborne bool
	// BaseVelocity is, in a View, how much of Velocity is that of the mover that the entity rides
	// on. It is not sent.
	BaseVelocity geom.Vec3
}

// GameData is the game's data of an entity. The library reads Dead, Life and Teleport, to
// draw and hit nothing between two poses that no path joins, and passes the rest on.
type GameData struct {
	Kind Kind // 0 is a character
	Dead bool // drawn as dead; nothing hits it
	// Life counts respawns, and goes on counting when another player gets the ID; poses are not
	// interpolated across lives.
	Life     uint8
	Teleport uint8 // counts teleports; poses are not interpolated across them [HIS-10]
	// Clip is the motion that plays, by a number of the game's, and ClipAt the match time at
	// which it began; zero for none. It is for drawing: what the motion does to the position is
	// in the position.
	Clip   uint8
	ClipAt clock.Micros
	// UserData is the game's own, for every client: which weapon is in hand.
	UserData uint16
}

// Continues reports whether the path from s to the later sample t is unbroken: the same life, no
// teleport, no death in between [HIS-10, GAP-50]. Only then may a pose between the two be
// interpolated.
func (s *Sample) Continues(t *Sample) bool {
	return s.Life == t.Life && s.Teleport == t.Teleport && s.Dead == t.Dead
}

// baseChanged reports whether the base changed less than MaxBaseBlendTime ago.
func (s *Sample) baseChanged() bool {
	return stampSteps(s.BaseChangedAt) > 0 && s.baseAge() >= 0 && s.baseAge() < int64(MaxBaseBlendTime/StampGrid)
}

// lagSteps returns Lag in whole steps of StampGrid, within its bounds.
func (s *Sample) lagSteps() int16 {
	return int16(stampSteps(min(max(s.Lag, MinLag), MaxLag)))
}

// baseAge returns how long ago the base changed, in steps of StampGrid.
func (s *Sample) baseAge() int64 { return stampSteps(s.At) - stampSteps(s.BaseChangedAt) }

// maxUpSq bounds the square of Up's length: what a unit vector has after snapping, and more.
const maxUpSq = 1.5

// tidyUp makes a unit vector of one that is far from it. One that is nearly a unit vector stays as
// it is: to normalise it again and again would not be idempotent.
func tidyUp(up geom.Vec3) geom.Vec3 {
	if up.LenSq() <= maxUpSq {
		return up
	}
	return up.Unit()
}

// stampSteps returns at in steps of StampGrid, rounded half up.
func stampSteps(at clock.Micros) int64 {
	n := int64(at + StampGrid/2)
	g := int64(StampGrid)
	q := n / g
	if n%g < 0 {
		q--
	}
	return q
}
