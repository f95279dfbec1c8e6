package session

import "github.com/backstep-net/backstep/clock"

// roundTrip is a smoothed round-trip time and its mean deviation (RFC 6298).
type roundTrip struct {
	smooth, spread clock.Micros
	known          bool
}

// sample takes one measured round trip, at most a second; below zero is a liar's
// and ignored.
func (r *roundTrip) sample(rtt clock.Micros) {
	if rtt < 0 {
		return
	}
	rtt = min(rtt, clock.Second)
	if !r.known {
		*r = roundTrip{rtt, rtt / 2, true}
		return
	}
	r.spread += (abs(rtt-r.smooth) - r.spread) / 4
	r.smooth += (rtt - r.smooth) / 8
}

// most is the round trip that nearly all packets stay below.
func (r *roundTrip) most() clock.Micros { return r.smooth + 4*r.spread }

func abs(m clock.Micros) clock.Micros { return max(m, -m) }
