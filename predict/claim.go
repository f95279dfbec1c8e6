package predict

import (
	"math"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/geom"
)

// The parts of a claim that travel.
const (
	claimScale = 256 // grid points a metre: 4 mm apart, which costs the error test at most 3.4 mm
	claimBits  = 10  // sent of each axis: they repeat every 4 m, so errors up to 2 m are unambiguous
	// gridErrorSquared is the most that a claim of the very position is off, in m².
	gridErrorSquared = 3. / (4 * claimScale * claimScale)
	claimMax         = 1e12 // grid points, 4 million km: positions beyond are clamped to it
)

// claim is where a move ended according to its owner, in the 38 bits that travel: the low bits
// of its grid point, X lowest, then Y and Z, and 8 bits of checksum. The reader knows the
// position approximately, so the low bits give it exactly; the checksum covers the high bits
// and the digest. It is salted with the move's number, so a wrong claim that collides with the
// truth for one move does not collide for the next.
type claim uint64

// claimOf returns the claim of the move of that number that ended at position.
func claimOf(position geom.Vec3, digest uint16, number uint32) claim {
	const low = 1<<claimBits - 1
	at := gridPointOf(position)
	xyz := at.x&low | at.y&low<<claimBits | at.z&low<<(2*claimBits)
	return claim(xyz) | claim(at.check(digest, number))<<(3*claimBits)
}

// gridPoint is a position on the grid, in multiples of 1/claimScale m.
type gridPoint struct{ x, y, z int64 }

// gridPointOf returns the grid point nearest to position.
func gridPointOf(position geom.Vec3) gridPoint {
	return gridPoint{units(position.X), units(position.Y), units(position.Z)}
}

// units returns the whole number of grid units nearest to v metres.
func units(v float64) int64 {
	if !geom.Finite(v) {
		v = 0
	}
	return int64(math.Floor(geom.Clamp(float64(v*claimScale), -claimMax, claimMax) + 0.5))
}

// position returns the grid point in metres.
func (a gridPoint) position() geom.Vec3 {
	return geom.V(float64(float64(a.x)/claimScale), float64(float64(a.y)/claimScale), float64(float64(a.z)/claimScale))
}

// check returns eight bits of a hash over the number, the digest and the bits of each axis
// that do not travel.
func (a gridPoint) check(digest uint16, number uint32) uint8 {
	h := uint64(number)<<16 | uint64(digest)
	h = splitmix(h + uint64(a.x>>claimBits))
	h = splitmix(h + uint64(a.y>>claimBits))
	h = splitmix(h + uint64(a.z>>claimBits))
	return uint8(h)
}

// splitmix is the finalizer of splitmix64.
func splitmix(h uint64) uint64 {
	h += 0x9E3779B97F4A7C15
	h = (h ^ h>>30) * 0xBF58476D1CE4E5B9
	h = (h ^ h>>27) * 0x94D049BB133111EB
	return h ^ h>>31
}

// near returns the grid point nearest to truth that has the claim's low bits.
func (c claim) near(truth geom.Vec3) gridPoint {
	at := gridPointOf(truth)
	return gridPoint{nearest(at.x, c), nearest(at.y, c>>claimBits), nearest(at.z, c>>(2*claimBits))}
}

// nearest returns the number nearest to truth that has the low bits of c.
func nearest(truth int64, c claim) int64 {
	const rest = 64 - claimBits
	return truth + (int64(c)-truth)<<rest>>rest
}

// position returns the claimed position on the grid if that is within 2 m of truth on each
// axis; otherwise a position within 2 m that has the same low bits.
func (c claim) position(truth geom.Vec3) geom.Vec3 { return c.near(truth).position() }

// against compares the claim for the move of that number with the true position and digest.
// It returns the squared distance between the claimed position and truth, in m²: up to 1.2e-5
// (3.4 mm) where the two are equal. same reports whether digest and high bits are as claimed;
// one in 256 wrong claims passes.
func (c claim) against(truth geom.Vec3, digest uint16, number uint32) (distSq float64, same bool) {
	at := c.near(truth)
	return truth.Sub(at.position()).LenSq(), at.check(digest, number) == uint8(c>>(3*claimBits))
}

// pack packs the 38 bits.
func (c *claim) pack(p *bits.Packer) { p.Uint((*uint64)(c), 3*claimBits+8) }
