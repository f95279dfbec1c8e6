// Command wasm is the jetpack game's core for a browser.
package main

import (
	"github.com/backstep-net/backstep/client/browser"
	"github.com/backstep-net/backstep/examples/jetpack"
	"github.com/backstep-net/backstep/movement"
)

var model = movement.DefaultModel()

func init() { browser.Export(jetpack.Game(&model)) }

func main() { browser.Main() }
