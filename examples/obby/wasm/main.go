// Command wasm is the game's core for a browser.
package main

import (
	"github.com/backstep-net/backstep/client/browser"
	"github.com/backstep-net/backstep/examples/obby"
)

var course = struct {
	Checkpoints [len(obby.Checkpoints)]struct{ X, Y, Z float64 }
}{}

func init() {
	browser.Export(obby.Rules())
	for i, at := range obby.Checkpoints {
		course.Checkpoints[i] = struct{ X, Y, Z float64 }(at)
	}
	browser.Extend("course", &course)
}

func main() { browser.Main() }
