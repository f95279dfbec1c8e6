package clock

// MaxCatchUp is the longest time for which a Pacer makes up missed ticks, rounded up to whole
// ticks.
const MaxCatchUp = 125 * Millisecond

// Pacer schedules the ticks of a client with a fixed tick. All ticks have the same duration and
// are due when the synchronised clock passes them. When that clock is slewed or corrected they
// are due earlier or later, so they stay in step with the server. Make one with NewPacer.
type Pacer struct {
	tick    Micros
	quantum Micros
	newest  Micros // stamp of the newest tick
	started bool
	skipped int
}

// NewPacer returns a Pacer of rate ticks a second, whose duration is rounded to a whole number of
// quanta: at 60 a second and a quantum of 40 µs, 16,680 µs. Since stamps are on the synchronised
// clock, that makes one tick fewer every 21 s and no drift. It panics if a tick would be longer
// than MaxCatchUp or shorter than a quantum, or if quantum is not positive.
func NewPacer(rate int, quantum Micros) Pacer {
	if rate <= 0 || quantum <= 0 {
		panic("clock: NewPacer needs a positive rate and quantum")
	}
	d := Second * 2 / Micros(rate)
	tick := (d + quantum) / (2 * quantum) * quantum
	if tick <= 0 || tick > MaxCatchUp {
		panic("clock: NewPacer needs ticks of a quantum to 125 ms")
	}
	return Pacer{tick: tick, quantum: quantum}
}

// Tick returns the duration of a tick.
func (p *Pacer) Tick() Micros { return p.tick }

// Due returns the stamp of the next tick, at which it ends, and whether the synchronised clock,
// which is at now, has passed it. Call it until ok is false. The first call sets the origin, now
// rounded down to a quantum, and has no tick due; stamps are whole numbers of ticks after that.
//
// Where more ticks are due than MaxCatchUp holds (a stall, a jump forward), only that many of
// the newest are made and the stamps skip the rest. After a jump backward none is due until the
// clock has passed the newest one again; a match that starts over needs a new Pacer.
func (p *Pacer) Due(now Micros) (stamp Micros, ok bool) {
	if !p.started {
		p.started, p.newest = true, now-now%p.quantum
		return p.newest, false
	}
	behind := now - p.newest
	if behind < p.tick {
		return p.newest, false
	}
	if missed := behind/p.tick - (MaxCatchUp+p.tick-1)/p.tick; missed > 0 {
		p.newest += missed * p.tick
		p.skipped += int(missed)
	}
	p.newest += p.tick
	return p.newest, true
}

// InterpolationAlpha returns how far now is between the newest tick and the next one, 0 … 1: draw
// that far between the states before and after the newest tick.
func (p *Pacer) InterpolationAlpha(now Micros) float64 {
	return min(max(float64(now-p.newest)/float64(p.tick), 0), 1)
}

// Skipped returns how many ticks were skipped.
func (p *Pacer) Skipped() int { return p.skipped }
