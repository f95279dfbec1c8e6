// Package jetpack is the smallest game of one's own: characters walk, jump and, as long as the
// fuel lasts, fly. The README shows it.
package jetpack

import (
	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/character"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/session"
)

// Hero is what one move hands to the next.
type Hero struct {
	movement.State
	Fuel clock.Micros // left in the jet pack
}

// Command is a player's input for one move.
type Command struct {
	movement.Command
	Jet bool // the button is held
}

// Game returns the rules, by a model of movement: the same on both ends.
func Game(model *movement.Model) session.Game[Hero, Command] {
	g := session.Game[Hero, Command]{
		Step: func(m *session.Move, h *Hero, c *Command) {
			if c.Jet && h.Fuel > 0 {
				h.Fuel -= min(h.Fuel, m.Duration)
				h.Force = geom.Up.Mul(2 * model.Gravity)
			}
			m.Walk(model, &h.State, &c.Command)
		},
		PackCommand: func(p *bits.Packer, c, before *Command) { c.Command.Pack(p, &before.Command); p.Bool(&c.Jet) },
		PackState:   func(p *bits.Packer, h *Hero) { h.State.Pack(p); p.Varint((*int64)(&h.Fuel)) },
	}
	character.Fill(&g, model)
	return g
}
