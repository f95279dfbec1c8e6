// Command wasm is the football game's core for a browser.
package main

import (
	"github.com/backstep-net/backstep/client/browser"
	"github.com/backstep-net/backstep/examples/football"
)

func init() {
	browser.Export(football.Rules(), browser.WithBodies[football.Player, football.Input](&football.Balls))
}

func main() { browser.Main() }
