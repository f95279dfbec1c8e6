package host

import (
	"crypto/tls"
	"regexp"
	"slices"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/transport"
)

// metrics are those of the admin port, in the format of Prometheus. Labels have few values each: a match, a
// transport, a cause; nothing is labelled by player or address, because their number is unbounded.
type metrics struct {
	registry *prometheus.Registry
	tick     *prometheus.HistogramVec
	late     *prometheus.HistogramVec
	rtt      *prometheus.HistogramVec
	loss     *prometheus.HistogramVec
	counts   map[string]*prometheus.CounterVec
	rewind   *prometheus.HistogramVec
	refused  *prometheus.CounterVec // by cause
	gauges   map[string]*prometheus.GaugeVec
}

// certificateEnd remembers when the certificate of the latest handshake ends, in Unix time; 0 before the first.
type certificateEnd struct{ atomic.Int64 }

// watched returns a function that returns the certificates of another, nil of nil, and remembers when they end.
func (e *certificateEnd) watched(of func(*tls.ClientHelloInfo) (*tls.Certificate, error)) func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	if of == nil {
		return nil
	}
	return func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
		c, err := of(hello)
		if err == nil && c != nil && c.Leaf != nil && !slices.Contains(hello.SupportedProtos, acmeProtocol) {
			e.Store(c.Leaf.NotAfter.Unix())
		}
		return c, err
	}
}

// liveHeap is the Go metric of what the last garbage collection left, go_gc_heap_live_bytes.
var liveHeap = regexp.MustCompile("^/gc/heap/live:bytes$")

// newMetrics registers all metrics of a host.
func newMetrics(h *Host) *metrics {
	m := &metrics{registry: prometheus.NewRegistry(), counts: map[string]*prometheus.CounterVec{}, gauges: map[string]*prometheus.GaugeVec{}}
	histogram := func(name, help string, buckets []float64) *prometheus.HistogramVec {
		v := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets}, []string{"match"})
		m.registry.MustRegister(v)
		return v
	}
	m.tick = histogram("backstep_tick_seconds", "Duration of ticks.", prometheus.ExponentialBuckets(50e-6, 2, 13))
	m.late = histogram("backstep_tick_late_seconds", "How long after it was due each tick began.", []float64{50e-6, 100e-6, 200e-6, 500e-6, .001, .002, .005, .01, .02, .05, .1})
	m.rtt = histogram("backstep_rtt_seconds", "Round trip of each player, twice a second.", []float64{.01, .02, .04, .06, .08, .1, .15, .2, .3, .5, 1})
	m.loss = histogram("backstep_loss_ratio", "Share of each player's last datagrams that did not come, twice a second.", []float64{0, .005, .01, .02, .05, .1, .2, .3, .5})
	m.rewind = histogram("backstep_rewind_seconds", "How far in the past each shot was judged.", []float64{.02, .05, .1, .15, .2, .25, .3, .4, .5, 1})
	for name, help := range map[string]string{
		"backstep_ticks_missed_total": "Ticks that were skipped because the one before was late or long.",
		"backstep_joins_total":        "Players that got a seat, those that came back included.",
		"backstep_bad_packets_total":  "Packets refused as malformed.",
	} {
		m.counts[name] = prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, []string{"match"})
	}
	m.counts["backstep_bytes_total"] = prometheus.NewCounterVec(prometheus.CounterOpts{Name: "backstep_bytes_total", Help: "Payload of datagrams and messages."}, []string{"match", "direction"})
	m.counts["backstep_corrections_total"] = prometheus.NewCounterVec(prometheus.CounterOpts{Name: "backstep_corrections_total", Help: "Corrections of players, by cause."}, []string{"match", "cause"})
	m.counts["backstep_shots_total"] = prometheus.NewCounterVec(prometheus.CounterOpts{Name: "backstep_shots_total", Help: "Shots, by verdict. A projectile has two: of its launch and of its end."}, []string{"match", "verdict"})
	m.counts["backstep_datagrams_dropped_total"] = prometheus.NewCounterVec(prometheus.CounterOpts{Name: "backstep_datagrams_dropped_total", Help: "Datagrams that the server itself dropped: more than a tick reads (in), older than the next (out), too long or too many (size)."}, []string{"match", "reason"})
	m.refused = prometheus.NewCounterVec(prometheus.CounterOpts{Name: "backstep_refused_total", Help: "Connections and requests that were refused, by cause."}, []string{"cause"})
	for _, cause := range []string{causeHello, causeMatch, causeDrain, causeBan, causeKick, causeLimit, causeToken, causeFull, causeHTTP, causePage, causeAdmin, causeMute} {
		m.refused.WithLabelValues(cause) // 0, so that the first one is a change
	}
	m.registry.MustRegister(m.refused)
	m.gauges["backstep_players"] = prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "backstep_players", Help: "Players with a seat, connected or awaited, bots included."}, []string{"match"})
	m.gauges["backstep_connections"] = prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "backstep_connections", Help: "Connections, joined or not."}, []string{"match", "transport"})
	m.gauges["backstep_queued"] = prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "backstep_queued", Help: "Players that wait for a seat."}, []string{"match"})
	m.gauges["backstep_checkpoint_timestamp_seconds"] = prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "backstep_checkpoint_timestamp_seconds", Help: "When the last checkpoint was written, in Unix time; the beginning before the first."}, []string{"match"})
	for _, v := range m.counts {
		m.registry.MustRegister(v)
	}
	for _, v := range m.gauges {
		m.registry.MustRegister(v)
	}
	m.registry.MustRegister(
		// What is live says what clients cost; the heap in use has garbage in it, up to four times as much.
		collectors.NewGoCollector(collectors.WithGoCollectorRuntimeMetrics(collectors.GoRuntimeMetricsRule{Matcher: liveHeap})), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "backstep_draining", Help: "1 while the server drains."}, func() float64 {
			if h.isDraining() {
				return 1
			}
			return 0
		}),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "backstep_certificate_end_timestamp_seconds", Help: "When the certificate of the latest handshake ends, in Unix time; 0 before the first, and without a certificate of an authority."}, func() float64 {
			return float64(h.certificateEnd.Load())
		}),
	)
	m.countHandshakes(h)
	return m
}

