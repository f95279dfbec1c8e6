package clock

import "math"

// How drift is estimated.
const (
	driftBin    = 4 * Second      // a bin keeps the best sample of this long
	driftBins   = 16              // so the fit spans about a minute
	driftMost   = 1000            // ppm that are followed
	driftGuess  = 500             // ppm: what a clock is thought capable of before anything is known
	driftForget = 100             // ppm: how much less is known after the fit started over
	driftLeast  = 50              // ppm: and what is never ruled out, since oscillators warm up
	driftNoise  = 250             // µs by which even the best sample is off
	driftOff    = 5 * Millisecond // a sample this far from the line, jitter aside, starts the fit over
	driftWild   = 3 * Second      // for this long after that, rates are not trusted
	driftFresh  = 10000           // ppm: and samples grow stale that fast
)

// drift estimates by how much faster match time runs than the own clock: the slope
// of a line through the best samples of the last minute, each weighted by how much
// longer its round trip was than the shortest, and through what was known before.
// A sample that cannot be on the line (a route that changed, a clock beyond any
// oscillator's error) starts the line over. The zero drift is ready.
type drift struct {
	bins        [driftBins]syncSample
	newest      Micros  // own time of the newest sample
	prior       float64 // ppm: the slope before any of these samples …
	known       float64 // … and the inverse square of its error in ppm; 0 means driftGuess
	slope       float64 // ppm: the estimate
	doubt       float64 // ppm: its standard error; 0 means driftGuess
	offset      float64 // µs above the newest bin's sample: the line there
	restarted   Micros
	everStarted bool
}

// note takes a sample in; jitter is the line's.
func (d *drift) note(n syncSample, jitter Micros) {
	gap := n.at - d.newest
	if gap < 0 || gap > 3*driftBin {
		d.restart()
	} else if d.off(n, jitter) {
		d.restart()
		d.restarted, d.everStarted = n.at, true
	}
	d.newest = n.at
	b := &d.bins[uint64(n.at/driftBin)%driftBins]
	if b.used && b.at/driftBin == n.at/driftBin && n.rtt >= b.rtt {
		return
	}
	*b = n
	d.fit(n)
}

// restart forgets the samples but not the slope they showed.
func (d *drift) restart() {
	if d.doubt == 0 {
		d.doubt = driftGuess
	}
	d.prior = d.slope
	d.doubt = min(d.doubt+driftForget, driftGuess)
	d.known = 1 / float64(d.doubt*d.doubt)
	d.bins = [driftBins]syncSample{}
}

// off reports whether n is further from the line than its way, the jitter and what
// may still be learnt of the rate explain.
func (d *drift) off(n syncSample, jitter Micros) bool {
	least, last := d.least(n.at)
	if !last.used {
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
	return b.used && magnitude(now-b.at) <= driftBin*driftBins
}

// fit draws the line through the bins, as seen from the newest sample n: weighted
// least squares of the offsets against time, with the slope known before as one
// more measurement.
func (d *drift) fit(n syncSample) {
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
		noise := driftNoise + float64((b.rtt-least)/2)
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

// ppb returns the estimate in thousand-millionths.
func (d *drift) ppb() int64 { return int64(math.Round(float64(d.slope * 1000))) }

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

// wild reports whether the newest samples show a rate that no oscillator has.
// While they do, the error is left to grow.
func (d *drift) wild(now Micros) bool {
	return d.everStarted && magnitude(now-d.restarted) < driftWild
}
