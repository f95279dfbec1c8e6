package humanoid

import (
	"math"

	"github.com/backstep-net/backstep/geom"
)

// held is the rotation of a hand that holds a weapon pointing ahead: fingers ahead, thumb
// up.
var held = pitched(90)

// upright is the pose of standing straight, arms hanging: the base of the others.
func upright() *keyPose {
	a := &keyPose{hips: geom.V(0, hipHeight, 0)}
	for b := range a.trunk {
		a.trunk[b] = geom.IdentityQuat
	}
	for side, x := range [2]float64{-1, 1} {
		a.legs[side] = limb{geom.V(float64(x*0.11), ankle, 0), geom.V(float64(x*0.15), 0, -1), yawed(float64(-8 * x))}
	}
	return a
}

// lean bends the trunk forwards by so many degrees in total, the head looking ahead.
func (a *keyPose) lean(hips, belly, breast float64) {
	a.trunk[pelvis] = pitched(-hips)
	a.trunk[spine] = pitched(-belly)
	a.trunk[chest] = pitched(-breast)
	all := hips + belly + breast
	a.trunk[neck] = pitched(float64(0.35 * all))
	a.trunk[head] = pitched(float64(0.65 * all))
}

// twist turns the pelvis, the chest back the other way, and the head straight.
func (a *keyPose) twist(degrees float64) {
	a.trunk[pelvis] = yawed(degrees).Mul(a.trunk[pelvis])
	a.trunk[chest] = yawed(float64(-1.3 * degrees)).Mul(a.trunk[chest])
	a.trunk[neck] = yawed(float64(0.3 * degrees)).Mul(a.trunk[neck])
}

// hold puts both hands on a weapon at a pitch in degrees, displaced by sway metres.
func (a *keyPose) hold(pitch float64, sway geom.Vec3) {
	k := key{move: a.hips}
	for b := range k.turns {
		k.turns[b] = geom.IdentityQuat
	}
	copy(k.turns[:], a.trunk[:])
	shoulders := k.place(chest).Apply(geom.V(0, shoulderUp, 0))
	aim := pitched(pitch)
	at := func(x, y, z float64) geom.Vec3 { return shoulders.Add(aim.Rotate(geom.V(x, y, z))).Add(sway) }
	a.arms[0] = limb{at(0.02, -0.05, -0.45), aim.Rotate(geom.V(-0.5, -1, 0.1)), aim.Mul(held).Mul(yawed(60))}
	a.arms[1] = limb{at(0.09, -0.06, -0.24), aim.Rotate(geom.V(0.7, -1, 0.2)), aim.Mul(held)}
}

// idle stands ready, knees slightly bent, the left foot ahead.
func idle() *keyPose { return ready(0) }

// ready stands and aims up by pitch degrees: a little with the back, more with the neck,
// and the rest with the arms.
func ready(pitch float64) *keyPose {
	a := upright()
	a.hips = geom.V(0, 0.885, 0.05)
	a.lean(2, 5, 4)
	a.trunk[spine] = pitched(float64(0.06 * pitch)).Mul(a.trunk[spine])
	a.trunk[chest] = pitched(float64(0.10 * pitch)).Mul(a.trunk[chest])
	a.trunk[neck] = pitched(float64(0.10 * pitch)).Mul(a.trunk[neck])
	a.trunk[head] = pitched(float64(0.50 * pitch)).Mul(a.trunk[head])
	a.legs[0].at = geom.V(-0.13, ankle, -0.13)
	a.legs[1].at = geom.V(0.14, ankle, 0.16)
	a.legs[1].turn = yawed(-20)
	a.hold(pitch, geom.Vec3{})
	return a
}

// crouched sits on the heels, bent forwards, so that the head is at the eye height of
// crouching.
func crouched() *keyPose {
	a := upright()
	a.hips = geom.V(0, 0.33, 0.34)
	a.lean(45, 18, 8)
	a.legs[0] = limb{geom.V(-0.15, ankle, -0.12), geom.V(-0.45, 0.2, -1), yawed(12)}
	a.legs[1] = limb{geom.V(0.17, 0.165, 0.26), geom.V(0.6, 0, -1), yawed(-15).Mul(pitched(-35))}
	a.hold(0, geom.Vec3{})
	return a
}

// rising has just jumped: one knee up, the other leg trailing.
func rising() *keyPose {
	a := upright()
	a.hips = geom.V(0, 0.93, 0.04)
	a.lean(3, 5, 3)
	a.legs[0] = limb{geom.V(-0.12, 0.36, -0.16), geom.V(-0.1, 0.2, -1), pitched(-25)}
	a.legs[1] = limb{geom.V(0.12, 0.15, 0.22), geom.V(0.1, 0, -1), pitched(-45)}
	a.hold(0, geom.V(0, 0.03, 0))
	return a
}

// falling spreads the legs a little and is about to meet the ground.
func falling() *keyPose {
	a := upright()
	a.hips = geom.V(0, 0.92, 0.04)
	a.lean(4, 6, 4)
	a.legs[0] = limb{geom.V(-0.19, 0.19, -0.17), geom.V(-0.3, 0, -1), pitched(-15)}
	a.legs[1] = limb{geom.V(0.19, 0.24, 0.12), geom.V(0.3, 0, -1), pitched(-30)}
	a.hold(0, geom.V(0, 0.02, 0))
	return a
}

// treading keeps upright in the water.
func treading() *keyPose {
	a := upright()
	a.hips = geom.V(0, 0.90, 0.10)
	a.lean(8, 5, 3)
	a.legs[0] = limb{geom.V(-0.22, 0.24, -0.12), geom.V(-0.5, 0, -1), pitched(-35)}
	a.legs[1] = limb{geom.V(0.22, 0.30, 0.14), geom.V(0.5, 0, -1), pitched(-50)}
	a.stroke(0.45)
	return a
}

// stroke sets the hands for a phase of the breaststroke, 0 … 1: reached out ahead, swept to
// the sides, drawn in below the chest.
func (a *keyPose) stroke(phase float64) {
	s, c := geom.SinCos(float64(2 * math.Pi * phase))
	k := key{move: a.hips}
	for b := range k.turns {
		k.turns[b] = geom.IdentityQuat
	}
	copy(k.turns[:], a.trunk[:])
	shoulders := k.place(chest).Apply(geom.V(0, shoulderUp, 0))
	for side, x := range [2]float64{-1, 1} {
		wide := 0.24 + float64(0.20*s)
		at := shoulders.Add(geom.V(float64(x*wide), -0.14+float64(0.08*c), -0.27-float64(0.17*c)))
		a.arms[side] = limb{at, geom.V(x, -0.6, 0.2), yawed(-x * 25).Mul(held).Mul(yawed(x * 70))}
	}
}
