package rig

import "github.com/backstep-net/backstep/geom"

// Tag classifies a volume for damage: weapons have a damage value per tag.
type Tag uint8

// The tags. NoTag means that nothing was hit. A Shield protects the volumes behind it. Tag6 and Tag7
// are the game's own, such as the hull of a car.
const (
	NoTag Tag = iota
	Body
	Head
	Arm
	Leg
	Shield
	Tag6
	Tag7
	// Tags is the size of a table indexed by Tag: it counts NoTag and the two tags of the
	// game.
	Tags = 8
)

// String returns the name of the tag in files and in the user interface, "" for NoTag.
func (t Tag) String() string {
	return [Tags]string{"", "body", "head", "arm", "leg", "shield", "tag6", "tag7"}[t%Tags]
}

// Part is the number of a volume of a rig, from 1; zero means none.
//
// It is what a receipt of a hit names, so it is small and the same on both ends.
type Part uint8

// MaxParts is the largest number of volumes of a rig, MaxBones the largest number of bones.
const (
	MaxParts = 31
	MaxBones = 32
)

// Shape is the form of a volume.
type Shape uint8

// The shapes. Balls and capsules have the cheapest ray tests; boxes are for shields.
const (
	Ball Shape = iota
	Capsule
	Box
)

// Volume is a part of a body that shots can hit, fixed to a bone.
type Volume struct {
	Name string // of the part, for example "left_forearm"
	Tag  Tag    // kind of body part, which scales damage
	Bone uint8  // index of the bone, from 0
	// Prop is 0 for a volume that is always present. Otherwise bit Prop−1 of Posture.Props
	// says whether it is: a shield that is raised.
	Prop  uint8
	Shape Shape
	// At is the volume in the space of the bone: its middle and rotation. A capsule lies
	// along its own Y axis.
	At geom.Transform
	// Half is half the size of a box. Of a capsule only Y counts: half the length of its
	// axis.
	Half geom.Vec3
	// Radius of a ball or a capsule, in metres.
	Radius float64
}

// Solid is a volume in the space of a figure, in metres. Fields that its Shape does not have are
// without meaning.
type Solid struct {
	Shape Shape // that of the Volume
	// A and B are the ends of the axis of a capsule. Of a ball or a box both are the centre.
	A, B     geom.Vec3
	Radius   float64   // of a ball or a capsule
	Rotation geom.Quat // of a box, about A
	Half     geom.Vec3 // half the size of a box, along its own axes
}
