package rig

import "github.com/backstep-net/backstep/geom"

// HitGroup classifies a hitbox for damage: weapons have a damage value per group.
type HitGroup uint8

// The hit groups. NoHitGroup means that nothing was hit. A Shield protects the hitboxes behind it. Group6 and Group7
// are the game's own, such as the hull of a car.
const (
	NoHitGroup HitGroup = iota
	Body
	Head
	Arm
	Leg
	Shield
	Group6
	Group7
	// HitGroups is the size of a table indexed by HitGroup: it counts NoHitGroup and the two groups of
	// the game.
	HitGroups = 8
)

// String returns the name of the group in files and in the user interface, "" for NoHitGroup.
func (t HitGroup) String() string {
	return [HitGroups]string{"", "body", "head", "arm", "leg", "shield", "group6", "group7"}[t%HitGroups]
}

// HitboxID is the number of a hitbox in its rig, from 1; zero means none.
//
// It is what a receipt of a hit names, so it is small and the same on both ends.
type HitboxID uint8

// MaxHitboxes is the largest number of hitboxes of a rig, MaxBones the largest number of bones.
const (
	MaxHitboxes = 31
	MaxBones    = 32
)

// Shape is the form of a hitbox.
type Shape uint8

// The shapes. Balls and capsules have the cheapest ray tests; boxes are for shields.
const (
	Ball Shape = iota
	Capsule
	Box
)

// Hitbox is a solid that shots can hit, fixed to a bone.
type Hitbox struct {
	Name     string   // for example "left_forearm"
	HitGroup HitGroup // by which weapons do damage
	Bone     uint8    // index of the bone, from 0
	// Prop is 0 for a hitbox that is always present. Otherwise bit Prop−1 of Posture.Props
	// says whether it is: a shield that is raised.
	Prop  uint8
	Shape Shape
	// At is the hitbox in the space of the bone: its middle and rotation. A capsule lies
	// along its own Y axis.
	At geom.Transform
	// Half is half the size of a box. Of a capsule only Y counts: half the length of its
	// axis.
	Half geom.Vec3
	// Radius of a ball or a capsule, in metres.
	Radius float64
}

// Solid is a hitbox in a pose, in the space of a figure, in metres. Fields that its Shape does not have are
// without meaning.
type Solid struct {
	Shape Shape // that of the Hitbox
	// A and B are the ends of the axis of a capsule. Of a ball or a box both are the centre.
	A, B     geom.Vec3
	Radius   float64   // of a ball or a capsule
	Rotation geom.Quat // of a box, about A
	Half     geom.Vec3 // half the size of a box, along its own axes
}
