package session

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/remote"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// viewAgeEstimate estimates from one client's link how old the views of its shots may be [HIT-16].
// A client can make its link look worse by acknowledging late, or not at all, but that inflates only
// shot.ViewAge.LinkDelay, which the cap bounds.
type viewAgeEstimate struct {
	// viewDelay is the delay that the client chooses by how its snapshots arrive, and direct the one
	// that it would choose if each arrived at once.
	viewDelay, direct *remote.Estimate
	// silence is the age of the newest snapshot when the next one arrived.
	silence recentMax
	// late is how much later commands arrived than the fastest ones. gap is the time between
	// the datagram that brought the newest, at newestAt, and the one before. began is the
	// stamp at which the first command of the newest began: the frame that they were made
	// in had been drawn by then.
	late                 recentMax
	gap, newestAt, began clock.Micros
	// sentAt is when the newest datagram would have arrived at the least uplink delay, and pause the
	// time since the one before.
	sentAt, pause clock.Micros
}

// stalled is the gap between two datagrams from which a client counts as frozen.
const stalled = 40 * clock.Millisecond

func newViewAgeEstimate(sent schedule, gaps *remote.Gaps) *viewAgeEstimate {
	tick, interval := sent.at(1), clock.TickTime(1, sent.snapshots)
	return &viewAgeEstimate{viewDelay: remote.NewEstimate(tick, interval, gaps), direct: remote.NewEstimate(tick, interval, gaps)}
}

// acknowledged records a datagram that acknowledges something new. at is when it would have arrived at
// the least uplink delay, and earlier the same for the one before it: the uplink does not
// affect the view delay.
//
// When a snapshot arrived follows from the delay in the datagram. Where it has
// none, the snapshot arrived between this datagram and the one before, which would have
// acknowledged it: in the middle; or just now, where the client sent nothing for so long that
// its screen stood still.
func (l *link) acknowledged(line *timeline, snapshots *track.SnapshotHistory, h *clientHeader, at, earlier clock.Micros) {
	e, newest := l.viewAge, h.received.Newest
	e.advance(at)
	if l.acked > 0 {
		e.silence.note(at, earlier-line.at(l.acked)) // nothing newer had arrived
	}
	if at-earlier <= remote.StallTime {
		l.arrived(line, snapshots, h, at, earlier)
	}
	e.direct.Arrived(snapshots, l.sentLog(), line.sent.schedule.before(newest), newest, line.at(newest))
}

// arrived measures when each snapshot arrived that is acknowledged anew.
func (l *link) arrived(line *timeline, snapshots *track.SnapshotHistory, h *clientHeader, at, earlier clock.Micros) {
	up, r, last := l.roundTrip.shortest/2, h.received, l.acked
	arrived := earlier + (at-earlier)/2
	if at-earlier > stalled {
		arrived = at
	}
	for n := max(last+1, r.Newest-min(r.Newest, track.ReceivedWindow)); n <= r.Newest; n++ {
		if !r.Has(n) {
			continue
		}
		if n == r.Newest && h.ackDelay != noAckDelay {
			arrived = at - h.ackDelay
		}
		// Less the way back, which arrived includes, and not before the snapshot can get there.
		l.viewAge.viewDelay.Arrived(snapshots, l.sentLog(), last, n, max(arrived-up, line.at(n)+up))
		if exact := n == r.Newest && h.ackDelay != noAckDelay; exact || at-earlier <= stalled {
			l.down.capacity.Arrived(n, arrived)
		}
		last = n
	}
}

// advance advances the estimated views to a match time before it measures anything new: otherwise
// a withheld acknowledgement would count only from its arrival on.
func (e *viewAgeEstimate) advance(now clock.Micros) {
	e.viewDelay.Delay(now)
	e.direct.Delay(now)
}

// bestArrival returns when the newest datagram before this one would have arrived at the least uplink
// delay, and the same for this one, which it records if it is newer.
func (t *seat[S, C]) bestArrival(newer bool, arrived clock.Micros) (earlier, sent clock.Micros) {
	if t.link.viewAge == nil {
		return 0, arrived
	}
	earlier, sent = t.link.viewAge.sentAt, arrived
	if t.authority != nil {
		sent -= min(t.authority.Lateness(arrived), max(arrived-earlier, 0))
	}
	if newer {
		t.link.viewAge.sentAt, t.link.viewAge.pause = sent, sent-earlier
	}
	return earlier, sent
}

// ran records that a command is run that began at a stamp and arrived at a match time, later than
// the fastest commands of this link by late.
func (e *viewAgeEstimate) ran(arrived, late, began clock.Micros) {
	if arrived > e.newestAt {
		if e.gap = arrived - e.newestAt; e.newestAt == 0 { // before the first only acknowledgements arrived
			e.gap, began = e.pause, began-e.pause
		}
		e.newestAt, e.began = arrived, began
	}
	e.late.note(arrived, late)
	e.advance(arrived)
}

// displayTime returns for how long the frame had been on the screen in which a command was made
// that ended at a stamp: since before the first command that arrived with it. A slow screen with a
// fixed tick sends several at once.
func (e *viewAgeEstimate) displayTime(stamp clock.Micros) clock.Micros {
	if e == nil {
		return 0
	}
	return stamp - e.began
}

// viewAge returns the plausible age of the view of the command that was run last: it arrived late by
// a time, and its view had been shown on the screen for another. Both follow from the command's
// stamp, so they are accepted as far as no datagram arrived meanwhile, and beyond that as far as
// commands have been late before, under the cap.
func (t *seat[S, C]) viewAge(late, shown clock.Micros) shot.ViewAge {
	e := t.link.viewAge
	if e == nil {
		return shot.ViewAge{} // it was sent no snapshot yet
	}
	unproved := max(shown-e.gap, 0)
	shown -= unproved
	late = min(max(late, 0)+unproved, e.gap-shown+2*e.late.most())
	trip, silence := t.link.roundTrip.recent.Delay(), e.silence.most()
	delay, direct := e.viewDelay.Delay(e.newestAt), e.direct.Delay(e.newestAt)
	return shot.ViewAge{
		RoundTrip:   trip,
		LinkDelay:   t.link.roundTrip.shortest/2 + max(delay-direct, 0),
		UplinkDelay: late,
		Delay:       direct,
		DisplayTime: shown,
		Silence:     silence + max(silence-trip, 0),
	}
}

// recentMax is the largest of some measurements in each second, as far as the client is
// credited with it. A second counts from the second after the next one on, for recentSeconds: a
// client that holds something back just before a shot gains nothing by it. Until there is such
// a second, what is known counts at once.
type recentMax struct {
	largest [recentSeconds]clock.Micros // by second
	first   clock.Micros                // the first second, and the last that is known
	newest  clock.Micros
	known   bool
}

// recentSeconds is for how many seconds a measurement of a link counts.
const recentSeconds = 16

// note records what was measured at a match time.
func (l *recentMax) note(at, value clock.Micros) {
	second := max(at, 0) / clock.Second
	if !l.known {
		l.first, l.newest, l.known = second, second, true
	}
	for l.newest = max(l.newest, second-recentSeconds); l.newest < second; {
		l.newest++
		l.largest[l.newest%recentSeconds] = 0
	}
	m := &l.largest[second%recentSeconds]
	*m = max(*m, value)
}

// most returns the largest that counts.
func (l *recentMax) most() (most clock.Micros) {
	begin := l.newest - 2
	if begin < l.first {
		begin = l.newest
	}
	for second := begin; second >= max(l.first, l.newest-recentSeconds+1); second-- {
		most = max(most, l.largest[second%recentSeconds])
	}
	return most
}
