package remote

import (
	"math"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/track"
)

// The bounds of the delay and how it is chosen.
const (
	// MaxDelay is the longest delay of the view behind the match. The server credits no more
	// (Estimate), so a client with worse jitter sees other entities extrapolated instead.
	MaxDelay = 250 * clock.Millisecond
	// initialDelay is used until arrivals have been measured, plus the time by which snapshots are
	// further apart than ticks.
	initialDelay = 100 * clock.Millisecond
	// margin is added to the measured lateness, for the client's own frame.
	margin = 2 * clock.Millisecond
	// lossDelayLimit bounds the delay that covers single lost snapshots, with which entities are
	// drawn past their last sample for at most lossShare of the time. If that would take more,
	// entities are drawn past their last sample for up to jitterShare of the time.
	lossDelayLimit = 146 * clock.Millisecond
	lossShare      = 0.003
	jitterShare    = 0.022
	// minMeasurements is how many measurements a delay below initialDelay needs.
	minMeasurements = 30
	// outageSnapshots is how many snapshots are lost in a row when the link is interrupted. What
	// arrives next says nothing of its jitter.
	outageSnapshots = 8
	// StallTime is the longest frame that counts: snapshots that arrive in a longer one say nothing of the link's
	// jitter. A client is frozen then, or its screen slow, and the server cannot know when they arrived: it would refuse views that wait for late ones as too old.
	// [HIT-15]
	StallTime = clock.Second / 4
	// slewTime is the time constant with which the view approaches its delay.
	slewTime = 200 * clock.Millisecond
	// jumpThreshold is how late a view may be before it jumps forward, and how early before it
	// stands still.
	jumpThreshold = 500 * clock.Millisecond
)

// The histogram: lateness in buckets of 1 ms, over twelve spans of half a second.
const (
	bucket  = clock.Millisecond
	buckets = int(MaxDelay/bucket) + 1
	spans   = 12
	span    = clock.Second / 2 // longer, up to 3 times, until perSpan snapshots fit if they are rare
	perSpan = 20
)

// delayEstimator estimates how late samples arrive: the smallest delay with which entities would
// have been drawn past their last samples for a small enough share of the time. An entity is drawn
// past it from when its last sample is as old as the delay until the next one arrives.
type delayEstimator struct {
	top        int // all buckets above it are empty
	sum        int
	sampleTime clock.Micros // total time between each counted sample and the one before it
	span       int          // index of the one being filled
	spanEnd    clock.Micros // when that one ends
	tick       clock.Micros
	interval   clock.Micros // the shortest time between two snapshots; 0: only one has arrived
	wanted     clock.Micros
	stampAge   clock.Micros // the server's tick less a sample's stamp; a decaying maximum
	spanTime   [spans]clock.Micros
	total      [buckets]int32
	counts     [spans][buckets]uint16 // by span, so that one that is over is taken off the total
}

// recordAge records by how much a sample was older than the tick whose snapshot has it.
func (d *delayEstimator) recordAge(behind clock.Micros) {
	d.stampAge = max(d.stampAge-d.stampAge/256, min(behind, maxStaleness))
}

// begin sets how far apart the server's ticks are, before anything is measured.
func (d *delayEstimator) begin(tick clock.Micros) {
	d.tick = tick
	d.wanted = d.initial()
}

// initial returns the delay before enough is measured.
func (d *delayEstimator) initial() clock.Micros {
	return min(max(initialDelay+max(d.interval-d.tick, 0), d.tick), MaxDelay)
}

// recordInterval records how far apart two consecutive snapshots were.
func (d *delayEstimator) recordInterval(apart clock.Micros) {
	if d.interval == 0 || apart < d.interval {
		d.interval = apart
		if d.sum == 0 {
			d.wanted = d.initial()
		}
	}
}

// add records at match time now that the samples of so many entities were late. newer is how much newer
// they are than the ones before them.
func (d *delayEstimator) add(late, newer, now clock.Micros, entities int) {
	d.beginAt(now)
	i := bucketOf(late)
	n := min(entities, math.MaxUint16-int(d.counts[d.span][i])) // beyond 65,535 the shares hardly change
	d.counts[d.span][i] += uint16(n)
	d.total[i] += int32(n)
	d.top = max(d.top, i)
	d.sum += n
	d.spanTime[d.span] += newer * clock.Micros(n)
	d.sampleTime += newer * clock.Micros(n)
}

