package predict

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

// trustGrid is how far, in metres, a claim must be from the truth to be adopted:
// nearer than that it may differ by its grid alone.
const trustGrid = 0.004

// Truster may be implemented by Rules: Trust decides whether a claimed position, in
// the frame of Rules.Position and at most Limits.TrustDistance from the truth, may be adopted,
// and if so puts s there (SRV-14). It should refuse what the character cannot reach.
type Truster[S any] interface {
	Trust(s *S, claimed geom.Vec3) bool
}

// optional is what a game's Rules implement besides.
type optional[S, C any] struct {
	truster Truster[S]
	resting Resting[C]
}

func optionalOf[S, C any](rules any) (o optional[S, C]) {
	o.truster, _ = rules.(Truster[S])
	o.resting, _ = rules.(Resting[C])
	return o
}

// trust adopts a claim that is d from the truth at, if it may be, and reports whether it
// did. What is adopted within a second never exceeds Limits.TrustDistance in all.
func (a *Authority[S, C]) trust(at geom.Vec3, d float64) bool {
	most := a.Limits.TrustDistance
	if most == 0 || a.budget.resolving || !(d > trustGrid) {
		return false
	}
	passed := clock.Micros(max(a.stamp-a.trustAt, 0)).Seconds()
	a.trusted, a.trustAt = max(a.trusted-float64(passed*most), 0), a.stamp
	if a.trusted+d > most || !a.optional.truster.Trust(&a.state, a.proof.position(at)) {
		return false
	}
	a.trusted += d
	a.count.Trusted++
	return true
}
