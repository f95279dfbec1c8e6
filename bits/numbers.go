package bits

import (
	"math"
	"math/bits"

	"github.com/backstep-net/backstep/geom"
)

// Uint packs the low n bits of v, 1 … 64. Writing a larger value is ErrRange. It panics if
// n is outside 1 … 64.
func (p *Packer) Uint(v *uint64, n int) {
	if n < 1 || n > 64 {
		panic("bits: Uint packs 1 to 64 bits")
	}
	if !p.writing {
		*v = p.take(n)
		return
	}
	u, most := *v, uint64(math.MaxUint64)>>(64-n)
	// A value that does not fit would otherwise lose its high bits, and be read as another one.
	if u > most {
		if !p.clamps {
			p.Fail(ErrRange)
			return
		}
		u = most
	}
	p.put(u, n)
}

// Bool packs one bit. It has no part in put and take, which take three times as long: most values of a
// message are single bits.
func (p *Packer) Bool(v *bool) {
	i, o := uint(p.bit)>>3, uint(p.bit)&7
	switch {
	// The comparison also spares the three accesses below a check of their bounds.
	case p.err != nil || i >= uint(len(p.buf)):
		p.Fail(ErrShort)
		if !p.writing {
			*v = false
		}
		return
	case !p.writing:
		*v = p.buf[i]>>o&1 != 0
	case *v:
		p.buf[i] = p.buf[i]&(1<<o-1) | 1<<o
	default:
		p.buf[i] &= 1<<o - 1
	}
	p.bit++
}

// Byte packs eight bits.
func (p *Packer) Byte(v *uint8) {
	if p.writing {
		p.put(uint64(*v), 8)
	} else {
		*v = uint8(p.take(8))
	}
}

// Uint16 packs sixteen bits.
func (p *Packer) Uint16(v *uint16) {
	if p.writing {
		p.put(uint64(*v), 16)
	} else {
		*v = uint16(p.take(16))
	}
}

// Uint32 packs 32 bits.
func (p *Packer) Uint32(v *uint32) {
	if p.writing {
		p.put(uint64(*v), 32)
	} else {
		*v = uint32(p.take(32))
	}
}

// Uvarint packs small numbers in few bits: groups of four bits, least significant first,
// each preceded by a bit that says whether more follow. Up to 15 costs 5 bits, up to 255
// ten, and so on to 80. A longer form than needed is ErrRange.
func (p *Packer) Uvarint(v *uint64) {
	if p.writing {
		p.putUvarint(*v)
		return
	}
	*v = p.takeUvarint()
}

// putUvarint writes x in groups of four bits, the bit that more follow first.
func (p *Packer) putUvarint(x uint64) {
	for x > 15 {
		p.put(1|x&15<<1, 5)
		x >>= 4
	}
	p.put(x<<1, 5)
}

// takeUvarint reads what putUvarint writes. It reads at most 16 groups: a hostile message cannot
// make it read on for ever.
func (p *Packer) takeUvarint() uint64 {
	var x uint64
	for shift := 0; shift < 64; shift += 4 {
		g := p.take(5)
		x |= g >> 1 << shift
		if g&1 != 0 {
			continue
		}
		if g == 0 && shift > 0 {
			break // a last group of zero is a longer form
		}
		return x
	}
	p.Fail(ErrRange)
	return 0
}

// Varint packs small numbers of either sign: zigzag (0, −1, 1, −2, …), then
// Uvarint.
func (p *Packer) Varint(v *int64) {
	if p.writing {
		p.putUvarint(uint64(*v)<<1 ^ uint64(*v>>63))
		return
	}
	u := p.takeUvarint()
	*v = int64(u>>1) ^ -int64(u&1)
}

// Ranged packs an integer of lo … hi in the least number of bits that can hold hi − lo,
// none if they are equal. A value outside is ErrRange; after an error it reads the number
// of lo … hi nearest zero. It panics if hi < lo.
func (p *Packer) Ranged(v *int, lo, hi int) {
	if hi < lo {
		panic("bits: Ranged needs lo no greater than hi")
	}
	span := uint64(hi) - uint64(lo)
	n := bits.Len64(span)
	if p.writing {
		x := min(max(*v, lo), hi)
		if x != *v && !p.clamps {
			p.Fail(ErrRange)
			return
		}
		if n > 0 {
			p.put(uint64(x)-uint64(lo), n)
		}
		return
	}
	var u uint64
	if n > 0 {
		u = p.take(n)
	}
	if u > span {
		p.Fail(ErrRange)
	}
	if p.err != nil { // a caller may use the number as a count before it looks at the error
		*v = min(max(0, lo), hi)
		return
	}
	*v = int(uint64(lo) + u)
}

