package session_test

import (
	"fmt"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/session"
)

// Ada plays in the process that runs the match, at 144 frames a second between ticks of
// 60 a second. Her client is one like any other; only its packets pass in memory.
func ExampleLoopback() {
	var floor collide.Builder
	floor.Box(geom.V(0, -1, 0), geom.V(100, 1, 100), geom.IdentityQuat, collide.Surface{})
	world, _ := floor.Bake()
	server := session.NewServer(gameOf[toyState, toyCommand](newToy()), session.ServerConfig{
		World: world, NewKey: func() session.Key { return session.Key{1, 2, 3} },
	})
	ada := session.NewClient(gameOf[toyState, toyCommand](newToy()), session.ClientConfig{SendRate: 500})
	ada.Hello("Ada", session.Key{})
	var loop session.Loopback
	peer := loop.Add(ada)

	tick := int64(1)
	for frame := clock.Micros(0); frame < 144; frame++ {
		now := frame * clock.Second / 144 // the match time of this frame
		for ; clock.TickTime(tick, 60) <= now; tick++ {
			server.Tick(clock.TickTime(tick, 60))
			for _, e := range server.Events() {
				if e.Kind == session.Joined {
					server.SetState(e.Player, toyState{})
				}
			}
			server.Send()
			loop.Deliver(now, server.Outgoing()) // and send what it returns to other peers
		}
		for _, e := range ada.Events() {
			if e.Kind == session.Welcomed {
				ada.EnterWorld(world)
			}
		}
		right := toyCommand{X: 2, Z: 1}
		ada.Frame(now, &right)
		loop.Send(peer, server, now)
	}
	fmt.Printf("%.1f m, corrected %d times\n", ada.Self().Pos.X, ada.Stats().Moves.Corrections)
	// Output: 5.2 m, corrected 0 times
}
