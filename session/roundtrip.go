package session

import "github.com/backstep-net/backstep/clock"

// roundTrip is a smoothed round-trip time and its mean deviation (RFC 6298), and the
// least of the connection.
type roundTrip struct {
	smooth, spread clock.Micros
	known          bool
	shortest, at   clock.Micros // the least, and when it was measured
	times          int          // of a second or more apart that there were samples, up to leastSure
	counted        clock.Micros // the last of them
	// recent is the least of the last 2 s, which single late acknowledgements do not raise.
	recent clock.MinDelay
}

// leastRise is by how much the shortest round trip is taken to have grown since it was measured, in ppm of the
// time: what two oscillators are off by. So it is the minimum over the connection, not over a recent window. A
// client's clock stays as right as its best sample made it when the downlink gets longer, and with half of the
// new round trip added its stamps would seem to be that much ahead.
const leastRise = 500

// leastSure is how many times, a second or more apart, round trips must have been
// measured for the least of them to count: the very first may be of what a stalled
// network held.
const leastSure = 3

// sample records a round trip measured at a match time, at most a second. A negative one, which only a cheat
// sends, is ignored.
func (r *roundTrip) sample(at, rtt clock.Micros) {
	if rtt < 0 {
		return
	}
	rtt = min(rtt, clock.Second)
	r.recent.Note(at, rtt)
	if !r.known || rtt <= r.risen(at) {
		r.shortest, r.at = rtt, at
	}
	if r.times < leastSure && (!r.known || at-r.counted >= clock.Second) {
		r.times, r.counted = r.times+1, at
	}
	if !r.known {
		r.smooth, r.spread, r.known = rtt, rtt/2, true
		return
	}
	r.spread += (abs(rtt-r.smooth) - r.spread) / 4
	r.smooth += (rtt - r.smooth) / 8
}

// most is the round trip that nearly all packets stay below: the time after which TCP would send again
// (RFC 6298).
func (r *roundTrip) most() clock.Micros { return r.smooth + 4*r.spread }

// least is the shortest round trip of the connection as it may have become by a match
// time, 0 where that is not sure yet.
func (r *roundTrip) least(now clock.Micros) clock.Micros {
	if r.times < leastSure {
		return 0
	}
	return r.risen(now)
}

// risen returns the shortest round trip, raised by leastRise since it was measured.
func (r *roundTrip) risen(now clock.Micros) clock.Micros {
	return r.shortest + max(now-r.at, 0)*leastRise/1_000_000
}

func abs(m clock.Micros) clock.Micros { return max(m, -m) }
