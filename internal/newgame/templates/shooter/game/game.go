// Package game has the rules: a player's state, abilities and level. Server, bots and browser share
// it: change it here and save, and backstep dev builds it for all three.
package game

import (
	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/character"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/damage"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// Player is a player's state: everything that a move needs from the move before. Each new field needs
// a line in PackState; the test fails if the line is missing.
type Player struct {
	movement.State
	shot.Loadout      // ammunition, cool-downs, reloads
	Dead         bool // the player waits for its respawn
}

// Input is a player's input for one move.
type Input struct {
	movement.Command
	shot.Trigger
}

// Damage says what hits do to health: 100 points after a spawn, less the weapon's damage.
var Damage = damage.Rules{Health: 100}

// Weapons are the game's weapons; a player spawns with the first in hand. The server sends the table
// to the clients.
var Weapons = shot.Table{shot.Rifle()}

// Rules returns the game, the same on client and server.
func Rules() session.Game[Player, Input] {
	model := movement.DefaultModel()
	model.MaxSprintSpeed = 8
	g := session.Game[Player, Input]{
		// Step advances the state by one input. It must give the same bits on client and server,
		// so it reads nothing but its arguments.
		Step: func(m *session.Move, p *Player, in *Input) {
			if p.Dead {
				return
			}
			p.Loadout.Step(m.Weapons, in.Trigger.Input(), m.Duration)
			m.Walk(&model, &p.State, &in.Command)
		},
		PackCommand: func(b *bits.Packer, in, before *Input) {
			in.Command.Pack(b, &before.Command)
			in.Trigger.Pack(b)
		},
		PackState: func(b *bits.Packer, p *Player) {
			p.State.Pack(b)
			p.Loadout.Pack(b)
			b.Bool(&p.Dead)
		},
		Pose: func(p *Player) track.Sample {
			s := character.Pose(&p.State)
			s.Dead = p.Dead
			return s
		},
		// Fields are values that every client reads by name. The server sets them.
		Fields: []session.Field[Player]{
			{Name: "name", Text: session.MaxName},
			{Name: "score", Max: 999},
			{Name: "health", Max: int64(Damage.Health)},
		},
	}
	character.Arm(&g, Weapons, func(p *Player) bool { return !p.Dead })
	character.Fill(&g, &model)
	return g
}

// Spawn returns a player's state at the start of a life; each life begins at another place.
func Spawn(id session.PlayerID, lives int) Player {
	place := (int(id) + lives) % 4
	at := [4]geom.Vec3{geom.V(-9, 0.1, -9), geom.V(9, 0.1, 9), geom.V(9, 0.1, -9), geom.V(-9, 0.1, 9)}[place]
	return Player{State: movement.Spawn(at, geom.Atan2(at.X, at.Z)), Loadout: Weapons.Loadout()}
}

// Level returns the level: a floor between four walls, with cover.
func Level() *collide.World {
	var b collide.Builder
	box := func(x, y, z, halfX, halfY, halfZ float64) {
		b.Box(geom.V(x, y, z), geom.V(halfX, halfY, halfZ), geom.IdentityQuat, collide.Surface{})
	}
	box(0, -0.5, 0, 13, 0.5, 13)
	for _, side := range []float64{-1, 1} {
		box(side*12.75, 1.5, 0, 0.25, 1.5, 13)
		box(0, 1.5, side*12.75, 13, 1.5, 0.25)
		box(side*5, 0.6, side*3, 1.5, 0.6, 0.4)
		box(side*3, 1.2, -side*5, 0.4, 1.2, 1.5)
	}
	box(0, 0.3, 0, 1.5, 0.3, 1.5)
	w, err := b.Bake()
	if err != nil {
		panic(err)
	}
	return w
}
