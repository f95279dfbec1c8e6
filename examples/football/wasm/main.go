// Command wasm is the football game's core for a browser.
package main

import (
	"github.com/backstep-net/backstep/bodies"
	"github.com/backstep-net/backstep/client/browser"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/examples/football"
	"github.com/backstep-net/backstep/remote"
	"github.com/backstep-net/backstep/session"
)

// pitch is what the page reads besides the view.
var pitch struct{ Balls []remote.DrawnBody }

func init() {
	var balls *bodies.Client
	browser.Export(football.Rules(), browser.Config[football.Player, football.Input]{
		Join: func(c *session.Client[football.Player, football.Input]) { balls = football.Balls.Join(c) },
		End: func(_ *browser.View[football.Player, football.Input], local clock.Micros) {
			balls.Step(local)
			pitch.Balls = balls.Drawn()
		},
	})
	browser.Extend("pitch", &pitch)
}

func main() { browser.Main() }
