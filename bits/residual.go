package bits

import (
	"math/bits"

	"github.com/backstep-net/backstep/geom"
)

// A residual is what is left of a number after a prediction: mostly small, now and then
// large. It is coded by size: class n holds 2^(k+n) numbers, and the class is coded in
// unary. From class residualClasses on a number is sent in full, or a rare large one would
// cost more than twice its bits.
const (
	residualClasses = 12
	residualWhole   = 40 // bits of a number that is sent in full
	// ResidualBits is the largest number of bits of Residual and Count.
	ResidualBits = residualClasses + residualWhole
)

// Count packs a number below 2⁴⁰ that is usually about 2^k: its size class n as n ones and
// a zero, then k + n bits that select one of the 2^(k+n) numbers of the class (an
// exponential Golomb code of order k). 0 costs k + 1 bits, and each doubling costs two bits
// more. From class 12 on it is twelve ones and all 40 bits. A larger number, and a number
// sent in full that has a class, is ErrRange. It panics if k is outside 0 … 16.
func (p *Packer) Count(v *uint64, k int) {
	if k < 0 || k > 16 {
		panic("bits: Count and Residual need an order of 0 … 16")
	}
	if p.writing {
		p.putClass(*v, k)
	} else {
		*v = p.takeClass(k)
	}
}

// Residual packs a number of either sign, −2³⁹ … 2³⁹−1, whose magnitude is usually about
// 2^(k−1): zigzag (0, −1, 1, −2, …), then Count.
func (p *Packer) Residual(v *int64, k int) {
	if k < 0 || k > 16 {
		panic("bits: Count and Residual need an order of 0 … 16")
	}
	if p.writing {
		p.putClass(uint64(*v)<<1^uint64(*v>>63), k)
		return
	}
	u := p.takeClass(k)
	*v = int64(u>>1) ^ -int64(u&1)
}

// putClass writes u as Count describes.
func (p *Packer) putClass(u uint64, k int) {
	if u>>residualWhole != 0 {
		if !p.clamps {
			p.Fail(ErrRange)
			return
		}
		u = 1<<residualWhole - 1 - u&1 ^ 1 // the bit of the sign stays
	}
	p.put(CountCode(u, k))
}

// CountCode returns the n bits that Count writes for u below 2⁴⁰ in order k, for a caller that puts several values into
// one Uint. Adding 2^k makes the classes begin at powers of two, so the class follows from the position of the highest
// bit.
func CountCode(u uint64, k int) (code uint64, n int) {
	x := u + 1<<k
	class := bits.Len64(x) - 1 - k // how far the highest bit is above that of the first class
	if class >= residualClasses {
		return 1<<residualClasses - 1 | u<<residualClasses, ResidualBits
	}
	low := x &^ (1 << (class + k))
	return 1<<class - 1 | low<<(class+1), 2*class + 1 + k
}

// takeClass reads what putClass writes. A number sent in full must not have a class, or it would
// have two forms.
func (p *Packer) takeClass(k int) uint64 {
	// Nearly all numbers are in the 57 bits or more of one load: class and number of class 11 of
	// order 16, the longest with a class, are 39.
	if i, o := uint(p.bit)>>3, uint(p.bit)&7; p.err == nil && i+8 <= uint(len(p.buf)) {
		w := load(p.buf[i:i+8]) >> o
		if n := bits.TrailingZeros64(^w); n < residualClasses {
			p.bit += 2*n + 1 + k
			first := uint64(1) << ((n + k) & 63)
			return w>>((n+1)&63)&(first-1) + first - 1<<(k&63)
		}
	}
	n := p.takeOnes(residualClasses)
	if n < residualClasses {
		if n+k == 0 {
			return 0
		}
		u := p.take(n+k) + 1<<(n+k) - 1<<k
		if p.err != nil {
			return 0
		}
		return u
	}
	u := p.take(residualWhole)
	if bits.Len64(u+1<<k)-1-k < residualClasses {
		p.Fail(ErrRange)
	}
	if p.err != nil {
		return 0
	}
	return u
}

// takeOnes reads ones up to and including a zero, or up to most of them, 1 … 57.
func (p *Packer) takeOnes(most int) int {
	i, o := p.bit>>3, p.bit&7
	if p.err == nil && i+8 <= len(p.buf) {
		n := min(bits.TrailingZeros64(^(load(p.buf[i:]) >> o)), most)
		p.bit += min(n+1, most)
		return n
	}
	for n := range most { // near the end of the message
		if p.take(1) == 0 {
			return n
		}
	}
	return most
}

// Copy writes the first n bits of b. It panics if b has fewer, or if p reads.
func (p *Packer) Copy(b []byte, n int) {
	if !p.writing || n < 0 || n > len(b)*8 {
		panic("bits: Copy needs a writer and at least n bits")
	}
	for ; n > 56 && len(b) >= 8; b, n = b[7:], n-56 { // put writes at most so many at once, wherever they begin
		p.put(load(b)&(1<<56-1), 56)
	}
	if n > 0 && n <= 56 && len(b) >= 8 {
		p.put(load(b)&(1<<n-1), n)
		return
	}
	for ; n > 0; b, n = b[1:], n-8 {
		w := min(n, 8)
		p.put(uint64(b[0])&(1<<w-1), w)
	}
}

// VecSteps returns v in whole steps of a grid of scale steps a metre, rounded like Vec and
// SnapVec: SnapVec is StepsVec of VecSteps.
func VecSteps(v geom.Vec3, scale float64) (x, y, z int64) {
	return vecCode(v.X, scale), vecCode(v.Y, scale), vecCode(v.Z, scale)
}

// StepsVec returns the vector of so many steps, and false if they are out of the range of
// Vec.
func StepsVec(x, y, z int64, scale float64) (geom.Vec3, bool) {
	if min(x, y, z) < -vecLargest || max(x, y, z) >= vecLargest {
		return geom.Vec3{}, false
	}
	return vecValue(x, y, z, scale), true
}
