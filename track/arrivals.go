package track

import (
	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
)

// The bounds of Arrivals. MaxArrivals of them, ArrivalGap apart at least, reach back so far
// that a fiftieth of a correction is left in the exponential mode where the oldest is
// forgotten, and what is older than ArrivalAge is forgotten in any case: less than a
// hundredth is left.
const (
	MaxArrivals = 24
	ArrivalGap  = 16 * clock.Millisecond
	ArrivalAge  = 500 * clock.Millisecond
)

// ArrivalGrid is the step of an arrival's instant.
const ArrivalGrid = clock.Millisecond

// mostAgo is ArrivalAge as Ago counts it.
const mostAgo = int(ArrivalAge / ArrivalGrid)

// Arrival is when a snapshot was first drawn, and what had been drawn before.
type Arrival struct {
	// Back is how many ticks older than View.Seen.Newest the newest snapshot was that had been
	// drawn before: 1 … Reach. The pictures before the arrival were drawn from those of
	// View.Seen that are not newer than that one.
	Back uint8
	// Ago is how long before View.At the last picture without the snapshot was, in steps of
	// ArrivalGrid, both instants rounded down to one.
	Ago uint16
}

// Arrivals are the last snapshots that were drawn, newest first: each with a larger Back and
// a larger Ago than the one before it. The zero Arrivals are none.
type Arrivals struct {
	N    uint8 // of List; the others are zero
	List [MaxArrivals]Arrival
}

// Arrived returns the instant of arrival number i, and the tick of the newest snapshot that
// had been drawn before.
func (v *View) Arrived(i int) (at clock.Micros, before uint32) {
	a := v.Arrivals.List[i]
	return (v.At/ArrivalGrid - clock.Micros(a.Ago)) * ArrivalGrid, v.Seen.Newest - uint32(a.Back)
}

// Smooths reports whether the arrivals have a part in the picture.
func (v *View) Smooths() bool { return v.Arrivals.N > 0 && v.Drawn.Ahead() }

// Tidy drops the arrivals that mean nothing: all of a view that does not smooth, and from the
// first on that is not one.
func (v *View) Tidy() {
	n := 0
	for v.Drawn.Ahead() && n < int(v.Arrivals.N) && n < MaxArrivals && v.arrives(n) {
		n++
	}
	v.Cut(n)
}

// Cut keeps the n newest arrivals.
func (v *View) Cut(n int) {
	if n < int(v.Arrivals.N) {
		clear(v.Arrivals.List[n:])
		v.Arrivals.N = uint8(n)
	}
}

// arrives reports whether arrival number i is one, those before it being so.
func (v *View) arrives(i int) bool {
	a, back, ago := v.Arrivals.List[i], uint8(0), -1
	if i > 0 {
		back, ago = v.Arrivals.List[i-1].Back, int(v.Arrivals.List[i-1].Ago)
	}
	return a.Back > back && a.Back <= Reach && uint32(a.Back) < v.Seen.Newest &&
		int(a.Ago) > ago && int(a.Ago) <= mostAgo && clock.Micros(a.Ago) <= v.At/ArrivalGrid
}

// PackArrivals packs the arrivals of a view whose other fields are known: none, in no bits,
// of one that does not smooth; else how many, and of each by how much its Back (one bit where
// that is as with the one before, or 1 with the first) and its Ago are larger than those of
// the one before.
func (v *View) PackArrivals(p *bits.Packer) {
	if !p.Writing() {
		v.Arrivals = Arrivals{}
	}
	if !v.Drawn.Ahead() {
		return
	}
	n, back, ago, step := int(v.Arrivals.N), 0, -1, 1
	p.Ranged(&n, 0, MaxArrivals)
	for i := range n {
		a := &v.Arrivals.List[i]
		more, earlier := int(a.Back)-back, int(a.Ago)-ago
		same := more == step
		if p.Bool(&same); same {
			more = step
		} else if p.Ranged(&more, 1, Reach); more == step {
			p.Fail(bits.ErrRange) // a longer form
		}
		step = more
		p.Ranged(&earlier, 1, mostAgo+1)
		back, ago = back+more, ago+earlier
		if p.Writing() {
			continue
		}
		if back > Reach || ago > mostAgo {
			p.Fail(bits.ErrRange)
		} else if *a = (Arrival{uint8(back), uint16(ago)}); !v.arrives(i) {
			p.Fail(bits.ErrRange)
		}
		if p.Err() != nil {
			v.Arrivals = Arrivals{}
			return
		}
	}
	v.Arrivals.N = uint8(n)
}
