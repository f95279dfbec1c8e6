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

// claim is where a move ended, as its owner says, in the 38 bits that travel: the low
// bits of its place on a grid, X lowest, then Y and Z, and a check of the rest. The
// reader knows about where that is, so the low bits say where exactly; the check sums up
// the high bits and the digest. It is salted with the move's number: what collides with
// the truth once, does not with the next move.
type claim uint64

// claimOf returns the claim of the move of that number that ended at position.
func claimOf(position geom.Vec3, digest uint16, number uint32) claim {
	const low = 1<<claimBits - 1
	at := placeOf(position)
	xyz := at.x&low | at.y&low<<claimBits | at.z&low<<(2*claimBits)
	return claim(xyz) | claim(at.check(digest, number))<<(3*claimBits)
}

// place is a position on the grid, in units.
type place struct{ x, y, z int64 }

// placeOf returns the place on the grid nearest to position.
func placeOf(position geom.Vec3) place {
	return place{units(position.X), units(position.Y), units(position.Z)}
}

// units returns the whole number of units nearest to v.
func units(v float64) int64 {
	if !geom.Finite(v) {
		v = 0
	}
	return int64(math.Floor(geom.Clamp(float64(v*claimUnits), -claimFar, claimFar) + 0.5))
}

// position returns where the place is.
func (a place) position() geom.Vec3 {
	return geom.V(float64(float64(a.x)/claimUnits), float64(float64(a.y)/claimUnits), float64(float64(a.z)/claimUnits))
}

// check folds into eight bits what of a claim does not travel: splitmix64's last
// steps over number, digest and the high bits of each axis.
func (a place) check(digest uint16, number uint32) uint8 {
	h := uint64(number)<<16 | uint64(digest)
	h = mixed(h + uint64(a.x>>claimBits))
	h = mixed(h + uint64(a.y>>claimBits))
	h = mixed(h + uint64(a.z>>claimBits))
	return uint8(h)
}

func mixed(h uint64) uint64 {
	h += 0x9E3779B97F4A7C15
	h = (h ^ h>>30) * 0xBF58476D1CE4E5B9
	h = (h ^ h>>27) * 0x94D049BB133111EB
	return h ^ h>>31
}

// near returns the place nearest to truth that has the claim's low bits.
func (c claim) near(truth geom.Vec3) place {
	at := placeOf(truth)
	return place{nearest(at.x, c), nearest(at.y, c>>claimBits), nearest(at.z, c>>(2*claimBits))}
}

// nearest returns the number nearest to truth whose low bits are c's.
func nearest(truth int64, c claim) int64 {
	const rest = 64 - claimBits
	return truth + (int64(c)-truth)<<rest>>rest
}

// position returns the claimed position, on the grid, if it is within 2 m of truth on
// each axis; otherwise one that is.
func (c claim) position(truth geom.Vec3) geom.Vec3 { return c.near(truth).position() }

// against compares the claim of the move of that number with where it truly ended, and
// with what the digest truly is. It returns how far the claimed position is from truth,
// in metres squared: up to 1.2e-5 (3.4 mm) where the two are one; and whether digest and
// what of truth the low bits do not say are as claimed. Of wrong ones one in 256 passes.
func (c claim) against(truth geom.Vec3, digest uint16, number uint32) (distSq float64, same bool) {
	at := c.near(truth)
	return truth.Sub(at.position()).LenSq(), at.check(digest, number) == uint8(c>>(3*claimBits))
}

// pack packs the 38 bits.
func (c *claim) pack(p *bits.Packer) { p.Uint((*uint64)(c), 3*claimBits+8) }
