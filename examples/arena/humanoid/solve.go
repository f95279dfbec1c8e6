package humanoid

import (
	"math"

	"github.com/backstep-net/backstep/geom"
)

// keyPose is the input of a key: the trunk bone by bone, and the positions of feet and
// hands.
type keyPose struct {
	hips  geom.Vec3 // where the pelvis is
	trunk [head + 1]geom.Quat
	legs  [2]limb // left, right
	arms  [2]limb
}

// limb is the position of an ankle or wrist in the figure's space, the rotation of foot or
// hand there (zero: straight ahead), and the direction of knee or elbow.
type limb struct {
	at, pole geom.Vec3
	turn     geom.Quat
}

// key is a solved pose: every bone in its parent's space.
type key struct {
	move  geom.Vec3
	turns [bones]geom.Quat
}

// place returns a bone's transform in the figure's space.
func (k *key) place(b int) geom.Transform {
	at := geom.Transform{Rotation: k.turns[b], Translation: skeleton[b].at}
	if b == pelvis {
		at.Translation = k.move
		return at
	}
	up := k.place(skeleton[b].parent)
	return geom.Transform{Rotation: up.Rotation.Mul(at.Rotation), Translation: up.Apply(at.Translation)}
}

// solve computes every bone's rotation.
func (a *keyPose) solve() *key {
	k := &key{move: a.hips}
	for b := range k.turns {
		k.turns[b] = geom.IdentityQuat
	}
	copy(k.turns[:], a.trunk[:])
	for side := range 2 {
		k.reach(leftThigh+3*side, thighLong, shinLong, &a.legs[side], -1)
		k.reach(leftUpperArm+4*side, upperLong, forearm, &a.arms[side], 1)
	}
	return k
}

// reach rotates the two bones from b on, and the one at their end, so that the end is at
// l.at, or as near as they reach. bend is 1 for a joint that bends forwards, such as an
// elbow, and −1 for a knee.
func (k *key) reach(b int, upper, lower float64, l *limb, bend float64) {
	from := k.place(b).Translation
	way := l.at.Sub(from)
	length := geom.Clamp(way.Len(), math.Abs(upper-lower)+0.02, float64((upper+lower)*0.9995))
	way = way.Unit()
	cos := (float64(upper*upper) + float64(length*length) - float64(lower*lower)) / float64(2*float64(upper*length))
	aside := l.pole.Flat(way).Unit()
	joint := from.MulAdd(way, float64(upper*cos)).MulAdd(aside, float64(upper*math.Sqrt(max(0, 1-float64(cos*cos)))))
	end := from.MulAdd(way, length)
	first, second := joint.Sub(from).Unit(), end.Sub(joint).Unit()
	hinge := way.Cross(aside).Mul(-bend).Unit()
	k.turn(b, hung(first, hinge))
	k.turn(b+1, hung(second, hinge))
	if l.turn != (geom.Quat{}) {
		k.turn(b+2, l.turn)
	}
}

// turn sets a bone's rotation in the figure's space.
func (k *key) turn(b int, to geom.Quat) {
	k.turns[b] = k.place(skeleton[b].parent).Rotation.Inverse().Mul(to).Unit()
}

// hung returns the rotation of a bone whose −Y points along down and whose X points along
// x.
func hung(down, x geom.Vec3) geom.Quat {
	q := geom.Arc(geom.V(0, -1, 0), down)
	return geom.Arc(q.Rotate(geom.V(1, 0, 0)), x.Flat(down).Unit()).Mul(q).Unit()
}

// pitched returns a rotation about X by degrees, upwards for what points ahead; yawed one
// about Y, to the left.
func pitched(degrees float64) geom.Quat { return turned(geom.V(1, 0, 0), degrees) }
func yawed(degrees float64) geom.Quat   { return turned(geom.V(0, 1, 0), degrees) }

func turned(axis geom.Vec3, degrees float64) geom.Quat {
	return geom.AxisAngle(axis, float64(degrees*math.Pi)/180)
}
