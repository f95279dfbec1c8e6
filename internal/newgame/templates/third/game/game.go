// Package game has the rules: a player's state, abilities and level. Server, bots and browser share
// it: change it here and save, and backstep dev builds it for all three.
package game

import (
	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/character"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/session"
)

// Player is a player's state: everything that a move needs from the move before. Each new field needs
// a line in PackState; the test fails if the line is missing.
type Player struct {
	movement.State
	Breath clock.Micros // time of sprinting that is left
}

// Input is a player's input for one move.
type Input = movement.Command

const fullBreath = 2 * clock.Second

// Rules returns the game, the same on client and server.
func Rules() session.Game[Player, Input] {
	model := movement.DefaultModel()
	model.MaxSprintSpeed = 9
	g := session.Game[Player, Input]{
		// Step advances the state by one input. It must give the same bits on client and server,
		// so it reads nothing but its arguments.
		Step: func(m *session.Move, p *Player, in *Input) {
			move := *in
			if move.Sprint {
				move.Sprint = p.Breath > 0
				p.Breath -= min(p.Breath, m.Duration)
			} else {
				p.Breath = min(p.Breath+m.Duration/2, fullBreath)
			}
			m.Walk(&model, &p.State, &move)
		},
		PackState: func(b *bits.Packer, p *Player) {
			p.State.Pack(b)
			b.Varint((*int64)(&p.Breath))
		},
		// Fields are values that every client reads by name. The server sets them.
		Fields: []session.Field[Player]{
			{Name: "name", Text: session.MaxName},
			{Name: "it", Max: 1},
			{Name: "score", Max: 9999},
		},
	}
	character.Fill(&g, &model)
	return g
}

// Spawn returns the state of a new player.
func Spawn(id session.PlayerID) Player {
	at := geom.V(float64(3*(int(id)%5))-6, 0.1, 8)
	return Player{State: movement.Spawn(at, 0), Breath: fullBreath}
}

// Level returns the level: a floor between four walls, stairs to a platform, and crates.
func Level() *collide.World {
	var b collide.Builder
	box := func(x, y, z, halfX, halfY, halfZ float64) {
		b.Box(geom.V(x, y, z), geom.V(halfX, halfY, halfZ), geom.IdentityQuat, collide.Surface{})
	}
	box(0, -0.5, 0, 15, 0.5, 15)
	for _, side := range []float64{-1, 1} {
		box(side*14.75, 1, 0, 0.25, 1, 15)
		box(0, 1, side*14.75, 15, 1, 0.25)
		box(side*6, 0.6, 3, 1, 0.6, 1)
	}
	box(0, 0.75, -6, 3, 0.75, 2)
	for i, height := range []float64{0.3, 0.6, 0.9, 1.2, 1.5} {
		box(0, height/2, -float64(20+4*i)/10, 1.5, height/2, 0.2)
	}
	w, err := b.Bake()
	if err != nil {
		panic(err)
	}
	return w
}