// Float64 packs all 64 bits of a finite number; −0 is packed as 0. NaN and the infinities
// are ErrNotFinite in both directions, and a reader gives 0 for them.
func (p *Packer) Float64(v *float64) {
	if p.writing {
		if f, ok := p.real(*v); ok {
			p.put(math.Float64bits(f+0), 64) // −0 + 0 is 0
		}
		return
	}
	u := p.take(64)
	*v = 0
	f := math.Float64frombits(u)
	switch { // −0 is refused: no writer writes it, and it would compare equal but hash differently
	case !geom.Finite(f):
		p.Fail(ErrNotFinite)
	case f == 0 && u != 0:
		p.Fail(ErrRange)
	default:
		*v = f
	}
}

// Vec64 packs a vector without loss: three Float64.
func (p *Packer) Vec64(v *geom.Vec3) {
	p.Float64(&v.X)
	p.Float64(&v.Y)
	p.Float64(&v.Z)
}

// Grid packs a number as a count of steps above lo, in the least number of bits that reach
// hi, rounded half up. Writing clamps to lo … hi. Reading gives exactly SnapGrid of what
// was written. hi should be a whole number of steps above lo; otherwise the last step below
// it is the largest value. Writing a number that is not finite is ErrNotFinite; after an
// error a reader gives SnapGrid of zero. It panics if step is not positive, if hi < lo, or
// if step is finer than 2⁻⁵⁰ of the larger bound.
func (p *Packer) Grid(v *float64, lo, hi, step float64) {
	last := gridLast(lo, hi, step)
	n := bits.Len64(last)
	if p.writing {
		x, ok := p.real(*v)
		if ok && n > 0 {
			p.put(gridCode(x, lo, step, last), n)
		}
		return
	}
	var u uint64
	if n > 0 {
		u = p.take(n)
	}
	if u > last {
		p.Fail(ErrRange)
	}
	if p.err != nil {
		u = gridCode(0, lo, step, last)
	}
	*v = gridValue(u, lo, hi, step)
}

// SnapGrid returns the number that a reader of Grid gets for v: quantise before simulating.
// It is idempotent. A v that is not finite counts as zero [GAP-02].
func SnapGrid(v, lo, hi, step float64) float64 {
	if !geom.Finite(v) {
		v = 0
	}
	return gridValue(gridCode(v, lo, step, gridLast(lo, hi, step)), lo, hi, step)
}

// gridLast returns the largest count of steps within hi, with a tolerance of a billionth of
// a step: 0.7/0.1 is 7.
func gridLast(lo, hi, step float64) uint64 {
	most := max(math.Abs(lo), math.Abs(hi))
	if !(step > 0) || !(hi >= lo) || !(most/step <= 1<<50) {
		panic("bits: Grid needs a positive step, lo no greater than hi, and bounds within 2⁵⁰ steps of zero")
	}
	x := (hi - lo) / step
	return uint64(math.Floor(x + max(1e-9, float64(x*1e-12))))
}

// gridCode returns the nearest count of steps above lo. It clamps before it converts: what a
// conversion of a number out of range gives differs between processors.
func gridCode(v, lo, step float64, last uint64) uint64 {
	x := math.Floor((v-lo)/step + 0.5)
	return uint64(geom.Clamp(x, 0, float64(last)))
}

// gridValue returns the number of a count of steps. Its minimum is for bounds that are no
// whole number of steps: rounding must not give more than hi.
func gridValue(n uint64, lo, hi, step float64) float64 {
	return min(lo+float64(float64(n)*step), hi) + 0
}

// Blob packs up to max bytes: their number as Ranged, zeros up to the next whole byte, the
// bytes. More than max is ErrRange. Reading gives a slice of the message itself: copy it to
// keep it. It panics if max is negative.
func (p *Packer) Blob(v *[]byte, max int) {
	n := len(*v)
	if p.clamps && n > max {
		n = max
	}
	p.Ranged(&n, 0, max)
	p.align()
	// Before anything is sliced: the number comes from the message, the bytes may be missing.
	if p.err == nil && n > p.Remaining()/8 {
		p.err = ErrShort
	}
	if p.err != nil {
		if !p.writing {
			*v = nil
		}
		return
	}
	i := p.bit / 8
	p.bit += n * 8
	if p.writing {
		copy(p.buf[i:p.bit/8], *v)
	} else {
		*v = p.buf[i : i+n : i+n] // no capacity beyond it: an append must not write into the message
	}
}
