// Command wasm is the game's core for a browser.
package main

import (
	"github.com/backstep-net/backstep/client/browser"
	"github.com/backstep-net/backstep/examples/topdown"
)

func init() { browser.Export(topdown.Rules()) }
func main() { browser.Main() }
