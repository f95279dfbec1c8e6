package collide_test

import (
	"fmt"
	"testing"

	"github.com/backstep-net/backstep/clock"
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
	v := &collide.WorldAt{World: w}
	rays := func(q *benchscene.Query) bool { _, ok := v.Ray(q.Body.A, q.Delta); return ok }
	var last collide.BlockedCache
	blocked := func(q *benchscene.Query) bool { return w.Blocked(q.Body.A, q.Delta, &last) }
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
		{"blocked", benchscene.Ray50, blocked},
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

// BenchmarkMoving times sweeps of 0.3 m in a world of a floor and so many movers, spread
// over 100 m: far from all of them, on one of them, and among 8 obstacles.
func BenchmarkMoving(b *testing.B) {
	for _, movers := range []int{0, 1, 30, 1000} {
		var build collide.Builder
		build.Box(geom.V(0, -1, 0), geom.V(60, 1, 60), geom.IdentityQuat, collide.Surface{})
		for i := range movers {
			at := geom.V(float64(i%32)*3-50, 5+float64(i/32), float64(i/32)*3-50)
			if i == 0 {
				at = geom.V(-50, .5, -50)
			}
			p := collide.Path{Loop: true, Smooth: true, Keys: []collide.Key{{Position: at}, {At: clock.Second, Position: at.Add(geom.V(0, 1, 0))},
				{At: 3 * clock.Second, Position: at, Angle: 6.283185307179586}}}
			build.Mover(string(rune('A'+i)), p, func(b *collide.Builder) {
				b.Box(geom.Vec3{}, geom.V(1, .2, 1), geom.IdentityQuat, collide.Surface{})
			})
		}
		w, err := build.Bake()
		if err != nil {
			b.Fatal(err)
		}
		v := &collide.WorldAt{World: w, At: 1_234_567}
		sweep := func(b *testing.B, at, d geom.Vec3) {
			c := geom.Upright(at, geom.Up, .34, .88)
			for b.Loop() {
				if _, ok := v.SweepCapsule(c, d); ok {
					sinkHits++
				}
			}
		}
		b.Run(fmt.Sprint(movers, " far"), func(b *testing.B) { sweep(b, geom.V(50, 1, -50), geom.V(.3, 0, 0)) })
		b.Run(fmt.Sprint(movers, " near"), func(b *testing.B) { sweep(b, geom.V(-50, 2.7, -50), geom.V(0, -.3, 0)) })
		for i := range 8 {
			v.Obstacles = append(v.Obstacles, collide.Obstacle{Capsule: geom.Upright(geom.V(float64(i), 1, 2), geom.Up, .34, .88)})
		}
		b.Run(fmt.Sprint(movers, " obstacles"), func(b *testing.B) { sweep(b, geom.V(50, 1, -50), geom.V(.3, 0, 0)) })
	}
}

// BenchmarkBake times baking scene A and the fine mesh D.
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
