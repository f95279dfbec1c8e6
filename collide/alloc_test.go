package collide_test

import (
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/internal/benchscene"
)

// No query allocates, with or without movers, volumes and obstacles.
func TestQueriesAllocateNothing(t *testing.T) {
	w, err := benchscene.B.World()
	if err != nil {
		t.Fatal(err)
	}
	v := &collide.WorldAt{World: w}
	var b collide.Builder
	b.Mover("mill", collide.Path{Keys: []collide.Key{{}, {At: clock.Second, Angle: 4}}, Smooth: true}, func(b *collide.Builder) {
		b.Box(geom.Vec3{}, geom.V(60, 1, 60), geom.IdentityQuat, collide.Surface{})
	})
	b.VolumeBox(collide.Volume{Water: true}, geom.Vec3{}, geom.V(60, 9, 60), geom.IdentityQuat)
	b.VolumeSphere(collide.Volume{Kill: true}, geom.Sphere{Radius: 60})
	busy := b.MustBake()
	m := &collide.WorldAt{World: busy, At: clock.Second / 3, Obstacles: []collide.Obstacle{{Capsule: geom.Capsule{Radius: 50}}}}
	near := make([]collide.MoverID, 0, 4)
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

		"Ray, movers":          func(q *benchscene.Query) { m.Ray(q.Body.A, q.Delta) },
		"SweepCapsule, movers": func(q *benchscene.Query) { m.SweepCapsule(q.Body, q.Delta) },
		"Overlaps, movers":     func(q *benchscene.Query) { m.Overlaps(q.Body) },
		"Contacts, movers":     func(q *benchscene.Query) { m.Contacts(q.Body, .5, into) },
		"Depenetrate, movers":  func(q *benchscene.Query) { m.Depenetrate(q.Body, 2) },
		"SweepMover":           func(q *benchscene.Query) { m.SweepMover(1, q.Body, q.Delta) },
		"NearbyMovers":         func(q *benchscene.Query) { m.NearbyMovers(q.Body, 0, near) },
		"VelocityAt":           func(q *benchscene.Query) { m.VelocityAt(1, q.Body.A) },
		"VolumeAt":             func(q *benchscene.Query) { m.VolumeAt(q.Body.A) },
		"Submerged":            func(q *benchscene.Query) { m.Submerged(q.Body, geom.Up) },
		"InKillVolume":         func(q *benchscene.Query) { m.InKillVolume(q.Body) },
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
