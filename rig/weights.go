package rig

import (
	"math"

	"github.com/backstep-net/backstep/geom"
)

// The speeds, in m/s, from which and to which one way of moving becomes another.
const (
	walkFull           = 1.8 // from 0: no longer idle
	runFrom, runFull   = 2.0, 4.5
	slowFull           = 1.2  // from 0: no longer still while crouched or swimming
	fallFrom, fallFull = 2, 2 // rising at fallFrom is all jump, falling at fallFull all fall
	minWeight          = 1e-4 // of the pose; less counts as none
	lateLowering       = 0.7  // of the way that the hips go in a crouch, as the square
)

// weightedClip is how much of a pose is one clip's at one of its moments.
type weightedClip struct {
	clip              *clip
	weight            float64 // 0 … 1; those of a mix sum to 1
	translationWeight float64 // its part of where the moving bone is, likewise
	key               float64 // in keys, 0 … clip.keys
}

// mix is a posture as the clips that make it up: scratch of one pose.
type mix struct {
	clips            [slots]weightedClip
	count            int
	translationScale float64 // of the shares being added, for each part
	motion           weightedClip
	aim              weightedClip

	rotations   [MaxBones]geom.Quat // of any length
	translation geom.Vec3
}

// setWeights says how much of what a posture is. Every share is continuous in every input: what
// is about to be played another way round has no share then.
//
// Legs that bend evenly let the hips down slowly first and fast in the end, and so does
// sinkLate: feet stay within a hand of the ground while somebody crouches.
func (m *mix) setWeights(r *Rig, p *Posture) {
	low, swims, air := clamp01(p.Crouch), clamp01(p.Swim), clamp01(p.Air)
	up := 1 - low
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

// gait is where legs go.
type gait struct {
	speed             float64
	forward, sideways float64 // shares of the way, 0 … 1, together 1
	backward, left    bool
	distance          float64
}

func gaitOf(p *Posture) gait {
	f, r := finiteOrZero(p.Forward), finiteOrZero(p.Right)
	g := gait{backward: f < 0, left: r < 0, distance: p.StrideDistance}
	f, r = min(math.Abs(f), 100), min(math.Abs(r), 100)
	g.speed = math.Sqrt(float64(f*f) + float64(r*r))
	if sum := f + r; sum > 1e-9 {
		g.forward, g.sideways = f/sum, r/sum
	}
	return g
}

// addUpright shares out what is upright on the ground.
func (m *mix) addUpright(r *Rig, g *gait, part float64) {
	if part <= minWeight {
		return
	}
	move, fast := smoothstep(g.speed, 0, walkFull), smoothstep(g.speed, runFrom, runFull)
	ahead := float64(part * float64(move*g.forward))
	aside := float64(float64(part*float64(move*g.sideways)) * (0.5 + float64(0.5*fast)))
	walks, runs := float64(ahead*(1-fast)), float64(ahead*fast)
	m.add(r.slots[walk], walks, r.slots[walk].phase(g.distance, g.backward))
	m.add(r.slots[run], runs, r.slots[run].phase(g.distance, g.backward))
	m.add(r.slots[strafe], aside, r.slots[strafe].phase(g.distance, g.left))
	m.add(r.slots[idle], part-ahead-aside, 0)
}

// addCrouched shares out what is low; step is how much of it has the ground under its feet.
func (m *mix) addCrouched(r *Rig, g *gait, part, step float64) {
	if part <= minWeight {
		return
	}
	move := float64(float64(part*step) * smoothstep(g.speed, 0, slowFull))
	ahead, aside := float64(move*g.forward), float64(move*g.sideways)
	m.add(r.slots[crouchWalk], ahead, r.slots[crouchWalk].phase(g.distance, g.backward))
	m.add(r.slots[crouchStrafe], aside, r.slots[crouchStrafe].phase(g.distance, g.left))
	m.add(r.slots[crouch], part-ahead-aside, 0)
}

// add gives a clip its share. What is hardly any is none; the step that this would be is
// taken off the others too.
func (m *mix) add(c *clip, part, at float64) {
	if part -= minWeight; part > 0 {
		m.clips[m.count] = weightedClip{c, part, float64(part * m.translationScale), at}
		m.count++
	}
}

// normalise makes the shares sum to 1.
func (m *mix) normalise() {
	sum, sink := 0.0, 0.0
	for i := range m.count {
		sum += m.clips[i].weight
		sink += m.clips[i].translationWeight
	}
	for i := range m.count {
		m.clips[i].weight /= sum
		m.clips[i].translationWeight /= sink
	}
}

// setMotion is the motion that plays, coming and going within its fade.
func (m *mix) setMotion(r *Rig, p *Posture) {
	c := r.motions[p.Clip]
	if c == nil || p.ClipTime <= 0 {
		return
	}
	part := 1.0
	if c.fade > 0 {
		in, out := float64(p.ClipTime), float64(c.duration-p.ClipTime)
		if c.hold {
			out = in
		}
		part = smoothstep(min(in, out), 0, float64(c.fade))
	} else if p.ClipTime >= c.duration && !c.hold {
		part = 0
	}
	if part > minWeight {
		at := min(float64(p.ClipTime)/float64(c.duration), 1)
		m.motion = weightedClip{clip: c, weight: part, key: float64(at * float64(c.keys-1))}
	}
}

// setAim is where the view points to.
func (m *mix) setAim(r *Rig, p *Posture, part float64) {
	c, pitch := r.slots[aimUp], finiteOrZero(p.Pitch)
	if pitch < 0 {
		c, pitch = r.slots[aimDown], -pitch
	}
	if c == nil || part <= minWeight || pitch == 0 {
		return
	}
	m.aim = weightedClip{clip: c, weight: part, key: float64(min(pitch/(math.Pi/2), 1) * float64(c.keys-1))}
}

// phase returns where in a gait's keys somebody is who has walked so far; backwards for
// one who walks backwards, about the middle of what carries the left foot, so that it is
// the same foot.
func (c *clip) phase(walked float64, backwards bool) float64 {
	x := float64(float64(walked*float64(c.cycles)) * (1.0 / StrideWrap))
	if !(x > -1e9 && x < 1e9) {
		return 0
	}
	if backwards {
		x = 0.5 - x
	}
	return float64((x - math.Floor(x)) * float64(c.keys))
}

// smoothstep goes from 0 at lo to 1 at hi, evenly at both.
func smoothstep(x, lo, hi float64) float64 {
	x = clamp01((x - lo) / (hi - lo))
	return float64(float64(x*x) * (3 - float64(2*x)))
}

// clamp01 returns x limited to 0 … 1, 0 for what is no number.
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
