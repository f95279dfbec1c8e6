package clock

// RTT returns the smoothed round trip, without the server's acknowledgement delay.
// Zero before the first sample.
func (s *Sync) RTT() Micros { return s.srtt8 / 8 }

// OneWay returns the smoothed times of the uplink and the downlink, which add up to RTT. Only
// their variation is measured. The split of the shortest round trip is unknown and assumed to
// be even, so both can be wrong by Uncertainty in opposite directions.
func (s *Sync) OneWay() (up, down Micros) {
	down = min(s.down8/8, s.RTT())
	return s.RTT() - down, down
}

// Uncertainty returns the largest error of the target of Now at local: half of the round trip of
// the best sample, plus the drift that is possible since. On a symmetric path the error is far
// smaller. Zero before the first sample.
func (s *Sync) Uncertainty(local Micros) Micros {
	if !s.synced {
		return 0
	}
	return s.uncertainty(s.best, local)
}

// Jitter returns the smoothed difference between successive transit times from the server (RFC
// 3550, section 6.4.1). For one-sided uniform jitter it is a third of its width.
func (s *Sync) Jitter() Micros { return s.jitter16 / 16 }

// Drift returns by how many ppm match time runs faster than the client's own clock, also where
// that is not followed. It is meaningful after a second or, with 30 ms of jitter, some 10 s, and
// accurate to about 30 ppm after a minute of such jitter.
func (s *Sync) Drift() float64 { return s.drift.slope }

// Jumps returns how often Now jumped: because a clock was set or the match restarted by more than
// 250 ms, or because the error exceeded a second. The first sample does not count.
func (s *Sync) Jumps() int { return s.jumps }
