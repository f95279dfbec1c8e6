// Command server serves the game, and with -web its page.
package main

import (
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/examples/minimal"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/serve"
	"github.com/backstep-net/backstep/session"
)

func main() {
	serve.Main(minimal.Rules(), serve.Config[movement.State, movement.Command]{
		Session: session.ServerConfig{World: collide.Floor(50)},
		OnJoin: func(m *serve.Match[movement.State, movement.Command], e session.Event) {
			m.SetState(e.Player, movement.Spawn(geom.V(float64(e.Player), 0.1, 0), 0))
		},
	})
}
