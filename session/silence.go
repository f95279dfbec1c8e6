package session

import "github.com/backstep-net/backstep/clock"

// Limits for clients that send nothing: how many snapshots they get and how long they keep their seat [THR-39].
// A seat costs its holder nothing, and the server a snapshot a tick.
const (
	// freeSnapshots are sent as they are due before the client's first datagram, which usually arrives within
	// that time: half a second at 60 ticks a second.
	freeSnapshots = 32
	// silentAfter is the silence after which a client is sent only one snapshot each silentInterval: longer
	// than an uplink outage on a bad link, during which the player still sees others.
	silentAfter    = 5 * clock.Second
	silentInterval = 250 * clock.Millisecond
	// firstDatagramTimeout is how long a client may take for its first datagram. Later it may be silent as long as
	// its connection exists: a browser freezes a tab, a laptop sleeps.
	firstDatagramTimeout = 5 * clock.Second
)

// receivedAny reports whether a datagram has arrived over the connection.
func (l *link) receivedAny() bool { return l.arrivals.received.Newest != 0 }

// silence returns the time since the newest datagram, which may have arrived after now where a tick begins late.
func (l *link) silence(now clock.Micros) clock.Micros { return max(now-max(l.arrivals.at, l.since), 0) }

// due reports whether the client is sent the snapshot of this tick.
func (l *link) due(now clock.Micros) bool {
	switch {
	case l.receivedAny() && l.silence(now) <= silentAfter:
	case !l.receivedAny() && l.unanswered < freeSnapshots:
		l.unanswered++
	case now-l.sentAt < silentInterval:
		return false
	}
	l.sentAt = now
	return true
}
