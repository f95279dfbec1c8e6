package clock

import "math"

// The estimation of drift.
const (
	driftFirstBin       = 250 * Millisecond // a bin keeps the best sample of this time at first …
	driftBin            = 4 * Second        // … and of twice the time whenever all are full, up to this
	driftBins           = 16                // so the fit spans all samples, up to about a minute
	driftPrior          = 1500              // ppm: standard error before the first sample
	driftWalk           = 30                // ppm: random change of a rate in a bin
	driftRestartError   = 100               // ppm: error added when the fit restarts …
	driftRestartFactor  = 4                 // … and factor on the error before
	driftMaxError       = 200000            // ppm: largest standard error
	driftMaxSlope       = 500000            // ppm: largest slope
	driftMinStale       = 50                // ppm: error rate that is always possible, since oscillators warm up
	driftNoise          = 250               // µs: error of the best sample, besides a fourth of the jitter
	driftMaxResidual    = 5 * Millisecond   // a sample this far off the line, apart from jitter, restarts the fit
	driftMinSamples     = 8                 // but not before so many samples, since jitter is unknown until then
	driftUnsettled      = 3 * Second        // for this long after a restart the error of samples grows fast …
	driftUnsettledStale = 10000             // ppm: … at this rate
)

// drift estimates how much faster match time runs than the own clock: the slope of a line through
// the best samples of the last minute, each weighted by how much longer its round trip was than
// the shortest, with the slope known before as a prior. A sample that cannot be on the line,
// because a route or a rate changed, restarts the line with a weaker prior each time. After one
// restart, as by a change of route, the slope stays what it was; after several, as by a clock
// that changed its rate, it is learnt again within seconds. The zero drift is ready to use.
type drift struct {
	bins          [driftBins]syncSample
	binLength     Micros  // time span of a bin
	since         Micros  // own time of the first sample
	newest        Micros  // own time of the newest sample
	prior         float64 // ppm: the slope before these samples …
	priorWeight   float64
	slope         float64 // ppm: the estimate
	stdErr        float64 // ppm: its standard error; 0 means driftPrior
	offset        float64 // µs: the line above the newest bin's sample
	noted         int     // samples
	restarted     Micros
	everRestarted bool
}

// note adds a sample; jitter is that of the connection.
func (d *drift) note(n syncSample, jitter Micros) {
	switch {
	case d.binLength == 0 || magnitude(n.at-d.newest) > 3*driftBin:
		d.restart(n.at)
	case d.isOutlier(n, jitter):
		d.stdErr = min(driftRestartFactor*d.stdErr, driftMaxError)
		d.restart(n.at)
		d.restarted, d.everRestarted = n.at, true
	}
	d.newest = n.at
	d.age(n.at)
	for d.binLength < driftBin && n.at-d.since >= d.binLength*driftBins {
		d.doubleBins()
	}
	if d.keep(n) {
		d.fit(n, jitter)
	}
}

// age makes the current estimate the prior of the samples that are left when a bin is about to be
// replaced, less the random change of a clock.
func (d *drift) age(now Micros) {
	b := &d.bins[uint64(now/d.binLength)%driftBins]
	if d.binLength < driftBin || !b.used || b.at/d.binLength == now/d.binLength {
		return
	}
	d.prior, d.priorWeight = d.slope, 1/(float64(d.stdErr*d.stdErr)+driftWalk*driftWalk)
}

// keep puts a sample into the bin of its time and reports whether it is the best there.
func (d *drift) keep(n syncSample) bool {
	b := &d.bins[uint64(n.at/d.binLength)%driftBins]
	if b.used && b.at/d.binLength == n.at/d.binLength && n.rtt >= b.rtt {
		return false
	}
	*b = n
	return true
}

// doubleBins doubles the time span of the bins.
func (d *drift) doubleBins() {
	was := d.bins
	d.bins, d.binLength = [driftBins]syncSample{}, 2*d.binLength
	for i := range was {
		if was[i].used {
			d.keep(was[i])
		}
	}
}

// restart forgets the samples and keeps their slope as a prior.
func (d *drift) restart(now Micros) {
	if d.stdErr == 0 {
		d.stdErr = driftPrior
	}
	d.prior, d.priorWeight = d.slope, 1/(float64(d.stdErr*d.stdErr)+driftRestartError*driftRestartError)
	d.bins, d.binLength, d.since = [driftBins]syncSample{}, driftFirstBin, now
}

// isOutlier reports whether n is further off the line than its round trip, the jitter and the
// standard error of the rate explain.
func (d *drift) isOutlier(n syncSample, jitter Micros) bool {
	least, last := d.least(n.at)
	if d.noted++; d.noted < driftMinSamples || !last.used {
		return false
	}
	age := (n.at - last.at).Seconds()
	line := float64(last.offset) + d.offset + float64(d.slope*age)
	way := magnitude(n.rtt-least)/2 + driftMaxResidual + 2*jitter
	return math.Abs(float64(n.offset)-line) > float64(way)+float64(2*float64(d.stdErr*age))
}

// least returns the shortest round trip among the bins of the last minute, and the newest of
// their samples.
func (d *drift) least(now Micros) (rtt Micros, last syncSample) {
	rtt = syncLongest
	for i := range d.bins {
		b := &d.bins[i]
		if !d.inWindow(b, now) {
			continue
		}
		rtt = min(rtt, b.rtt)
		if !last.used || b.at > last.at {
			last = *b
		}
	}
	return rtt, last
}

// inWindow reports whether a bin is part of the fit.
func (d *drift) inWindow(b *syncSample, now Micros) bool {
	return b.used && magnitude(now-b.at) <= d.binLength*driftBins
}

// fit computes the line through the bins, relative to the newest sample n: weighted least squares
// of the offsets against time, with the prior slope as one more measurement.
func (d *drift) fit(n syncSample, jitter Micros) {
	least, _ := d.least(n.at)
	if d.priorWeight == 0 {
		d.priorWeight = 1.0 / (driftPrior * driftPrior)
	}
	var sw, sx, sy, sxx, sxy float64
	for i := range d.bins {
		b := &d.bins[i]
		if !d.inWindow(b, n.at) {
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
	information := sxx - float64(mx*sx) + d.priorWeight
	more := (sxy - float64(mx*sy)) / information
	d.slope = min(max(d.prior+more, -driftMaxSlope), driftMaxSlope)
	more = d.slope - d.prior
	d.offset = my - float64(more*mx)
	d.stdErr = 1 / math.Sqrt(information)
}

// ppb returns the drift to follow in parts per 10⁹: 0 for a clock that is too far off.
func (d *drift) ppb() int64 {
	if d.beyond() {
		return 0
	}
	return int64(math.Round(float64(d.slope * 1000)))
}

// beyond reports whether the clock is too far off to be followed.
func (d *drift) beyond() bool { return math.Abs(d.slope) > MaxDrift }

// maybeBeyond reports whether the clock may be too far off to be followed. Meanwhile the error
// is left to grow.
func (d *drift) maybeBeyond() bool { return math.Abs(d.slope)+d.stdErr > MaxDrift }

// stale returns the error rate of a sample's offset, in ppm of its age.
func (d *drift) stale() int64 {
	switch {
	case d.everRestarted && d.newest-d.restarted < driftUnsettled:
		return driftUnsettledStale
	case d.stdErr == 0:
		return 2 * driftPrior
	}
	return int64(min(driftMinStale+float64(2*d.stdErr), 2*driftPrior))
}
