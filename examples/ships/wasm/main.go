// Command wasm is the game's core for a browser.
package main

import (
	"github.com/backstep-net/backstep/client/browser"
	"github.com/backstep-net/backstep/examples/ships"
)

// level is session.roots.level on the page.
var level = struct{ Rocks []ships.Rock }{ships.Rocks}

func init() {
	browser.Export(ships.Rules())
	browser.Extend("level", &level)
}

func main() { browser.Main() }
