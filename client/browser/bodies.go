package browser

import (
	"github.com/backstep-net/backstep/bodies"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/remote"
	"github.com/backstep-net/backstep/session"
)

// Bodies are the rigid bodies of a frame: root "bodies" of a core that is exported WithBodies.
type Bodies struct {
	// Drawn are all of them, by ascending id.
	Drawn []remote.DrawnBody
}

// WithBodies returns the configuration of a game with rigid bodies and nothing else of its own: they
// are simulated in each frame, and the page draws session.roots.bodies.drawn. Call it from an init
// function:
//
//	func init() { browser.Export(game, browser.WithBodies[Hero, Command](&Bodies)) }
func WithBodies[S comparable, C any](config *bodies.Config) Config[S, C] {
	var joined *bodies.Client
	block := new(Bodies)
	Extend("bodies", block)
	return Config[S, C]{
		Join: func(c *session.Client[S, C]) { joined = config.Join(c) },
		End: func(_ *View[S, C], local clock.Micros) {
			joined.Step(local)
			block.Drawn = joined.Drawn()
		},
	}
}
