package host

import (
	"slices"
	"time"
)

// Status is one match in /api/status.
type Status struct {
	Name        string  `json:"name"`
	Level       string  `json:"level"`
	TickRate    int     `json:"tick_rate"`
	Tick        int64   `json:"tick"`
	Connections int     `json:"connections"`
	TickP50     float64 `json:"tick_p50_ms"`
	TickP99     float64 `json:"tick_p99_ms"`
	Missed      int64   `json:"ticks_missed"`
	In          float64 `json:"bytes_in_per_second"`
	Out         float64 `json:"bytes_out_per_second"`
	Players     any     `json:"players"`
}

// meter measures a loop: the last ticks' times and bytes a second.
type meter struct {
	times   [512]time.Duration
	n       int
	missed  int64
	in, out uint64
	since   time.Time
}

// tick notes how long a tick took and how many before it were missed.
func (m *meter) tick(took time.Duration, missed int64) {
	m.times[m.n%len(m.times)] = took
	m.n++
	m.missed += missed
}

// report publishes the status about twice a second.
func (l *loop) report(tick int64) {
	m := &l.meter
	past := time.Since(m.since)
	if past < 500*time.Millisecond {
		return
	}
	times := slices.Clone(m.times[:min(m.n, len(m.times))])
	slices.Sort(times)
	at := func(p int) float64 {
		return float64(times[min(len(times)*p/100, len(times)-1)].Microseconds()) / 1000
	}
	s := &Status{
		Name: l.seat.Name, Level: l.seat.Level, TickRate: l.seat.TickRate, Tick: tick,
		Connections: len(l.guests), TickP50: at(50), TickP99: at(99), Missed: m.missed,
		Players: l.seat.Match.Report(),
	}
	if !m.since.IsZero() {
		s.In = float64(m.in) / past.Seconds()
		s.Out = float64(m.out) / past.Seconds()
	}
	m.in, m.out, m.since = 0, 0, time.Now()
	l.status.Store(s)
}
