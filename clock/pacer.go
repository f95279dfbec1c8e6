package clock

// PacerMost is for how long a Pacer makes up for ticks that were not asked for, rounded up
// to whole ticks.
const PacerMost = 125 * Millisecond

// Pacer says when a fixed-tick client makes its ticks. All ticks last equally
// long, and they come where the synchronised clock passes them: when that is
// slewed or corrected they come earlier or later, so they keep step with the
// server whatever the own clock does. Make one with NewPacer.
type Pacer struct {
	tick    Micros
	grain   Micros
	newest  Micros // stamp of the newest tick
	started bool
	skipped int
}

// NewPacer returns a Pacer of rate ticks a second, each as long as that is when
// rounded to the next whole number of grains: at 60 a second and a grain of 40 µs,
// 16,680 µs. Because the stamps are of the synchronised clock there is then one
// tick fewer every 21 s, and no drift. It panics where a tick would be longer than
// PacerMost or shorter than a grain, or grain is not positive.
func NewPacer(rate int, grain Micros) Pacer {
	if rate <= 0 || grain <= 0 {
		panic("clock: NewPacer needs a positive rate and grain")
	}
	d := Second * 2 / Micros(rate)
	tick := (d + grain) / (2 * grain) * grain
	if tick <= 0 || tick > PacerMost {
		panic("clock: NewPacer needs ticks of a grain to 125 ms")
	}
	return Pacer{tick: tick, grain: grain}
}

// Tick returns how long each tick lasts.
func (p *Pacer) Tick() Micros { return p.tick }

// Due returns the stamp of the next tick, which is the instant at which it ends,
// where the synchronised clock has passed it at now. Call it until it says no. The
// first call begins the count, on the grain, and has none due; stamps are a whole
// number of ticks after that.
//
// Where more ticks are due than PacerMost holds (a stall, a jump forward), all but so many
// of the last are skipped: stamps then pause by that long. Where
// the clock jumped back none are due until it is past the newest one again; a
// match that starts over needs a new Pacer.
func (p *Pacer) Due(now Micros) (stamp Micros, ok bool) {
	if !p.started {
		p.started, p.newest = true, now-now%p.grain
		return p.newest, false
	}
	behind := now - p.newest
	if behind < p.tick {
		return p.newest, false
	}
	if missed := behind/p.tick - (PacerMost+p.tick-1)/p.tick; missed > 0 {
		p.newest += missed * p.tick
		p.skipped += int(missed)
	}
	p.newest += p.tick
	return p.newest, true
}

// InterpolationAlpha returns how far now is between the newest tick and the next one, 0 … 1:
// what is drawn is that far from the state before the newest tick to the state
// after it.
func (p *Pacer) InterpolationAlpha(now Micros) float64 {
	return min(max(float64(now-p.newest)/float64(p.tick), 0), 1)
}

// Skipped returns how many ticks were not made.
func (p *Pacer) Skipped() int { return p.skipped }
