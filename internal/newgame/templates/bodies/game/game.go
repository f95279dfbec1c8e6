// Package game has the rules: a player's state, abilities and level. Server, bots and browser share
// it: change it here and save, and backstep dev builds it for all three.
package game

import (
	"github.com/backstep-net/backstep/bodies"
	"github.com/backstep-net/backstep/body"
	"github.com/backstep-net/backstep/character"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/track"
)

// Player is a player's state. To add fields, embed movement.State in a struct and set PackState and
// Step: docs/howto/state.md.
type Player = movement.State

// Input is a player's input for one move.
type Input = movement.Command

// The kinds of bodies.
const (
	Ball track.Kind = 1 + iota
	Crate
)

// Bodies has the shape, mass and material of the bodies that players push, the same on client and
// server.
var Bodies = bodies.Config{Kinds: map[track.Kind]body.Body{Ball: ball(), Crate: body.NewBox(geom.V(0.4, 0.4, 0.4), 12)}}

func ball() body.Body {
	b := body.NewBall(0.35, 0.8) // metres, kg
	b.Restitution, b.Kick, b.MaxSpeed = 0.6, 0.5, 20
	return b
}

// Ring is the goal: a ball in it is a point for the last player that touched the ball.
var Ring = bodies.Zone{Position: geom.V(0, 1, -9), Half: geom.V(1.6, 1.2, 0.5)}

// Rules returns the game, the same on client and server.
func Rules() session.Game[Player, Input] {
	model := movement.DefaultModel()
	g := session.Game[Player, Input]{
		// Fields are values that every client reads by name. The server sets them.
		Fields: []session.Field[Player]{
			{Name: "name", Text: session.MaxName},
			{Name: "score", Max: 999},
			{Name: "by", Max: session.MaxPlayers}, // of a body: the last player that touched it
		},
	}
	character.Fill(&g, &model)
	return g
}

// Spawn returns the state of a new player.
func Spawn(id session.PlayerID) Player {
	return movement.Spawn(geom.V(float64(3*(int(id)%5))-6, 0.1, 8), 0)
}

// Level returns the level: a floor between four walls, with the posts of the ring.
func Level() *collide.World {
	var b collide.Builder
	box := func(x, y, z, halfX, halfY, halfZ float64) {
		b.Box(geom.V(x, y, z), geom.V(halfX, halfY, halfZ), geom.IdentityQuat, collide.Surface{})
	}
	box(0, -0.5, 0, 11, 0.5, 11)
	for _, side := range []float64{-1, 1} {
		box(side*10.75, 1, 0, 0.25, 1, 11)
		box(0, 1, side*10.75, 11, 1, 0.25)
		box(side*1.8, 1.1, -9, 0.2, 1.1, 0.2)
	}
	box(0, 2.4, -9, 2, 0.2, 0.2)
	w, err := b.Bake()
	if err != nil {
		panic(err)
	}
	return w
}
