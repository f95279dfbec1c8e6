// Package arena is the game that `backstep serve` runs: first-person, five weapons,
// health, a score, bots. It is small on purpose and meant to be copied: Hero and
// Command are what moves, Game is how, Match keeps the score on the server,
// Player is a client's side, Bot plays. Start at Game.
package arena

import (
	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/movement/rootmotion"
	"github.com/backstep-net/backstep/shot"
)

// Hero is everything that one move hands to the next.
type Hero struct {
	movement.State
	Loadout shot.Loadout
	Hook    Hook         // the grappling hook's
	Rest    clock.Micros // until it can dash again
	Life    uint8        // counts respawns
	Dead    bool         // lies where it fell until the match returns it
	// Shielded is whether its shield is up, and Aiming whether it aims down the sights.
	Shielded, Aiming bool
	// Watching is a spectator: it flies, and nobody sees or hits it.
	Watching bool
	// Doomed is one who was crushed: the match kills it.
	Doomed bool
}

// Pack packs the hero without loss, in either direction.
func (h *Hero) Pack(p *bits.Packer) {
	h.State.Pack(p)
	h.Loadout.Pack(p)
	p.Byte(&h.Life)
	p.Bool(&h.Dead)
	h.packMoves(p)
}

// Game is the rules of the arena. The same code runs on the server, in Go
// clients and in the browser.
type Game struct {
	// Abilities are the root motions that a hero starts with a command of its own
	// (RMS-21). A MoveTo begins where the hero stands.
	Abilities []rootmotion.Source
	// Mesh is for heroes who are NavWalking; nil is none.
	Mesh movement.Mesh
	// Exact has each command simulated as it was made: none are combined.
	Exact bool
	// Stepped is filled with what each Step was asked; nil is nobody who asks.
	Stepped *Stepped

	model   movement.Model
	watcher movement.Model // of those who watch
	weapons shot.Table
	frame   movement.StepContext // scratch of one step
	still   movement.Command     // likewise: what the dead want
	empty   collide.WorldAt      // likewise: the world of those whom nobody hinders
	slowed  movement.Model       // likewise: of those whom their hands slow down
	figures figures
}

// NewGame returns the arena's rules with their standard tunables.
func NewGame() *Game {
	g := &Game{model: movement.DefaultModel(), watcher: movement.DefaultModel(), weapons: Weapons()}
	g.watcher.MaxFlySpeed, g.watcher.FlyBraking, g.watcher.MaxAcceleration = 14, 40, 60
	g.figures = newFigures()
	return g
}

// Model returns the tunables of movement.
func (g *Game) Model() *movement.Model { return &g.model }

// Events is what happened to the hero in the last Step, valid until the next.
func (g *Game) Events() []movement.Event { return g.frame.Events() }

// Spawn returns a hero as it enters the match: on its feet at the place, with full
// magazines and the first weapon in hand.
func (g *Game) Spawn(feet geom.Vec3, yaw float64, life uint8) Hero {
	h := Hero{Life: life, Loadout: g.weapons.Loadout()}
	h.State = movement.Spawn(feet, yaw)
	return h
}

// Stepped is what a Step was asked.
type Stepped struct {
	Before  Hero
	Command Command
	Lasts   clock.Micros
	At      clock.Micros // the command's platform time
}

// Step simulates one move. The weapon fires first, from where the hero stands;
// the dead fall but want nothing, and those who watch only fly.
func (g *Game) Step(w *collide.WorldAt, h *Hero, c *Command, d clock.Micros) {
	g.frame.Mesh = g.Mesh
	if g.Stepped != nil {
		*g.Stepped = Stepped{*h, *c, d, w.At}
	}
	switch {
	case h.Watching:
		g.empty = *w
		g.empty.Obstacles = nil
		movement.Step(&g.watcher, &h.State, &c.Move, d, &g.empty, &g.frame)
		return
	case h.Dead:
		g.still = movement.Command{Yaw: h.Yaw, Pitch: h.Pitch}
		h.letGo()
		h.Shielded, h.Aiming = false, false
		movement.Step(&g.model, &h.State, &g.still, d, w, &g.frame)
		return
	}
	g.handle(h, c, d)
	if c.Ability != 0 {
		g.use(h, int(c.Ability), w.At)
	}
	g.dash(h, c, d, w.At)
	g.reach(w, h, c, d)
	f := &g.frame
	f.Begin(g.pace(h), &h.State, &c.Move, d, w)
	for f.Running() {
		switch f.Mode {
		case Grappling:
			h.Hook.swing(f)
		default:
			f.Advance()
		}
	}
	h.Doomed = h.Doomed || g.crushed()
}

// crushed reports that the move was the hero's last: it was between a moving body and
// what does not yield.
func (g *Game) crushed() bool {
	for _, e := range g.frame.Events() {
		if e.Kind == movement.Crushed && e.Value > crushes {
			return true
		}
	}
	return false
}

// crushes is how deep in metres a body must be in another to die of it.
const crushes = 0.15

// use starts an ability with the command of that stamp, if there is room for it and
// such an ability.
func (g *Game) use(h *Hero, number int, stamp clock.Micros) {
	if number > len(g.Abilities) {
		return
	}
	source := g.Abilities[number-1]
	if source.Kind == rootmotion.KindMoveTo {
		source.Point = h.Position
	}
	h.Motion.Apply(source, stamp)
}

// PackState packs the hero without loss.
func (g *Game) PackState(p *bits.Packer, h *Hero) { h.Pack(p) }

// Position is the hero's feet.
func (g *Game) Position(h *Hero) geom.Vec3 { return h.Position }

// Digest is what must agree exactly: mode, stance, life, what the hands hold and the rounds
// left.
func (g *Game) Digest(h *Hero) uint16 {
	d := h.Loadout.Digest() ^ uint16(h.Mode)&31 ^ uint16(h.Life&3)<<13
	for i, is := range [...]bool{h.Aiming, h.Shielded, h.Watching, h.Crouched} {
		if is {
			d ^= 1 << (9 + i)
		}
	}
	if h.Dead {
		d ^= 1 << 15
	}
	return d
}

// Eye is where the hero sees and shoots from.
func (g *Game) Eye(h *Hero) geom.Vec3 { return g.model.Eye(&h.State) }

// Trigger is where the shot rides in a command.
func (g *Game) Trigger(c *Command) *shot.Claim { return &c.Shot }

// Weapons is the match's table: the arena's own until SetTerms.
func (g *Game) Weapons() []shot.Weapon { return g.weapons }
