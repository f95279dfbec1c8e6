package collide_test

import (
	"testing"

	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/internal/benchscene"
)

// No query allocates.
func TestQueriesAllocateNothing(t *testing.T) {
	w, err := benchscene.B.World()
	if err != nil {
		t.Fatal(err)
	}
	v := &collide.View{World: w}
	q := benchscene.B.Queries(benchscene.CapsuleSideways, 50)
	into := make([]collide.Contact, 0, 16)
	for name, ask := range map[string]func(q *benchscene.Query){
		"Ray":          func(q *benchscene.Query) { v.Ray(q.Body.A, q.Delta) },
		"SweepSphere":  func(q *benchscene.Query) { v.SweepSphere(geom.Sphere{Centre: q.Body.A, Radius: .3}, q.Delta) },
		"SweepCapsule": func(q *benchscene.Query) { v.SweepCapsule(q.Body, q.Delta) },
		"Overlaps":     func(q *benchscene.Query) { v.Overlaps(q.Body) },
		"Contacts":     func(q *benchscene.Query) { v.Contacts(q.Body, .5, into) },
		"Depenetrate":  func(q *benchscene.Query) { v.Depenetrate(q.Body.Moved(geom.V(0, -.5, 0)), 1) },
		"Surface":      func(q *benchscene.Query) { v.Surface(collide.Static, 3) },
	} {
		if n := testing.AllocsPerRun(10, func() {
			for i := range q {
				ask(&q[i])
			}
		}); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}