// countHandshakes registers the handshakes of QUIC and UDP. Those of WebSockets are requests of HTTP.
func (m *metrics) countHandshakes(h *Host) {
	for _, c := range []struct {
		transport, result string
		count             func() uint64
	}{
		{"quic", "begun", func() uint64 { return h.quic.Handshakes().Begun }},
		{"quic", "retry", func() uint64 { return h.quic.Handshakes().Retried }},
		{"quic", "refused", func() uint64 { return h.quic.Handshakes().Refused }},
		{"udp", "begun", func() uint64 {
			if h.udp == nil {
				return 0
			}
			return h.udp.Handshakes()
		}},
	} {
		m.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "backstep_handshakes_total", Help: "Handshakes of QUIC and UDP: begun, refused because there are too many, or required to prove their address first (retry).",
			ConstLabels: prometheus.Labels{"transport": c.transport, "result": c.result},
		}, func() float64 { return float64(c.count()) }))
	}
}

// matchMetrics are those of one match. Nil counts nothing, for a host without an admin port.
type matchMetrics struct {
	of      *metrics
	match   string
	tick    prometheus.Observer
	late    prometheus.Observer
	rtt     prometheus.Observer
	loss    prometheus.Observer
	rewind  prometheus.Observer
	seen    map[session.PlayerID]session.PlayerInfo
	players []session.PlayerInfo // scratch
}

// of returns the metrics of a match.
func (m *metrics) forMatch(name string) *matchMetrics {
	// 0 each, so that the first of a kind is a change.
	for _, counter := range []string{"backstep_ticks_missed_total", "backstep_joins_total", "backstep_bad_packets_total"} {
		m.counts[counter].WithLabelValues(name)
	}
	for _, cause := range []string{"misprediction", "timeout", "throttle"} {
		m.counts["backstep_corrections_total"].WithLabelValues(name, cause)
	}
	for _, verdict := range []shot.Verdict{shot.Refused, shot.Miss, shot.Hit, shot.Launched} {
		m.counts["backstep_shots_total"].WithLabelValues(name, verdict.String())
	}
	for _, reason := range []string{dropIn, dropOut, dropSize} {
		m.counts["backstep_datagrams_dropped_total"].WithLabelValues(name, reason)
	}
	return &matchMetrics{
		of: m, match: name, tick: m.tick.WithLabelValues(name), late: m.late.WithLabelValues(name), rtt: m.rtt.WithLabelValues(name), loss: m.loss.WithLabelValues(name), rewind: m.rewind.WithLabelValues(name),
		seen: map[session.PlayerID]session.PlayerInfo{},
	}
}

