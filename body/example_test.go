package body_test

import (
	"fmt"

	"github.com/backstep-net/backstep/body"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// A football lies on a pitch until a player runs into it.
func Example() {
	var b collide.Builder
	b.Box(geom.V(0, -1, 0), geom.V(50, 1, 30), geom.IdentityQuat, collide.Surface{})
	pitch, err := b.Bake()
	if err != nil {
		fmt.Println(err)
		return
	}
	w := body.New(pitch, body.Config{})
	football := body.NewBall(0.11, 0.43)
	football.Position = geom.V(3, 0.11, 0)
	id := w.Add(football)

	const tick = clock.Second / 50
	at := clock.Micros(0)
	for ; at < clock.Second; at += tick {
		w.Step(tick, at, nil)
	}
	fmt.Println("asleep:", w.Motion(id).Asleep)

	from := at
	for ; at < 2*clock.Second; at += tick {
		run := 6 * (at - from).Seconds()
		p := body.Pusher{ID: 1, Capsule: geom.Upright(geom.V(run, 0.9, 0), geom.Up, 0.35, 0.9), Velocity: geom.V(6, 0, 0), Bounce: 0.5}
		w.Step(tick, at, []body.Pusher{p})
		for _, t := range w.Touches() {
			fmt.Printf("player %d touches body %d after %.2f s\n", t.Pusher, t.Body, (at - from).Seconds())
		}
	}
	fmt.Printf("it rolls on at %.1f m/s\n", w.Motion(id).Velocity.Len())
	// Output:
	// asleep: true
	// player 1 touches body 1 after 0.42 s
	// it rolls on at 6.3 m/s
}
