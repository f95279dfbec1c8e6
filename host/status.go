package host

import (
	"slices"
	"time"
)

// State says whether a match runs.
type State string

// The states of a match.
const (
	Running State = "running"
	Failed  State = "failed"  // it panicked; the log has the stack
	Stopped State = "stopped" // with the server
)

// Status is one match in /api/status. It is about half a second old at most.
type Status struct {
	Name     string `json:"name"`
	Level    string `json:"level"` // hash
	State    State  `json:"state"`
	TickRate int    `json:"tick_rate"` // a second
	Tick     int64  `json:"tick"`      // number of the last one
	// Connections are all there are, with and without a seat; Kinds counts
	// them by transport.
	Connections int            `json:"connections"`
	Kinds       map[string]int `json:"kinds"`
	// What a tick took, of the last 512: the median, 99 in 100, and the worst.
	TickP50 float64 `json:"tick_p50_ms"`
	TickP99 float64 `json:"tick_p99_ms"`
	TickMax float64 `json:"tick_max_ms"`
	// Missed counts the ticks that were skipped because they came due while
	// the one before them was late or long.
	Missed int64 `json:"ticks_missed"`
	// In and Out are payload, of datagrams and messages alike.
	In      float64 `json:"bytes_in_per_second"`
	Out     float64 `json:"bytes_out_per_second"`
	Players any     `json:"players"` // the match's own report

	details any // what Players is for whoever asks from this machine
}

// meter measures a loop: the last ticks' times, and bytes since the last report.
type meter struct {
	times   [512]time.Duration
	n       int
	missed  int64
	in, out uint64
	since   time.Time // of the last report
}

// reportEvery is how often a match's status is renewed.
const reportEvery = 500 * time.Millisecond

// tick notes how long a tick took and how many before it were missed.
func (m *meter) tick(took time.Duration, missed int64) {
	m.times[m.n%len(m.times)] = took
	m.n++
	m.missed += missed
}

// fill puts the measured into s, past after the last time.
func (m *meter) fill(s *Status, past time.Duration) {
	times := slices.Clone(m.times[:min(m.n, len(m.times))])
	slices.Sort(times)
	at := func(percent int) float64 {
		i := min(len(times)*percent/100, len(times)-1)
		return float64(times[i].Microseconds()) / 1000
	}
	s.TickP50, s.TickP99, s.TickMax, s.Missed = at(50), at(99), at(100), m.missed
	if !m.since.IsZero() {
		s.In = float64(m.in) / past.Seconds()
		s.Out = float64(m.out) / past.Seconds()
	}
	m.in, m.out, m.since = 0, 0, time.Now()
}

// report publishes the status when it is time to.
func (l *loop) report(tick int64) {
	past := time.Since(l.meter.since)
	if past < reportEvery {
		return
	}
	s := &Status{
		Name: l.seat.Name, Level: l.seat.Level, State: Running, TickRate: l.seat.TickRate, Tick: tick,
		Connections: len(l.guests), Kinds: map[string]int{},
		Players: l.seat.Match.Report(false), details: l.seat.Match.Report(true),
	}
	for i := range l.guests {
		s.Kinds[l.guests[i].conn.Kind()]++
	}
	l.meter.fill(s, past)
	l.status.Store(s)
}
