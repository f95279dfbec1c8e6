package predict

import "github.com/backstep-net/backstep/clock"

// EarlyTolerance is by how much a move's stamp may be ahead of the match when it is run, 5 ms:
// what the clocks of honest owners are off by on the best of lines. Nothing is ever
// simulated further in the future.
const EarlyTolerance = 5 * clock.Millisecond

// Limits are what an Authority tolerates. NewAuthority sets the defaults; change
// them before the first Receive, which panics where one makes no sense.
type Limits struct {
	// MaxErrorSquared is the largest squared distance, in m², between claim and truth
	// that is not corrected: 3e-4, which is 17 mm (SRV-11).
	MaxErrorSquared float64
	// LargeError is the distance, in metres, above which corrections repeat faster: 0.15
	// (SRV-12).
	LargeError float64
	// TrustDistance is up to how many metres from the truth an owner is believed where it
	// says it is instead of being corrected, if the Rules are a Truster and agree
	// (SRV-14): 0, never. A liar moves by as much a second beyond its moves.
	TrustDistance float64
	// CorrectionInterval and RepeatLarge are how long a correction waits for the packet that
	// shows it was applied, before it is sent again: 100 ms and 50 ms (ACK-03). The
	// longer one counts for small errors, the shorter one for large ones.
	CorrectionInterval, LargeCorrectionInterval clock.Micros
	// MaxTimeDiscrepancy is by how much moves may last longer than their stamps advance, and by
	// how much an owner's clock may be ahead of the match's: 250 ms (TIM-12, GAP-12).
	MaxTimeDiscrepancy clock.Micros
	// MaxMoveAge is the age by stamp beyond which a move is refused: 6 s. With Silent at
	// zero it is also what a player who holds packets back can have run at once.
	MaxMoveAge clock.Micros
	// SilenceTimeout is for how long no move may come before the authority goes on without
	// the owner, from then on trailing what it usually hears by as much: 250 ms
	// (GAP-11). Moves that come later than that are dropped. Zero waits for ever.
	SilenceTimeout clock.Micros
	// InputHoldTime is for how long it then goes on with the owner's last input, as
	// Rules.Carry leaves it: 1 s. After that nothing is held.
	InputHoldTime clock.Micros
	// MaxReorderWait is the most that a move waits for missing ones before it: 50 ms. On a line
	// that never brought one late, none waits; zero: none ever does.
	MaxReorderWait clock.Micros
	// Rate is how many moves a second are run over time, and Burst how many may come
	// at once beyond it: 600 and 1,200 (GAP-19).
	Rate, Burst int
}

// DefaultLimits returns what NewAuthority sets.
func DefaultLimits() Limits {
	return Limits{
		MaxErrorSquared:         3e-4,
		LargeError:              0.15,
		CorrectionInterval:      100 * clock.Millisecond,
		LargeCorrectionInterval: 50 * clock.Millisecond,
		MaxTimeDiscrepancy:      250 * clock.Millisecond,
		MaxMoveAge:              6 * clock.Second,
		SilenceTimeout:          250 * clock.Millisecond,
		InputHoldTime:           clock.Second,
		MaxReorderWait:          50 * clock.Millisecond,
		Rate:                    600,
		Burst:                   1200,
	}
}

// atOnce is the most time that may be run at one instant: what an owner may borrow or
// what was held back of it, whichever is more, and one move.
func (l *Limits) atOnce() clock.Micros { return max(l.MaxTimeDiscrepancy, l.held()) + MaxDuration }

// held is what may be held back of an owner, which it may then have at once.
func (l *Limits) held() clock.Micros {
	if l.SilenceTimeout == 0 {
		return l.MaxMoveAge
	}
	return l.SilenceTimeout
}

// check panics where the limits make no sense.
func (a *Authority[S, C]) check() {
	a.checked = true
	l := &a.Limits
	switch {
	case !(l.MaxErrorSquared >= 0) || !(l.LargeError >= 0):
		panic("predict: Limits.ErrorSquared and Large are at least 0")
	case !(l.TrustDistance >= 0) || l.TrustDistance > 0 && a.optional.truster == nil:
		panic("predict: Limits.Trust is at least 0, and above it Rules need a method Trust")
	case l.MaxTimeDiscrepancy < 0 || l.MaxMoveAge < 0 || l.SilenceTimeout < 0 || l.InputHoldTime < 0 || l.MaxReorderWait < 0:
		panic("predict: Limits of time are at least 0")
	case l.Rate < 1 || l.Burst < 1:
		panic("predict: Limits.Rate and Burst are at least 1")
	}
}
