package clock

// How Sync behaves. Rates are in parts per million.
const (
	syncBin     = 250 * Millisecond // a bin keeps the best sample of this long
	syncBins    = 12                // so the window is 3 s
	syncJump    = 250 * Millisecond // a larger error jumps, a smaller one is slewed
	syncBand    = Millisecond       // errors within it are left alone, so durations are steady
	syncSlew    = 20000             // at most 2 %
	syncSettle  = 500 * Millisecond // time constant of slewing small errors
	syncLongest = 10 * Second       // a slower echo says nothing
	driftAge    = 1000              // by which a sample's offset grows stale: 1 ms a second …
	driftOld    = 10000             // … and 10 ms a second once outside the window
)

// Sync estimates the server's match clock from echoes: what a client sent, the
// server answered with its match time, and the client received. Feed Sample, ask
// Now. The zero Sync is ready. It reads no clock and allocates nothing.
//
// An echo fixes the offset between the clocks to within half its round trip, so
// the sample with the shortest one in the last 3 s is believed, each growing staler
// by 1,000 ppm of its age: that much drift of a cheap oscillator is followed.
type Sync struct {
	bins   [syncBins]syncSample
	best   syncSample
	synced bool

	anchorLocal, anchorMatch Micros // Now is a line from here …
	rate                     int64  // … of slope 1 + rate/10⁶ …
	left                     Micros // … until this much was corrected
	last                     Micros // newest answer of Now

	srtt8, jitter16         Micros // 8 × and 16 × the smoothed values
	lastServer, lastArrived Micros
	jumps, ignored          int
}

// syncSample is one echo: match time = own time + offset, known at own time at.
type syncSample struct {
	at, offset, rtt Micros
	used            bool
}

// Sample takes one echo. sent and received are instants of the client's own clock
// (which must not step), server the match time at which the server answered, hold
// for how long it had held the packet before it did. Samples that cannot be
// (received before sent, a negative hold, a round trip below zero or above 10 s)
// are ignored and counted.
func (s *Sync) Sample(sent, received, server, hold Micros) {
	rtt := received - sent - hold
	if hold < 0 || rtt < 0 || rtt > syncLongest || server < 0 {
		s.ignored++
		return
	}
	s.measure(rtt, received, server)
	n := syncSample{at: received, offset: server + rtt/2 - received, rtt: rtt, used: true}
	if s.synced && s.stepped(n) {
		s.bins = [syncBins]syncSample{}
		s.best = n
	}
	s.keep(n)
	s.choose(received)
	s.steer(received)
}

// measure smooths the round trip (gain 1/8, RFC 6298) and the jitter of the way
// here (gain 1/16, RFC 3550).
func (s *Sync) measure(rtt, received, server Micros) {
	if !s.synced {
		s.srtt8 = rtt * 8
	} else {
		s.srtt8 += rtt - s.srtt8/8
		d := (received - s.lastArrived) - (server - s.lastServer)
		s.jitter16 += min(max(d, -d), syncLongest) - s.jitter16/16
	}
	s.lastArrived, s.lastServer = received, server
}

// stepped reports whether n and the best sample cannot both be true of one pair
// of clocks: a new match, or a clock that was set.
func (s *Sync) stepped(n syncSample) bool {
	d := n.offset - s.best.offset
	return max(d, -d) > n.rtt/2+s.best.cost(n.at)+syncJump
}

// keep puts n into the bin of its time if it is that bin's best.
func (s *Sync) keep(n syncSample) {
	b := &s.bins[uint64(n.at/syncBin)%syncBins]
	if !b.used || b.at/syncBin != n.at/syncBin || n.rtt <= b.rtt {
		*b = n
	}
}

// choose makes the least doubtful sample the best one. The one believed so far
// stays in the running when it leaves the window, so that a burst of echoes that
// a stalled network held for seconds does not move the clock.
func (s *Sync) choose(now Micros) {
	if !s.synced {
		s.best = s.bins[uint64(now/syncBin)%syncBins]
	}
	for i := range s.bins {
		b := &s.bins[i]
		if b.used && now-b.at <= syncBin*syncBins && b.cost(now) <= s.best.cost(now) {
			s.best = *b
		}
	}
}

// cost is by how much a sample's offset may be wrong at own time now.
func (n syncSample) cost(now Micros) Micros {
	age := max(now-n.at, 0)
	return n.rtt/2 + age*driftAge/1e6 + max(age-syncBin*syncBins, 0)*driftOld/1e6
}

// steer draws a new line for Now from the own time local on.
func (s *Sync) steer(local Micros) {
	at := s.line(local)
	err := local + s.best.offset - at
	switch {
	case !s.synced:
		at += err
		s.synced, s.last = true, at
		err = 0
	case max(err, -err) > syncJump:
		at += err
		s.last = at
		s.jumps++
		err = 0
	case err > syncBand:
		err -= syncBand
	case err < -syncBand:
		err += syncBand
	default:
		err = 0
	}
	s.anchorLocal, s.anchorMatch = local, at
	s.left = err
	s.rate = min(max(int64(err)*1e6/int64(syncSettle), -syncSlew), syncSlew)
}

// line returns the match time at own time local as last steered.
func (s *Sync) line(local Micros) Micros {
	d := local - s.anchorLocal
	if d <= 0 {
		return s.anchorMatch + d
	}
	c := d / 1e6 * Micros(s.rate)
	c += d % 1e6 * Micros(s.rate) / 1e6
	if s.left >= 0 {
		return s.anchorMatch + d + min(c, s.left)
	}
	return s.anchorMatch + d + max(c, s.left)
}

// Now returns the match time at local, an instant of the client's own clock. It
// never runs backwards, and runs at most 2 % faster or slower than the own clock,
// except where the estimate turns out wrong by more than 250 ms: then it jumps,
// which Jumps counts. Errors within 1 ms are left alone. It is 0 before the first
// sample.
func (s *Sync) Now(local Micros) Micros {
	if !s.synced {
		return 0
	}
	s.last = max(s.last, s.line(local))
	return s.last
}

// Synced reports whether Now means anything: there was a sample.
func (s *Sync) Synced() bool { return s.synced }

// RTT returns the smoothed round trip, without the time the server held the
// packet. Zero before the first sample.
func (s *Sync) RTT() Micros { return s.srtt8 / 8 }

// MinRTT returns the round trip of the sample that is believed: about the
// shortest of the last 3 s.
func (s *Sync) MinRTT() Micros { return s.best.rtt }

// Jitter returns the smoothed difference between successive transit times from
// the server (RFC 3550, section 6.4.1). For one-sided uniform jitter it is a third
// of its width.
func (s *Sync) Jitter() Micros { return s.jitter16 / 16 }

// Jumps returns how often Now jumped because its error was above 250 ms; the
// first sample does not count.
func (s *Sync) Jumps() int { return s.jumps }

// Ignored returns how many samples could not be true.
func (s *Sync) Ignored() int { return s.ignored }
