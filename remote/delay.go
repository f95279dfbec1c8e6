package remote

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/track"
)

// The delay's bounds and habits.
const (
	// MaxDelay is the furthest the view is kept behind the match. The server
	// credits no more (Estimate), so a client with worse jitter sees others
	// extrapolated instead.
	MaxDelay = 250 * clock.Millisecond
	// initialDelay is used until arrivals have been measured, and longer by what
	// snapshots are further apart than ticks.
	initialDelay = 100 * clock.Millisecond
	// margin is added to the measured lateness, for the client's own frame.
	margin = 2 * clock.Millisecond
	// lossDelayLimit is how long the delay may become for hardly anything to be drawn past its
	// last sample, that is to cover single lost snapshots: for at most rare of the time.
	// Where that takes more, things are for some of the time.
	lossDelayLimit = 146 * clock.Millisecond
	lossShare      = 0.003
	jitterShare    = 0.022
	// minMeasurements measurements to go below firstDelay.
	minMeasurements = 30
	// outageSnapshots is how many snapshots in a row are lost when the line is cut and what comes
	// next says nothing of its jitter.
	outageSnapshots = 8
	// StallTime is for how long no picture is drawn when it is this client that comes late: a
	// lateness after that counts for nothing.
	StallTime = clock.Second / 4
	// slewTime is the time constant with which the view approaches its delay.
	slewTime = 200 * clock.Millisecond
	// jumpThreshold is how late a view may be before it jumps forward, and how early before
	// it stands still.
	jumpThreshold = 500 * clock.Millisecond
)

// The histogram: lateness in buckets of 1 ms, over twelve spans of half a second.
const (
	bucket  = clock.Millisecond
	buckets = int(MaxDelay/bucket) + 1
	spans   = 12
	span    = clock.Second / 2 // longer, up to 3 times, for perSpan snapshots that are rare
	perSpan = 20
)

// delayEstimator estimates how late samples come: the smallest delay with which things would have
// been drawn past their last samples for a small enough share of the time. A thing is from
// when its last sample is as old as the delay until the next one comes.
type delayEstimator struct {
	count      [spans][buckets]uint16
	spanTime   [spans]clock.Micros
	total      [buckets]int
	sum        int
	sampleTime clock.Micros // between the samples that were counted and those before them
	span       int          // being filled
	spanEnd    clock.Micros // when it ends
	tick       clock.Micros
	interval   clock.Micros // between two snapshots, the least seen; 0: only one has come
	wanted     clock.Micros
	stampAge   clock.Micros // the server's tick, a sample's stamp; the most of late
}

// recordAge notes by how much a sample was older than the tick that told of it.
func (d *delayEstimator) recordAge(behind clock.Micros) {
	d.stampAge = max(d.stampAge-d.stampAge/256, min(behind, MaxDelay))
}

func (d *delayEstimator) begin(tick clock.Micros) {
	d.tick = tick
	d.wanted = d.initial()
}

// initial is the delay before enough is measured.
func (d *delayEstimator) initial() clock.Micros {
	return min(max(initialDelay+max(d.interval-d.tick, 0), d.tick), MaxDelay)
}

// recordInterval notes how far apart two snapshots were that came one after the other.
func (d *delayEstimator) recordInterval(apart clock.Micros) {
	if d.interval == 0 || apart < d.interval {
		d.interval = apart
		if d.sum == 0 {
			d.wanted = d.initial()
		}
	}
}

// add notes one lateness at match time now, of a sample that is so much newer than the one
// before it.
func (d *delayEstimator) add(late, newer, now clock.Micros) {
	d.rotateSpans(now)
	i := int(min(max(late, 0)/bucket, clock.Micros(buckets-1)))
	if d.count[d.span][i] == 1<<16-1 {
		return
	}
	d.count[d.span][i]++
	d.total[i]++
	d.sum++
	d.spanTime[d.span] += newer
	d.sampleTime += newer
}

