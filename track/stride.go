package track

import (
	"math"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/geom"
)

// StrideWrap is where Sample.StrideDistance begins again, in metres: rig.StrideWrap.
const StrideWrap = 64

// StrideScale is grid units per metre of Sample.StrideDistance: one step of it swings a leg by
// half a degree.
const StrideScale = 256

// strideRound is StrideWrap in units of the grid.
const strideRound = StrideWrap * StrideScale

// strideSteps returns a distance in units of the grid, 0 … strideRound − 1; 0 for what is not
// finite.
func strideSteps(x float64) int64 {
	if x == 0 || !geom.Finite(x) {
		return 0
	}
	return int64(math.Floor(float64(WrapStride(x)*StrideScale)+0.5)) % strideRound
}

// WrapStride returns a distance of any length as one of 0 … StrideWrap metres.
func WrapStride(x float64) float64 {
	if x -= float64(StrideWrap * math.Floor(x/StrideWrap)); x < StrideWrap {
		return x
	}
	return 0 // rounding gave a whole round
}

// strideDifference returns a difference of two distances the shorter way round.
func strideDifference(d float64) float64 {
	return d - float64(StrideWrap*math.Floor(float64(d/StrideWrap)+0.5))
}

// strideTo returns the stride distance a part t of the way from a to b: a's plus the difference
// that comes nearest to what their speeds suggest.
func (a *Sample) strideTo(b *Sample, t float64) float64 {
	usual := float64((a.groundSpeed() + b.groundSpeed()) / 2 * (b.At - a.At).Seconds())
	way := usual + strideDifference(b.StrideDistance-a.StrideDistance-usual)
	return WrapStride(a.StrideDistance + float64(way*t))
}

// groundSpeed returns the speed over the ground, relative to the base, in m/s.
func (s *Sample) groundSpeed() float64 {
	if s.Up.IsZero() { // most
		return flat(s.Velocity.X, s.Velocity.Z)
	}
	return s.Velocity.Flat(s.UpVector()).Len()
}

// packStride packs the difference between the stride distance and the one that follows from the
// reference's and the two positions: one bit, mostly. If the reference's is 0 the guess is 0 too,
// for an entity that does not walk.
func (s *Sample) packStride(p *bits.Packer, ref float64, l *pathPiece) {
	guess := int64(ref * StrideScale)
	if guess != 0 {
		guess += l.groundDistance()
	}
	d := (int64(s.StrideDistance*StrideScale)-guess+strideRound/2)&(strideRound-1) - strideRound/2
	p.Residual(&d, 0)
	if p.Writing() {
		return
	}
	if d < -strideRound/2 || d >= strideRound/2 {
		p.Fail(bits.ErrRange)
		d = 0
	}
	s.StrideDistance = float64((guess+d)&(strideRound-1)) / StrideScale
}

// pathPiece is a piece of a path, in units of the grids: its end and its beginning, the
// velocities at its beginning and its end, and how many steps of StampGrid it takes.
type pathPiece struct {
	to, from, was, v steps
	apart            int64
}

// groundDistance returns the length over the ground, in units of StrideDistance: that of the
// cubic through the ends with their velocities, by Simpson's rule. It takes +Y as up; with
// another Up the guess is worse.
func (l *pathPiece) groundDistance() int64 {
	const (
		aStep   = float64(perStep) / 2 // as perStep, of one velocity
		simpson = 6 * PositionScale / StrideScale
	)
	mid := func(axis int) float64 { // where the middle's velocity would lead
		return float64(float64(3*(l.to[axis]-l.from[axis]))/2) - float64((l.was[axis]+l.v[axis])*l.apart)/(4*aStep)
	}
	ends := flat(float64(l.was[0]), float64(l.was[2])) + flat(float64(l.v[0]), float64(l.v[2]))
	long := float64(ends*math.Abs(float64(l.apart)))/aStep + float64(4*flat(mid(0), mid(2)))
	// Two samples that are far apart lead to a number that no int64 holds.
	n := int64(math.Floor(min(long/simpson, 1<<40) + 0.5))
	if l.apart < 0 {
		return -n
	}
	return n
}

// flat returns the length of a horizontal vector.
func flat(x, z float64) float64 { return math.Sqrt(float64(x*x) + float64(z*z)) }
