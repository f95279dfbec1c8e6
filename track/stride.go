package track

import (
	"math"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/geom"
)

// StrideWrap is where Sample.StrideDistance begins again, in metres: rig.StrideWrap.
const StrideWrap = 64

// StrideScale is grid units a metre of Sample.StrideDistance: in a step of it a leg swings by half
// a degree.
const StrideScale = 256

// strideRound is WalkedRound in units of the grid.
const strideRound = StrideWrap * StrideScale

// strideSteps returns a way in units of the grid, 0 … walkedRound − 1; of what is no number
// it is 0.
func strideSteps(x float64) int64 {
	if x == 0 || !geom.Finite(x) {
		return 0
	}
	return int64(math.Floor(float64(WrapStride(x)*StrideScale)+0.5)) % strideRound
}

// WrapStride returns a way of any length as one of 0 … WalkedRound metres.
func WrapStride(x float64) float64 {
	if x -= float64(StrideWrap * math.Floor(x/StrideWrap)); x < StrideWrap {
		return x
	}
	return 0 // one that rounding made whole
}

// strideDifference returns a difference of two ways as it is the shorter way round.
func strideDifference(d float64) float64 {
	return d - float64(StrideWrap*math.Floor(float64(d/StrideWrap)+0.5))
}

// strideTo returns the way walked a part t of the way from a to b: by as much more than
// a's as comes nearest to what their speeds lead one to think.
func (a *Sample) strideTo(b *Sample, t float64) float64 {
	usual := float64((a.groundSpeed() + b.groundSpeed()) / 2 * (b.At - a.At).Seconds())
	way := usual + strideDifference(b.StrideDistance-a.StrideDistance-usual)
	return WrapStride(a.StrideDistance + float64(way*t))
}

// groundSpeed returns the speed over the ground, relative to what is stood on, in m/s.
func (s *Sample) groundSpeed() float64 {
	if s.Up.IsZero() { // most
		return flat(s.Velocity.X, s.Velocity.Z)
	}
	return s.Velocity.Flat(s.UpVector()).Len()
}

// packStride packs by how much further the sample has walked than by the way that one would
// think who knows ref and the places of both: in a bit, mostly. Who had not walked at all
// by then is not thought to.
func (s *Sample) packStride(p *bits.Packer, ref *Sample, l *pathPiece) {
	guess := int64(ref.StrideDistance * StrideScale)
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

// pathPiece is a piece of a path, in units of the grids: where it leads to and comes from, the
// velocities there and here, and how many steps of StampGrid it takes.
type pathPiece struct {
	to, from, was, v steps
	apart            int64
}

// groundDistance returns how long the leg is over the ground, in units of Walked: the length of the
// cubic through its ends with their velocities, by Simpson's rule. Up is +Y in it, wherever
// it is: elsewhere the guess is worse.
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
	n := int64(math.Floor(min(long/simpson, 1<<40) + 0.5))
	if l.apart < 0 {
		return -n
	}
	return n
}

func flat(x, z float64) float64 { return math.Sqrt(float64(x*x) + float64(z*z)) }
