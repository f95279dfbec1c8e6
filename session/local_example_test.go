package session_test

import (
	"fmt"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/session"
)

// Ada plays on the machine that runs the match, at 144 frames a second between ticks of
// 60 a second: she takes a seat without a peer, and where she has got to is at once what
// the server knows.
func ExampleServer_JoinLocal() {
	var floor collide.Builder
	floor.Box(geom.V(0, -1, 0), geom.V(100, 1, 100), geom.IdentityQuat, collide.Surface{})
	world, _ := floor.Bake()
	server := session.NewServer[toyState, toyCommand](newToy(), session.ServerConfig{
		World: world, NewKey: func() session.Key { return session.Key{1, 2, 3} },
	})
	ada, err := server.JoinLocal("Ada", session.ClientConfig{})
	if err != nil {
		fmt.Println(err)
		return
	}
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
		}
		for _, e := range ada.Events() {
			if e.Kind == session.Welcomed {
				ada.EnterWorld(world)
			}
		}
		right := toyCommand{X: 2, Z: 1}
		ada.Frame(now, &right)
	}
	there, _ := server.State(ada.ID())
	fmt.Printf("%.2f m, corrected %d times, the server agrees: %v\n", there.Pos.X, ada.Stats().Moves.Corrections, there == *ada.Self())
	// Output: 5.55 m, corrected 0 times, the server agrees: true
}
