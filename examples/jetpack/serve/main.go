// Command serve serves the jetpack game on a floor, and with --web its page. A message of a player
// comes back to it.
package main

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/examples/jetpack"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/serve"
	"github.com/backstep-net/backstep/session"
)

type match = serve.Match[jetpack.Hero, jetpack.Command]

func main() {
	serve.Main(jetpack.Game(new(movement.DefaultModel())), serve.Config[jetpack.Hero, jetpack.Command]{
		Name:    "jetpack",
		Session: session.ServerConfig{World: collide.Floor(200)},
		OnJoin: func(m *match, e session.Event) {
			at := geom.V(3*float64(e.Player), 0.1, 0)
			m.SetState(e.Player, jetpack.Hero{State: movement.Spawn(at, 0), Fuel: 20 * clock.Second})
		},
		OnMessage: func(m *match, player session.PlayerID, b []byte) { m.SendMessage(player, b) },
	})
}
