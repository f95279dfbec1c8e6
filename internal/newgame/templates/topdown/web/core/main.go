// Command core runs the game in the browser: the page reads its Go values by their names.
package main

import (
	"github.com/backstep-net/backstep/client/browser"
	"github.com/backstep-net/backstep/internal/newgame/templates/topdown/game"
)

// level is read by the page as session.roots.level.
var level = struct{ Walls []game.Wall }{game.Walls}

func init() {
	browser.Export(game.Rules())
	browser.Extend("level", &level)
}

func main() { browser.Main() }
