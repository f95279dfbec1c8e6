package host

import "time"

// Healthy reports whether every match ticks, as /healthz does; one that has failed does not count as long as
// another runs.
func (h *Host) Healthy() bool { return h.unhealthy(time.Now()) == "" }

// Load returns how many matches have a connection, and how many connections there are: bots of the server's own
// have none. It is at most about half a second old.
func (h *Host) Load() (rooms, players int) {
	for _, l := range h.loops {
		if n := l.status.Load().Connections; n > 0 {
			rooms++
			players += n
		}
	}
	return rooms, players
}

// Draining reports whether Drain was called.
func (h *Host) Draining() bool { return h.isDraining() }