// bucketOf returns the bucket of a lateness.
func bucketOf(late clock.Micros) int { return int(min(max(late, 0)/bucket, clock.Micros(buckets-1))) }

// beginAt begins a new span if the last one has ended by match time now.
func (d *delayEstimator) beginAt(now clock.Micros) {
	if now >= d.spanEnd {
		d.rotateSpans(now)
	}
}

// rotateSpans begins a new span and drops the oldest.
func (d *delayEstimator) rotateSpans(now clock.Micros) {
	d.spanEnd = now + min(max(span, perSpan*d.interval), 3*span)
	d.span = (d.span + 1) % spans
	old := &d.counts[d.span]
	for i, n := range old {
		d.total[i] -= int32(n)
		d.sum -= int(n)
	}
	*old = [buckets]uint16{}
	d.sampleTime -= d.spanTime[d.span]
	d.spanTime[d.span] = 0
}

// update recomputes the wanted delay from the last spans.
func (d *delayEstimator) update() {
	if d.sum == 0 {
		return
	}
	want := max(d.smallest(jitterShare), min(d.smallest(lossShare), lossDelayLimit)) + margin
	if d.sum < minMeasurements {
		want = max(want, d.initial())
	}
	d.wanted = min(max(want, d.tick), MaxDelay)
}

// smallest returns the smallest delay with which entities would have been drawn past their last
// samples for at most that share of the time.
func (d *delayEstimator) smallest(share float64) clock.Micros {
	most := clock.Micros(float64(d.sampleTime) * share)
	for d.top > 0 && d.total[d.top] == 0 {
		d.top--
	}
	past, later := clock.Micros(0), int32(0)
	for i := d.top; i > 0; i-- {
		if past += clock.Micros(later) * bucket; past > most {
			return clock.Micros(i+1) * bucket
		}
		later += d.total[i]
	}
	return bucket
}

// newestSample describes the newest sample of an entity.
type newestSample struct {
	tick     uint32 // of the snapshot that has it, or has removed the entity; 0: there was none yet
	removed  bool
	at       clock.Micros
	moves    bool
	dead     bool
	life     uint8
	teleport uint8
}

// newestSampleOf returns the description of a sample.
func newestSampleOf(tick uint32, s *track.Sample) newestSample {
	return newestSample{tick, false, s.At, s.Velocity != (geom.Vec3{}), s.Dead, s.Life, s.Teleport}
}

// continuesTo reports whether the samples l and next are on one path.
func (l *newestSample) continuesTo(next *newestSample) bool {
	return l.tick != 0 && !l.removed && next.at > l.at && l.life == next.life && l.teleport == next.teleport && l.dead == next.dead
}

// maxDeferral bounds by how much entities that are sent less often than there are snapshots may
// lengthen the delay for all.
const maxDeferral = 50 * clock.Millisecond

// maxStaleness bounds how much older than its snapshot a sample counts: as it is at 8 frames a second, or with an input
// delay of 120 ms. One that is older is of a player that draws or sends rarely, which may be on purpose: that player is
// drawn past its last sample, and nobody is drawn later for it. [THR-81]
const maxStaleness = 120 * clock.Millisecond

// lateness is how late an entity's new sample arrived.
type lateness struct {
	behind clock.Micros // the tick less the sample's stamp
	late   clock.Micros // the age, on arrival, of the sample before: the delay that would just have kept the entity interpolated
	newer  clock.Micros // from the sample before to this one
	moves  bool         // else only behind counts
}

// latenessOf returns how late the entity's sample next of the snapshot f arrived at match time now. It reports false for
// one that is not on a path with the one before. An entity that the snapshot before deferred, because its budget was
// full, counts as if it had been in that one, and by at most maxDeferral more: a crowd is not drawn later because of
// distant entities.
func latenessOf(before, next *newestSample, last, f *track.Snapshot, now clock.Micros) (l lateness, joined bool) {
	if !before.continuesTo(next) {
		return l, false
	}
	l = lateness{behind: min(f.At-next.at, maxStaleness), late: now - before.at, moves: before.moves && next.moves}
	staleness := maxStaleness
	if before.tick != last.Tick {
		staleness = min(l.behind+maxDeferral, maxStaleness)
	}
	l.late = min(l.late, now-last.At+staleness)
	l.newer = min(next.at-before.at, l.late)
	return l, true
}

