package session

import "github.com/backstep-net/backstep/clock"

// roundTrip is a smoothed round-trip time and its mean deviation (RFC 6298), and the
// least of late.
type roundTrip struct {
	smooth, spread clock.Micros
	known          bool
	bins           [leastBins]leastOf
}

// The least round trip is that of the last 10 s: longer than the client's own clock
// looks back, so that it is not above what that believes.
const (
	leastBins = 10
	leastBin  = clock.Second
)

// leastOf is the least round trip of one bin of time.
type leastOf struct {
	bin  int64
	rtt  clock.Micros
	used bool
}

// sample takes one round trip measured at a match time, at most a second; below zero
// it is a liar's and ignored.
func (r *roundTrip) sample(at, rtt clock.Micros) {
	if rtt < 0 {
		return
	}
	rtt = min(rtt, clock.Second)
	bin := int64(at / leastBin)
	if b := &r.bins[uint64(bin)%leastBins]; !b.used || b.bin != bin || rtt < b.rtt {
		*b = leastOf{bin, rtt, true}
	}
	if !r.known {
		r.smooth, r.spread, r.known = rtt, rtt/2, true
		return
	}
	r.spread += (abs(rtt-r.smooth) - r.spread) / 4
	r.smooth += (rtt - r.smooth) / 8
}

// most is the round trip that nearly all packets stay below.
func (r *roundTrip) most() clock.Micros { return r.smooth + 4*r.spread }

// least is the shortest of the last 10 s at a match time, 0 where there was none.
func (r *roundTrip) least(now clock.Micros) clock.Micros {
	var least clock.Micros
	found := false
	for i := range r.bins {
		b := &r.bins[i]
		if b.used && int64(now/leastBin)-b.bin < leastBins && (!found || b.rtt < least) {
			least, found = b.rtt, true
		}
	}
	return least
}

func abs(m clock.Micros) clock.Micros { return max(m, -m) }
