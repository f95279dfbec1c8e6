package minimal_test

import (
	"fmt"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/examples/minimal"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/session"
)

// A server and two clients in one process, for five seconds: each walks ahead and sees the other.
func Example() {
	world, link := collide.Floor(50), session.Loopback{}
	server := session.NewServer(minimal.Rules(), session.ServerConfig{World: world, NewKey: func() session.Key { return session.Key{1} }})
	clients := map[session.Peer]*session.Client[movement.State, movement.Command]{}
	for _, name := range []string{"Ann", "Bob"} {
		c := session.NewClient(minimal.Rules(), session.ClientConfig{})
		c.Hello(name, session.Key{})
		clients[link.Add(c)] = c
	}
	for tick := range int64(300) {
		now := clock.TickTime(tick+1, 60)
		server.Tick(now)
		for _, e := range server.Events() {
			if e.Kind == session.Joined {
				server.SetState(e.Player, movement.Spawn(geom.V(float64(e.Player), 0.1, 0), 0))
			}
		}
		server.Send()
		link.Deliver(now, server.Outgoing())
		for peer, c := range clients {
			if c.Phase() == session.Loading {
				c.EnterWorld(world)
			}
			c.Frame(now, &movement.Command{Forward: 1})
			link.Send(peer, server, now)
		}
	}
	for _, c := range clients {
		fmt.Println("sees", len(c.Remotes()), "other, far ahead:", c.Remotes()[0].Position.Z < -20, "corrections:", c.Stats().Moves.Corrections)
	}
	// Output:
	// sees 1 other, far ahead: true corrections: 0
	// sees 1 other, far ahead: true corrections: 0
}
