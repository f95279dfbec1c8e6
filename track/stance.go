package track

import (
	"math"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

// stanceScale is grid units of a whole stance: four bits for each part.
const stanceScale = 15

// StanceTime is how long it takes to get into a stance or out of it.
const StanceTime = 150 * clock.Millisecond

// Stance is how a body holds itself. Game.Pose says what it is changing to, and a session
// records how far it has got. The zero Stance is upright on the ground.
type Stance struct {
	// Crouch, Air and Swim are how far the body is into crouching, being in the air and swimming,
	// 0 … 1 each, sent on a grid of 1/15.
	Crouch, Air, Swim float64
}

// Towards returns the stance after some time of changing to another, in each part at most
// time/StanceTime nearer.
func (s Stance) Towards(to Stance, time clock.Micros) Stance {
	most := time.Seconds() / StanceTime.Seconds()
	return Stance{towards(s.Crouch, to.Crouch, most), towards(s.Air, to.Air, most), towards(s.Swim, to.Swim, most)}
}

// towards returns x moved towards another number by at most most.
func towards(x, to, most float64) float64 { return x + geom.Clamp(to-x, -most, most) }

// lerp returns the stance a part t of the way to another.
func (s Stance) lerp(to Stance, t float64) Stance {
	u := 1 - t
	return Stance{
		float64(s.Crouch*u) + float64(to.Crouch*t),
		float64(s.Air*u) + float64(to.Air*t),
		float64(s.Swim*u) + float64(to.Swim*t),
	}.clamped()
}

// blend returns the stance moved by a share of the difference from after to before.
func (s Stance) blend(before, after Stance, share float64) Stance {
	return Stance{
		s.Crouch + float64((before.Crouch-after.Crouch)*share),
		s.Air + float64((before.Air-after.Air)*share),
		s.Swim + float64((before.Swim-after.Swim)*share),
	}.clamped()
}

// clamped returns the stance with each part within 0 … 1.
func (s Stance) clamped() Stance {
	return Stance{geom.Clamp(s.Crouch, 0, 1), geom.Clamp(s.Air, 0, 1), geom.Clamp(s.Swim, 0, 1)}
}

// steps returns the stance in units of the grid; NaN is 0.
func (s Stance) steps() [3]int64 {
	return [3]int64{stanceStep(s.Crouch), stanceStep(s.Air), stanceStep(s.Swim)}
}

// code returns the stance as three times four bits, as a cell stores it. stanceOf reads them again.
func (s Stance) code() uint16 {
	if s == (Stance{}) { // most
		return 0
	}
	n := s.steps()
	return uint16(n[0] | n[1]<<4 | n[2]<<8)
}

// stanceStep returns a part of a stance in units of the grid. NaN compares as not above 0.
func stanceStep(x float64) int64 {
	if !(x > 0) {
		return 0
	}
	return int64(math.Floor(float64(min(x, 1)*stanceScale) + 0.5))
}

// stanceOf is the inverse of Stance.steps. Fifteenths are no binary fractions, so both ends must divide
// in the same way.
func stanceOf(n [3]int64) Stance {
	return Stance{float64(n[0]) / stanceScale, float64(n[1]) / stanceScale, float64(n[2]) / stanceScale}
}

// allStances says that more than one part of a stance is packed.
const allStances = 3

// packStance packs the part of the stance that differs from ref's, or all three.
func (s *Sample) packStance(p *bits.Packer, ref reference) {
	was, is := ref.Stance.steps(), s.Stance.steps()
	which, others := uint64(allStances), 0
	for i := range is {
		if is[i] != was[i] {
			which, others = uint64(i), others+1
		}
	}
	if others > 1 {
		which = allStances
	}
	p.Uint(&which, 2)
	for i := range is {
		if which == allStances || which == uint64(i) {
			n := uint64(is[i])
			p.Uint(&n, 4)
			is[i] = int64(n)
		}
	}
	if p.Writing() {
		return
	}
	s.Stance = stanceOf(is)
	// All three parts are only packed if at least two differ.
	for i := range is {
		if which == allStances && is[i] != was[i] {
			others--
		}
	}
	requireChange(p, which == allStances && others > -2)
}
