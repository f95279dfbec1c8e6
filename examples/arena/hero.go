// Package arena is the game that `backstep serve` runs: first-person, five weapons, health,
// a score, bots. It is small on purpose and meant to be copied: Hero is the state, Command
// the input, Game the rules of a move, Match the server, Player the client, Bot a player.
// Start at Game.
package arena

import (
	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/combat"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/movement/rootmotion"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
)

// Hero is the state of a player: all that one move passes to the next.
type Hero struct {
	movement.State
	Loadout      shot.Loadout // the held weapon, and the ammunition of every weapon
	Hook         Hook         // the grappling hook's
	DashCooldown clock.Micros // time until the next dash
	Life         uint8        // counts respawns
	Dead         bool         // lies where it fell until the respawn
	// Shielded is whether its shield is up, Aiming whether it aims down the sights.
	Shielded, Aiming bool
	// Spectating is a spectator: it flies, and nobody sees or hits it.
	Spectating bool
	// Doomed is set when it was crushed: the match kills it.
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

// Game is the rules of the arena. The same code runs on the server, in Go clients and in
// the browser.
type Game struct {
	// Abilities are the root motions that a command may start. [RMS-21] A MoveTo begins
	// where the hero stands.
	Abilities []rootmotion.Source
	// Mesh is for heroes that are NavWalking; nil is none.
	Mesh movement.Mesh
	// Exact disables combining: each command is simulated as it was made.
	Exact bool
	// StepInput and StepEvents, if not nil, receive the arguments of each Step and its movement events. Then
	// moves must not run at once.
	StepInput  *StepInput
	StepEvents *[]movement.Event // see StepInput

	model          movement.Model
	spectatorModel movement.Model // of spectators
	weapons        shot.Table
	emptyWorld     collide.WorldAt // scratch of Combine: a world without obstacles
	figures        figures
}

// NewGame returns the arena's rules with their default tunables.
func NewGame() *Game {
	g := &Game{model: movement.DefaultModel(), spectatorModel: movement.DefaultModel(), weapons: Weapons()}
	g.spectatorModel.MaxFlySpeed, g.spectatorModel.FlyBraking, g.spectatorModel.MaxAcceleration = 14, 40, 60
	g.figures = newFigures()
	return g
}

// Rules returns the game as a session plays it. A Game has scratch, so it belongs to one server
// or client; the moves of a server's players may run at once.
func (g *Game) Rules() session.Game[Hero, Command] {
	return session.Game[Hero, Command]{
		Step: g.Step, PackCommand: g.PackCommand, PackState: g.PackState,
		Position: g.Position, Pose: g.Pose, Eye: g.Eye, Digest: g.Digest,
		ClearOneTime: g.ClearOneTime, ReleaseHeld: g.ReleaseHeld, Combine: g.Combine, Differ: g.Differ,
		BodyCapsule: g.BodyCapsule, Hitboxes: g.Hitboxes, Fields: fields,
		Combat: combat.NewRules(combat.Rules[Hero, Command]{
			Weapons: g.weapons,
			Trigger: func(c *Command) *shot.Claim { return &c.Shot },
			Fired:   g.fired, Claim: g.claim,
		}),
	}
}

// Model returns the tunables of movement.
func (g *Game) Model() *movement.Model { return &g.model }

// Spawn returns a hero as it spawns: standing at feet, with full magazines and the first
// weapon in hand.
func (g *Game) Spawn(feet geom.Vec3, yaw float64, life uint8) Hero {
	h := Hero{Life: life, Loadout: g.weapons.Loadout()}
	h.State = movement.Spawn(feet, yaw)
	return h
}

// StepInput is the arguments of one Step.
type StepInput struct {
	Before   Hero         // the state that the move starts from
	Command  Command      // as passed, also if the hero is dead and the input is ignored
	Duration clock.Micros // of the move
	At       clock.Micros // the command's platform time
}

// Step simulates one move. The weapon fires first, from where the hero stands. The dead
// fall without input; spectators only fly.
func (g *Game) Step(m *session.Move, h *Hero, c *Command) {
	if g.StepInput != nil {
		*g.StepInput = StepInput{*h, *c, m.Duration, m.World.At}
	}
	m.Motor.Mesh = g.Mesh
	g.step(m, h, c)
	if g.StepEvents != nil {
		*g.StepEvents = append((*g.StepEvents)[:0], m.Motor.Events()...)
	}
}

func (g *Game) step(m *session.Move, h *Hero, c *Command) {
	w, d, f := m.World, m.Duration, &m.Motor
	// What a step gets escapes, so another world or command would be allocated: these are lent for the step.
	switch {
	case h.Spectating:
		obstacles := w.Obstacles
		w.Obstacles = nil
		movement.Step(&g.spectatorModel, &h.State, &c.Move, d, w, f)
		w.Obstacles = obstacles
		return
	case h.Dead:
		given := c.Move
		c.Move = movement.Command{Yaw: h.Yaw, Pitch: h.Pitch}
		h.releaseHook()
		h.Shielded, h.Aiming, h.SpeedScale = false, false, 0
		movement.Step(&g.model, &h.State, &c.Move, d, w, f)
		c.Move = given
		return
	}
	g.updateWeapons(h, c, d)
	if c.Ability != 0 {
		g.startAbility(h, int(c.Ability), w.At)
	}
	g.dash(h, c, d, w.At)
	g.updateHook(w, h, c, d)
	f.Begin(&g.model, &h.State, &c.Move, d, w)
	for f.Running() {
		switch f.Mode {
		case Grappling:
			h.Hook.swing(f)
		default:
			f.Advance()
		}
	}
	w.TriggerVolumes(g.model.Capsule(&h.State), false) // opens doors
	h.Doomed = h.Doomed || crushed(f)
}

// crushed reports whether a hero was crushed in this move, between a mover and
// something solid.
func crushed(f *movement.StepContext) bool {
	for _, e := range f.Events() {
		if e.Kind == movement.Crushed && e.Value > crushDepth {
			return true
		}
	}
	return false
}

// crushDepth is the penetration in metres that crushes a hero.
const crushDepth = 0.15

// startAbility starts an ability with the command of that stamp, if it exists and a slot is
// free.
func (g *Game) startAbility(h *Hero, number int, stamp clock.Micros) {
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

// Position returns the hero's feet.
func (g *Game) Position(h *Hero) geom.Vec3 { return h.Position }

// Digest returns a hash of what must agree exactly: mode, stance, life, loadout and
// ammunition.
func (g *Game) Digest(h *Hero) uint16 {
	d := h.Loadout.Digest() ^ uint16(h.Mode)&31 ^ uint16(h.Life&3)<<13
	for i, is := range [...]bool{h.Aiming, h.Shielded, h.Spectating, h.Crouched} {
		if is {
			d ^= 1 << (9 + i)
		}
	}
	if h.Dead {
		d ^= 1 << 15
	}
	return d
}

// Eye returns where the hero sees and shoots from.
func (g *Game) Eye(h *Hero) geom.Vec3 { return g.model.Eye(&h.State) }

// Weapons returns the match's table: of a client the arena's own until it is welcomed.
func (g *Game) Weapons() shot.Table { return g.weapons }
