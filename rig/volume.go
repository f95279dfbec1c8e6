package rig

import "github.com/backstep-net/backstep/geom"

// Tag says what a hit on a volume counts as: weapons have their damage by it.
type Tag uint8

// The tags. NoTag is nothing that was hit; Shield covers what is behind it. The rest are a
// game's own.
const (
	NoTag Tag = iota
	Body
	Head
	Arm
	Leg
	Shield
	// Tags is how many there are, NoTag and two of a game's own counted: the size of a
	// table by tag.
	Tags = 8
)

// String returns the tag as files and people call it, "" for NoTag.
func (t Tag) String() string {
	return [Tags]string{"", "body", "head", "arm", "leg", "shield", "tag6", "tag7"}[t%Tags]
}

// Part is the number of one of a rig's volumes, from 1; zero is none.
type Part uint8

// MaxParts is the most volumes that a rig has, and MaxBones the most bones.
const (
	MaxParts = 31
	MaxBones = 32
)

// Shape is the form of a volume.
type Shape uint8

// The shapes.
const (
	Ball Shape = iota
	Capsule
	Box
)

// Volume is a part of a body that can be hit, fast on a bone.
type Volume struct {
	Name string // of the part: "left_forearm"
	Tag  Tag
	Bone uint8 // number of the bone, from 0
	// Prop is 0 for what is always there; else bit Prop−1 of Posture.Props says whether
	// it is: a shield that is held up.
	Prop  uint8
	Shape Shape
	// At is where it is in the bone's space: its middle, and for a box and a capsule, which
	// lies along its own Y, how it is turned.
	At geom.Transform
	// Half is half a box's size; of a capsule Y alone counts, half the length of its axis.
	Half geom.Vec3
	// Radius is a ball's and a capsule's, in metres.
	Radius float64
}

// Solid is a volume in its place: a ball at A; a capsule from A to B; a box around A, turned
// by Turn, of half the size Half.
type Solid struct {
	Shape    Shape
	A, B     geom.Vec3
	Radius   float64
	Rotation geom.Quat
	Half     geom.Vec3
}

// solidAt puts a volume where its bone has it.
func (v *Volume) solidAt(bone geom.Transform) Solid {
	at := geom.Transform{Rotation: bone.Rotation.Mul(v.At.Rotation), Translation: bone.Apply(v.At.Translation)}
	s := Solid{Shape: v.Shape, A: at.Translation, B: at.Translation, Radius: v.Radius, Rotation: at.Rotation, Half: v.Half}
	if v.Shape == Capsule {
		axis := at.Rotation.Rotate(geom.V(0, v.Half.Y, 0))
		s.A, s.B = at.Translation.Sub(axis), at.Translation.Add(axis)
	}
	return s
}
