// Command wasm is the game's core for a browser.
package main

import (
	"github.com/backstep-net/backstep/client/browser"
	"github.com/backstep-net/backstep/examples/minimal"
)

func init() { browser.Export(minimal.Rules()) }
func main() { browser.Main() }
