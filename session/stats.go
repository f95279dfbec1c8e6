package session

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/predict"
)

// Stats is what a client's net panel shows.
type Stats struct {
	// RTT is the smoothed round trip, zero before the first sample. Jitter is the smoothed
	// difference between successive transit times from the server; see clock.Sync.Jitter.
	RTT, Jitter clock.Micros
	// Up and Down are the one-way times to the server and from it; their sum is RTT. How the
	// shortest round trip splits cannot be measured, so one may be up to ClockUncertainty
	// longer and the other as much shorter. See clock.Sync.
	Up, Down, ClockUncertainty clock.Micros
	ViewDelay                  clock.Micros // match time now minus that at which others are drawn
	// LossUp and LossDown are the shares of the last 64 datagrams and of the last 64
	// ticks' snapshots that were lost, LossRunUp and LossRunDown the longest runs of lost ones.
	// The newest four do not count, since they may only be late; nor do ticks that the server left
	// out: overloaded, on a narrow link, or to a client that was silent.
	LossUp, LossDown       float64
	LossRunUp, LossRunDown int
	// Quality rates the link in 0 … 4 bars, by RTT, Jitter and loss.
	Quality clock.Quality
	// Drift is the rate of match time less that of the local clock, in parts per million; see
	// clock.Sync.
	Drift      float64
	Tick       uint32                // of the newest snapshot
	In, Out    Flow                  // datagrams received and sent
	Bad        uint64                // malformed packets
	Missed     uint64                // events dropped because the queue was full
	Moves      predict.OwnerCounters // with the corrections by cause
	ClockJumps int                   // how often the estimate of match time was set anew
	Agreed     uint64                // shots judged as this client's screen showed them
	Disagreed  uint64                // shots judged otherwise, refused ones too
	Refused    uint64                // shots not judged at all: their player was dead, or still reloading
	Hits       uint64                // shots that hit a target, as the server judged; also a blast that hit only its own shooter
}

// Flow counts the traffic of a client in one direction.
type Flow struct {
	// Datagrams is how many there were, and Bytes the sum of their payloads.
	Datagrams, Bytes uint64
}

func (f *Flow) add(n int) {
	f.Datagrams++
	f.Bytes += uint64(n)
}

// Stats returns the figures of the net panel as they stand.
func (c *Client[S, C]) Stats() Stats {
	s, shots := c.stats, c.combat.Counters()
	s.Agreed, s.Disagreed, s.Refused, s.Hits = shots.Agreed, shots.Disagreed, shots.Refused, shots.Hits
	s.RTT, s.Jitter, s.ClockJumps = c.clock.RTT(), c.clock.Jitter(), c.clock.Jumps()
	if c.owner != nil {
		s.Moves = c.owner.Counters()
	}
	s.Up, s.Down = c.clock.OneWay()
	s.ClockUncertainty, s.Drift = c.clock.Uncertainty(c.clock.newestAt), c.clock.Drift()
	if c.others != nil {
		codec := ackCodec{schedule: c.ticks, skipped: c.skips}
		s.LossDown, s.LossRunDown = codec.lost(c.others.Received(), c.first)
	}
	s.Quality = clock.RateLink(s.RTT, s.Jitter, s.LossUp, s.LossDown)
	return s
}
