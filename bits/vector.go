package bits

import (
	"math"
	"math/bits"

	"github.com/backstep-net/backstep/geom"
)

// The form of a vector: one header for all three components, since they are mostly of one size.
const (
	vecHeader  = 5       // bits of the header: the width, 0 … vecWidest
	vecWidest  = 29      // 31 bits a component
	vecLargest = 1 << 30 // components beyond ±vecLargest/scale are clamped
)

// Vec packs a vector on a grid of scale steps a metre with one shared width [WIR-05,
// WIR-06]. Each component becomes floor(v·scale + ½). B is the number of bits of the
// largest magnitude minus one, 0 … 29, sent as a header of 5 bits; then follows each
// component plus 2^(B+1) in B + 2 bits. The header always has 5 bits, while the reference
// writes 4 or 5 [WIR-07], so the position of a fast runner of 6 m at 10,000 steps a metre
// takes 56 bits. Components beyond ±2³⁰/scale are clamped, which is 107 km at
// 10,000 steps a metre [WIR-08, WIR-09].
//
// 10,000 steps a metre is suitable for positions (0.1 mm [GAP-03]), 1,000 for a fine
// velocity and 100 for a coarse one. Writing a component that is not finite is ErrNotFinite
// [GAP-02]; reading a wider form than needed is ErrRange. A reader gives the zero vector
// after an error. It panics if scale is not positive and finite.
func (p *Packer) Vec(v *geom.Vec3, scale float64) {
	checkScale(scale)
	if !p.writing {
		*v = p.takeVec(scale)
		return
	}
	if !v.Finite() && !p.clamps {
		p.Fail(ErrNotFinite)
		return
	}
	x, y, z := vecCode(v.X, scale), vecCode(v.Y, scale), vecCode(v.Z, scale)
	b := vecWidth(x, y, z)
	bias, n := int64(2)<<b, b+2
	p.put(uint64(b)|uint64(x+bias)<<vecHeader, vecHeader+n)
	p.put(uint64(y+bias)|uint64(z+bias)<<n, 2*n)
}

// takeVec reads what Vec writes, and refuses a width greater than needed: each vector has one form.
func (p *Packer) takeVec(scale float64) geom.Vec3 {
	b := int(p.take(vecHeader))
	if b > vecWidest {
		p.Fail(ErrRange)
		return geom.Vec3{}
	}
	bias, n := int64(2)<<b, b+2
	x, yz := int64(p.take(n))-bias, p.take(2*n)
	y, z := int64(yz&(1<<n-1))-bias, int64(yz>>n)-bias
	if p.err == nil && vecWidth(x, y, z) != b {
		p.Fail(ErrRange)
	}
	if p.err != nil {
		return geom.Vec3{}
	}
	return vecValue(x, y, z, scale)
}

// SnapVec returns the vector that a reader of Vec gets for v: quantise before
// simulating. It is idempotent. A component that is not finite counts as zero.
func SnapVec(v geom.Vec3, scale float64) geom.Vec3 {
	checkScale(scale)
	return vecValue(vecCode(v.X, scale), vecCode(v.Y, scale), vecCode(v.Z, scale), scale)
}

// checkScale panics on a scale that no grid has: a fault of the caller and not of a message.
func checkScale(scale float64) {
	if !(scale > 0) || !geom.Finite(scale) {
		panic("bits: Vec needs a positive scale, in steps a metre")
	}
}

// vecCode returns the nearest whole number of steps, rounded half up, within the range of
// 31 bits. Floor of x + ½ rounds alike on both sides of zero, so a body that crosses the
// origin does not jump by a step.
func vecCode(x, scale float64) int64 {
	if !geom.Finite(x) {
		return 0
	}
	return int64(geom.Clamp(math.Floor(float64(x*scale)+0.5), -vecLargest, vecLargest-1))
}

// vecWidth returns B: the binary logarithm, rounded up, of one more than the largest
// magnitude, minus one, within 0 … vecWidest [GAP-05].
func vecWidth(x, y, z int64) int {
	most := uint64(max(x, -x, y, -y, z, -z))
	return min(max(bits.Len64(most), 1), vecWidest+1) - 1
}

// vecValue divides instead of multiplying by 1/scale, so that 123 hundredths are the
// float64 nearest 1.23.
func vecValue(x, y, z int64, scale float64) geom.Vec3 {
	return geom.Vec3{X: float64(x) / scale, Y: float64(y) / scale, Z: float64(z) / scale}
}
