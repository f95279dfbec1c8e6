// Command wasm is the jetpack game's core for a browser.
package main

import (
	"github.com/backstep-net/backstep/client/browser"
	"github.com/backstep-net/backstep/examples/jetpack"
	"github.com/backstep-net/backstep/movement"
)

func init() {
	model := movement.DefaultModel()
	browser.Export(jetpack.Game(&model), browser.Config[jetpack.Hero, jetpack.Command]{})
}

func main() { browser.Main() }
