// Command server serves the game, and with -web its page.
package main

import (
	"github.com/backstep-net/backstep/examples/obby"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/serve"
	"github.com/backstep-net/backstep/session"
)

func main() {
	serve.Main(obby.Rules(), serve.Config[obby.Jumper, movement.Command]{
		Name: "obby", Session: session.ServerConfig{World: obby.Course()},
		OnJoin: func(m *serve.Match[obby.Jumper, movement.Command], e session.Event) {
			if !e.Reconnected {
				m.SetState(e.Player, obby.Spawn())
				m.SetText(e.Player, "name", e.Name)
			}
		},
	})
}
