package clock

// How Sync behaves. Rates are in parts per million.
const (
	syncBin     = 500 * Millisecond // a bin keeps the best sample of this long
	syncBins    = 12                // so the window is 6 s
	syncOld     = 500               // by which a sample outside the window grows stale in addition
	syncLongest = 10 * Second       // a slower echo says nothing

	syncBand   = Millisecond / 2   // errors within it are left alone, so durations are steady
	syncSettle = 500 * Millisecond // time constant of slewing small errors
	syncSlew   = 20000             // at most 2 % from the own clock's pace, drift and slewing together, of which half is for slewing

	syncAllowed = 250 * Millisecond // at most this is slewed, all in all …
	syncRefill  = 1000              // … but for 1 ms a second
	syncLapse   = 10000             // what a better sample allows beyond it lapses at 10 ms a second

	syncStep  = 250 * Millisecond // samples contradict each other where they differ by this more than they can
	syncWrong = 500000            // and no clock is thought to be wrong by more than half
	syncSure  = 3                 // so many in a row must contradict
	syncFar   = Second            // an error beyond it jumps
)

// MaxDrift is by how many parts per million a client's own clock may run off and still
// be followed. Nobody gains by being followed: the pace that results is the match's.
const MaxDrift = 25000

// Sync estimates the server's match clock from echoes: what a client sent, the
// server answered with its match time, and the client received. Feed Sample, ask
// Now. The zero Sync is ready. It reads no clock and allocates nothing.
//
// An echo fixes the offset between the clocks to within half its round trip, and
// nothing says where within: a way up that is 40 ms longer than the way down looks
// like a clock that is 20 ms ahead. So the sample with the shortest round trip of
// the last 6 s is believed and taken as symmetric, each growing staler with age. A
// shorter one from before stays believed while longer: where the path gets longer,
// a full buffer somewhere for instance, the clocks are still what they were.
//
// Now follows a clock whose rate is wrong by up to MaxDrift, which is learnt within
// seconds (TIM-15), and slews what else it is off by: by at most 2 %, and by no
// more than 250 ms in all and 1 ms a second. A clock at 1.05 or twice its pace, which is
// a fault or a cheat, is not followed: Now runs ahead, and the server
// sees it as a time discrepancy (TIM-12). Beyond a second, and where a clock was
// set or a match began anew, Now jumps; so it does beyond a quarter of one where a
// better sample shows how far a doubtful one was off, such as a first one that a
// stalled network held.
type Sync struct {
	bins   [syncBins]syncSample
	best   syncSample
	drift  drift
	synced bool
	odd    int // samples in a row that contradict the ones believed

	anchorLocal, anchorMatch Micros // Now is a line from here …
	rate                     int64  // … of slope 1 + rate/10⁹ …
	slew                     int64  // … and slew/10⁶ …
	left                     Micros // … until so much was slewed
	last                     Micros // newest answer of Now
	spent                    Micros // net of what was slewed, but for the refill
	limit                    Micros // of spent

	srtt8, down8, jitter16  Micros // 8 ×, 8 × and 16 × the smoothed values
	lastServer, lastArrived Micros
	jumps, ignored          int
}

// syncSample is one echo: match time = own time + offset, known at own time at.
type syncSample struct {
	at, offset, rtt Micros
	used            bool
}

// Sample takes one echo. sent and received are instants of the client's own clock,
// server the match time at which the server answered, hold for how long it had
// held the packet before it did. Samples that cannot be (received before sent, a
// negative hold, a round trip below zero or above 10 s) are ignored and counted.
// Three in a row that cannot belong to the clocks believed in say that one was
// set or started over; until then they are put aside.
func (s *Sync) Sample(sent, received, server, hold Micros) {
	rtt := received - sent - hold
	if hold < 0 || rtt < 0 || rtt > syncLongest || server < 0 {
		s.ignored++
		return
	}
	n := syncSample{at: received, offset: server + rtt/2 - received, rtt: rtt, used: true}
	stepped := s.synced && s.contradicts(n)
	if stepped {
		if s.odd++; s.odd < syncSure {
			return
		}
		s.bins = [syncBins]syncSample{}
		s.best = n
		s.drift.restart(received)
		s.lastServer, s.lastArrived = server, received
	}
	s.odd = 0
	s.measure(rtt, received, server)
	s.drift.note(n, s.Jitter())
	s.keep(n)
	s.choose(received)
	s.steer(received, stepped)
	s.split(received, server)
}

// contradicts reports whether n and a sample believed in cannot both be true of
// one pair of clocks, however wrong its rate: a new match, or a clock that was set.
func (s *Sync) contradicts(n syncSample) bool {
	for i := range s.bins {
		b := &s.bins[i]
		age := magnitude(n.at - b.at)
		wrong := min(ppm(age, syncWrong), syncFar)
		if b.used && magnitude(n.offset-b.offset) > (n.rtt+b.rtt)/2+wrong+syncStep {
			return true
		}
	}
	return false
}

