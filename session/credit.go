package session

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/remote"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// credit is what a server knows of one client's line that explains how old the views of
// its shots are (HIT-16). A client can make its line look worse by acknowledging late, or
// not at all; all that it can inflate so is shot.ViewAge.LinkDelay, which the cap bounds.
type credit struct {
	// line is the view delay that the client chooses by how its snapshots arrive, and
	// direct the one it would choose if each arrived at once.
	line, direct *remote.Estimate
	// silence is how old the newest snapshot that had come was when the next one came.
	silence recent
	// late is by how much commands came later than they do at best. gap is the time between
	// the datagram that brought the newest, at cameAt, and the one before, and began the
	// stamp at which the first command of the newest began: the picture that they were made
	// in had been drawn by then.
	late               recent
	gap, cameAt, began clock.Micros
	// sent is when the newest datagram would have come if the way up had been at its best, and
	// pause how long after the one before.
	sent, pause clock.Micros
}

// stalled is the time between two datagrams from which on a client is taken to have stood
// still in between.
const stalled = 40 * clock.Millisecond

func newCredit(config *ServerConfig) *credit {
	tick, apart := clock.TickTime(1, config.TickRate), clock.TickTime(1, config.SnapshotRate)
	return &credit{line: remote.NewEstimate(tick, apart), direct: remote.NewEstimate(tick, apart)}
}

// acknowledged takes in a datagram that acknowledges something new. It would have come at a
// match time, and the one before it at an earlier one, if the way up had been at its best:
// what is late on the way up explains no view delay.
//
// When a snapshot arrived follows from the hold in the datagram. Where it has
// none, the snapshot arrived between this datagram and the one before, which would have
// acknowledged it: in the middle; or just now, where the client sent nothing for so long that
// its screen stood still.
func (s *Server[S, C]) acknowledged(t *seat[S, C], h *clientHeader, at, earlier clock.Micros) {
	c, r := t.credit, h.received
	c.advance(at)
	c.silence.note(at, earlier-s.at(t.received)) // nothing newer had come
	if at-earlier <= remote.StallTime {
		s.arrived(t, h, at, earlier)
	}
	c.direct.Arrived(s.history.Snapshots, t.sentLog(), s.ticks.only.before(r.Newest), r.Newest, s.at(r.Newest))
}

// arrived measures when each snapshot arrived that is acknowledged anew.
func (s *Server[S, C]) arrived(t *seat[S, C], h *clientHeader, at, earlier clock.Micros) {
	up, r, last := t.roundTrip.shortest/2, h.received, t.received
	arrived := earlier + (at-earlier)/2
	if at-earlier > stalled {
		arrived = at
	}
	for n := max(last+1, r.Newest-min(r.Newest, track.ReceivedWindow)); n <= r.Newest; n++ {
		if !r.Has(n) {
			continue
		}
		if n == r.Newest && h.hold != noHold {
			arrived = at - h.hold
		}
		t.credit.line.Arrived(s.history.Snapshots, t.sentLog(), last, n, max(arrived-up, s.at(n)+up))
		last = n
	}
}

// advance has the estimates' views go on to a match time: before anything new is known, so
// that what a client has withheld counts from then on.
func (c *credit) advance(now clock.Micros) {
	c.line.Delay(now)
	c.direct.Delay(now)
}

// sent returns when the newest datagram before this one would have come if the way up had
// been at its best, and when this one would have, and notes that if it is newer.
func (t *seat[S, C]) sent(newer bool, came clock.Micros) (earlier, sent clock.Micros) {
	if t.credit == nil {
		return 0, came
	}
	earlier, sent = t.credit.sent, came
	if t.authority != nil {
		sent -= min(t.authority.Lateness(came), max(came-earlier, 0))
	}
	if newer {
		t.credit.sent, t.credit.pause = sent, sent-earlier
	}
	return earlier, sent
}

// at returns the match time of a tick.
func (s *Server[S, C]) at(tick uint32) clock.Micros {
	return clock.TickTime(int64(tick), s.config.TickRate)
}

// ran notes that a command is run that began at a stamp and came at a match time, so much
// later than commands come on this line at best.
func (c *credit) ran(came, late, began clock.Micros) {
	if came > c.cameAt {
		if c.gap = came - c.cameAt; c.cameAt == 0 { // before the first there were only looks
			c.gap, began = c.pause, began-c.pause
		}
		c.cameAt, c.began = came, began
	}
	c.late.note(came, late)
	c.advance(came)
}

// shown is for how long the picture had been on the screen in which a command was made that
// ended at a stamp: since before the first command that came with it. Several come at once
// from a slow screen with a fixed tick.
func (c *credit) shown(stamp clock.Micros) clock.Micros {
	if c == nil {
		return 0
	}
	return stamp - c.began
}

// viewAge explains the age of the view of the command that was run last, which came so much
// late and whose view had been on the screen for so long. Both follow from the command's
// stamp, so they are accepted as far as no datagram came meanwhile, and beyond that as far as
// commands have been late before, under the cap.
func (t *seat[S, C]) viewAge(late, shown clock.Micros) shot.ViewAge {
	c := t.credit
	if c == nil {
		return shot.ViewAge{} // it has been sent nothing to look at
	}
	unproved := max(shown-c.gap, 0)
	shown -= unproved
	late = min(max(late, 0)+unproved, c.gap-shown+2*c.late.credited())
	trip, silence := t.roundTrip.recent.Delay(), c.silence.credited()
	line, direct := c.line.Delay(c.cameAt), c.direct.Delay(c.cameAt)
	return shot.ViewAge{
		RoundTrip:   trip,
		LinkDelay:   t.roundTrip.shortest/2 + max(line-direct, 0),
		UplinkDelay: late,
		Delay:       direct,
		DisplayTime: shown,
		Silence:     silence + max(silence-trip, 0),
	}
}

// recent is the most of something in each second, of which a credit is made. A second
// counts from the second after the next one on, for recentMemory: a client that holds
// something back just before a shot is not credited for that. Until there is such a second,
// what is known counts at once.
type recent struct {
	most   [recentMemory]clock.Micros // by second
	first  clock.Micros               // the first second, and the last that is known
	newest clock.Micros
	some   bool
}

// recentMemory is for how many seconds what a line has shown counts.
const recentMemory = 16

// note takes in what was measured at a match time.
func (l *recent) note(at, value clock.Micros) {
	second := max(at, 0) / clock.Second
	if !l.some {
		l.first, l.newest, l.some = second, second, true
	}
	for l.newest = max(l.newest, second-recentMemory); l.newest < second; {
		l.newest++
		l.most[l.newest%recentMemory] = 0
	}
	m := &l.most[second%recentMemory]
	*m = max(*m, value)
}

// credited returns the most that counts.
func (l *recent) credited() (most clock.Micros) {
	begin := l.newest - 2
	if begin < l.first {
		begin = l.newest
	}
	for second := begin; second >= max(l.first, l.newest-recentMemory+1); second-- {
		most = max(most, l.most[second%recentMemory])
	}
	return most
}
