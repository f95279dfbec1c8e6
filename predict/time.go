package predict

import "github.com/backstep-net/backstep/clock"

// Discrepancy is how far an owner's time has run ahead of the match's (TIM-12).
type Discrepancy struct {
	// Error is how far it is now, 0 … Limits.Slack: 0 for the honest.
	Error clock.Micros
	// Lifetime is all that was ever refused or cut, in move time.
	Lifetime clock.Micros
	// Resolving is true from its detection until the error is paid back (TIM-13).
	Resolving bool
	// Episodes is how often it was detected.
	Episodes int
}

// Discrepancy returns how the owner's time stands.
func (a *Authority[S, C]) Discrepancy() Discrepancy { return Discrepancy{} }

// Arrived returns the match time at which the move that Next ran had come.
func (a *Authority[S, C]) Arrived() clock.Micros { return a.stamp }

// Forced reports whether Next simulated time in which the owner was silent (GAP-11).
func (a *Authority[S, C]) Forced() bool { return false }
