// Command wasm is the hockey game's core for a browser.
package main

import (
	"github.com/backstep-net/backstep/client/browser"
	"github.com/backstep-net/backstep/examples/hockey"
)

func init() {
	browser.Export(hockey.Rules(), browser.WithBodies[hockey.Skater, hockey.Input](&hockey.Pucks))
}

func main() { browser.Main() }
