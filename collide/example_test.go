package collide_test

import (
	"fmt"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// A capsule falls onto a floor, and a capsule that begins inside a crate gets the way out.
func Example() {
	var b collide.Builder
	b.Box(geom.V(0, -1, 0), geom.V(10, 1, 10), geom.IdentityQuat, collide.Surface{})
	crate := b.Box(geom.V(3, 0.5, 0), geom.V(0.5, 0.5, 0.5), geom.IdentityQuat, collide.Surface{Walk: collide.Never})
	world, err := b.Bake()
	if err != nil {
		fmt.Println(err)
		return
	}
	view := collide.WorldAt{World: world}

	body := geom.Upright(geom.V(0, 2, 0), geom.Up, 0.3, 0.9)
	hit, ok := view.SweepCapsule(body, geom.V(0, -2, 0))
	fmt.Printf("floor: %v at %.2f of the fall, normal %.0f\n", ok, hit.Fraction, hit.Normal)

	hit, ok = view.Ray(geom.V(0, 0.5, 0), geom.V(10, 0, 0))
	fmt.Printf("crate: %v after %.1f m, never walked on: %v\n", ok && hit.Shape == crate,
		hit.Fraction*10, view.Surface(hit.Mover, hit.Shape).Walk == collide.Never)

	push, free := view.Depenetrate(geom.Upright(geom.V(2.4, 0.9, 0), geom.Up, 0.3, 0.9), 1)
	fmt.Printf("out of the crate: %v by %.2f\n", free, push)
	// Output:
	// floor: true at 0.55 of the fall, normal {0 1 0}
	// crate: true after 2.5 m, never walked on: true
	// out of the crate: true by {-0.20 0.00 0.00}
}

// A lift rises four metres in two seconds, every ten seconds, out of a pool. The velocity
// of its floor can be queried for any time.
func ExampleBuilder_Mover() {
	var b collide.Builder
	b.Box(geom.V(0, -6, 0), geom.V(20, 1, 20), geom.IdentityQuat, collide.Surface{})
	lift := b.Mover("lift", collide.Path{Loop: true, Smooth: true, Keys: []collide.Key{
		{At: 0, Position: geom.V(0, -2, 0)},
		{At: 2 * clock.Second, Position: geom.V(0, 2, 0)},
		{At: 8 * clock.Second, Position: geom.V(0, 2, 0)},
		{At: 10 * clock.Second, Position: geom.V(0, -2, 0)},
	}}, func(b *collide.Builder) {
		b.Box(geom.Vec3{}, geom.V(2, .2, 2), geom.IdentityQuat, collide.Surface{})
	})
	b.VolumeBox(collide.Volume{Name: "pool", Water: true}, geom.V(0, -2.5, 0), geom.V(20, 2.5, 20), geom.IdentityQuat)
	world, err := b.Bake()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range []clock.Micros{0, 1, 5, 11} {
		view := collide.WorldAt{World: world, At: s * clock.Second}
		hit, _ := view.SweepCapsule(geom.Upright(geom.V(0, 9, 0), geom.Up, .3, .9), geom.V(0, -20, 0))
		rest := geom.Upright(geom.V(0, 9-20*hit.Fraction, 0), geom.Up, .3, .9)
		fmt.Printf("%2d s: on the lift %v, rising at %.0f m/s, %3.0f %% under water\n", s, hit.Mover == lift,
			view.VelocityAt(hit.Mover, hit.Point).Y, 100*view.Submerged(rest, geom.Up))
	}
	// Output:
	//  0 s: on the lift true, rising at 0 m/s, 100 % under water
	//  1 s: on the lift true, rising at 3 m/s,   0 % under water
	//  5 s: on the lift true, rising at 0 m/s,   0 % under water
	// 11 s: on the lift true, rising at 3 m/s,   0 % under water
}

// A door of a match: the step of a game records that somebody stands on the mat before it, and
// the door opens 200 ms later.
func ExampleWorldAt_TriggerVolumes() {
	var b collide.Builder
	path := collide.Path{Keys: []collide.Key{{}, {At: clock.Second, Position: geom.V(2, 0, 0)}}}
	door := b.TriggeredMover("door", path, collide.Trigger{Kind: collide.Timed, Delay: collide.DefaultDelay, Hold: 3 * clock.Second},
		func(b *collide.Builder) {
			b.Box(geom.V(0, 1, 0), geom.V(1, 1, .1), geom.IdentityQuat, collide.Surface{})
		})
	b.VolumeBox(collide.Volume{Triggers: "door"}, geom.V(0, 1, 2), geom.V(1, 1, 1), geom.IdentityQuat)
	level, err := b.Bake()
	if err != nil {
		panic(err)
	}

	// A session does this part.
	var log collide.Triggers
	match := level.WithTriggers(&log)
	log.Open(collide.TriggerCause{Now: 10 * clock.Second}, 0)

	w := collide.WorldAt{World: match, At: 10 * clock.Second}
	w.TriggerVolumes(geom.Upright(geom.V(0, 1, 2), geom.Up, 0.34, 0.88), false)
	for _, at := range []clock.Micros{10_200, 10_700, 11_200, 14_700} {
		fmt.Printf("%.1f s: open by %.1f m\n", (at * clock.Millisecond).Seconds(), match.Pose(door, at*clock.Millisecond).Translation.X)
	}
	// Output:
	// 10.2 s: open by 0.0 m
	// 10.7 s: open by 1.0 m
	// 11.2 s: open by 2.0 m
	// 14.7 s: open by 1.0 m
}
