package arena_test

import (
	"fmt"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/examples/arena"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/session"
)

// A match in virtual time: two bots on an empty floor, until one has killed the
// other three times.
func Example() {
	world := collide.Floor(15)
	match := arena.NewMatch(arena.MatchConfig{
		ServerConfig: session.ServerConfig{World: world, NewKey: func() session.Key { return session.Key{1} }},
		Spawns:       []arena.Spawn{{Position: geom.V(0, 0.02, 10)}, {Position: geom.V(0, 0.02, -10)}},
		KillHeight:   -20,
	})
	bots := arena.NewBots(match, 2, arena.Veteran)
	for tick := int64(1); match.Score(1).Deaths < 3 && match.Score(2).Deaths < 3; tick++ {
		bots.Tick(clock.TickTime(tick, 60))
		bots.Outgoing() // for connections; the bots' packets are delivered directly
	}
	for id := session.PlayerID(1); id <= 2; id++ {
		s := match.Score(id)
		fmt.Printf("%-5s kills %d, deaths %d\n", s.Name, s.Kills, s.Deaths)
	}
	// Output:
	// Ada   kills 2, deaths 3
	// Brook kills 3, deaths 2
}
