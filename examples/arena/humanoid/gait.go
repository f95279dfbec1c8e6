package humanoid

import (
	"math"

	"github.com/backstep-net/backstep/geom"
)

// pace is the parameters of a gait.
type pace struct {
	duty   float64 // share of a cycle in which a foot is on the ground
	way    float64 // half the distance it moves there, in metres
	lift   float64 // of the ankle, at most
	heel   float64 // height of the ankle before the foot leaves the ground
	kick   float64 // how far the heel rises behind, 0 … 1
	height float64 // of the hips, and their bob up and down
	bob    float64
	twist  float64 // of the pelvis to each side, degrees
	aside  bool    // to the right
}

var (
	walking  = pace{duty: 0.56, way: 0.36, lift: 0.10, heel: 0.055, kick: 0.25, height: 0.885, bob: 0.018, twist: 5}
	running  = pace{duty: 0.34, way: 0.37, lift: 0.30, heel: 0.055, kick: 1, height: 0.865, bob: 0.030, twist: 8}
	sideways = pace{duty: 0.40, way: 0.27, lift: 0.12, heel: 0.02, height: 0.865, bob: 0.020, aside: true}
	creeping = pace{duty: 0.54, way: 0.24, lift: 0.06, heel: 0.03, height: 0.33, bob: 0.012, twist: 4}
	sidling  = pace{duty: 0.54, way: 0.18, lift: 0.06, heel: 0.01, height: 0.33, bob: 0.012, aside: true}
)

// step returns the foot that is on the ground in the first half of a cycle: its position
// along the way (positive ahead), its height, and how far its toes point down, in degrees.
func (p *pace) step(phase float64) (along, up, toes float64) {
	phase -= 0.25 - float64(0.5*p.duty)
	phase -= math.Floor(phase)
	if phase < p.duty {
		t := phase / p.duty
		roll := smooth((t - 0.6) / 0.4)
		return float64(p.way * (1 - float64(2*t))), float64(p.heel * roll), float64(28*roll) - float64(8*(1-smooth(t/0.15)))
	}
	t := (phase - p.duty) / (1 - p.duty)
	s, _ := geom.SinCos(float64(math.Pi * t))
	early := smooth(t/0.35) - smooth((t-0.35)/0.65)
	along = float64(p.way*(float64(2*smooth(t))-1)) - float64(float64(p.kick*0.10)*s) - float64(float64(0.14*p.kick)*early)
	up = float64(p.heel*(1-smooth(t/0.3))) + float64(float64(p.lift*s)*s) + float64(float64(0.16*p.kick)*early)
	toes = float64(28*(1-smooth(t))) + float64(float64(35*p.kick)*early) - float64(8*smooth((t-0.7)/0.3))
	return along, up, toes
}

// smooth is smoothstep: 0 at 0, 1 at 1, with zero slope at both.
func smooth(x float64) float64 {
	x = geom.Clamp(x, 0, 1)
	return float64(float64(x*x) * (3 - float64(2*x)))
}

// at returns the pose at a phase of the cycle; trunk sets the pose of the trunk.
func (p *pace) at(phase float64, a *keyPose) *keyPose {
	s, c := geom.SinCos(float64(4 * math.Pi * phase))
	turn, _ := geom.SinCos(float64(2 * math.Pi * phase))
	_, swing := geom.SinCos(float64(2 * math.Pi * (phase - 0.25 + float64(0.5*p.duty))))
	a.hips.Y = p.height + float64(p.bob*c)
	for side, x := range [2]float64{-1, 1} {
		along, up, toes := p.step(phase - float64(0.5*float64(side)))
		l := &a.legs[side]
		if p.aside {
			l.at = geom.V(float64(x*0.13)+along, ankle+up, l.at.Z)
			l.turn = pitched(float64(-0.4 * toes))
		} else {
			l.at = geom.V(float64(x*0.10), ankle+up, a.hips.Z-0.05-along)
			l.turn = pitched(-toes)
		}
	}
	if !p.aside {
		a.twist(float64(-p.twist * swing))
	}
	a.hold(0, geom.V(float64(0.012*turn), float64(-0.4*p.bob*c)+float64(0.004*s), 0))
	return a
}

func (p *pace) upright(phase float64, hips, belly, breast float64) *keyPose {
	a := upright()
	a.hips.Z = 0.05 + float64(0.004*hips)
	a.lean(hips, belly, breast)
	if p.aside {
		a.legs[0].at.Z, a.legs[1].at.Z = -0.07, 0.05
	}
	return p.at(phase, a)
}

func (p *pace) low(phase float64) *keyPose {
	a := crouched()
	if p.aside {
		a.legs[0].at.Z, a.legs[1].at.Z = 0.06, 0.16
	}
	a.legs[0].pole, a.legs[1].pole = geom.V(-0.3, 0.8, -1), geom.V(0.3, 0.8, -1)
	a = p.at(phase, a)
	if !p.aside {
		for side := range 2 {
			a.legs[side].at.Z -= 0.17
			a.legs[side].at.X *= 1.4
		}
	}
	return a
}

// swimming is a breaststroke: hands and legs drawn in, then stretched.
func swimming(phase float64) *keyPose {
	a := upright()
	_, c := geom.SinCos(float64(2 * math.Pi * phase))
	kick := 0.5 - float64(0.5*c) // 0 stretched … 1 drawn in
	a.hips = geom.V(0, 1.00+float64(0.02*c), 0.36)
	a.lean(42, 4, -6)
	back := pitched(-42)
	for side, x := range [2]float64{-1, 1} {
		wide := float64(x * (0.10 + float64(0.20*kick)))
		down := geom.V(wide, -0.84+float64(0.38*kick), 0.03+float64(0.10*kick))
		a.legs[side] = limb{a.hips.Add(back.Rotate(down)), back.Rotate(geom.V(float64(x*1.2), 0, -1)), back.Mul(pitched(-60 + float64(50*kick)))}
	}
	a.stroke(phase)
	return a
}
