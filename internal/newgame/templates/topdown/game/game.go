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
			move.Jump = false // no jumps in a game seen from above
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

// Wall is a block of the level. From above, X points to the right and Z down the screen.
type Wall struct {
	X, Z         float64 // its centre, in metres
	HalfX, HalfZ float64 // half its size, in metres
}

// Walls are the walls of the level; the page draws them, too.
var Walls = []Wall{
	{0, -14.5, 15, 0.5}, {0, 14.5, 15, 0.5}, {-14.5, 0, 0.5, 15}, {14.5, 0, 0.5, 15},
	{-6, -4, 4, 0.5}, {6, 4, 4, 0.5}, {0, 0, 0.5, 3}, {-9, 6, 0.5, 3}, {9, -6, 0.5, 3},
}

// Level returns the level: the walls on a floor.
func Level() *collide.World {
	var b collide.Builder
	b.Box(geom.V(0, -0.5, 0), geom.V(15, 0.5, 15), geom.IdentityQuat, collide.Surface{})
	for _, w := range Walls {
		b.Box(geom.V(w.X, 1.5, w.Z), geom.V(w.HalfX, 1.5, w.HalfZ), geom.IdentityQuat, collide.Surface{})
	}
	world, err := b.Bake()
	if err != nil {
		panic(err)
	}
	return world
}
