package humanoid

import (
	"math"

	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rig"
)

// The bones by number, parents first, left before right.
const (
	pelvis = iota
	spine
	chest
	neck
	head
	leftClavicle
	leftUpperArm
	leftForearm
	leftHand
	rightClavicle
	rightUpperArm
	rightForearm
	rightHand
	leftThigh
	leftShin
	leftFoot
	rightThigh
	rightShin
	rightFoot
	bones
)

// Lengths in metres.
const (
	hipHeight  = 0.95
	hipWide    = 0.10 // from the middle to a hip joint
	hipDrop    = 0.04
	thighLong  = 0.42
	shinLong   = 0.40
	ankle      = 0.09 // above the sole
	upperLong  = 0.29
	forearm    = 0.26
	shoulderUp = 0.20 // above the chest's joint
	headUp     = 0.09 // of its middle above its joint
	headRadius = 0.125
)

// bone is a bone of the file: at rest, all have the figure's axes.
type bone struct {
	name   string
	parent int
	at     geom.Vec3 // from its parent's joint
}

var skeleton = [bones]bone{
	pelvis:        {"pelvis", -1, geom.V(0, hipHeight, 0)},
	spine:         {"spine", pelvis, geom.V(0, 0.10, 0)},
	chest:         {"chest", spine, geom.V(0, 0.17, 0)},
	neck:          {"neck", chest, geom.V(0, 0.27, 0)},
	head:          {"head", neck, geom.V(0, 0.09, 0)},
	leftClavicle:  {"left_clavicle", chest, geom.V(-0.05, shoulderUp, 0)},
	leftUpperArm:  {"left_upper_arm", leftClavicle, geom.V(-0.13, 0, 0)},
	leftForearm:   {"left_forearm", leftUpperArm, geom.V(0, -upperLong, 0)},
	leftHand:      {"left_hand", leftForearm, geom.V(0, -forearm, 0)},
	rightClavicle: {"right_clavicle", chest, geom.V(0.05, shoulderUp, 0)},
	rightUpperArm: {"right_upper_arm", rightClavicle, geom.V(0.13, 0, 0)},
	rightForearm:  {"right_forearm", rightUpperArm, geom.V(0, -upperLong, 0)},
	rightHand:     {"right_hand", rightForearm, geom.V(0, -forearm, 0)},
	leftThigh:     {"left_thigh", pelvis, geom.V(-hipWide, -hipDrop, 0)},
	leftShin:      {"left_shin", leftThigh, geom.V(0, -thighLong, 0)},
	leftFoot:      {"left_foot", leftShin, geom.V(0, -shinLong, 0)},
	rightThigh:    {"right_thigh", pelvis, geom.V(hipWide, -hipDrop, 0)},
	rightShin:     {"right_shin", rightThigh, geom.V(0, -thighLong, 0)},
	rightFoot:     {"right_foot", rightShin, geom.V(0, -shinLong, 0)},
}

// part is a hitbox and its paint.
type part struct {
	rig.Hitbox
	paint paint
}

// across rotates a capsule to lie along X, along to lie along Z.
var (
	across = geom.AxisAngle(geom.V(0, 0, 1), math.Pi/2)
	along  = geom.AxisAngle(geom.V(1, 0, 0), math.Pi/2)
)

// parts returns the 19 hitboxes and the shield.
func parts() []part {
	at := func(x, y, z float64) geom.Transform {
		return geom.Transform{Rotation: geom.IdentityQuat, Translation: geom.V(x, y, z)}
	}
	laid := func(turn geom.Quat, x, y, z float64) geom.Transform {
		return geom.Transform{Rotation: turn, Translation: geom.V(x, y, z)}
	}
	ball := func(name string, bone uint8, group rig.HitGroup, t geom.Transform, radius float64, p paint) part {
		return part{rig.Hitbox{Name: name, HitGroup: group, Bone: bone, Shape: rig.Ball, At: t, Radius: radius}, p}
	}
	// A capsule's half is half its axis.
	capsule := func(name string, bone uint8, group rig.HitGroup, t geom.Transform, half, radius float64, p paint) part {
		return part{rig.Hitbox{Name: name, HitGroup: group, Bone: bone, Shape: rig.Capsule, At: t,
			Half: geom.V(0, half, 0), Radius: radius}, p}
	}
	out := []part{
		ball("head", head, rig.Head, at(0, headUp, -0.01), headRadius, helmet),
		capsule("neck", neck, rig.Head, at(0, 0.045, 0), 0.03, 0.06, cloth),
		capsule("chest", chest, rig.Body, laid(across, 0, 0.125, 0), 0.09, 0.142, armour),
		capsule("belly", spine, rig.Body, laid(across, 0, 0.08, 0), 0.05, 0.12, cloth),
		capsule("pelvis", pelvis, rig.Body, laid(across, 0, 0.0, 0), 0.065, 0.122, belt),
	}
	for i, side := range [2]string{"left_", "right_"} {
		b := uint8(4 * i)
		out = append(out,
			ball(side+"shoulder", leftClavicle+b, rig.Arm, at(skeleton[leftUpperArm+b].at.X, 0, 0), 0.078, armour),
			capsule(side+"upper_arm", leftUpperArm+b, rig.Arm, at(0, -0.15, 0), 0.11, 0.052, cloth),
			capsule(side+"forearm", leftForearm+b, rig.Arm, at(0, -0.13, 0), 0.10, 0.045, armour),
			capsule(side+"hand", leftHand+b, rig.Arm, at(0, -0.06, 0), 0.03, 0.04, glove),
		)
	}
	for i, side := range [2]string{"left_", "right_"} {
		b := uint8(3 * i)
		out = append(out,
			capsule(side+"thigh", leftThigh+b, rig.Leg, at(0, -0.20, 0), 0.14, 0.082, cloth),
			capsule(side+"shin", leftShin+b, rig.Leg, at(0, -0.20, 0), 0.15, 0.056, armour),
			capsule(side+"foot", leftFoot+b, rig.Leg, laid(along, 0, -0.045, -0.055), 0.085, 0.045, glove),
		)
	}
	return append(out, part{rig.Hitbox{Name: "shield", HitGroup: rig.Shield, Bone: leftForearm, Prop: 1,
		Shape: rig.Box, At: shieldAt(), Half: geom.V(0.27, 0.45, 0.03)}, metal})
}

// shieldAt is the shield's transform on the left forearm: upright in front of the body of a
// figure that stands and looks straight ahead.
func shieldAt() geom.Transform {
	at := idle().solve().place(leftForearm)
	return geom.Transform{Rotation: at.Rotation.Inverse(), Translation: at.ApplyInverse(geom.V(-0.04, 1.12, -0.52))}
}
