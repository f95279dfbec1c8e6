// Command wasm is the melee game's core for a browser.
package main

import (
	"github.com/backstep-net/backstep/client/browser"
	"github.com/backstep-net/backstep/examples/melee"
)

func init() { browser.Export(melee.Rules()) }
func main() { browser.Main() }
