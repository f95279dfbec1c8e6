package host

import (
	"slices"
	"time"

	"github.com/backstep-net/backstep/session"
)

// State is the state of a match.
type State string

// The states of a match.
const (
	Running State = "running"
	Failed  State = "failed"  // it panicked; the log has the stack
	Stopped State = "stopped" // with the server
)

// Status is one match in the admin port's status. It is at most about half a second old.
type Status struct {
	Name     string `json:"name"`      // MatchConfig.Name
	Level    string `json:"level"`     // hash
	State    State  `json:"state"`     // running, failed or stopped
	TickRate int    `json:"tick_rate"` // per second
	Tick     int64  `json:"tick"`      // number of the last one
	// Connections counts all connections, joined or not; Transports counts them by transport.
	Connections int            `json:"connections"`
	Transports  map[string]int `json:"transports"`
	// The durations of the last 512 ticks: median, 99th percentile, maximum.
	TickP50 float64 `json:"tick_p50_ms"`
	TickP99 float64 `json:"tick_p99_ms"`
	TickMax float64 `json:"tick_max_ms"`
	// TickHistogram counts the same ticks by their share of the tick interval: up to 1/128 of it, to 1/64, and so on
	// to 1/2, to the whole, and longer.
	TickHistogram [9]int `json:"tick_histogram"`
	// How long after they were due the last 512 ticks began: 99th percentile, maximum.
	LateP99 float64 `json:"tick_late_p99_ms"`
	LateMax float64 `json:"tick_late_max_ms"`
	// Missed counts the ticks that were skipped because the tick before was late or long.
	Missed int64 `json:"ticks_missed"`
	// In and Out count payload bytes, of datagrams and messages.
	In      float64 `json:"bytes_in_per_second"`
	Out     float64 `json:"bytes_out_per_second"`
	Players any     `json:"players"` // the match's own report
	// Peers are the connected players as the host knows them, for bans: in the order in which they connected.
	Peers []Peer `json:"peers"`
}

// Peer is a connected player.
type Peer struct {
	Player  session.PlayerID `json:"player"`            // its seat
	Account string           `json:"account,omitempty"` // of its connect token; "" without one
	Address string           `json:"address"`           // host:port, behind a trusted proxy that of the player
	Kind    string           `json:"kind"`              // of its connection: "quic", "udp", "websocket", …
}

// meter measures a loop: the durations and the lateness of its last ticks, and bytes since the last report.
type meter struct {
	times   [512]time.Duration
	late    [512]time.Duration
	sorted  [512]time.Duration // scratch
	n       int
	missed  int64
	in, out uint64
	since   time.Time // of the last report
}

// reportInterval is how often a match's status is renewed.
const reportInterval = 500 * time.Millisecond

// tick records how long a tick took, how late it began and how many ticks before it were missed.
func (m *meter) tick(took, late time.Duration, missed int64) {
	m.times[m.n%len(m.times)] = took
	m.late[m.n%len(m.late)] = late
	m.n++
	m.missed += missed
}

// fill writes the measured values into s; past is the time since the last call.
func (m *meter) fill(s *Status, past time.Duration) {
	at := m.percentiles(&m.times)
	s.TickP50, s.TickP99, s.TickMax, s.Missed = at(50), at(99), at(100), m.missed
	s.TickHistogram = m.histogram(time.Second / time.Duration(s.TickRate))
	at = m.percentiles(&m.late)
	s.LateP99, s.LateMax = at(99), at(100)
	if !m.since.IsZero() {
		s.In = float64(m.in) / past.Seconds()
		s.Out = float64(m.out) / past.Seconds()
	}
	m.in, m.out, m.since = 0, 0, time.Now()
}

// percentiles returns a function from a percentage to the percentile of what was measured, in ms. It is valid until
// the next call.
func (m *meter) percentiles(of *[512]time.Duration) func(percent int) float64 {
	sorted := m.sorted[:copy(m.sorted[:], of[:min(m.n, len(of))])]
	slices.Sort(sorted)
	return func(percent int) float64 {
		i := min(len(sorted)*percent/100, len(sorted)-1)
		return float64(sorted[i].Microseconds()) / 1000
	}
}

// histogram counts the durations of the last ticks by their share of an interval; see Status.TickHistogram.
func (m *meter) histogram(interval time.Duration) (counts [9]int) {
	for _, took := range m.times[:min(m.n, len(m.times))] {
		i := 0
		for i < len(counts)-1 && took > interval>>(len(counts)-2-i) {
			i++
		}
		counts[i]++
	}
	return counts
}

// report publishes the status once per reportInterval.
func (l *loop) report(tick int64) {
	past := time.Since(l.meter.since)
	if past < reportInterval {
		return
	}
	s := &Status{
		Name: l.config.Name, Level: *l.level.Load(), State: Running, TickRate: l.config.TickRate, Tick: tick,
		Connections: len(l.connections), Transports: map[string]int{}, Peers: []Peer{},
		Players: l.config.Match.Report(),
	}
	for i := range l.connections {
		g := &l.connections[i]
		l.countDrops(g)
		s.Transports[g.conn.Kind()]++
		if g.player != 0 && !g.closing() {
			s.Peers = append(s.Peers, Peer{g.player, g.who.Account, g.conn.Remote(), g.conn.Kind()})
		}
	}
	in, out := l.meter.in, l.meter.out
	l.meter.fill(s, past)
	l.metrics.report(l.config.Match, s, in, out)
	l.status.Store(s)
}
