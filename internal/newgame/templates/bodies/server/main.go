// Command server runs the match: the balls and the score. Clients cannot change these decisions.
package main

import (
	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/bodies"
	"github.com/backstep-net/backstep/body"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/internal/newgame/templates/bodies/game"
	"github.com/backstep-net/backstep/serve"
	"github.com/backstep-net/backstep/session"
)

type match = serve.Match[game.Player, game.Input]

func main() { serve.Main(game.Rules(), config()) }

// config returns the match's settings and its reactions to events.
func config() serve.Config[game.Player, game.Input] {
	var things *bodies.Server
	return serve.Config[game.Player, game.Input]{
		Session: session.ServerConfig{World: game.Level(), PlayersBlock: true},
		Bots:    1, Think: game.Think, // one bot, so that a single player can play at once; -bots 0 for none
		Another: config, // of each match that -matches adds
		OnStart: func(m *match) {
			things = game.Bodies.Serve(m, m.World())
			things.AddZone(game.Ring)
			for _, x := range []float64{0, -3, 3} {
				things.Spawn(game.Ball, geom.V(x, 0.4, 0))
				things.Spawn(game.Crate, geom.V(2*x, 0.4, 4))
			}
		},
		OnJoin: func(m *match, e session.Event) {
			if e.Reconnected { // reconnected: the player keeps its state
				return
			}
			m.SetState(e.Player, game.Spawn(e.Player))
			m.SetText(e.Player, "name", e.Name)
		},
		Simulate: func(m *match, now clock.Micros) {
			things.Step(now)
			for _, e := range things.Events() {
				switch {
				case e.Kind == bodies.Touched:
					m.SetNumber(e.Body, "by", int64(e.Player))
				case e.Kind == bodies.Entered && m.Number(e.Body, "by") != 0:
					by := session.PlayerID(m.Number(e.Body, "by"))
					m.SetNumber(by, "score", m.Number(by, "score")+1)
					things.Teleport(e.Body, body.Motion{Position: geom.V(0, 0.4, 0), Rotation: geom.IdentityQuat})
				}
			}
		},
		// With -checkpoint a restarted server continues the match: states and fields are kept anyway, and
		// the variables of these functions here.
		OnCheckpoint: func(_ *match, p *bits.Packer) { things.Checkpoint(p) },
	}
}