// add counts n of a metric of the match.
func (m *matchMetrics) add(name string, n float64, labels ...string) {
	if m != nil && n > 0 {
		m.of.counts[name].WithLabelValues(append([]string{m.match}, labels...)...).Add(n)
	}
}

// refused counts a hello that the match refused.
func (m *matchMetrics) refused(cause string) {
	if m != nil {
		m.of.refused.WithLabelValues(cause).Inc()
	}
}

// checkpointed records that the match's checkpoint was written now.
func (m *matchMetrics) checkpointed() {
	if m != nil {
		m.of.gauges["backstep_checkpoint_timestamp_seconds"].WithLabelValues(m.match).SetToCurrentTime()
	}
}

// ticked records a tick.
func (m *matchMetrics) ticked(took, late time.Duration, missed int64) {
	if m == nil {
		return
	}
	m.tick.Observe(took.Seconds())
	m.late.Observe(late.Seconds())
	m.add("backstep_ticks_missed_total", float64(missed))
}

// judged records a shot of the tick at a match time.
func (m *matchMetrics) judged(r *shot.Receipt, at clock.Micros) {
	if m == nil {
		return
	}
	m.add("backstep_shots_total", 1, r.Verdict.String())
	if r.ViewGranted > 0 { // 0: it was refused
		m.rewind.Observe(max(at-r.ViewGranted, 0).Seconds())
	}
}

// The reasons for which the server itself drops datagrams.
const (
	dropIn   = "in"   // more than it reads in a tick
	dropOut  = "out"  // older than the next
	dropSize = "size" // too long, or too many of a tick
)

// dropped records what a connection has dropped since it had dropped as much as was.
func (m *matchMetrics) dropped(now, was *transport.Stats) {
	m.add("backstep_datagrams_dropped_total", float64(now.DroppedIn-was.DroppedIn), dropIn)
	m.add("backstep_datagrams_dropped_total", float64(now.DroppedOut-was.DroppedOut), dropOut)
	m.add("backstep_datagrams_dropped_total", float64(now.Refused-was.Refused), dropSize)
}

// report records the state of the match, twice a second. Counters of a player begin again when it joins anew.
func (m *matchMetrics) report(match Match, s *Status, in, out uint64) {
	if m == nil {
		return
	}
	m.add("backstep_bytes_total", float64(in), "in")
	m.add("backstep_bytes_total", float64(out), "out")
	m.of.gauges["backstep_connections"].DeletePartialMatch(prometheus.Labels{"match": m.match})
	for kind, n := range s.Transports {
		m.of.gauges["backstep_connections"].WithLabelValues(m.match, kind).Set(float64(n))
	}
	if queue, ok := match.(interface{ QueueLength() int }); ok {
		m.of.gauges["backstep_queued"].WithLabelValues(m.match).Set(float64(queue.QueueLength()))
	}
	list, ok := match.(interface {
		Players(into []session.PlayerInfo) []session.PlayerInfo
	})
	if !ok {
		return
	}
	m.players = list.Players(m.players[:0])
	m.of.gauges["backstep_players"].WithLabelValues(m.match).Set(float64(len(m.players)))
	now := make(map[session.PlayerID]session.PlayerInfo, len(m.players))
	for i := range m.players {
		p := &m.players[i]
		m.player(p)
		now[p.ID] = *p
	}
	m.seen = now
}

// player records the state of one player.
func (m *matchMetrics) player(p *session.PlayerInfo) {
	if p.Connected {
		m.rtt.Observe(float64(p.RTT) / 1e6)
		m.loss.Observe(p.Loss)
	}
	was := m.seen[p.ID]
	since := func(now, before int) float64 {
		if now < before { // another player, or another connection
			return float64(now)
		}
		return float64(now - before)
	}
	m.add("backstep_corrections_total", since(p.Moves.Corrections, was.Moves.Corrections), "misprediction")
	m.add("backstep_corrections_total", since(p.Moves.Timeouts, was.Moves.Timeouts), "timeout")
	m.add("backstep_corrections_total", since(p.Moves.Throttles, was.Moves.Throttles), "throttle")
	m.add("backstep_bad_packets_total", since(int(p.Traffic.Bad), int(was.Traffic.Bad)))
}
