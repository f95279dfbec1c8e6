package collide_test

import (
	"fmt"

	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// A capsule falls onto a floor, and a body that begins inside a crate is told
// the way out.
func Example() {
	var b collide.Builder
	b.Box(geom.V(0, -1, 0), geom.V(10, 1, 10), geom.NoTurn, collide.Surface{})
	crate := b.Box(geom.V(3, 0.5, 0), geom.V(0.5, 0.5, 0.5), geom.NoTurn, collide.Surface{Walk: collide.Never})
	world, err := b.Bake()
	if err != nil {
		fmt.Println(err)
		return
	}
	view := collide.View{World: world}

	body := geom.Upright(geom.V(0, 2, 0), geom.Up, 0.3, 0.9)
	hit, ok := view.SweepCapsule(body, geom.V(0, -2, 0))
	fmt.Printf("floor: %v at %.2f of the fall, normal %.0f\n", ok, hit.Fraction, hit.Normal)

	hit, ok = view.Ray(geom.V(0, 0.5, 0), geom.V(10, 0, 0))
	fmt.Printf("crate: %v after %.1f m, never walked on: %v\n", ok && hit.Shape == crate,
		hit.Fraction*10, view.Surface(hit.Body, hit.Shape).Walk == collide.Never)

	push, free := view.Depenetrate(geom.Upright(geom.V(2.4, 0.9, 0), geom.Up, 0.3, 0.9), 1)
	fmt.Printf("out of the crate: %v by %.2f\n", free, push)
	// Output:
	// floor: true at 0.55 of the fall, normal {0 1 0}
	// crate: true after 2.5 m, never walked on: true
	// out of the crate: true by {-0.20 0.00 0.00}
}
