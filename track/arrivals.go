package track

import (
	mathbits "math/bits"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
)

// The bounds of arrivals. MaxArrivals of them, at least ArrivalGap apart, reach back over
// ArrivalAge: in the exponential mode a hundredth of a correction is left when its arrival is
// forgotten.
const (
	ArrivalGrid = 8 * clock.Millisecond // the step of an arrival's instant
	ArrivalGap  = 2 * ArrivalGrid
	ArrivalAge  = arrivalSteps * ArrivalGrid
	MaxArrivals = arrivalSteps / 2
)

// arrivalSteps is how many instants ArrivalTimes has bits for.
const arrivalSteps = 56

// ArrivalTimes is a set of instants on ArrivalGrid, not after a view's: bit i, from the lowest
// of the first byte on, is i steps before. It is made of bytes to keep View small.
type ArrivalTimes [arrivalSteps / 8]byte

// mask returns the set as one number, bit i as in the bytes.
func (t *ArrivalTimes) mask() (m uint64) {
	for i, b := range t {
		m |= uint64(b) << (8 * i)
	}
	return m
}

// set makes the set that of a mask.
func (t *ArrivalTimes) set(m uint64) {
	for i := range t {
		t[i] = byte(m >> (8 * i))
	}
}

// arrival is when a snapshot was first drawn: right after the frame of an instant, which was
// drawn from the snapshots of View.Seen up to a tick.
type arrival struct {
	at     clock.Micros
	before uint32
}

// Arrival returns the instant of the last frame before arrival number i, counted from the newest
// back, and the newest tick that it was drawn from; false if there are not so many.
func (v *View) Arrival(i int) (at clock.Micros, before uint32, ok bool) {
	var list [MaxArrivals]arrival
	if i >= v.arrivals(&list) {
		return 0, 0, false
	}
	return list[i].at, list[i].before, true
}

// arrivals lists the arrivals of a view, newest first, and returns how many there are.
func (v *View) arrivals(into *[MaxArrivals]arrival) (n int) {
	ticks, times, now := v.ArrivedTicks, v.ArrivedAt.mask(), v.At/ArrivalGrid
	for ; n < MaxArrivals && ticks != 0 && times != 0; n++ {
		into[n] = arrival{
			at:     (now - clock.Micros(mathbits.TrailingZeros64(times))) * ArrivalGrid,
			before: v.Seen.Newest - 1 - uint32(mathbits.TrailingZeros64(ticks)),
		}
		ticks &= ticks - 1
		times &= times - 1
	}
	return n
}

// AddArrival adds an arrival that is older than those of the view: the last frame before it was
// of an instant and drawn from snapshots up to a tick. If that is too long ago it adds nothing
// and returns false.
func (v *View) AddArrival(at clock.Micros, before uint32) bool {
	ago, back := v.At/ArrivalGrid-at/ArrivalGrid, v.Seen.Newest-before
	if ago < 0 || ago >= arrivalSteps || back == 0 || back > ReceivedWindow {
		return false
	}
	// The two sets have no pairs: the n-th tick belongs to the n-th instant. So an arrival is only
	// added at the old end of both, and never one that shares a tick or an instant with another.
	ticks, times := v.ArrivedTicks|1<<(back-1), v.ArrivedAt.mask()|1<<ago
	if ticks>>back != 0 || times>>(ago+1) != 0 || ticks == v.ArrivedTicks || times == v.ArrivedAt.mask() {
		return false
	}
	v.ArrivedTicks = ticks
	v.ArrivedAt.set(times)
	return true
}

// NeedsArrivals reports whether the view depends on its arrivals.
func (v *View) NeedsArrivals() bool { return v.ArrivedTicks != 0 && v.Mode.Extrapolates() }

// Normalize drops arrivals without effect: those of a view that does not extrapolate, and those
// that no view can have.
func (v *View) Normalize() {
	if !v.Mode.Extrapolates() || !v.arrivalsFit() {
		v.Cut(0)
	}
}

// arrivalsFit reports whether each arrival has a tick of the match and an instant of it.
func (v *View) arrivalsFit() bool {
	ticks, times := v.ArrivedTicks, v.ArrivedAt.mask()
	return mathbits.OnesCount64(ticks) == mathbits.OnesCount64(times) && mathbits.OnesCount64(ticks) <= MaxArrivals &&
		uint32(mathbits.Len64(ticks)) <= max(v.Seen.Newest, 1)-1 && clock.Micros(mathbits.Len64(times)) <= v.At/ArrivalGrid+1
}

// Cut keeps the n newest arrivals.
func (v *View) Cut(n int) {
	v.ArrivedTicks = lowest(v.ArrivedTicks, n)
	v.ArrivedAt.set(lowest(v.ArrivedAt.mask(), n))
}

// lowest returns the n lowest bits that are set.
func lowest(m uint64, n int) uint64 {
	rest := m
	for ; n > 0; n-- {
		rest &= rest - 1
	}
	return m &^ rest
}

// PackArrivals packs the arrivals of a view whose other fields are known: 0 bits for a view that
// does not extrapolate, 1 bit for one without arrivals, else 121.
func (v *View) PackArrivals(p *bits.Packer) {
	ticks, times, some := v.ArrivedTicks, v.ArrivedAt.mask(), v.ArrivedTicks != 0
	if !p.Writing() {
		v.Cut(0)
	}
	if !v.Mode.Extrapolates() {
		return
	}
	if p.Bool(&some); !some {
		return
	}
	p.Uint(&ticks, 64)
	p.Uint(&times, arrivalSteps)
	v.ArrivedTicks = ticks
	if v.ArrivedAt.set(times); ticks == 0 || !v.arrivalsFit() {
		p.Fail(bits.ErrRange)
	}
	if p.Err() != nil {
		v.Cut(0)
	}
}
