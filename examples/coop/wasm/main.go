// Command wasm is the coop game's core for a browser.
package main

import (
	"github.com/backstep-net/backstep/client/browser"
	"github.com/backstep-net/backstep/examples/coop"
)

func init() { browser.Export(coop.Rules()) }
func main() { browser.Main() }
