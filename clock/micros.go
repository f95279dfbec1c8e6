// Package clock defines match time, in integer microseconds, and synchronises a client with the
// server's clock. Start at [Micros], the type that games use everywhere: durations,
// cooldowns and instants are of this type, and [TickTime] turns ticks into it. A program with a
// loop of its own paces it with a [Pacer]; [Sync] is what a session.Client estimates match time
// with, and [RateLink] rates a link for players to see.
package clock

// Micros is a number of microseconds: an instant of match time (0 is the first tick of the
// match) or a duration. Nothing in this package reads a clock: every instant is an argument.
type Micros int64

// Second, Millisecond and Microsecond as Micros.
const (
	Microsecond Micros = 1
	Millisecond Micros = 1000
	Second      Micros = 1000 * Millisecond
)

// Seconds returns m in seconds, rounded once, so every machine that integrates the same Micros
// integrates the same float.
func (m Micros) Seconds() float64 { return float64(m) / 1e6 }

// TickTime returns the instant of tick n at rate ticks a second, round(n·10⁶/rate) µs, so ticks
// never drift from real time. It panics if rate is not positive.
func TickTime(n int64, rate int) Micros {
	if rate <= 0 {
		panic("clock: TickTime needs a positive rate")
	}
	r := int64(rate)
	return Micros((n*int64(Second) + r/2) / r)
}

// TickAt returns the number of the last tick at rate ticks a second that is due at an instant:
// the largest n with TickTime(n, rate) ≤ at. at is 0 or later. It panics if rate is not positive.
func TickAt(at Micros, rate int) int64 {
	n := int64(at) * int64(rate) / int64(Second)
	if TickTime(n+1, rate) <= at { // its instant was rounded down
		n++
	}
	return n
}
