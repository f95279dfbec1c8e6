package rig

import (
	"math"

	"github.com/backstep-net/backstep/geom"
)

// Speeds, in m/s, between which one clip is blended into another, and constants of the
// blend.
const (
	// The arena's clips are made for these speeds: at walkFull the walk plays alone.
	walkFull           = 1.8 // from 0 m/s: no idle left
	runFrom, runFull   = 2.0, 4.5
	slowFull           = 1.2  // from 0 m/s: no standing or treading left while crouched or swimming
	fallFrom, fallFull = 2, 2 // at +fallFrom only jump plays, at −fallFull only fall
	// It keeps the number of clips that are blended small: most postures use two.
	minWeight    = 1e-4 // smaller weights count as zero
	lateLowering = 0.7  // the part of the lowering of the hips in a crouch that is quadratic
)

// weightedClip is one clip at one moment and its weight in the pose.
type weightedClip struct {
	clip              *clip
	weight            float64 // of rotations, 0 … 1; they sum to 1
	translationWeight float64 // of the translated bone; they sum to 1
	key               float64 // position in keys, 0 … clip.keys
}

// mix is the clips and weights of a posture: scratch memory of one pose.
//
// It is on the stack of Pose, so no two goroutines share it.
type mix struct {
	clips            [slots]weightedClip
	count            int
	translationScale float64 // factor from weight to translationWeight for the clips being added
	motion           weightedClip
	aim              weightedClip

	rotations   [MaxBones]geom.Quat // not normalised
	translation geom.Vec3
}

// setWeights computes which clips play and with which weights. Every weight is a continuous
// function of every input: a clip has weight zero at the moment when its playing direction
// changes.
//
// Legs that bend at a constant rate lower the hips slowly at first and fast at the end, and
// lateLowering does the same: the feet stay within 10 cm of the ground during the
// transition.
//
// A jump of a weight would be a jump of a hitbox between two ticks: a shot could hit where
// nothing was drawn. TestEveryInputIsContinuous holds it.
func (m *mix) setWeights(r *Rig, p *Posture) {
	low, swims, air := clamp01(p.Crouch), clamp01(p.Swim), clamp01(p.Air)
	up := 1 - low
	// For the translation, upright clips weigh (1 − low)·(1 + 0.7·low) and crouched ones the rest,
	// low·(0.3 + 0.7·low).
	m.translationScale = 1 + float64(lateLowering*low)
	water := float64(up * swims)
	flight := float64(float64(up*(1-swims)) * air)
	ground := float64(float64(up*(1-swims)) * (1 - air))
	g := gaitOf(p)
	m.addUpright(r, &g, ground)
	if flight > minWeight {
		rise := smoothstep(p.Up, -fallFull, fallFrom)
		m.add(r.slots[jump], float64(flight*rise), 0)
		m.add(r.slots[fall], float64(flight*(1-rise)), 0)
	}
	if water > minWeight {
		c := r.slots[swim]
		stroke := smoothstep(g.speed, 0, slowFull)
		m.add(c, float64(water*stroke), c.phase(g.distance, false))
		m.add(r.slots[tread], float64(water*(1-stroke)), 0)
	}
	m.translationScale = 1 - lateLowering + float64(lateLowering*low)
	m.addCrouched(r, &g, low, 1-max(air, swims))
	m.normalise()
	m.setMotion(r, p)
	m.setAim(r, p, 1-water)
}

// gait is the direction and phase of walking.
type gait struct {
	speed             float64
	forward, sideways float64 // shares of the direction, 0 … 1; they sum to 1
	backward, left    bool
	distance          float64
}

// Speeds are limited to 100 m/s, so their squares cannot overflow; a posture may come from
// a packet.
func gaitOf(p *Posture) gait {
	f, r := finiteOrZero(p.Forward), finiteOrZero(p.Right)
	g := gait{backward: f < 0, left: r < 0, distance: p.StrideDistance}
	f, r = min(math.Abs(f), 100), min(math.Abs(r), 100)
	g.speed = math.Sqrt(float64(f*f) + float64(r*r))
	// The shares are those of |forward| and |right|, not of the angle: their sum is 1 in
	// every direction, and no arctangent is needed.
	if sum := f + r; sum > 1e-9 {
		g.forward, g.sideways = f/sum, r/sum
	}
	return g
}

// addUpright adds the clips of an upright body on the ground; weight is their sum.
func (m *mix) addUpright(r *Rig, g *gait, weight float64) {
	if weight <= minWeight {
		return
	}
	moving, fast := smoothstep(g.speed, 0, walkFull), smoothstep(g.speed, runFrom, runFull)
	forward := float64(weight * float64(moving*g.forward))
	// At a slow walk only half of the strafe plays: the full one takes steps as wide as a
	// run.
	sideways := float64(float64(weight*float64(moving*g.sideways)) * (0.5 + float64(0.5*fast)))
	walks, runs := float64(forward*(1-fast)), float64(forward*fast)
	m.add(r.slots[walk], walks, r.slots[walk].phase(g.distance, g.backward))
	m.add(r.slots[run], runs, r.slots[run].phase(g.distance, g.backward))
	m.add(r.slots[strafe], sideways, r.slots[strafe].phase(g.distance, g.left))
	m.add(r.slots[idle], weight-forward-sideways, 0)
}

