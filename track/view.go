package track

import (
	mathbits "math/bits"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
)

// ReceivedWindow is how many ticks before the newest received frame still count: older
// frames are used by nobody, neither to draw nor to judge.
const ReceivedWindow = 64

// Received is which frames have come: the newest and, as bits, the 64 ticks
// before it (bit i is tick Newest−1−i). The zero Received is none. Ticks count
// from 1 and do not wrap: a match ends before 2³² ticks (828 days at 60 Hz).
type Received struct {
	Newest uint32
	Mask   uint64
}

// Has reports whether tick has come and still counts.
func (r Received) Has(tick uint32) bool {
	if tick == 0 || tick > r.Newest {
		return false
	}
	d := r.Newest - tick
	return d == 0 || d <= ReceivedWindow && r.Mask>>(d-1)&1 == 1
}

// Before returns the newest tick before the given one, itself Newest at most, that has come
// and still counts; 0 is none.
func (r Received) Before(tick uint32) uint32 {
	m := r.Mask >> (r.Newest - tick)
	back := uint32(mathbits.TrailingZeros64(m)) + 1
	if m == 0 || back >= tick {
		return 0
	}
	return tick - back
}

// Wants reports whether a frame of tick would be of use: it has not come and is
// not too old.
func (r Received) Wants(tick uint32) bool {
	if tick == 0 || r.Has(tick) {
		return false
	}
	return tick > r.Newest || r.Newest-tick <= ReceivedWindow
}

// Mark notes that tick has come. It reports false, and notes nothing, where
// Wants does.
func (r *Received) Mark(tick uint32) bool {
	if !r.Wants(tick) {
		return false
	}
	if tick < r.Newest {
		r.Mask |= 1 << (r.Newest - tick - 1)
		return true
	}
	if d := tick - r.Newest; r.Newest == 0 || d > ReceivedWindow {
		r.Mask = 0
	} else {
		// A shift by 64 leaves nothing, as it should.
		r.Mask = r.Mask<<d | 1<<(d-1)
	}
	r.Newest = tick
	return true
}

// Count returns how many frames the set holds.
func (r Received) Count() int {
	if r.Newest == 0 {
		return 0
	}
	return 1 + mathbits.OnesCount64(r.Mask)
}

// Pack packs r: 32 bits where nothing has come, else 96. Bits of ticks before the
// first are bits.ErrRange.
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

// DrawMode is how characters were drawn in a picture.
type DrawMode uint8

// The ways to draw.
const (
	// DrawInterpolated: between the samples around the view time.
	DrawInterpolated DrawMode = iota
	// DrawLinear: the newest sample, carried on by its velocity to the view time, by at most
	// CarryMost and not into walls (Extrapolation), and what the snapshots of View.ArrivedAt moved it
	// by, shrinking linearly over the time between two samples (SMO-03, SMO-06).
	DrawLinear
	// DrawExponential: likewise, shrinking to 1/e in Smoothing.Time (SMO-04, SMO-10).
	DrawExponential
	// DrawNewest: the newest sample as it is.
	DrawNewest
)

// drawModes is how many ways there are.
const drawModes = 4

// Extrapolates reports whether characters are carried on to the view time.
func (d DrawMode) Extrapolates() bool { return d == DrawLinear || d == DrawExponential }

// Valid reports whether d is one of the ways to draw.
func (d DrawMode) Valid() bool { return d < drawModes }

// MaxDeadReckoning is how far DrawLinear and DrawExponential carry a path on, as the time that it would take
// at full speed (SIM-04, GAP-24).
const MaxDeadReckoning = 250 * clock.Millisecond

// View is a picture's instants and what it was drawn from. Everything in that
// picture but the player's own character follows from it.
type View struct {
	// At is the view time: the match time at which others are shown.
	At clock.Micros
	// Platform is the match time at which moving bodies, and who rides on them, are
	// shown: the stamp of the newest command when the picture was drawn. It does not
	// travel, since a server knows when the command that names the view began; see
	// predict.Authority.Began.
	Platform clock.Micros
	// Seen is which frames had arrived.
	Seen Received
	// BlendFrom is which frames had arrived before news came of somebody who had been
	// carried on past his last sample, and Healed the view time of the picture that the
	// news came after. What the news moved things by at that instant, from where Before
	// has them to where Seen does, is taken back, for Heal ever less of it, so that nobody
	// is drawn jumping. Healed 0 is a picture that needs no healing.
	BlendFrom Received
	BlendAt   clock.Micros
	// Mode is how characters were drawn.
	Mode DrawMode
	// ArrivedAt and ArrivedTicks say, of a view that is DrawLinear or DrawExponential, when the
	// last snapshots were first drawn, which is all that smoothing asks for besides the samples
	// (Arrive): after pictures of those instants, which were drawn from the snapshots of Seen
	// up to those ticks, bit i being tick Seen.Newest−1−i. There are as many of the one as of
	// the other, each belonging to the one of the same place. In other views they mean nothing
	// and might as well be zero.
	ArrivedAt    ArrivalTimes
	ArrivedTicks uint64
}

// Heal is for how long what late news moved a thing by is still seen: at 6 m/s that makes
// up for 0.3 m, half of what a Horizon can be wrong by, at a third of a runner's speed.
// HealMost is how far that is at most, in metres: what is further off jumps at once
// (SMO-01).
const (
	BlendTime        = 150 * clock.Millisecond
	MaxBlendDistance = 2.56
)

// Blending reports whether Before has a part in the picture: less than Heal after Healed,
// where Before is not newer than Seen nor more than Reach ticks older, and nothing is carried
// on ahead, which smooths by arrivals. In every other
// view Before and Healed mean nothing and might as well be zero.
func (v *View) Blending() bool {
	return !v.Mode.Extrapolates() && v.BlendAt > 0 && v.BlendAt <= v.At && v.At-v.BlendAt < BlendTime &&
		v.BlendFrom.Newest != 0 && v.BlendFrom.Newest <= v.Seen.Newest && v.Seen.Newest-v.BlendFrom.Newest <= ReceivedWindow
}
