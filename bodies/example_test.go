package bodies_test

import (
	"fmt"

	"github.com/backstep-net/backstep/bodies"
	"github.com/backstep-net/backstep/body"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/track"
)

// A football lies on a pitch; Ada runs into it, and sees it roll at once.
func Example() {
	const Football track.Kind = 1
	pitch := bodies.Config{Kinds: map[track.Kind]body.Body{Football: body.NewBall(.11, .43)}}

	var floor collide.Builder
	floor.Box(geom.V(0, -1, 0), geom.V(50, 1, 50), geom.IdentityQuat, collide.Surface{})
	level, _ := floor.Bake()

	// The server's end.
	var balls *bodies.Server
	server := session.NewServer(walk(), session.ServerConfig{
		World: level, LevelHash: "pitch",
		NewKey:   func() session.Key { return session.Key{1} }, // a real one is random
		Simulate: func(now clock.Micros) { balls.Step(now) },
	})
	balls = pitch.Serve(server, level)
	ball := balls.Spawn(Football, geom.V(0, .11, -3))

	// Ada's end.
	client := session.NewClient(walk(), session.ClientConfig{})
	screen := pitch.Join(client)
	client.Hello("Ada", session.Key{})

	for tick := int64(1); tick <= 90; tick++ {
		now := clock.TickTime(tick, 60)
		client.Frame(now, &movement.Command{Forward: 1})
		screen.Step(now)
		exchange(server, client, level, now)
		for _, e := range balls.Events() {
			if e.Kind == bodies.Touched && e.Began && e.Player == client.ID() {
				fmt.Println("Ada has the ball")
			}
		}
	}
	there, here := balls.Motion(ball), screen.Drawn()[0]
	fmt.Println("it rolls:", there.Velocity.Len() > 5, "and Ada sees it there:", here.Position.Dist(there.Position) < .2)
	// Output:
	// Ada has the ball
	// it rolls: true and Ada sees it there: true
}

// exchange runs a tick of the server and delivers all packets at once.
func exchange(server *session.Server[movement.State, movement.Command], client *session.Client[movement.State, movement.Command], level *collide.World, now clock.Micros) {
	for _, p := range client.Outgoing() {
		server.Receive(1, p.Channel, now, p.Bytes)
	}
	server.Tick(now)
	for _, e := range server.Events() {
		if e.Kind == session.Joined {
			server.SetState(e.Player, movement.Spawn(geom.V(0, .02, 0), 0))
		}
	}
	server.Send()
	for _, p := range server.Outgoing() {
		client.Receive(p.Channel, now, p.Bytes)
	}
	for _, e := range client.Events() {
		if e.Kind == session.Welcomed {
			client.EnterWorld(level)
		}
	}
}
