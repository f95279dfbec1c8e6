package predict

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

// trustGrid is the distance, in metres, above which a claim is adopted. A smaller difference can come
// from the rounding of the claim alone.
const trustGrid = 0.004

// Truster is an optional method of Rules. Trust decides whether a claimed position, in the frame
// of Rules.Position and at most Limits.TrustDistance from the true one, may be adopted, and if
// so moves s there (SRV-14). It should refuse positions that the character cannot reach.
type Truster[S any] interface {
	Trust(s *S, claimed geom.Vec3) bool
}

// optional has the optional methods that a game's Rules implement.
type optional[S, C any] struct {
	truster  Truster[S]
	releaser HeldReleaser[C]
}

func optionalOf[S, C any](rules any) (o optional[S, C]) {
	o.truster, _ = rules.(Truster[S])
	o.releaser, _ = rules.(HeldReleaser[C])
	return o
}

// trustBudget is the adopted distance that still counts against Limits.TrustDistance.
type trustBudget struct {
	used float64      // m
	at   clock.Micros // stamp at which used was updated
}

// adoptClaim adopts a claim that is d metres from the true position at, if the rules agree, and
// reports whether it did. The distances adopted within a second never add up to more than
// Limits.TrustDistance.
func (a *Authority[S, C]) adoptClaim(at geom.Vec3, d float64) bool {
	most := a.limits.TrustDistance
	if most == 0 || a.budget.resolving || !(d > trustGrid) {
		return false
	}
	passed := clock.Micros(max(a.stamp-a.trust.at, 0)).Seconds()
	a.trust = trustBudget{max(a.trust.used-float64(passed*most), 0), a.stamp}
	if a.trust.used+d > most || !a.optional.truster.Trust(&a.state, a.claim.position(at)) {
		return false
	}
	a.trust.used += d
	a.count.Trusted++
	return true
}
