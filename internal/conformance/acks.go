package conformance

import (
	mathbits "math/bits"

	"github.com/backstep-net/backstep/bits"
)

// Echo is which of the other end's numbers have come.
type Echo struct {
	Newest  uint32   `json:"newest"`
	Missing []uint32 `json:"missing"` // of the 64 before it, newest first
	Hold    int      `json:"hold"`    // in 64 µs; −1: not told
}

// numbers is what both ends know of a row of numbers.
type numbers struct {
	width            int    // low bits that travel
	newest           uint32 // the newest that was sent to whom it is told
	ticks, snapshots int    // which are sent; 0: all
}

// sends reports whether a number is one of those that are sent.
func (s *numbers) sends(n uint32) bool {
	all, some := uint64(s.ticks), uint64(s.snapshots)
	return all == some || uint64(n)*some/all != uint64(n-1)*some/all
}

// candidates are the numbers before newest of which the echo tells, newest first.
func (s *numbers) candidates(newest uint32) []uint32 {
	var c []uint32
	for back := uint32(1); back <= 64 && back < newest; back++ {
		if s.sends(newest - back) {
			c = append(c, newest-back)
		}
	}
	return c
}

// pack packs an echo; nil is none.
func (s *numbers) pack(t *Tape, name string, e **Echo) {
	if !t.flag(name, *e != nil) {
		*e = nil
		return
	}
	if *e == nil {
		*e = new(Echo)
	}
	v := *e
	low := uint64(v.Newest) & (1<<s.width - 1)
	number(t, name+" newest, low bits", &low, s.width)
	if !t.Writing() {
		back := uint32(uint64(s.newest)-low) & (1<<s.width - 1)
		if back >= s.newest {
			t.Fail(bits.ErrRange)
			return
		}
		v.Newest = s.newest - back
	}
	v.packMissing(t, name, s.candidates(v.Newest))
	if !t.flag(name+" hold told", v.Hold >= 0) {
		v.Hold = -1
		return
	}
	number(t, name+" hold, 64 µs", &v.Hold, 11)
}

// packMissing packs which of the candidates are missing.
func (e *Echo) packMissing(t *Tape, name string, of []uint32) {
	var mask uint64 // of those that came
	for i, n := range of {
		if !contains(e.Missing, n) {
			mask |= 1 << i
		}
	}
	all := uint64(1)<<len(of) - 1
	if !t.flag(name+" some missing", all&^mask != 0) {
		mask, e.Missing = all, []uint32{}
		return
	}
	count := min(len(e.Missing), 11)
	ranged(t, name+" missing", &count, 1, 11)
	switch {
	case count > len(of):
		t.Fail(bits.ErrRange)
		return
	case count == 11:
		number(t, name+" mask", &mask, len(of))
		if mathbits.OnesCount64(all&^mask) < 11 {
			t.Fail(bits.ErrRange)
		}
	default:
		mask = packPlaces(t, name, mask, len(of), count)
	}
	e.Missing = e.Missing[:0]
	for i, n := range of {
		if mask>>i&1 == 0 {
			e.Missing = append(e.Missing, n)
		}
	}
}

// packPlaces packs the places of the count bits of n that are zero.
func packPlaces(t *Tape, name string, mask uint64, n, count int) uint64 {
	left, least := ^mask, 0
	if !t.Writing() {
		mask = 1<<n - 1
	}
	for ; count > 0; count-- {
		place := max(mathbits.TrailingZeros64(left), least)
		ranged(t, name+" place", &place, least, n-count)
		left &^= 1 << place
		mask &^= 1 << place
		least = place + 1
	}
	return mask
}

func contains(list []uint32, n uint32) bool {
	for _, m := range list {
		if m == n {
			return true
		}
	}
	return false
}
