package humanoid

import (
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rig"
)

// rate is the keys per second in the file, and cycle the keys of a gait's cycle.
const (
	rate  = 30
	cycle = 16
)

// The strides of the gaits in metres: the length of a cycle of two steps.
const (
	footStride = rig.StrideWrap / 28.0
	lowStride  = rig.StrideWrap / 48.0
	swimStride = rig.StrideWrap / 32.0
)

// Dash and Dead are the humanoid's motions: values of Posture.Clip.
const (
	Dash = 1
	Dead = 255
)

// animation is a clip of the file: keys, the last of a gait equal to its first, and the
// animated bones.
type animation struct {
	name  string
	marks clipExtras
	bones []int
	keys  []*key
}

// clipExtras are the animation's extras.backstep.clip; see docs/rig.md.
type clipExtras struct {
	Stride float64 `json:"stride,omitempty"`
	Motion int     `json:"motion,omitempty"`
	Fade   float64 `json:"fade,omitempty"`
	Hold   bool    `json:"hold,omitempty"`
}

// still returns a clip of one pose.
func still(name string, a *keyPose) animation {
	return animation{name: name, keys: []*key{a.solve()}}
}

// gait returns a clip over one cycle.
func gait(name string, stride float64, at func(phase float64) *keyPose) animation {
	out := animation{name: name, marks: clipExtras{Stride: stride}}
	for i := range cycle + 1 {
		out.keys = append(out.keys, at(float64(i%cycle)/cycle).solve())
	}
	return out
}

// aim returns a clip from straight ahead to straight up or down.
func aim(name string, sign float64) animation {
	out := animation{name: name, bones: []int{spine, chest, neck, head, leftUpperArm, leftForearm, leftHand,
		rightUpperArm, rightForearm, rightHand}}
	for i := range 9 {
		out.keys = append(out.keys, ready(float64(sign*float64(i))*90/8).solve())
	}
	return out
}

// animations returns all clips.
func animations() []animation {
	return []animation{
		still("idle", idle()),
		gait("walk", footStride, func(x float64) *keyPose { return walking.upright(x, 3, 4, 3) }),
		gait("run", footStride, func(x float64) *keyPose { return running.upright(x, 8, 6, 4) }),
		gait("strafe", footStride, func(x float64) *keyPose { return sideways.upright(x, 4, 5, 4) }),
		still("crouch", crouched()),
		gait("crouch_walk", lowStride, creeping.low),
		gait("crouch_strafe", lowStride, sidling.low),
		still("jump", rising()),
		still("fall", falling()),
		still("tread", treading()),
		gait("swim", swimStride, swimming),
		aim("aim_up", 1),
		aim("aim_down", -1),
		dash(),
		dead(),
	}
}

// dash is a lunge of legs and back; the arms keep their aim.
func dash() animation {
	out := animation{name: "dash", marks: clipExtras{Motion: Dash, Fade: 0.06},
		bones: []int{pelvis, spine, leftThigh, leftShin, leftFoot, rightThigh, rightShin, rightFoot}}
	for i := range 7 {
		t := float64(i) / 6
		a := upright()
		a.hips = geom.V(0, 0.76-float64(0.02*t), 0.08)
		a.lean(14, 6, 4)
		a.legs[0] = limb{geom.V(-0.12, ankle+0.03, -0.34-float64(0.05*t)), geom.V(-0.1, 0, -1), pitched(8)}
		a.legs[1] = limb{geom.V(0.13, ankle+0.10, 0.42+float64(0.06*t)), geom.V(0.1, 0, -1), pitched(-50)}
		a.hold(0, geom.Vec3{})
		out.keys = append(out.keys, a.solve())
	}
	return out
}

// dead kneels down and falls onto its back.
func dead() animation {
	out := animation{name: "dead", marks: clipExtras{Motion: Dead, Fade: 0.12, Hold: true}}
	for i := range 19 {
		out.keys = append(out.keys, dying(float64(i)/18).solve())
	}
	return out
}

func dying(t float64) *keyPose {
	sink, back := smooth(t/0.6), smooth((t-0.25)/0.75)
	a := upright()
	a.hips = geom.V(0, 0.885-float64(0.48*sink)-float64(0.275*back), 0.05+float64(0.10*sink)-float64(0.12*back))
	a.lean(float64(10*sink)-float64(92*back)-float64(8*sink*back), 5-float64(4*back), 4-float64(4*back))
	a.trunk[neck] = pitched(6)
	a.trunk[head] = pitched(4)
	for side, x := range [2]float64{-1, 1} {
		l := &a.legs[side]
		l.at = geom.V(float64(x*(0.13+float64(0.12*back))), ankle+float64(0.02*back), float64(-0.10*x*(1-back))-float64(0.60*back)-float64(0.07*x*back))
		l.pole = geom.V(float64(x*0.4), 0.6, -1)
		l.turn = pitched(float64(35 * back)).Mul(yawed(-x * 30 * back))
	}
	a.drop(t, back)
	return a
}

// drop releases the weapon: the right arm falls aside, the left one on the belly.
func (a *keyPose) drop(t, back float64) {
	k := a.solve()
	shoulders := k.place(chest).Apply(geom.V(0, shoulderUp, 0))
	low := max(0.07, shoulders.Y-0.03-float64(0.35*(1-back)))
	ends := [2]geom.Vec3{k.place(spine).Apply(geom.V(0.02, 0.12, -0.19)), geom.V(0.45, low, shoulders.Z-0.10)}
	held := idle()
	for side, x := range [2]float64{-1, 1} {
		from := &held.arms[side]
		a.arms[side] = limb{at: from.at.Lerp(ends[side], smooth(t/0.7)), pole: from.pole.Lerp(geom.V(x, 0.2, 0.4), back)}
	}
}
