package remote

import (
	"math"
	"math/bits"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/track"
)

// Estimate is the view delay that a client's Remotes choose, as estimated by a server that knows when the
// client's snapshots arrived: the same measurement, the same choice and the same slewing. Make one with
// NewEstimate.
//
// It measures every entity, as the client does. The delay is set by rare events, such as a player that stops
// for a moment, which a sample of the entities would miss.
type Estimate struct {
	gaps     *Gaps
	turn     int // which of the deferred entities of a snapshot is measured next
	viewTime slewedClock
	delay    delayEstimator

	sample track.Sample // scratch
}

// samplesPerSnapshot is how many deferred entities of a snapshot an Estimate measures, in turn. Their previous samples
// differ from client to client, so each costs a search.
const samplesPerSnapshot = 4

// NewEstimate returns the Estimate of a client whose ticks are tick µs apart and whose snapshots
// are apart µs apart. Until enough snapshots have arrived, its delay is a client's initial one. All estimates of a
// match share its Gaps.
func NewEstimate(tick, apart clock.Micros, gaps *Gaps) *Estimate {
	e := &Estimate{gaps: gaps}
	e.delay.begin(tick)
	e.delay.recordInterval(apart)
	return e
}

// Arrived records that the snapshot of tick newest arrived at match time now, by the client's
// clock, and that the snapshot of tick last was the newest that had arrived before. snapshots are the
// server's. sent says which entities of them the client's snapshots had; nil is all. As on a
// client, a gap of more than 8 snapshots counts for nothing: the link was interrupted.
func (e *Estimate) Arrived(snapshots *track.SnapshotHistory, sent *track.SentLog, last, newest uint32, now clock.Micros) {
	before, f := snapshots.Snapshot(last), snapshots.Snapshot(newest)
	if before == nil || f == nil || f.At-before.At > outageSnapshots*e.delay.interval {
		return
	}
	p := e.gaps.between(before, f)
	moved, deferred := e.measureGaps(p, sent, last, newest, now)
	if deferred > 0 {
		moved = e.measureDeferred(snapshots, sent, p.list, deferred, before, f, now) || moved
	}
	if !moved {
		e.delay.measureIdle(before.At, f.At, now)
	}
	e.delay.update()
}

// measureGaps measures the entities that both snapshots of the client had. It reports whether one moved, and how
// many the previous snapshot did not have.
//
// It runs for every entity that every client sees, so it is delayEstimator.recordAge and add for 64 of them at once, in
// two loops whose variables fit into the processor's registers.
func (e *Estimate) measureGaps(p *pair, sent *track.SentLog, last, newest uint32, now clock.Micros) (moved bool, deferred int) {
	var sentLast, sentNewest track.Sent
	if sent != nil {
		sentLast, sentNewest = sent.Snapshot(last), sent.Snapshot(newest)
	}
	for i := range p.words {
		w := &p.words[i]
		had, has := w.ids, w.ids
		if sent != nil {
			had, has = sentLast.Word(w.number)&w.ids, sentNewest.Word(w.number)&w.ids
		}
		deferred += bits.OnesCount64(has &^ had)
		joined := has & had & w.joined
		gaps := p.list[w.first : w.first+bits.OnesCount64(w.ids)]
		e.delay.recordAges(gaps, joined)
		if moving := joined & w.moves; moving != 0 {
			moved = true
			e.delay.beginAt(now)
			e.delay.addGaps(gaps, moving, now)
		}
	}
	return moved, deferred
}

// recordAges is recordAge for those of up to 64 gaps whose bits are set.
func (d *delayEstimator) recordAges(gaps []gap, which uint64) {
	age := d.stampAge
	for i := range gaps {
		if g := &gaps[i]; which>>(g.id%64)&1 != 0 {
			age = max(age-age>>8, g.behind)
		}
	}
	d.stampAge = age
}

// addGaps is add, at match time now, for those of up to 64 gaps whose bits are set.
func (d *delayEstimator) addGaps(gaps []gap, which uint64, now clock.Micros) {
	counts, top, added, sampleTime := &d.counts[d.span], d.top, 0, clock.Micros(0)
	for i := range gaps {
		g := &gaps[i]
		if which>>(g.id%64)&1 == 0 {
			continue
		}
		late := now - g.before
		at := bucketOf(late)
		if counts[at] == math.MaxUint16 {
			continue
		}
		counts[at]++
		d.total[at]++
		top = max(top, at)
		added++
		sampleTime += min(g.newer, late)
	}
	d.top = top
	d.sum += added
	d.sampleTime += sampleTime
	d.spanTime[d.span] += sampleTime
}

