package bench

import (
	"context"

	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/internal/benchscene"
)

// queries is how many different queries there are of each kind.
const queries = 100000

// measureQueries times rays and capsule sweeps on scene A.
func measureQueries(_ context.Context, m *Meter) error {
	world, err := m.world(benchscene.A)
	if err != nil {
		return err
	}
	w, hits := &collide.WorldAt{World: world}, 0
	for _, c := range []struct {
		figure string
		set    benchscene.QuerySet
		share  float64 // of the displacement
	}{
		{"ray50_ns", benchscene.Ray50, 1}, {"sweep_1m_ns", benchscene.CapsuleSideways, 1},
		{"sweep_down_ns", benchscene.CapsuleDown, 1}, {"sweep_01m_ns", benchscene.CapsuleSideways, .1},
	} {
		all := benchscene.A.Queries(c.set, queries)
		for i := range all {
			all[i].Delta = all[i].Delta.Mul(c.share)
		}
		call := func(i int) {
			if _, ok := w.SweepCapsule(all[i].Body, all[i].Delta); ok {
				hits++
			}
		}
		if c.set == benchscene.Ray50 {
			call = func(i int) {
				if _, ok := w.Ray(all[i].Body.A, all[i].Delta); ok {
					hits++
				}
			}
		}
		if err := m.Time(c.figure, Work{Calls: queries, Call: call}); err != nil {
			return err
		}
	}
	return nil
}
