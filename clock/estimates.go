package clock

// RTT returns the smoothed round trip, without the time the server held the
// packet. Zero before the first sample.
func (s *Sync) RTT() Micros { return s.srtt8 / 8 }

// MinRTT returns the round trip of the sample that is believed: the shortest for which
// age does not speak against it. It falls at once and, where the path gets longer,
// stays for as long as that sample says more than newer ones do: minutes.
func (s *Sync) MinRTT() Micros { return s.best.rtt }

// OneWay returns the smoothed times up to the server and down from it, which add
// up to RTT. What is measured is how each varies; the split of the shortest round
// trip cannot be known and is taken as half and half, so either may be wrong by
// Doubt, the one by as much too long as the other too short.
func (s *Sync) OneWay() (up, down Micros) {
	down = min(s.down8/8, s.RTT())
	return s.RTT() - down, down
}

// Uncertainty returns by how much what Now strives for can be wrong at local: half the
// round trip of the sample that is believed, and what the clocks may have drifted
// apart since. A path that is no longer one way than the other is far better. Zero
// before the first sample.
func (s *Sync) Uncertainty(local Micros) Micros {
	if !s.synced {
		return 0
	}
	return s.cost(s.best, local)
}

// Jitter returns the smoothed difference between successive transit times from
// the server (RFC 3550, section 6.4.1). For one-sided uniform jitter it is a third
// of its width.
func (s *Sync) Jitter() Micros { return s.jitter16 / 16 }

// Drift returns by how many parts per million match time runs faster than the
// client's own clock, also of one that is not followed. It says something after a second
// or, with 30 ms of jitter, some 10 s, and is good to about 30 ppm after a minute of that.
func (s *Sync) Drift() float64 { return s.drift.slope }

// Error returns by how much Now is behind what the newest samples say, at local:
// above zero it will be slewed forward. It grows without bound, up to the second
// at which Now jumps, where the own clock's rate is wrong by more than is followed.
func (s *Sync) Error(local Micros) Micros {
	if !s.synced {
		return 0
	}
	at, _ := s.line(local)
	return s.target(local) - at
}

// Jumps returns how often Now jumped: because a clock was set or a match began
// anew by more than 250 ms, or because the error was above a second. The first
// sample does not count.
func (s *Sync) Jumps() int { return s.jumps }

// Ignored returns how many samples could not be true.
func (s *Sync) Ignored() int { return s.ignored }
