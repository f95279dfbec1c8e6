package track

import (
	mathbits "math/bits"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
)

// ReceivedWindow is how many ticks before the newest received snapshot still count: older
// snapshots are used neither to draw nor to judge.
const ReceivedWindow = 64

// AheadTicks is how many ticks after its instant the newest snapshot of a view may be where the server makes up a view
// as if every snapshot had arrived, as for projectiles. It leaves room in the ReceivedWindow for those before the instant.
const AheadTicks = ReceivedWindow * 3 / 4

// Received is which snapshots have arrived. The zero Received is none. Ticks count from 1 and do
// not wrap: a match ends before 2³² ticks (828 days at 60 Hz).
type Received struct {
	Newest uint32 // tick of the newest, 0 for none
	Mask   uint64 // the 64 ticks before it: bit i is tick Newest−1−i
}

// Has reports whether the snapshot of a tick has arrived and still counts.
func (r Received) Has(tick uint32) bool {
	if tick == 0 || tick > r.Newest {
		return false
	}
	d := r.Newest - tick
	return d == 0 || d <= ReceivedWindow && r.Mask>>(d-1)&1 == 1
}

// Before returns the newest tick before the given one, which is at most Newest, whose snapshot
// has arrived and still counts; 0 if there is none.
func (r Received) Before(tick uint32) uint32 {
	m := r.Mask >> (r.Newest - tick)
	back := uint32(mathbits.TrailingZeros64(m)) + 1
	if m == 0 || back >= tick {
		return 0
	}
	return tick - back
}

// Wants reports whether the snapshot of a tick would be of use: it has not arrived and is not
// too old.
func (r Received) Wants(tick uint32) bool {
	if tick == 0 || r.Has(tick) {
		return false
	}
	return tick > r.Newest || r.Newest-tick <= ReceivedWindow
}

// Mark records that the snapshot of a tick has arrived. If Wants is false it records nothing and
// returns false.
func (r *Received) Mark(tick uint32) bool {
	if !r.Wants(tick) {
		return false
	}
	if tick < r.Newest {
		r.Mask |= 1 << (r.Newest - tick - 1)
		return true
	}
	r.Mask, r.Newest = r.MaskBefore(tick), tick
	return true
}

// MaskBefore returns which of the ReceivedWindow snapshots before a tick have arrived: bit i is that
// of i + 1 ticks before.
func (r Received) MaskBefore(tick uint32) uint64 {
	d := tick - r.Newest // a shift by 64 or more leaves nothing
	switch {
	case r.Newest == 0:
		return 0
	case tick == r.Newest:
		return r.Mask
	case tick < r.Newest:
		return r.Mask >> -d
	}
	return r.Mask<<d | 1<<(d-1)
}

// Count returns how many snapshots the set holds.
func (r Received) Count() int {
	if r.Newest == 0 {
		return 0
	}
	return 1 + mathbits.OnesCount64(r.Mask)
}

// Pack packs r: 32 bits if nothing has arrived, else 96. Bits of ticks before the first are
// bits.ErrRange.
func (r *Received) Pack(p *bits.Packer) {
	p.Uint32(&r.Newest)
	if r.Newest == 0 {
		r.Mask = 0
		return
	}
	p.Uint(&r.Mask, 64)
	if n := r.Newest - 1; n < 64 && r.Mask>>n != 0 {
		p.Fail(bits.ErrRange)
		r.Mask = 0
	}
}

// DrawMode is how remote entities are drawn.
type DrawMode uint8

// The drawing modes.
const (
	// DrawInterpolated draws between the samples around the view time.
	DrawInterpolated DrawMode = iota
	// DrawLinear draws the newest sample, extrapolated by its velocity to the view time, by at
	// most MaxDeadReckoning and not into walls (Extrapolation). What the snapshots of
	// View.ArrivedAt corrected is blended out linearly over the time between two samples
	// [SMO-03, SMO-06].
	DrawLinear
	// DrawExponential is DrawLinear with corrections that shrink to 1/e in smoothing.Time
	// [SMO-04, SMO-10].
	DrawExponential
	// DrawNewest draws the newest sample as it is.
	DrawNewest
)

// drawModes is the number of modes.
const drawModes = 4

// Extrapolates reports whether entities are extrapolated to the view time.
func (d DrawMode) Extrapolates() bool { return d == DrawLinear || d == DrawExponential }

// Valid reports whether d is one of the modes.
func (d DrawMode) Valid() bool { return d < drawModes }

// MaxDeadReckoning is how far DrawLinear and DrawExponential extrapolate a path, as the time
// that the distance takes at full speed [SIM-04, GAP-24].
const MaxDeadReckoning = 250 * clock.Millisecond

// View is what a client draws at an instant: the instants and the snapshots from which
// everything in the frame but the player's own character follows.
type View struct {
	// At is the view time: the match time at which remote entities are shown.
	At clock.Micros
	// Platform is the match time at which movers, and their riders, are shown: the stamp
	// of the newest command when the frame was drawn. It is not sent, because a server knows
	// when the command that names the view began; see predict.Authority.Began.
	Platform clock.Micros
	// Seen is which snapshots had arrived.
	Seen Received
	// BlendFrom is which snapshots had arrived before the late samples of an entity that had
	// been extrapolated past its last sample, and BlendAt the view time of the frame after which
	// those samples arrived. They moved entities at that instant from where BlendFrom has them
	// to where Seen has them. That difference is subtracted for BlendTime, with a decreasing
	// weight, so that no entity jumps. BlendAt 0 is a view without blending.
	BlendFrom Received
	BlendAt   clock.Micros
	// Mode is how remote entities were drawn.
	Mode DrawMode
	// ArrivedAt and ArrivedTicks say, of a view that is DrawLinear or DrawExponential, when the
	// last snapshots were first drawn, which is all that smoothing needs besides the samples
	// (AddArrival): after frames of those instants, which were drawn from the snapshots of Seen
	// up to those ticks, bit i being tick Seen.Newest−1−i. There are as many of the one as of
	// the other, and those of the same place belong together. In other views they mean nothing
	// and may be zero.
	ArrivedAt    ArrivalTimes
	ArrivedTicks uint64
}

// BlendTime is for how long a correction by late samples is blended out: at 6 m/s that makes up
// for 0.3 m, half of what MaxExtrapolation can be wrong by, at a third of a runner's speed.
// MaxBlendDistance is the longest correction that is blended, in metres; a longer one is a jump
// [SMO-01].
const (
	BlendTime        = 150 * clock.Millisecond
	MaxBlendDistance = 2.56
)

// Blending reports whether the view depends on BlendFrom: it is of less than BlendTime after
// BlendAt, BlendFrom is not newer than Seen nor more than ReceivedWindow ticks older, and the
// Mode does not extrapolate, since such a mode smooths by arrivals. In every other view
// BlendFrom and BlendAt mean nothing and may be zero.
func (v *View) Blending() bool {
	return !v.Mode.Extrapolates() && v.BlendAt > 0 && v.BlendAt <= v.At && v.At-v.BlendAt < BlendTime &&
		v.BlendFrom.Newest != 0 && v.BlendFrom.Newest <= v.Seen.Newest && v.Seen.Newest-v.BlendFrom.Newest <= ReceivedWindow
}
