// Command wasm is the jetpack game's core for a browser.
package main

import (
	"github.com/backstep-net/backstep/client/browser"
	"github.com/backstep-net/backstep/examples/jetpack"
	"github.com/backstep-net/backstep/movement"
)

func init() {
	browser.Export(&jetpack.Game{Model: movement.DefaultModel()}, browser.Config[jetpack.Hero, jetpack.Command]{})
}

func main() { browser.Main() }