// measureDeferred measures some of the entities that the client's previous snapshot did not have, and reports
// whether one moved. Each counts also for those that are left out.
func (e *Estimate) measureDeferred(snapshots *track.SnapshotHistory, sent *track.SentLog, gaps []gap, deferred int, before, f *track.Snapshot, now clock.Micros) (moved bool) {
	measured := min(deferred, samplesPerSnapshot)
	e.turn %= deferred
	index, sentLast, sentNewest := 0, sent.Snapshot(before.Tick), sent.Snapshot(f.Tick)
	for i := range gaps {
		g := &gaps[i]
		if sentLast.Has(g.id) || !sentNewest.Has(g.id) {
			continue
		}
		if (index+deferred-e.turn)%deferred < measured {
			since := sent.SentBefore(before.Tick, g.id)
			if earlier := snapshots.Snapshot(since); earlier != nil && earlier.Find(g.id, &e.sample) {
				l := newestSampleOf(since, &e.sample)
				if late, joined := latenessOf(&l, &g.next, before, f, now); joined {
					moved = e.delay.measureSample(late, now, max(deferred/measured, 1)) || moved
				}
			}
		}
		index++
	}
	e.turn += measured
	return moved
}

// Gaps caches the times between the samples of a match's snapshots, which are the same for all its clients. The
// zero value is ready.
type Gaps struct {
	pairs  [8]pair // by a hash of their ticks: clients acknowledge the same few
	sample track.Sample
}

// pair is the gaps between two snapshots.
type pair struct {
	last, newest uint32 // ticks
	list         []gap
	words        []gapWord // of list
}

// gapWord describes the gaps of the entities 64·number … 64·number + 63, a bit for each: which there are, and which of
// them have joined and moves.
type gapWord struct {
	number, first      int // first is the index of the first gap
	ids, joined, moves uint64
}

// gap is the time between the samples of an entity in a snapshot and in an earlier one.
type gap struct {
	id     track.ID
	joined bool         // the two samples are on one path
	moves  bool         // and the entity moves in both
	before clock.Micros // time of the earlier sample
	newer  clock.Micros // from that to the newer one
	behind clock.Micros // from the newer one to its snapshot, maxStaleness at most
	next   newestSample
}

// between returns the gaps of the entities of a snapshot since an earlier one.
func (g *Gaps) between(last, f *track.Snapshot) *pair {
	p := &g.pairs[(f.Tick+5*(f.Tick-last.Tick))%uint32(len(g.pairs))]
	if p.last == last.Tick && p.newest == f.Tick {
		return p
	}
	p.last, p.newest, p.list, p.words = last.Tick, f.Tick, p.list[:0], p.words[:0]
	for i := range f.Len() {
		id := f.ID(i)
		f.Load(i, &g.sample)
		one := gap{id: id, next: newestSampleOf(f.Tick, &g.sample)}
		one.behind = min(f.At-one.next.at, maxStaleness)
		if last.Find(id, &g.sample) {
			before := newestSampleOf(last.Tick, &g.sample)
			one.before, one.joined = max(before.at, last.At-maxStaleness), before.continuesTo(&one.next)
			one.moves = one.joined && before.moves && one.next.moves
			one.newer = one.next.at - before.at
		}
		p.add(&one)
	}
	return p
}

// add adds a gap with a higher id than those before.
func (p *pair) add(g *gap) {
	number := int(g.id / 64)
	if n := len(p.words); n == 0 || p.words[n-1].number != number {
		p.words = append(p.words, gapWord{number: number, first: len(p.list)})
	}
	p.list = append(p.list, *g)
	w, bit := &p.words[len(p.words)-1], uint64(1)<<(g.id%64)
	w.ids |= bit
	if g.joined {
		w.joined |= bit
	}
	if g.moves {
		w.moves |= bit
	}
}

// Delay returns how far behind the match the client's view is at match time now. It changes by at
// most a tenth of the time that passes, as a client's view does: a client whose link degrades is
// credited no sooner than its view gets there.
func (e *Estimate) Delay(now clock.Micros) clock.Micros {
	now = max(now, e.viewTime.now)
	e.viewTime.advance(now, now-e.delay.wanted)
	return min(max(now-e.viewTime.at, 0), MaxDelay)
}
