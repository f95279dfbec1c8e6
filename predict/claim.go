package predict

import (
	"math"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/geom"
)

// How a claim is cut down to what travels.
const (
	claimUnits = 256  // positions a metre: 4 mm, of which the error test loses at most 3.4
	claimBits  = 10   // of each axis travel: 4 m, so that 2 m either way are told apart
	claimFar   = 1e12 // units, 4 million km: beyond it a position counts as there
)

// claim is where a move ended, as its owner says: the low bits of its place on a grid,
// and a check of the rest. The reader knows about where that is, so the low bits say
// where exactly; the check sums up the high bits and the digest. It is salted with the
// move's number: what collides with the truth once, does not with the next move.
type claim struct {
	low   [3]uint16
	check uint8
}

// claimOf returns the claim of the move of that number that ended at position.
func claimOf(position geom.Vec3, digest uint16, number uint32) claim {
	u := units(position)
	c := claim{check: checkOf(u, digest, number)}
	for i, v := range u {
		c.low[i] = uint16(v) & (1<<claimBits - 1)
	}
	return c
}

// units returns the place on the grid nearest to position.
func units(position geom.Vec3) [3]int64 {
	var u [3]int64
	for i, v := range [3]float64{position.X, position.Y, position.Z} {
		if !geom.Finite(v) {
			v = 0
		}
		u[i] = int64(math.Floor(geom.Clamp(float64(v*claimUnits), -claimFar, claimFar) + 0.5))
	}
	return u
}

// checkOf folds into eight bits what of a claim does not travel: splitmix64's last
// steps over number, digest and the high bits of each axis.
func checkOf(u [3]int64, digest uint16, number uint32) uint8 {
	h := uint64(number)<<16 | uint64(digest)
	for _, v := range u {
		h = mixed(h + uint64(v>>claimBits))
	}
	return uint8(h)
}

func mixed(h uint64) uint64 {
	h += 0x9E3779B97F4A7C15
	h = (h ^ h>>30) * 0xBF58476D1CE4E5B9
	h = (h ^ h>>27) * 0x94D049BB133111EB
	return h ^ h>>31
}

// near returns the place nearest to truth that has the claim's low bits, in units.
func (c *claim) near(truth geom.Vec3) [3]int64 {
	u := units(truth)
	for i := range u {
		off := (int64(c.low[i]) - u[i]) & (1<<claimBits - 1)
		if off >= 1<<(claimBits-1) {
			off -= 1 << claimBits
		}
		u[i] += off
	}
	return u
}

// position returns the claimed position, on the grid, if it is within 2 m of truth on
// each axis; otherwise one that is.
func (c *claim) position(truth geom.Vec3) geom.Vec3 { return placeOf(c.near(truth)) }

func placeOf(u [3]int64) geom.Vec3 {
	return geom.V(float64(float64(u[0])/claimUnits), float64(float64(u[1])/claimUnits), float64(float64(u[2])/claimUnits))
}

// against compares the claim of the move of that number with where it truly ended, and
// with what the digest truly is. It returns how far the claimed position is from truth,
// in metres squared: up to 1.2e-5 (3.4 mm) where the two are one; and whether digest and
// what of truth the low bits do not say are as claimed. Of wrong ones one in 256 passes.
func (c *claim) against(truth geom.Vec3, digest uint16, number uint32) (distSq float64, same bool) {
	u := c.near(truth)
	return truth.Sub(placeOf(u)).LenSq(), checkOf(u, digest, number) == c.check
}

// pack packs 38 bits: the low bits of X, Y and Z, and the check.
func (c *claim) pack(p *bits.Packer) {
	v := uint64(c.low[0]) | uint64(c.low[1])<<claimBits | uint64(c.low[2])<<(2*claimBits) | uint64(c.check)<<(3*claimBits)
	p.Uint(&v, 3*claimBits+8)
	for i := range c.low {
		c.low[i] = uint16(v>>(i*claimBits)) & (1<<claimBits - 1)
	}
	c.check = uint8(v >> (3 * claimBits))
}
