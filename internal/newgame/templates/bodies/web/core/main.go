// Command core is the game in the browser: the page reads its Go values by their names.
package main

import (
	"github.com/backstep-net/backstep/bodies"
	"github.com/backstep-net/backstep/client/browser"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/internal/newgame/templates/bodies/game"
	"github.com/backstep-net/backstep/remote"
	"github.com/backstep-net/backstep/session"
)

// things is what the page reads besides the players: session.roots.things.
var things struct{ Drawn []remote.DrawnBody }

func init() {
	var bodies *bodies.Client
	browser.Export(game.Rules(), browser.Config[game.Player, game.Input]{
		Join: func(c *session.Client[game.Player, game.Input]) { bodies = game.Bodies.Join(c) },
		End: func(_ *browser.View[game.Player, game.Input], local clock.Micros) {
			bodies.Step(local)
			things.Drawn = bodies.Drawn()
		},
	})
	browser.Extend("things", &things)
}

func main() { browser.Main() }
