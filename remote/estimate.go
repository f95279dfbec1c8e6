package remote

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/track"
)

// Estimate is the view delay that a client's Remotes choose, as estimated by a server that knows
// when the client's snapshots arrived: the same measurement, the same choice and the same slewing.
// Make one with NewEstimate.
//
// Of each snapshot it measures a few entities in turn instead of all: the shares of time that
// decide the delay come out alike.
type Estimate struct {
	delay    delayEstimator
	viewTime slewedClock
	turn     int // which entity of a snapshot is measured next

	sample track.Sample // scratch
}

// samplesPerSnapshot is how many entities of a snapshot an Estimate measures.
const samplesPerSnapshot = 4

// NewEstimate returns the Estimate of a client whose ticks are tick µs apart and whose snapshots
// are apart µs apart. Until enough snapshots have arrived, its delay is a client's initial one.
func NewEstimate(tick, apart clock.Micros) *Estimate {
	e := new(Estimate)
	e.delay.begin(tick)
	e.delay.recordInterval(apart)
	return e
}

// Arrived records that the snapshot of tick newest arrived at match time now, by the client's
// clock, and that the snapshot of tick last was the newest that had arrived before. frames are the
// server's. sent says which entities of them the client's snapshots had; nil is all. As on a
// client, a gap of more than 8 snapshots counts for nothing: the link was interrupted.
func (e *Estimate) Arrived(frames *track.SnapshotHistory, sent *track.SentLog, last, newest uint32, now clock.Micros) {
	before, f := frames.Snapshot(last), frames.Snapshot(newest)
	if before == nil || f == nil || f.At-before.At > outageSnapshots*e.delay.interval {
		return
	}
	moved := false
	for range min(f.Len(), samplesPerSnapshot) {
		e.turn = (e.turn + 1) % f.Len()
		moved = e.measureNext(frames, sent, before, f, now) || moved
	}
	if !moved {
		e.delay.measureIdle(before, f, now)
	}
	e.delay.update()
}

// measureNext measures the entity whose turn it is, and reports whether it moved.
func (e *Estimate) measureNext(frames *track.SnapshotHistory, sent *track.SentLog, last, f *track.Snapshot, now clock.Micros) bool {
	id, since := f.ID(e.turn), last.Tick
	if sent != nil {
		if !sent.Has(f.Tick, id) {
			return false
		}
		if !sent.Has(since, id) {
			since = sent.SentBefore(since, id)
		}
	}
	earlier := frames.Snapshot(since)
	if earlier == nil || !earlier.Find(id, &e.sample) {
		return false
	}
	before := newestSampleOf(since, &e.sample)
	f.Load(e.turn, &e.sample)
	next := newestSampleOf(f.Tick, &e.sample)
	return e.delay.measureSample(&before, &next, last, f, now)
}

// Delay returns how far behind the match the client's view is at match time now. It changes by at
// most a tenth of the time that passes, as a client's view does: a client whose link degrades is
// credited no sooner than its view gets there.
func (e *Estimate) Delay(now clock.Micros) clock.Micros {
	now = max(now, e.viewTime.now)
	e.viewTime.advance(now, now-e.delay.wanted)
	return min(max(now-e.viewTime.at, 0), MaxDelay)
}
