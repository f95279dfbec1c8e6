package clock

import "math"

// How drift is estimated.
const (
	driftFirst  = 250 * Millisecond // a bin keeps the best sample of this long at first …
	driftBin    = 4 * Second        // … and twice as long whenever all are full, up to this
	driftBins   = 16                // so the fit spans all there is, up to about a minute
	driftGuess  = 1500              // ppm: what a clock is thought capable of before anything is known
	driftWalk   = 30                // ppm: by how much a rate changes by itself in a bin
	driftForget = 100               // ppm: how much less is known after the fit started over …
	driftWiden  = 4                 // … and how many times less
	driftWidest = 200000            // ppm: nothing is less known than this
	driftMost   = 500000            // ppm: and no clock is thought to be further off
	driftLeast  = 50                // ppm: and what is never ruled out, since oscillators warm up
	driftNoise  = 250               // µs by which even the best sample is off, beside a fourth of the jitter
	driftOff    = 5 * Millisecond   // a sample this far from the line, jitter aside, starts the fit over
	driftEnough = 8                 // but not before there were so many, since jitter is not known yet
	driftWild   = 3 * Second        // for this long after that, samples grow stale fast …
	driftFresh  = 10000             // ppm: … which is that fast
)

// drift estimates by how much faster match time runs than the own clock: the slope
// of a line through the best samples of the last minute, each weighted by how much
// longer its round trip was than the shortest, and through what was known before.
// A sample that cannot be on the line (a route that changed, a rate that did) starts
// the line over, with the slope known less well each time: once, as after a change of
// routes, it stays what it was, and a clock that runs otherwise than thought is learnt
// anew within seconds, however wrong it is. The zero drift is ready.
type drift struct {
	bins        [driftBins]syncSample
	long        Micros  // what a bin holds
	since       Micros  // own time of the first sample
	newest      Micros  // own time of the newest sample
	prior       float64 // ppm: the slope before any of these samples …
	known       float64 // … and the inverse square of its error in ppm; 0 means driftGuess
	slope       float64 // ppm: the estimate
	doubt       float64 // ppm: its standard error; 0 means driftGuess
	offset      float64 // µs above the newest bin's sample: the line there
	noted       int     // samples
	restarted   Micros
	everStarted bool
}

// note takes a sample in; jitter is the line's.
func (d *drift) note(n syncSample, jitter Micros) {
	switch {
	case d.long == 0 || magnitude(n.at-d.newest) > 3*driftBin:
		d.restart(n.at)
	case d.off(n, jitter):
		d.doubt = min(driftWiden*d.doubt, driftWidest)
		d.restart(n.at)
		d.restarted, d.everStarted = n.at, true
	}
	d.newest = n.at
	d.age(n.at)
	for d.long < driftBin && n.at-d.since >= d.long*driftBins {
		d.lengthen()
	}
	if d.put(n) {
		d.fit(n, jitter)
	}
}

// age makes what is known before a bin is forgotten what was known before all that are
// left, as far as a clock does not change by itself.
func (d *drift) age(now Micros) {
	b := &d.bins[uint64(now/d.long)%driftBins]
	if d.long < driftBin || !b.used || b.at/d.long == now/d.long {
		return
	}
	d.prior, d.known = d.slope, 1/(float64(d.doubt*d.doubt)+driftWalk*driftWalk)
}

// put puts a sample into the bin of its time and reports whether it is that bin's best.
func (d *drift) put(n syncSample) bool {
	b := &d.bins[uint64(n.at/d.long)%driftBins]
	if b.used && b.at/d.long == n.at/d.long && n.rtt >= b.rtt {
		return false
	}
	*b = n
	return true
}

// lengthen makes the bins twice as long.
func (d *drift) lengthen() {
	was := d.bins
	d.bins, d.long = [driftBins]syncSample{}, 2*d.long
	for i := range was {
		if was[i].used {
			d.put(was[i])
		}
	}
}

// restart forgets the samples but not the slope they showed.
func (d *drift) restart(now Micros) {
	if d.doubt == 0 {
		d.doubt = driftGuess
	}
	d.prior, d.known = d.slope, 1/(float64(d.doubt*d.doubt)+driftForget*driftForget)
	d.bins, d.long, d.since = [driftBins]syncSample{}, driftFirst, now
}

// off reports whether n is further from the line than its way, the jitter and what
// may still be learnt of the rate explain.
func (d *drift) off(n syncSample, jitter Micros) bool {
	least, last := d.least(n.at)
	if d.noted++; d.noted < driftEnough || !last.used {
		return false
	}
	age := (n.at - last.at).Seconds()
	line := float64(last.offset) + d.offset + float64(d.slope*age)
	way := magnitude(n.rtt-least)/2 + driftOff + 2*jitter
	return math.Abs(float64(n.offset)-line) > float64(way)+float64(2*float64(d.doubt*age))
}

// least returns the shortest round trip among the bins of the last minute, and
// the newest of their samples.
func (d *drift) least(now Micros) (rtt Micros, last syncSample) {
	rtt = syncLongest
	for i := range d.bins {
		b := &d.bins[i]
		if !d.counts(b, now) {
			continue
		}
		rtt = min(rtt, b.rtt)
		if !last.used || b.at > last.at {
			last = *b
		}
	}
	return rtt, last
}

func (d *drift) counts(b *syncSample, now Micros) bool {
	return b.used && magnitude(now-b.at) <= d.long*driftBins
}

// fit draws the line through the bins, as seen from the newest sample n: weighted
// least squares of the offsets against time, with the slope known before as one
// more measurement.
func (d *drift) fit(n syncSample, jitter Micros) {
	least, _ := d.least(n.at)
	if d.known == 0 {
		d.known = 1.0 / (driftGuess * driftGuess)
	}
	var sw, sx, sy, sxx, sxy float64
	for i := range d.bins {
		b := &d.bins[i]
		if !d.counts(b, n.at) {
			continue
		}
		noise := driftNoise + float64(jitter/4+(b.rtt-least)/2)
		w := 1 / float64(noise*noise)
		x := (b.at - n.at).Seconds()
		y := float64(b.offset-n.offset) - float64(d.prior*x)
		wx := float64(w * x)
		sw, sx, sy = sw+w, sx+wx, sy+float64(w*y)
		sxx, sxy = sxx+float64(wx*x), sxy+float64(wx*y)
	}
	mx, my := sx/sw, sy/sw
	information := sxx - float64(mx*sx) + d.known
	more := (sxy - float64(mx*sy)) / information
	d.slope = min(max(d.prior+more, -driftMost), driftMost)
	more = d.slope - d.prior
	d.offset = my - float64(more*mx)
	d.doubt = 1 / math.Sqrt(information)
}

// ppb returns in thousand-millionths the estimate that is followed: none of a clock that
// runs too far off.
func (d *drift) ppb() int64 {
	if d.beyond() {
		return 0
	}
	return int64(math.Round(float64(d.slope * 1000)))
}

// beyond reports whether the clock runs too far off to be followed.
func (d *drift) beyond() bool { return math.Abs(d.slope) > MaxDrift }

// dubious reports whether the clock may be running too far off to be followed. While it
// may, the error is left to grow.
func (d *drift) dubious() bool { return math.Abs(d.slope)+d.doubt > MaxDrift }

// stale returns by how many ppm of its age a sample's offset may be wrong.
func (d *drift) stale() int64 {
	switch {
	case d.everStarted && d.newest-d.restarted < driftWild:
		return driftFresh
	case d.doubt == 0:
		return 2 * driftGuess
	}
	return int64(min(driftLeast+float64(2*d.doubt), 2*driftGuess))
}
