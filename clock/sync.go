package clock

// The behaviour of Sync. Rates are in parts per million (ppm).
const (
	syncBin      = 500 * Millisecond // a bin keeps the best sample of this long
	syncBins     = 12                // so the window is 6 s
	syncOldStale = 500               // additional error rate of a sample outside the window
	syncLongest  = 10 * Second       // a slower sample is ignored

	syncBand   = Millisecond / 2   // errors within it are not slewed, so durations are steady
	syncSettle = 500 * Millisecond // time constant of slewing small errors
	syncSlew   = 20000             // at most 2 % off the own clock's rate for drift and slewing together; half is kept for slewing

	syncSlewLimit = 250 * Millisecond // at most this is slewed in all …
	syncRefill    = 1000              // … plus 1 ms a second
	syncLapse     = 10000             // what a better sample allows beyond it decays at 10 ms a second

	syncStep         = 250 * Millisecond // samples that differ by this more than they can contradict each other
	syncMaxRateError = 500000            // the largest rate error that is assumed: one half
	syncStepSamples  = 3                 // contradicting samples in a row that mean a step
	syncJump         = Second            // Now jumps on an error beyond it
)

// MaxDrift is the largest rate error of a client's own clock, in ppm, that Sync follows. It is no
// advantage to the client: the resulting rate is that of the match.
const MaxDrift = 25000

// Sync estimates the server's match clock from clock samples: packets that the client sent, and that
// the server answered with its match time. Call Sample for each answer and Now for the match time.
// The zero Sync is ready to use. It reads no clock and allocates nothing.
//
// A sample gives the offset between the clocks to within half of its round trip, and not where
// within: an uplink that is 40 ms slower than the downlink looks like a clock that is 20 ms
// ahead. So Sync uses the sample with the shortest round trip of the last 6 s and assumes that
// it is symmetric; its error grows with age. A shorter sample from before stays in use for
// longer: where the path gets slower, such as by a full buffer, the clocks have not changed.
//
// Now follows a clock with a rate error of up to MaxDrift, which Sync learns within seconds
// (TIM-15). It slews the remaining error by at most 2 %, by at most 250 ms in all plus 1 ms a
// second. A clock at 1.05 or 2 times the right rate, which is a fault or a cheat, is not followed:
// Now runs ahead, and the server sees a time discrepancy (TIM-12). Now jumps on an error beyond
// a second, and where a clock was set or the match restarted. It also jumps on an error beyond
// 250 ms where a better sample shows how far off an uncertain one was, such as a first one that
// a stalled network held.
type Sync struct {
	bins          [syncBins]syncSample
	best          syncSample
	drift         drift
	synced        bool
	contradicting int // samples in a row that contradict those in use

	anchorLocal, anchorMatch Micros // Now is a line from here …
	rate                     int64  // … of slope 1 + rate/10⁹ …
	slew                     int64  // … and slew/10⁶ …
	toSlew                   Micros // … until so much was slewed
	last                     Micros // newest answer of Now
	slewed                   Micros // net slewing, less the allowance of 1 ms a second
	slewLimit                Micros // of slewed

	srtt8, down8, jitter16  Micros // 8, 8 and 16 times the smoothed values
	lastServer, lastArrived Micros
	jumps                   int
}

// syncSample is one clock sample: match time = own time + offset, measured at own time at.
type syncSample struct {
	at, offset, rtt Micros
	used            bool
}

// Sample adds one clock sample. sent and received are instants of the client's own clock, server is the
// match time at which the server answered, and ackDelay the time from the arrival of the packet at the
// server to the answer. Impossible samples (received before sent, a negative delay, a round trip below
// zero or above 10 s) are ignored. Three samples in a row that contradict those in use mean that
// a clock was set or restarted; until the third they are set aside.
func (s *Sync) Sample(sent, received, server, ackDelay Micros) {
	rtt := received - sent - ackDelay
	if ackDelay < 0 || rtt < 0 || rtt > syncLongest || server < 0 {
		return
	}
	n := syncSample{at: received, offset: server + rtt/2 - received, rtt: rtt, used: true}
	stepped := s.synced && s.contradicts(n)
	if stepped {
		if s.contradicting++; s.contradicting < syncStepSamples {
			return
		}
		s.bins = [syncBins]syncSample{}
		s.best = n
		s.drift.restart(received)
		s.lastServer, s.lastArrived = server, received
	}
	s.contradicting = 0
	s.measure(rtt, received, server)
	s.drift.note(n, s.Jitter())
	s.keep(n)
	s.choose(received)
	s.steer(received, stepped)
	s.smoothDownlink(received, server)
}

// contradicts reports whether n and a sample in use are impossible for one pair of clocks at any
// rate error, so that the match restarted or a clock was set.
func (s *Sync) contradicts(n syncSample) bool {
	for i := range s.bins {
		b := &s.bins[i]
		age := magnitude(n.at - b.at)
		wrong := min(ppm(age, syncMaxRateError), syncJump)
		if b.used && magnitude(n.offset-b.offset) > (n.rtt+b.rtt)/2+wrong+syncStep {
			return true
		}
	}
	return false
}

// measure smooths the round trip (gain 1/8, RFC 6298) and the jitter of the downlink (gain 1/16,
// RFC 3550).
func (s *Sync) measure(rtt, received, server Micros) {
	if !s.synced {
		s.srtt8 = rtt * 8
	} else {
		s.srtt8 += rtt - s.srtt8/8
		d := (received - s.lastArrived) - (server - s.lastServer)
		s.jitter16 += min(magnitude(d), syncLongest) - s.jitter16/16
	}
	s.lastArrived, s.lastServer = received, server
}

