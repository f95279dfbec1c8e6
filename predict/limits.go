package predict

import "github.com/backstep-net/backstep/clock"

// EarlyTolerance is how far a move's stamp may be ahead of match time when it is run: 5 ms, the
// error of an honest clock on the best link. Nothing is simulated further in the future.
const EarlyTolerance = 5 * clock.Millisecond

// Limits bound what an Authority accepts. NewAuthority sets DefaultLimits. Change them before
// the first Receive, which panics on a value out of range.
type Limits struct {
	// MaxErrorSquared is the largest squared distance, in m², between claim and true position
	// that is not corrected: by default 3e-4, which is 17 mm (SRV-11). At least 0.
	MaxErrorSquared float64
	// LargeError is the distance, in metres, above which a correction is repeated at the short
	// interval: by default 0.15 (SRV-12). At least 0.
	LargeError float64
	// TrustDistance is the largest distance, in metres, between claim and true position at
	// which the claim is adopted instead of corrected, if the Rules implement Truster and agree
	// (SRV-14). Zero, the default, adopts none. A cheat gains that distance every second.
	TrustDistance float64
	// CorrectionInterval and LargeCorrectionInterval are the times after which a correction is
	// sent again unless a packet shows it as applied: by default 100 ms and 50 ms (ACK-03). The
	// longer one is for small errors, the shorter one for large ones. Zero repeats it in
	// every verdict.
	CorrectionInterval, LargeCorrectionInterval clock.Micros
	// MaxTimeDiscrepancy is how much longer moves may last in all than their stamps advance, and
	// how far an owner's clock may be ahead of match time: by default 250 ms (TIM-12, GAP-12).
	MaxTimeDiscrepancy clock.Micros
	// MaxMoveAge is the age of the stamp beyond which a move is refused: by default 6 s. With a
	// SilenceTimeout of zero it is also the time that a player can hold back and have simulated
	// at once.
	MaxMoveAge clock.Micros
	// SilenceTimeout is the time without a move after which the authority simulates time
	// without the owner, from then on that much behind its usual moves: by default 250 ms
	// (GAP-11). Moves that arrive later than that are dropped. Zero waits for ever.
	SilenceTimeout clock.Micros
	// InputHoldTime is how long the owner's last input, as Rules.Carry leaves it, is held during
	// that time: by default 1 s. After that, and with zero at once, nothing is held.
	InputHoldTime clock.Micros
	// MaxReorderWait is the longest time that a move waits for missing ones before it: by
	// default 50 ms. On a link that never reordered moves none waits. Zero never waits.
	MaxReorderWait clock.Micros
	// Rate is the most moves a second that are run over time, and Burst how many may arrive at
	// once beyond that: by default 600 and 1,200 (GAP-19). Both are at least 1.
	Rate, Burst int
}

// DefaultLimits returns the limits that NewAuthority sets.
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

// atOnce returns the most time that may be simulated at one instant: the discrepancy or the
// silence that is tolerated, whichever is longer, and one move.
func (l *Limits) atOnce() clock.Micros { return max(l.MaxTimeDiscrepancy, l.held()) + MaxDuration }

// held returns how much time a link may hold back and then deliver at once.
func (l *Limits) held() clock.Micros {
	if l.SilenceTimeout == 0 {
		return l.MaxMoveAge
	}
	return l.SilenceTimeout
}

// check panics on limits out of range.
func (a *Authority[S, C]) check() {
	a.checked = true
	l := &a.Limits
	switch {
	case !(l.MaxErrorSquared >= 0) || !(l.LargeError >= 0):
		panic("predict: Limits.MaxErrorSquared and LargeError must be at least 0")
	case !(l.TrustDistance >= 0) || l.TrustDistance > 0 && a.optional.truster == nil:
		panic("predict: Limits.TrustDistance must be at least 0, and above 0 Rules must have a method Trust")
	case l.MaxTimeDiscrepancy < 0 || l.MaxMoveAge < 0 || l.SilenceTimeout < 0 || l.InputHoldTime < 0 || l.MaxReorderWait < 0:
		panic("predict: Limits of time must be at least 0")
	case l.Rate < 1 || l.Burst < 1:
		panic("predict: Limits.Rate and Burst must be at least 1")
	}
}
