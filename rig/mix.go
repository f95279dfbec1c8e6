package rig

import (
	"math"

	"github.com/backstep-net/backstep/geom"
)

// The speeds, in m/s, from which and to which one way of moving becomes another.
const (
	walkFull           = 1.8 // from 0: no longer idle
	runFrom, runFull   = 2.0, 4.5
	creepFull          = 1.2  // from 0: no longer still while crouched or swimming
	fallFrom, fallFull = 2, 2 // rising at fallFrom is all jump, falling at fallFull all fall
	leastShare         = 1e-4 // of the pose; less counts as none
	sinkLate           = 0.7  // of the way that the hips go in a crouch, as the square
)

// share is how much of a pose is one clip's at one of its moments.
type share struct {
	clip *clip
	part float64 // 0 … 1; those of a mix sum to 1
	sink float64 // its part of where the moving bone is, likewise
	at   float64 // in keys, 0 … clip.keys
}

// mix is a posture as the clips that make it up: scratch of one pose.
type mix struct {
	shares [slots]share
	count  int
	sink   float64 // of the shares being added, for each part
	motion share
	aim    share

	turns [MaxBones]geom.Quat // of any length
	move  geom.Vec3
}

// weigh says how much of what a posture is. Every share is continuous in every input: what
// is about to be played another way round has no share then.
//
// Legs that bend evenly let the hips down slowly first and fast in the end, and so does
// sinkLate: feet stay within a hand of the ground while somebody crouches.
func (m *mix) weigh(r *Rig, p *Posture) {
	low, swims, air := within1(p.Crouch), within1(p.Swim), within1(p.Air)
	up := 1 - low
	m.sink = 1 + float64(sinkLate*low)
	water := float64(up * swims)
	flight := float64(float64(up*(1-swims)) * air)
	ground := float64(float64(up*(1-swims)) * (1 - air))
	g := gaitOf(p)
	m.legs(r, &g, ground)
	if flight > leastShare {
		rise := ramp(p.Up, -fallFull, fallFrom)
		m.add(r.slots[jump], float64(flight*rise), 0)
		m.add(r.slots[fall], float64(flight*(1-rise)), 0)
	}
	if water > leastShare {
		c := r.slots[swim]
		stroke := ramp(g.speed, 0, creepFull)
		m.add(c, float64(water*stroke), c.phase(g.walked, false))
		m.add(r.slots[tread], float64(water*(1-stroke)), 0)
	}
	m.sink = 1 - sinkLate + float64(sinkLate*low)
	m.crept(r, &g, low, 1-max(air, swims))
	m.even()
	m.play(r, p)
	m.point(r, p, 1-water)
}

// gait is where legs go.
type gait struct {
	speed        float64
	ahead, aside float64 // shares of the way, 0 … 1, together 1
	back, left   bool
	walked       float64
}

func gaitOf(p *Posture) gait {
	f, r := finite(p.Forward), finite(p.Right)
	g := gait{back: f < 0, left: r < 0, walked: p.StrideDistance}
	f, r = min(math.Abs(f), 100), min(math.Abs(r), 100)
	g.speed = math.Sqrt(float64(f*f) + float64(r*r))
	if sum := f + r; sum > 1e-9 {
		g.ahead, g.aside = f/sum, r/sum
	}
	return g
}

// legs shares out what is upright on the ground.
func (m *mix) legs(r *Rig, g *gait, part float64) {
	if part <= leastShare {
		return
	}
	move, fast := ramp(g.speed, 0, walkFull), ramp(g.speed, runFrom, runFull)
	ahead := float64(part * float64(move*g.ahead))
	aside := float64(float64(part*float64(move*g.aside)) * (0.5 + float64(0.5*fast)))
	walks, runs := float64(ahead*(1-fast)), float64(ahead*fast)
	m.add(r.slots[walk], walks, r.slots[walk].phase(g.walked, g.back))
	m.add(r.slots[run], runs, r.slots[run].phase(g.walked, g.back))
	m.add(r.slots[strafe], aside, r.slots[strafe].phase(g.walked, g.left))
	m.add(r.slots[idle], part-ahead-aside, 0)
}

// crept shares out what is low; step is how much of it has the ground under its feet.
func (m *mix) crept(r *Rig, g *gait, part, step float64) {
	if part <= leastShare {
		return
	}
	move := float64(float64(part*step) * ramp(g.speed, 0, creepFull))
	ahead, aside := float64(move*g.ahead), float64(move*g.aside)
	m.add(r.slots[crouchWalk], ahead, r.slots[crouchWalk].phase(g.walked, g.back))
	m.add(r.slots[crouchStrafe], aside, r.slots[crouchStrafe].phase(g.walked, g.left))
	m.add(r.slots[crouch], part-ahead-aside, 0)
}

// add gives a clip its share. What is hardly any is none; the step that this would be is
// taken off the others too.
func (m *mix) add(c *clip, part, at float64) {
	if part -= leastShare; part > 0 {
		m.shares[m.count] = share{c, part, float64(part * m.sink), at}
		m.count++
	}
}

// even makes the shares sum to 1.
func (m *mix) even() {
	sum, sink := 0.0, 0.0
	for i := range m.count {
		sum += m.shares[i].part
		sink += m.shares[i].sink
	}
	for i := range m.count {
		m.shares[i].part /= sum
		m.shares[i].sink /= sink
	}
}

// play is the motion that plays, coming and going within its fade.
func (m *mix) play(r *Rig, p *Posture) {
	c := r.motions[p.Clip]
	if c == nil || p.ClipTime <= 0 {
		return
	}
	part := 1.0
	if c.fade > 0 {
		in, out := float64(p.ClipTime), float64(c.length-p.ClipTime)
		if c.hold {
			out = in
		}
		part = ramp(min(in, out), 0, float64(c.fade))
	} else if p.ClipTime >= c.length && !c.hold {
		part = 0
	}
	if part > leastShare {
		at := min(float64(p.ClipTime)/float64(c.length), 1)
		m.motion = share{clip: c, part: part, at: float64(at * float64(c.keys-1))}
	}
}

// point is where the view points to.
func (m *mix) point(r *Rig, p *Posture, part float64) {
	c, pitch := r.slots[aimUp], finite(p.Pitch)
	if pitch < 0 {
		c, pitch = r.slots[aimDown], -pitch
	}
	if c == nil || part <= leastShare || pitch == 0 {
		return
	}
	m.aim = share{clip: c, part: part, at: float64(min(pitch/(math.Pi/2), 1) * float64(c.keys-1))}
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

// ramp goes from 0 at lo to 1 at hi, evenly at both.
func ramp(x, lo, hi float64) float64 {
	x = within1((x - lo) / (hi - lo))
	return float64(float64(x*x) * (3 - float64(2*x)))
}

// within1 returns x limited to 0 … 1, 0 for what is no number.
func within1(x float64) float64 {
	if !(x > 0) {
		return 0
	}
	return min(x, 1)
}

func finite(x float64) float64 {
	if geom.Finite(x) {
		return x
	}
	return 0
}
