// Command wasm is the hockey game's core for a browser.
package main

import (
	"github.com/backstep-net/backstep/bodies"
	"github.com/backstep-net/backstep/client/browser"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/examples/hockey"
	"github.com/backstep-net/backstep/remote"
	"github.com/backstep-net/backstep/session"
)

// rink is what the page reads besides the view.
var rink struct{ Pucks []remote.DrawnBody }

func init() {
	var pucks *bodies.Client
	browser.Export(hockey.Rules(), browser.Config[hockey.Skater, hockey.Input]{
		Join: func(c *session.Client[hockey.Skater, hockey.Input]) { pucks = hockey.Pucks.Join(c) },
		End: func(_ *browser.View[hockey.Skater, hockey.Input], local clock.Micros) {
			pucks.Step(local)
			rink.Pucks = pucks.Drawn()
		},
	})
	browser.Extend("rink", &rink)
}

func main() { browser.Main() }
