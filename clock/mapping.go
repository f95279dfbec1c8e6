package clock

// How Mapping behaves.
const (
	mapMargin = 3 * Millisecond   // how far results stay behind the earliest arrival
	mapBand   = 5 * Millisecond   // and how much further before the delay rises: jitter's own ups and downs
	mapJump   = 250 * Millisecond // a larger change resets
	mapWait   = Second            // how long a larger delay must last to count as a change
	mapSlew   = 20000             // ppm: at most 2 %
	mapSettle = Second            // time constant of rising delays
)

// Mapping maps an owner's command stamps smoothly to match time, so that moves
// that arrive in bursts are not drawn, recorded or rewound in bursts (PRF-12). The
// zero Mapping is ready; use one for each owner. It allocates nothing.
//
// A result is the stamp plus a delay: the least (arrived − stamp) of the last 2 s
// of stamps, less 3 to 8 ms, followed at no more than 2 % of the stamp's progress
// and of the arrivals'. The slack keeps a luckier packet than the window has seen
// from squeezing a duration.
type Mapping struct {
	least   MinDelay // (arrived − stamp), by stamp
	delay   Micros
	stamp   Micros // newest mapped
	mapped  Micros // its result
	arrived Micros // when it arrived
	since   Micros // arrival since when the delay is far larger; 0 means it is not
	started bool
	resets  int
}

// Map returns the match time that stands for stamp, given that the command
// arrived at match time arrived. Results increase strictly with stamp; a stamp not
// above the newest one gives the newest result again, unless it is more than
// 250 ms older, which starts over. They are never later than arrived, but by the
// microsecond a command that strict increase costs within a burst while the least
// delay is still being learnt. A step of the owner's clock of more than 250 ms, at
// once where it is forward and after a second where it is backward, starts over.
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

// Reset forgets everything but the newest result, which later ones still exceed:
// for a new life or a new connection.
func (m *Mapping) Reset() { m.started = false }

// Delay returns by how much results are later than stamps at the moment.
func (m *Mapping) Delay() Micros { return m.delay }

// Resets returns how often a step of the owner's clock made it start over.
func (m *Mapping) Resets() int { return m.resets }

func (m *Mapping) restart(stamp, arrived Micros) Micros {
	if m.started {
		m.resets++
	}
	m.started, m.since = true, 0
	m.least = MinDelay{}
	m.delay = m.least.Note(stamp, arrived-stamp) - mapMargin
	return m.result(stamp, arrived)
}

// stuckBehind reports whether delays have been far larger for a second of arrivals.
// What a stalled network held arrives at one instant, and so is no reason.
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

// follow moves the delay towards the window's least: down as fast as allowed,
// since nothing may be later than it arrived; up gently, and not at all while what
// a stalled network held arrives at one instant.
func (m *Mapping) follow(gap, progress, rise Micros) {
	if gap > mapBand {
		m.delay += min((gap-mapBand)*rise/mapSettle, rise*mapSlew/1e6)
	} else if gap < 0 {
		m.delay += max(gap, -progress*mapSlew/1e6)
	}
}

// result is stamp + delay, at most arrived, above the result before it.
func (m *Mapping) result(stamp, arrived Micros) Micros {
	t := stamp + m.delay
	if t > arrived {
		t = arrived
		m.delay = t - stamp
	}
	m.stamp, m.mapped, m.arrived = stamp, max(t, m.mapped+1), arrived
	return m.mapped
}
