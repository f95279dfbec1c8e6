package collide_test

import (
	"testing"

	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/internal/benchscene"
)

var sinkHits int

// BenchmarkQueries times the query sets of scene A (20,000 triangles of terrain,
// 500 boxes). Goals on a 2.6 GHz core: ray50 470 ns, capH 400, capD 700, capH0.1
// 300, and 0 allocations.
func BenchmarkQueries(b *testing.B) {
	w, err := benchscene.A.World()
	if err != nil {
		b.Fatal(err)
	}
	v := &collide.View{World: w}
	rays := func(q *benchscene.Query) bool { _, ok := v.Ray(q.Body.A, q.Delta); return ok }
	sweeps := func(q *benchscene.Query) bool { _, ok := v.SweepCapsule(q.Body, q.Delta); return ok }
	short := func(q *benchscene.Query) bool { _, ok := v.SweepCapsule(q.Body, q.Delta.Mul(.1)); return ok }
	into := make([]collide.Contact, 0, 64)
	gather := func(q *benchscene.Query) bool {
		return len(v.Contacts(q.Body.Moved(geom.V(0, -.13, 0)), .12, into)) > 0
	}
	for _, c := range []struct {
		name string
		set  benchscene.QuerySet
		ask  func(*benchscene.Query) bool
	}{
		{"ray50", benchscene.Ray50, rays},
		{"rayDown", benchscene.RayDown, rays},
		{"capH", benchscene.CapsuleSideways, sweeps},
		{"capD", benchscene.CapsuleDown, sweeps},
		{"sph", benchscene.Ball, sweeps},
		{"capH0.1", benchscene.CapsuleSideways, short},
		{"overlap", benchscene.CapsuleSideways, gather},
	} {
		queries := benchscene.A.Queries(c.set, 100000)
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			n := 0
			for i := 0; b.Loop(); i++ {
				if c.ask(&queries[i%len(queries)]) {
					n++
				}
			}
			sinkHits += n
		})
	}
}

// BenchmarkBake times the building of scene A and of the fine mesh D.
func BenchmarkBake(b *testing.B) {
	for _, s := range []benchscene.Scene{benchscene.A, benchscene.D} {
		b.Run(s.Name, func(b *testing.B) {
			for b.Loop() {
				if _, err := s.World(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
