package predict

import (
	"math"

	"github.com/backstep-net/backstep/clock"
)

// EarlyTolerance is how far a move's stamp may be ahead of match time when it is run: 5 ms, the
// error of an honest clock on the best link. Nothing is simulated further in the future.
const EarlyTolerance = 5 * clock.Millisecond

// Limits bound what an Authority accepts. The zero value is the default. Change them before the
// first Receive, which panics on a value out of range.
type Limits struct {
	// MaxErrorSquared is the largest squared distance, in m², between claim and true position
	// that is not corrected. Zero means 3e-4, which is 17 mm (SRV-11); below zero every error is
	// corrected.
	MaxErrorSquared float64
	// LargeError is the distance, in metres, above which a correction is repeated at the short
	// interval. Zero means 0.15 (SRV-12); below zero every error is large.
	LargeError float64
	// TrustDistance is the largest distance, in metres, between claim and true position at
	// which the claim is adopted instead of corrected, if the Rules implement Truster and agree
	// (SRV-14). Zero adopts none. A cheat gains that distance every second.
	TrustDistance float64
	// CorrectionInterval and LargeCorrectionInterval are the times after which a correction is
	// sent again unless a packet shows it as applied: the longer one for small errors, the
	// shorter one for large ones (ACK-03). Zero means 100 ms and 50 ms; below zero it is repeated
	// in every verdict.
	CorrectionInterval, LargeCorrectionInterval clock.Micros
	// MaxTimeDiscrepancy is how much longer moves may last in all than their stamps advance, and
	// how far an owner's clock may be ahead of match time (TIM-12, GAP-12). Zero means 250 ms,
	// below zero none.
	MaxTimeDiscrepancy clock.Micros
	// MaxMoveAge is the age of the stamp beyond which a move is refused. Zero means 6 s. With a
	// SilenceTimeout below zero it is also the time that a player can hold back and have
	// simulated at once.
	MaxMoveAge clock.Micros
	// SilenceTimeout is the time without a move after which the authority simulates time
	// without the owner, that much later than its moves usually arrive (GAP-11). Moves that
	// arrive later than that are dropped. Zero means 250 ms; below zero it waits for ever. On a
	// link that loses packets in long runs it waits up to MaxTimeDiscrepancy longer (TIM-16).
	SilenceTimeout clock.Micros
	// InputHoldTime is how long the owner's last input, as Rules.ClearOneTime leaves it, is held during
	// that time; after that, nothing is held. Zero means 1 s; below zero nothing is held at all.
	InputHoldTime clock.Micros
	// MaxReorderWait is the longest time that a move waits for missing ones before it. On a link
	// that never reordered moves none waits. Zero means 50 ms; below zero none waits.
	MaxReorderWait clock.Micros
	// Rate is the most moves a second that are run over time, and Burst how many may arrive at
	// once beyond that (GAP-19). Zero means 600 and 1,200.
	Rate, Burst int
}

// filled returns l with zeros replaced by their defaults and negative values (off) by 0.
func (l Limits) filled() Limits {
	fill(&l.MaxErrorSquared, 3e-4)
	fill(&l.LargeError, 0.15)
	fill(&l.CorrectionInterval, 100*clock.Millisecond)
	fill(&l.LargeCorrectionInterval, 50*clock.Millisecond)
	fill(&l.MaxTimeDiscrepancy, 250*clock.Millisecond)
	fill(&l.MaxMoveAge, 6*clock.Second)
	fill(&l.SilenceTimeout, 250*clock.Millisecond)
	fill(&l.InputHoldTime, clock.Second)
	fill(&l.MaxReorderWait, 50*clock.Millisecond)
	fill(&l.Rate, 600)
	fill(&l.Burst, 1200)
	return l
}

// fill replaces zero by the default d, and a negative value by zero.
func fill[T int | float64 | clock.Micros](v *T, d T) {
	switch {
	case *v == 0:
		*v = d
	case *v < 0:
		*v = 0
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

// check sets the limits, and panics on one out of range.
func (a *Authority[S, C]) check() {
	a.checked = true
	switch l := &a.Limits; {
	case math.IsNaN(l.MaxErrorSquared) || math.IsNaN(l.LargeError):
		panic("predict: Limits.MaxErrorSquared and LargeError must be numbers")
	case !(l.TrustDistance >= 0) || l.TrustDistance > 0 && a.optional.truster == nil:
		panic("predict: Limits.TrustDistance must be at least 0, and above 0 Rules must have a method Trust")
	case l.MaxMoveAge < 0 || l.Rate < 0 || l.Burst < 0:
		panic("predict: Limits.MaxMoveAge, Rate and Burst must be at least 0, which means their defaults")
	}
	a.limits = a.Limits.filled()
}