// addCrouched adds the clips of a crouched body; weight is their sum, grounded the share of
// it that is neither airborne nor swimming.
func (m *mix) addCrouched(r *Rig, g *gait, weight, grounded float64) {
	if weight <= minWeight {
		return
	}
	moving := float64(float64(weight*grounded) * smoothstep(g.speed, 0, slowFull))
	forward, sideways := float64(moving*g.forward), float64(moving*g.sideways)
	m.add(r.slots[crouchWalk], forward, r.slots[crouchWalk].phase(g.distance, g.backward))
	m.add(r.slots[crouchStrafe], sideways, r.slots[crouchStrafe].phase(g.distance, g.left))
	m.add(r.slots[crouch], weight-forward-sideways, 0)
}

// add adds a clip with a weight. A weight up to minWeight counts as zero. minWeight is
// subtracted from every other weight too, so that there is no jump at that threshold.
//
// The count never exceeds slots: each clip of setWeights is added once.
func (m *mix) add(c *clip, weight, key float64) {
	if weight -= minWeight; weight > 0 {
		m.clips[m.count] = weightedClip{c, weight, float64(weight * m.translationScale), key}
		m.count++
	}
}

// normalise makes the weights sum to 1.
//
// The subtraction in add and the two weights make the sums differ from 1 by a few
// ten-thousandths.
func (m *mix) normalise() {
	weight, translation := 0.0, 0.0
	for i := range m.count {
		weight += m.clips[i].weight
		translation += m.clips[i].translationWeight
	}
	for i := range m.count {
		m.clips[i].weight /= weight
		m.clips[i].translationWeight /= translation
	}
}

// setMotion selects the motion that plays and its weight, which rises and falls within the
// fade.
func (m *mix) setMotion(r *Rig, p *Posture) {
	c := r.motions[p.Clip]
	if c == nil || p.ClipTime <= 0 {
		return
	}
	weight := 1.0
	if c.fade > 0 {
		// The weight follows from the time in the motion alone, since no pose knows the one before.
		// So a motion that the game interrupts ends at once.
		in, out := float64(p.ClipTime), float64(c.duration-p.ClipTime)
		if c.hold {
			out = in
		}
		weight = smoothstep(min(in, out), 0, float64(c.fade))
	} else if p.ClipTime >= c.duration && !c.hold {
		weight = 0
	}
	if weight > minWeight {
		at := min(float64(p.ClipTime)/float64(c.duration), 1)
		m.motion = weightedClip{clip: c, weight: weight, key: float64(at * float64(c.keys-1))}
	}
}

// setAim selects the aim clip by the pitch of the view.
//
// While swimming the whole body follows the view, so the clips of aiming fade out with the
// water.
func (m *mix) setAim(r *Rig, p *Posture, weight float64) {
	c, pitch := r.slots[aimUp], finiteOrZero(p.Pitch)
	if pitch < 0 {
		c, pitch = r.slots[aimDown], -pitch
	}
	if c == nil || weight <= minWeight || pitch == 0 {
		return
	}
	m.aim = weightedClip{clip: c, weight: weight, key: float64(min(pitch/(math.Pi/2), 1) * float64(c.keys-1))}
}

// phase returns the position in the keys of a gait after the given distance. Backwards the
// gait is mirrored about the middle of the time in which the left foot carries the body, so
// that both directions agree on that foot.
//
// The distance is wrapped at StrideWrap, a whole number of cycles of every gait: no step is
// broken when it wraps.
func (c *clip) phase(distance float64, backwards bool) float64 {
	// A clip that is no gait and stands in for one: of that the first key is used in every direction.
	if c.cycles == 0 {
		return 0
	}
	x := float64(float64(distance*float64(c.cycles)) * (1.0 / StrideWrap))
	// NaN and distances from hostile packets: the floor of such a number is not exact.
	if !(x > -1e9 && x < 1e9) {
		return 0
	}
	if backwards {
		x = 0.5 - x
	}
	return float64((x - math.Floor(x)) * float64(c.keys))
}

// smoothstep rises from 0 at lo to 1 at hi with zero slope at both.
//
// The zero slope at both ends keeps the angular velocity of a limb continuous where a clip
// begins to play.
func smoothstep(x, lo, hi float64) float64 {
	x = clamp01((x - lo) / (hi - lo))
	return float64(float64(x*x) * (3 - float64(2*x)))
}

// clamp01 returns x limited to 0 … 1, and 0 for NaN.
func clamp01(x float64) float64 {
	if !(x > 0) {
		return 0
	}
	return min(x, 1)
}

func finiteOrZero(x float64) float64 {
	if geom.Finite(x) {
		return x
	}
	return 0
}