// measureSample records how late an entity's sample arrived, for so many entities. It reports whether it moves.
func (d *delayEstimator) measureSample(l lateness, now clock.Micros, entities int) bool {
	d.recordAge(l.behind)
	if l.moves {
		d.add(l.late, l.newer, now, entities)
	}
	return l.moves
}

// measureIdle records how late a snapshot arrived in which no entity moved, as if one had moved that is as far
// behind the server as entities have been recently: the delay is right when they set out. last and at are the ticks of
// the snapshot before and of this one.
func (d *delayEstimator) measureIdle(last, at, now clock.Micros) {
	if d.stampAge > 0 {
		late := now - last + d.stampAge
		d.add(late, min(at-last, late), now, 1)
	}
}

// arrivedSnapshots are those that have arrived since the last frame, with how late their entities were. They count if
// the frame comes in time that shows them.
type arrivedSnapshots struct {
	list []arrivedSnapshot
	late []lateness // of all of them
}

// arrivedSnapshot arrived at match time now. last and at are the ticks of the one before and its own.
type arrivedSnapshot struct {
	last, at, now clock.Micros
	late          int // how many
}

// clear forgets what has arrived; the memory stays.
func (a *arrivedSnapshots) clear() { a.list, a.late = a.list[:0], a.late[:0] }

// recordArrival keeps how late the entities of a snapshot are, until the next frame. Only then is it known whether the
// server can know it too.
func (r *Remotes) recordArrival(last, f *track.Snapshot, now clock.Micros) {
	a := &r.arrived
	one := arrivedSnapshot{last: last.At, at: f.At, now: now}
	for i := range r.received {
		if l, joined := latenessOf(r.newestSamples.At(f.ID(i)), &r.received[i], last, f, now); joined {
			a.late = append(a.late, l)
			one.late++
		}
	}
	a.list = append(a.list, one)
}

// measure counts the snapshots that have arrived since the last frame. They do not count before: a server sees their
// acknowledgements with this frame, and measures nothing of a frame that was too long (StallTime). One that only one end
// measured would make the two estimates differ for six seconds.
func (r *Remotes) measure() {
	late := r.arrived.late
	// In the order in which they arrived: the age of samples that rest decays from snapshot to snapshot.
	for _, one := range r.arrived.list {
		moved := false
		for _, l := range late[:one.late] {
			moved = r.delay.measureSample(l, one.now, 1) || moved
		}
		if !moved {
			r.delay.measureIdle(one.last, one.at, one.now)
		}
		late = late[one.late:]
	}
	// The delay is wanted for this frame, so once is enough.
	if len(r.arrived.list) > 0 {
		r.delay.update()
	}
	r.arrived.clear()
}

// recordNewest keeps the newest sample of every entity in a snapshot, and the instant from which the
// view may change by it.
func (r *Remotes) recordNewest(f *track.Snapshot, newest bool) {
	for i := range r.received {
		l, next := r.newestSamples.At(f.ID(i)), &r.received[i]
		// An older snapshot that was overtaken on the way.
		if l.tick > f.Tick {
			continue
		}
		if l.moves || next.moves {
			r.blend.changedFrom = min(r.blend.changedFrom, l.at)
		}
		*l = *next
	}
	for _, id := range f.Removed {
		if l := r.newestSamples.At(id); l.tick <= f.Tick {
			l.tick, l.removed = f.Tick, true
		}
	}
	if !newest {
		r.blend.changedFrom = 0
	}
}

// slewedClock is a view time that runs smoothly.
type slewedClock struct {
	now, at clock.Micros
	begun   bool
}

// advance moves the view time towards want, the wanted one, at match time now.
func (p *slewedClock) advance(now, want clock.Micros) {
	if !p.begun {
		p.begun, p.now, p.at = true, now, want
		return
	}
	d := max(now-p.now, 0)
	p.now = max(now, p.now)
	off := want - (p.at + d)
	if off > jumpThreshold {
		p.at = want
		return
	}
	// Too far ahead: it stands still until the match has caught up, because it never goes back.
	if off < -jumpThreshold {
		return
	}
	// By at most 10 %: players would notice a slower or faster walk.
	step := off * min(d, slewTime) / slewTime
	p.at += d + min(max(step, -d/10), d/10)
}
