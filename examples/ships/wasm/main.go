// Command wasm is the game's core for a browser. The page has the blocks of the level as session.roots.level.
package main

import (
	"github.com/backstep-net/backstep/client/browser"
	"github.com/backstep-net/backstep/examples/ships"
)

func init() {
	browser.Export(ships.Rules())
	browser.Extend("level", &struct{ Blocks []ships.Block }{ships.Blocks})
}

func main() { browser.Main() }
