package clock

// The behaviour of Mapping.
const (
	mapMargin = 3 * Millisecond   // how far results stay behind the earliest arrival
	mapBand   = 5 * Millisecond   // and how much further before the delay rises, which tolerates jitter
	mapJump   = 250 * Millisecond // a larger change resets
	mapWait   = Second            // how long a larger delay must last before it counts
	mapSlew   = 20000             // ppm: at most 2 %
	mapSettle = Second            // time constant of rising delays
)

// Mapping maps an owner's command stamps smoothly to match time, so that moves that arrive in
// bursts are not drawn, recorded or rewound in bursts (PRF-12). Use one for each owner. The zero
// Mapping is ready to use. It allocates nothing.
//
// A result is the stamp plus a delay: the minimum of (arrived − stamp) over the last 2 s of
// stamps, less 3 to 8 ms, followed at up to 2 % of the progress of stamps and of arrivals. The
// margin keeps a packet that is faster than any in the window from shortening a duration.
type Mapping struct {
	least   MinDelay // (arrived − stamp), by stamp
	delay   Micros
	stamp   Micros // newest mapped
	mapped  Micros // its result
	arrived Micros // when it arrived
	since   Micros // arrival since which the delay is far larger; 0 if it is not
	started bool
}

// Map returns the match time for stamp of a command that arrived at match time arrived. Results
// increase strictly with stamp; a stamp not above the newest one returns the newest result
// again, unless it is more than 250 ms older, which restarts the mapping. Results are never
// later than arrived, except by the microsecond a command that strict increase costs within a
// burst while the minimum delay is still unknown. A step of the owner's clock of more than
// 250 ms restarts the mapping, at once if it is forward and after a second if it is backward.
func (m *Mapping) Map(stamp, arrived Micros) Micros {
	if !m.started || stamp < m.stamp-mapJump {
		return m.restart(stamp, arrived)
	}
	if stamp <= m.stamp {
		return m.mapped
	}
	progress := min(stamp-m.stamp, Second)
	rise := min(progress, max(arrived-m.arrived, 0))
	gap := m.least.Note(stamp, arrived-stamp) - mapMargin - m.delay
	if gap < -mapJump || m.stuckBehind(gap, arrived) {
		return m.restart(stamp, arrived)
	}
	m.follow(gap, progress, rise)
	return m.result(stamp, arrived)
}

// Delay returns how much later results currently are than stamps.
func (m *Mapping) Delay() Micros { return m.delay }

func (m *Mapping) restart(stamp, arrived Micros) Micros {
	m.started, m.since = true, 0
	m.least = MinDelay{}
	m.delay = m.least.Note(stamp, arrived-stamp) - mapMargin
	return m.result(stamp, arrived)
}

// stuckBehind reports whether delays have been far larger for a second of arrivals. Packets that
// a stalled network held arrive at one instant, and so do not count.
func (m *Mapping) stuckBehind(gap, arrived Micros) bool {
	if gap <= mapJump {
		m.since = 0
		return false
	}
	if m.since == 0 {
		m.since = arrived
	}
	return arrived-m.since > mapWait
}

// follow moves the delay towards the minimum of the window: down as fast as allowed, since no
// result may be later than its arrival; up slowly, and not at all while packets that a stalled
// network held arrive at one instant.
func (m *Mapping) follow(gap, progress, rise Micros) {
	if gap > mapBand {
		m.delay += min((gap-mapBand)*rise/mapSettle, rise*mapSlew/1e6)
	} else if gap < 0 {
		m.delay += max(gap, -progress*mapSlew/1e6)
	}
}

// result returns stamp + delay, at most arrived, and above the result before it.
func (m *Mapping) result(stamp, arrived Micros) Micros {
	t := stamp + m.delay
	if t > arrived {
		t = arrived
		m.delay = t - stamp
	}
	m.stamp, m.mapped, m.arrived = stamp, max(t, m.mapped+1), arrived
	return m.mapped
}
