// Command core runs the game in the browser: the page reads its Go values by their names.
package main

import (
	"github.com/backstep-net/backstep/client/browser"
	"github.com/backstep-net/backstep/internal/newgame/templates/bodies/game"
)

func init() {
	browser.Export(game.Rules(), browser.WithBodies[game.Player, game.Input](&game.Bodies))
}

func main() { browser.Main() }