// measure smooths the round trip (gain 1/8, RFC 6298) and the jitter of the way
// here (gain 1/16, RFC 3550).
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

// split smooths the way down as it is if the best sample was symmetric.
func (s *Sync) split(received, server Micros) {
	down := min(max(s.target(received)-server, 0), syncLongest)
	if s.down8 == 0 {
		s.down8 = down * 8
	}
	s.down8 += down - s.down8/8
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
// a stalled network held for seconds does not move the clock. By as much as a
// better one leaves less in doubt, the clock may have been wrong without fault.
func (s *Sync) choose(now Micros) {
	if !s.synced {
		s.best = s.bins[uint64(now/syncBin)%syncBins]
	}
	before := s.cost(s.best, now)
	least := before
	for i := range s.bins {
		b := &s.bins[i]
		if !b.used || magnitude(now-b.at) > syncBin*syncBins {
			continue
		}
		if c := s.cost(*b, now); c < least || c == least && b.at > s.best.at {
			s.best, least = *b, c
		}
	}
	s.limit = max(s.limit, syncAllowed+before-least)
}

// cost is by how much a sample's offset may be wrong at own time now.
func (s *Sync) cost(n syncSample, now Micros) Micros {
	age := magnitude(now - n.at)
	return n.rtt/2 + ppm(age, s.drift.stale()) + ppm(max(age-syncBin*syncBins, 0), syncOld)
}

// target returns the match time at own time local as the best sample has it.
func (s *Sync) target(local Micros) Micros {
	return local + s.best.offset + ppb(local-s.best.at, s.drift.ppb())
}

// steer draws a new line for Now from the own time local on.
func (s *Sync) steer(local Micros, stepped bool) {
	at, slewed := s.line(local)
	s.settle(max(local-s.anchorLocal, 0), slewed)
	err := s.target(local) - at
	switch far := magnitude(err); {
	case !s.synced:
		at += err
		s.synced, s.last = true, at
		err = 0
	case far > syncFar || far > syncStep && (stepped || far <= s.limit && !s.drift.dubious()):
		at += err
		s.last = at
		s.jumps++
		err, s.spent = 0, 0
	case s.drift.dubious():
		err = 0
	}
	s.anchorLocal, s.anchorMatch, s.rate = local, at, s.drift.ppb()
	err -= min(max(err, -syncBand), syncBand)
	s.left = min(max(err, min(-s.limit-s.spent, 0)), max(s.limit-s.spent, 0))
	room := max(syncSlew-int64(magnitude(Micros(s.rate)))/1000, syncSlew/2)
	s.slew = min(max(int64(s.left)*1e6/int64(syncSettle), -room), room)
}

// settle keeps the account of what was slewed. What goes to and fro cancels out,
// so jitter costs nothing.
func (s *Sync) settle(elapsed, slewed Micros) {
	s.spent += slewed
	refill := ppm(elapsed, syncRefill)
	s.spent -= min(max(s.spent, -refill), refill)
	s.limit = max(s.limit-ppm(elapsed, syncLapse), syncAllowed)
}

// line returns the match time at own time local as last steered, and how much of
// it was slewed.
func (s *Sync) line(local Micros) (at, slewed Micros) {
	d := local - s.anchorLocal
	if d <= 0 {
		return s.anchorMatch + d, 0
	}
	slewed = ppm(d, s.slew)
	if s.left >= 0 {
		slewed = min(slewed, s.left)
	} else {
		slewed = max(slewed, s.left)
	}
	return s.anchorMatch + d + ppb(d, s.rate) + slewed, slewed
}

// Now returns the match time at local, an instant of the client's own clock. It
// never runs backwards, and runs at most 2 % faster or slower than a clock that is 1 % off
// or less, and 3.5 % than any, except where it jumps, which Jumps counts. Errors within half a millisecond are
// left alone, so that time flows evenly. It is 0 before the first sample.
func (s *Sync) Now(local Micros) Micros {
	if !s.synced {
		return 0
	}
	at, _ := s.line(local)
	s.last = max(s.last, at)
	return s.last
}

// Synced reports whether Now means anything: there was a sample.
func (s *Sync) Synced() bool { return s.synced }

// ppm returns a millionth part of d rate times, without overflow for rates up to 10⁹.
func ppm(d Micros, rate int64) Micros {
	return d/1e6*Micros(rate) + d%1e6*Micros(rate)/1e6
}

// ppb is the same in thousand-millionths, to the nearest microsecond so that short
// spans do not lose what they round off.
func ppb(d Micros, rate int64) Micros {
	part := d % 1e9 * Micros(rate)
	half := Micros(5e8)
	if part < 0 {
		half = -half
	}
	return d/1e9*Micros(rate) + (part+half)/1e9
}

func magnitude(d Micros) Micros { return max(d, -d) }
