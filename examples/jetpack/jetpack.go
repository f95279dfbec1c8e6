// Package jetpack is the smallest game of one's own: people who walk, jump and,
// as long as the fuel lasts, fly. The README shows it. Start at Game.
package jetpack

import (
	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/predict"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/track"
)

// Hero is what one move hands to the next.
type Hero struct {
	movement.State
	Fuel clock.Micros // left in the jet pack
}

// Command is what a player wants during one move.
type Command struct {
	Move movement.Command // the part that the library simulates
	Jet  bool             // the button is held
}

// Game is the rules, the same on both ends.
type Game struct {
	session.Unarmed[Hero, Command]
	Model movement.Model // speeds, heights, gravity
	frame movement.StepContext
}

// Step burns fuel for lift, then walks, falls and collides as everybody does.
func (g *Game) Step(w *collide.WorldAt, h *Hero, c *Command, d clock.Micros) {
	if c.Jet && h.Fuel > 0 {
		h.Fuel -= min(h.Fuel, d)
		h.Force = geom.Up.Mul(2 * g.Model.Gravity)
	}
	movement.Step(&g.Model, &h.State, &c.Move, d, w, &g.frame)
}

// PackCommand describes a command once, for both directions.
func (g *Game) PackCommand(p *bits.Packer, c, before *Command) {
	c.Move.Pack(p, &before.Move)
	p.Bool(&c.Jet)
}

// PackState describes a state, without loss: corrections carry it.
func (g *Game) PackState(p *bits.Packer, h *Hero) {
	h.State.Pack(p)
	fuel := int64(h.Fuel)
	p.Varint(&fuel)
	h.Fuel = clock.Micros(fuel)
}

// Position is what predictions are compared by, Digest what must agree exactly, and Eye where
// the player sees and shoots from.
func (g *Game) Position(h *Hero) geom.Vec3 { return h.Position }
func (g *Game) Digest(h *Hero) uint16      { return uint16(h.Mode) }
func (g *Game) Eye(h *Hero) geom.Vec3      { return g.Model.Eye(&h.State) }

// Pose is what others see.
func (g *Game) Pose(h *Hero) track.Sample {
	base, position, velocity := h.Replicated()
	return track.Sample{
		Pose:     track.Pose{Position: position, Velocity: velocity, Yaw: h.Yaw, Mode: uint8(h.Mode)},
		BaseLink: track.BaseLink{Base: base},
	}
}

// Combine lets a screen of many frames a second send fewer, longer commands: any two
// that movement could as well do at once, and with the same jet.
func (g *Game) Combine(w *collide.WorldAt, start, between *Hero, first, second *Command, d clock.Micros) bool {
	return first.Jet == second.Jet &&
		g.Model.CanCombine(w, &start.State, &between.State, &first.Move, &second.Move)
}

// Differ names what was wrong with a prediction that had to be corrected.
func (g *Game) Differ(predicted, truth *Hero, into []predict.Difference) []predict.Difference {
	return movement.Differ(&predicted.State, &truth.State, into)
}
