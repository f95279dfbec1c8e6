package session_test

import (
	"fmt"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/session"
)

// A match, one client, and a link on which a packet takes no time: Ada joins, runs
// to the right for a second, and both ends agree where that has taken her.
func Example() {
	var floor collide.Builder
	floor.Box(geom.V(0, -1, 0), geom.V(100, 1, 100), geom.IdentityQuat, collide.Surface{})
	world, _ := floor.Bake()
	server := session.NewServer(gameOf[toyState, toyCommand](newToy()), session.ServerConfig{
		World: world, LevelHash: "floor",
		NewKey: func() session.Key { return session.Key{1, 2, 3} }, // a real one is random
	})
	client := session.NewClient(gameOf[toyState, toyCommand](newToy()), session.ClientConfig{})
	client.Hello("Ada", session.Key{})

	for tick := int64(1); tick <= 66; tick++ {
		now := clock.TickTime(tick, 60)
		right := toyCommand{X: 2, Z: 1}
		client.Frame(now, &right)
		for _, p := range client.Outgoing() {
			if err := server.Receive(1, p.Channel, now, p.Bytes); err != nil {
				fmt.Println(err)
			}
		}
		server.Tick(now)
		for _, e := range server.Events() {
			if e.Kind == session.Joined {
				fmt.Println(e.Name, "joined as player", e.Player)
				server.SetState(e.Player, toyState{})
			}
		}
		server.Send()
		for _, p := range server.Outgoing() {
			if err := client.Receive(p.Channel, now, p.Bytes); err != nil {
				fmt.Println(err)
			}
		}
		for _, e := range client.Events() {
			switch e.Kind {
			case session.Welcomed:
				fmt.Println("welcome to", e.Text)
				client.EnterWorld(world)
			case session.Teleported:
				fmt.Println("placed at", client.Self().Pos.X)
			}
		}
	}
	there, _ := server.State(client.ID())
	fmt.Printf("%.2f m, both ends equal: %v\n", there.Pos.X, there == *client.Self())
	// Output:
	// Ada joined as player 1
	// welcome to floor
	// placed at 0
	// 5.75 m, both ends equal: true
}