// rotateSpans begins a new span when the current one is over, forgetting the oldest.
func (d *delayEstimator) rotateSpans(now clock.Micros) {
	if now < d.spanEnd {
		return
	}
	d.spanEnd = now + min(max(span, perSpan*d.interval), 3*span)
	d.span = (d.span + 1) % spans
	old := &d.count[d.span]
	for i, n := range old {
		d.total[i] -= int(n)
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

// smallest returns the smallest delay with which things would have been drawn past their last
// samples for at most that share of the time.
func (d *delayEstimator) smallest(share float64) clock.Micros {
	most := clock.Micros(float64(d.sampleTime) * share)
	past, later := clock.Micros(0), 0
	for i := buckets - 1; i > 0; i-- {
		if past += clock.Micros(later) * bucket; past > most {
			return clock.Micros(i+1) * bucket
		}
		later += d.total[i]
	}
	return bucket
}

// newestSample is what is known of a thing's newest sample.
type newestSample struct {
	tick     uint32 // of the frame that told it; 0: the thing is not there
	at       clock.Micros
	moves    bool
	dead     bool
	life     uint8
	teleport uint8
}

// newestSampleOf returns what is to be known of a sample.
func newestSampleOf(tick uint32, s *track.Sample) newestSample {
	return newestSample{tick, s.At, s.Velocity != (geom.Vec3{}), s.Dead, s.Life, s.Teleport}
}

// continuesTo reports whether the way on to next is one path.
func (l *newestSample) continuesTo(next *newestSample) bool {
	return l.tick != 0 && next.at > l.at && l.life == next.life && l.teleport == next.teleport && l.dead == next.dead
}

// maxDeferral bounds by how much those that are told less often than there are snapshots may
// lengthen the delay for all.
const maxDeferral = 50 * clock.Millisecond

// measure notes how late each moving thing's new sample came: the age, on
// arrival, of the newest sample before it is the delay that would just have kept
// it interpolated. Who was not told of in the snapshot before, for want of room, counts as
// if he had been, and by at most rarely more: a crowd is not drawn later for the sake of
// those far away. Where nobody moves, the snapshot itself counts, as if somebody had who
// is as far behind the server as they have been of late: the delay is right when they set
// out.
func (r *Remotes) measure(last, f *track.Snapshot, now clock.Micros) {
	moved := false
	for i := range r.received {
		e := &r.received[i]
		before, next := &r.newestSamples[e.ID], newestSampleOf(f.Tick, &e.Sample)
		moved = r.delay.measureSample(before, &next, last, f, now) || moved
	}
	if !moved {
		r.delay.measureIdle(last, f, now)
	}
	r.delay.update()
}

// measureSample notes how late a thing's new sample came, which is the frame f's, and reports
// whether that says anything: the thing moved.
func (d *delayEstimator) measureSample(before, next *newestSample, last, f *track.Snapshot, now clock.Micros) bool {
	if !before.continuesTo(next) {
		return false
	}
	d.recordAge(f.At - next.at)
	if !before.moves || !next.moves {
		return false
	}
	late := now - before.at
	if before.tick != last.Tick {
		late = min(late, now-last.At+f.At-next.at+maxDeferral)
	}
	d.add(late, min(next.at-before.at, late), now)
	return true
}

// measureIdle notes how late a frame came in which nothing moved.
func (d *delayEstimator) measureIdle(last, f *track.Snapshot, now clock.Micros) {
	if d.stampAge > 0 {
		late := now - last.At + d.stampAge
		d.add(late, min(f.At-last.At, late), now)
	}
}

// recordNewest keeps what is newest of everything in a frame, and from when on the picture may
// change by it.
func (r *Remotes) recordNewest(f *track.Snapshot, newest bool) {
	for i := range r.received {
		e := &r.received[i]
		l, next := &r.newestSamples[e.ID], newestSampleOf(f.Tick, &e.Sample)
		if l.tick > f.Tick {
			continue
		}
		if l.moves || next.moves {
			r.blend.changedFrom = min(r.blend.changedFrom, l.at)
		}
		*l = next
	}
	for _, id := range f.Removed {
		if l := &r.newestSamples[id]; l.tick <= f.Tick {
			l.tick = 0
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

// advance moves the view time on to where it is wanted at match time now.
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
	if off < -jumpThreshold {
		return
	}
	step := off * min(d, slewTime) / slewTime
	p.at += d + min(max(step, -d/10), d/10)
}
