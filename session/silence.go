package session

import "github.com/backstep-net/backstep/clock"

// Limits for clients that send nothing: how many snapshots they get and how long they keep their seat [THR-39].
// A seat costs its holder nothing, and the server a snapshot a tick.
const (
	// freeSnapshots are sent as they are due before the client's first datagram: half a second at 60 ticks a
	// second, within which it comes as a rule.
	freeSnapshots = 32
	// silentAfter is how long a client has been silent when it is sent a snapshot each silentInterval alone:
	// longer than a way up is dead on a bad line, in which a player still sees others.
	silentAfter    = 5 * clock.Second
	silentInterval = 250 * clock.Millisecond
	// maxUnheard is how long a client may take for its first datagram. Later it may be silent as long as its
	// connection lives: a browser freezes a tab, a laptop sleeps.
	maxUnheard = 5 * clock.Second
)

// heard reports whether a datagram has come over the connection.
func (l *link) heard() bool { return l.arrivals.came.Newest != 0 }

// silence returns for how long none has come.
func (l *link) silence(now clock.Micros) clock.Micros { return now - max(l.arrivals.at, l.since) }

// due reports whether the client is sent the snapshot of this tick.
func (l *link) due(now clock.Micros) bool {
	switch {
	case l.heard() && l.silence(now) <= silentAfter:
	case !l.heard() && l.unheard < freeSnapshots:
		l.unheard++
	case now-l.sentAt < silentInterval:
		return false
	}
	l.sentAt = now
	return true
}
