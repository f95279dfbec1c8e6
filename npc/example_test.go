package npc_test

import (
	"fmt"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/npc"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/track"
)

// A guard walks around a wall.
func Example() {
	const Guard track.Kind = 5
	var b collide.Builder
	b.Box(geom.V(0, -1, 0), geom.V(10, 1, 10), geom.IdentityQuat, collide.Surface{})
	b.Box(geom.V(2, 1, 0), geom.V(6, 1, .25), geom.IdentityQuat, collide.Surface{})
	level, _ := b.Bake()
	mesh := npc.BakeMesh(level, &model)

	var npcs *npc.Crowd
	server := session.NewServer(shooter(), session.ServerConfig{
		World: level, LevelHash: "yard",
		NewKey:   func() session.Key { return session.Key{1} }, // a real one is random
		Simulate: func(now clock.Micros) { npcs.Step(now) },
	})
	npcs = npc.New(npc.Config{Match: server, World: level, Mesh: mesh, Kinds: map[track.Kind]npc.Kind{Guard: {}}})
	id := npcs.Spawn(Guard, geom.V(0, .02, 3), 0)
	npcs.Steer(id, geom.V(0, 0, -3))

	for tick := int64(1); tick <= 300; tick++ {
		now := clock.TickTime(tick, 60)
		server.Tick(now)
		for _, e := range npcs.Events() {
			if e.Kind == npc.Arrived {
				fmt.Printf("guard %d arrives after %.0f s\n", e.ID, now.Seconds())
			}
		}
		server.Send()
	}
	// Output:
	// guard 129 arrives after 2 s
}
