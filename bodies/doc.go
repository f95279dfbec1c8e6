// Package bodies puts rigid bodies into a match, on both ends: a puck, a football, crates. Players
// push them, and a body that a player pushes reacts without delay on that player's screen. Start at
// Config, which declares the kinds of bodies once for both ends.
//
//	var rink = bodies.Config{Kinds: map[track.Kind]body.Body{Puck: puck()}}
//
//	pucks := rink.Serve(server, level)        // the server's end
//	id := pucks.Spawn(Puck, geom.V(0, 0.1, 0))
//	pucks.Step(now)                           // in session.ServerConfig.Simulate
//
//	screen := rink.Join(client)               // a client's end
//	screen.Step(local)                        // after each session.Client.Frame
//	for _, b := range screen.Drawn() { … }
//
// Package body simulates, package session replicates the bodies as entities, and [remote.Bodies]
// follows them on a client. This package joins the three: it makes pushers of the players
// (players.go), entities of the bodies (server.go), events of what happens to them (events.go), and
// finds how far ahead of the server a client simulates what its player pushes (client.go).
package bodies
