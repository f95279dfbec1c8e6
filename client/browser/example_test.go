package browser_test

import (
	"github.com/backstep-net/backstep/client/browser"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/examples/jetpack"
	"github.com/backstep-net/backstep/movement"
)

// minimap is a block of the game's own.
var minimap struct {
	North  float64   // where the player is, metres north of the middle
	Others []float64 // and the others
}

// A game adds a block of its own to the view: the page reads it as roots.minimap.others. This is
// what init does in a core's main.
func ExampleExtend() {
	model := movement.DefaultModel()
	browser.Export(jetpack.Game(&model), browser.Config[jetpack.Hero, jetpack.Command]{
		End: func(v *browser.View[jetpack.Hero, jetpack.Command], _ clock.Micros) {
			minimap.North, minimap.Others = -v.Position.Z, minimap.Others[:0]
			for i := range v.Remotes {
				minimap.Others = append(minimap.Others, -v.Remotes[i].Position.Z)
			}
		},
	})
	browser.Extend("minimap", &minimap)
}
