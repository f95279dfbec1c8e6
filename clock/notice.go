package clock

import "math"

// PingNotice says when to warn a player of a high ping (LAG-02): hidden or shown,
// and nothing else (GAP-51). It samples the ping now and then, shows where it is
// above a threshold, and hides after a while whatever the ping does meanwhile; a
// sample above the threshold starts that while over. All is in Micros (GAP-37).
// The zero PingNotice is ready and has the values of the row.
type PingNotice struct {
	// Every is how long passes from one sample to the next. Zero means 20 s.
	Every Micros
	// First is how long passes from the first Update to the first sample. Zero
	// means Every, as the row has it.
	First Micros
	// Threshold is the ping above which the notice shows; exactly that much does
	// not. Zero means 200 ms.
	Threshold Micros
	// Show is how long it shows. Zero means 5 s.
	Show Micros

	started, shown bool
	next, until    Micros // the next sample, the end of showing
}

// Update tells it the ping at an instant of the client's own clock and reports
// whether the notice was shown or hidden by that: then, and only then, there is
// something to do. Call it every frame. After a gap in the frames one sample is
// taken, and later ones stay on the beat of the first.
func (n *PingNotice) Update(now, ping Micros) (changed bool) {
	every := or(n.Every, 20*Second)
	if !n.started {
		n.started, n.next = true, now+or(n.First, every)
	}
	before := n.shown
	if n.shown && now >= n.until {
		n.shown = false
	}
	if now >= n.next {
		n.next += ((now-n.next)/every + 1) * every
		if ping > or(n.Threshold, 200*Millisecond) {
			n.shown, n.until = true, now+or(n.Show, 5*Second)
		}
	}
	return n.shown != before
}

// Shown reports whether the notice is to be seen.
func (n *PingNotice) Shown() bool { return n.shown }

// FairDrift is by how many parts per million a player's clock may run off without being
// told: ten times what cheap oscillators are.
const FairDrift = 10000

// DriftNotice says when to tell a player that the machine's clock runs off by more than
// FairDrift (TIM-15): once that is certain, and again only where it was right in between.
// The zero DriftNotice is ready.
type DriftNotice struct{ told bool }

// How certain DriftNotice is.
const (
	driftLine  = 8 * Second // so long the rate must have been what it is …
	driftSure  = 3          // … so many of its standard errors beyond the bound …
	driftExact = 1000       // … and these together no more than so many ppm
)

// Update looks at what s has learnt and returns whether to tell the player now, and by how
// many percent the clock runs fast, or below zero slow. Call it after each sample.
func (n *DriftNotice) Update(s *Sync) (percent float64, tell bool) {
	d := &s.drift
	off, margin := math.Abs(d.slope), float64(driftSure*d.doubt)
	if off+margin < FairDrift {
		n.told = false
	}
	if n.told || d.newest-d.since < driftLine || margin > driftExact || off-margin <= FairDrift {
		return 0, false
	}
	n.told = true
	return 100 * (1/(1+d.slope/1e6) - 1), true
}

// or returns d, or usual where d is not above zero.
func or(d, usual Micros) Micros {
	if d <= 0 {
		return usual
	}
	return d
}