// smoothDownlink smooths the downlink time, assuming that the best sample is symmetric.
func (s *Sync) smoothDownlink(received, server Micros) {
	down := min(max(s.target(received)-server, 0), syncLongest)
	if s.down8 == 0 {
		s.down8 = down * 8
	}
	s.down8 += down - s.down8/8
}

// keep puts n into the bin of its time if its round trip is the shortest there.
func (s *Sync) keep(n syncSample) {
	b := &s.bins[uint64(n.at/syncBin)%syncBins]
	if !b.used || b.at/syncBin != n.at/syncBin || n.rtt <= b.rtt {
		*b = n
	}
}

// choose makes the least uncertain sample the best one. The previous best sample stays a
// candidate after it leaves the window, so that a burst of samples that a stalled network held
// for seconds does not move the clock. The clock may legitimately have been wrong by as much as
// the uncertainty drops, so that much may be slewed in addition.
func (s *Sync) choose(now Micros) {
	if !s.synced {
		s.best = s.bins[uint64(now/syncBin)%syncBins]
	}
	before := s.uncertainty(s.best, now)
	least := before
	for i := range s.bins {
		b := &s.bins[i]
		if !b.used || magnitude(now-b.at) > syncBin*syncBins {
			continue
		}
		if c := s.uncertainty(*b, now); c < least || c == least && b.at > s.best.at {
			s.best, least = *b, c
		}
	}
	s.slewLimit = max(s.slewLimit, syncSlewLimit+before-least)
}

// uncertainty returns the largest error of a sample's offset at own time now.
func (s *Sync) uncertainty(n syncSample, now Micros) Micros {
	age := magnitude(now - n.at)
	return n.rtt/2 + ppm(age, s.drift.stale()) + ppm(max(age-syncBin*syncBins, 0), syncOldStale)
}

// target returns the match time at own time local by the best sample.
func (s *Sync) target(local Micros) Micros {
	return local + s.best.offset + ppb(local-s.best.at, s.drift.ppb())
}

// steer sets a new line for Now from own time local on.
func (s *Sync) steer(local Micros, stepped bool) {
	at, slewed := s.line(local)
	s.account(max(local-s.anchorLocal, 0), slewed)
	err := s.target(local) - at
	switch far := magnitude(err); {
	case !s.synced:
		at += err
		s.synced, s.last = true, at
		err = 0
	case far > syncJump || far > syncStep && (stepped || far <= s.slewLimit && !s.drift.maybeBeyond()):
		at += err
		s.last = at
		s.jumps++
		err, s.slewed = 0, 0
	case s.drift.maybeBeyond():
		err = 0
	}
	s.anchorLocal, s.anchorMatch, s.rate = local, at, s.drift.ppb()
	err -= min(max(err, -syncBand), syncBand)
	s.toSlew = min(max(err, min(-s.slewLimit-s.slewed, 0)), max(s.slewLimit-s.slewed, 0))
	room := max(syncSlew-int64(magnitude(Micros(s.rate)))/1000, syncSlew/2)
	s.slew = min(max(int64(s.toSlew)*1e6/int64(syncSettle), -room), room)
}

// account adds to the net slewing. Opposite slewing cancels out, so jitter costs nothing.
func (s *Sync) account(elapsed, slewed Micros) {
	s.slewed += slewed
	refill := ppm(elapsed, syncRefill)
	s.slewed -= min(max(s.slewed, -refill), refill)
	s.slewLimit = max(s.slewLimit-ppm(elapsed, syncLapse), syncSlewLimit)
}

// line returns the match time at own time local on the current line, and how much of it was
// slewed.
func (s *Sync) line(local Micros) (at, slewed Micros) {
	d := local - s.anchorLocal
	if d <= 0 {
		return s.anchorMatch + d, 0
	}
	slewed = ppm(d, s.slew)
	if s.toSlew >= 0 {
		slewed = min(slewed, s.toSlew)
	} else {
		slewed = max(slewed, s.toSlew)
	}
	return s.anchorMatch + d + ppb(d, s.rate) + slewed, slewed
}

// Now returns the match time at local, an instant of the client's own clock. It never runs
// backwards. Its rate is within 2 % of a clock that is at most 1 % off, and within 3.5 % of any
// clock, except where it jumps, which Jumps counts. Errors within half a millisecond are not
// corrected, so time advances evenly. It is 0 before the first sample.
func (s *Sync) Now(local Micros) Micros {
	s.last = max(s.last, s.At(local))
	return s.last
}

// At returns the match time at an instant of the client's own clock, such as when a packet arrived. Unlike
// Now it may be earlier than what Now returned before. It is 0 before the first sample.
func (s *Sync) At(local Micros) Micros {
	if !s.synced {
		return 0
	}
	at, _ := s.line(local)
	return at
}

// Synced reports whether there was a sample, so that Now is meaningful.
func (s *Sync) Synced() bool { return s.synced }

// ppm returns d·rate/10⁶ without overflow for rates up to 10⁹.
func ppm(d Micros, rate int64) Micros {
	return d/1e6*Micros(rate) + d%1e6*Micros(rate)/1e6
}

// ppb returns d·rate/10⁹, rounded to the nearest microsecond so that short spans add up.
func ppb(d Micros, rate int64) Micros {
	part := d % 1e9 * Micros(rate)
	half := Micros(5e8)
	if part < 0 {
		half = -half
	}
	return d/1e9*Micros(rate) + (part+half)/1e9
}

// magnitude returns the absolute value of d.
func magnitude(d Micros) Micros { return max(d, -d) }
