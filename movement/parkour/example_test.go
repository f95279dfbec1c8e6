package parkour_test

import (
	"fmt"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/character"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/movement/parkour"
	"github.com/backstep-net/backstep/session"
)

// A game whose players climb ladders, mantle, slide and lie prone.
func Example() {
	type Hero struct {
		movement.State
		Parkour parkour.State
	}
	model := parkour.DefaultModel()
	game := session.Game[Hero, movement.Command]{
		Step: func(m *session.Move, h *Hero, c *movement.Command) {
			parkour.Step(&model, &h.Parkour, &h.State, c, m.Duration, m.World, &m.Motor)
		},
		PackState: func(p *bits.Packer, h *Hero) { h.State.Pack(p); h.Parkour.Pack(p) },
	}
	character.Fill(&game, &model.Model)

	var level collide.Builder
	level.Box(geom.V(0, -1, 0), geom.V(20, 1, 20), geom.IdentityQuat, collide.Surface{})
	level.Box(geom.V(0, .75, -6), geom.V(5, .75, 4), geom.IdentityQuat, collide.Surface{}) // 1.5 m high
	world, err := level.Bake()
	if err != nil {
		fmt.Println(err)
		return
	}
	hero := Hero{State: movement.Spawn(geom.V(0, 0.02, -1), 0)}
	move := session.Move{World: &collide.WorldAt{World: world}, Duration: 16667}
	for i := range 90 {
		move.World.At += move.Duration
		was := hero.Mode
		game.Step(&move, &hero, &movement.Command{Forward: 1, Jump: i == 15})
		if hero.Mode != was && was == parkour.Mantle {
			fmt.Printf("move %d: on the ledge, %.2f m up\n", i, hero.Position.Y)
		}
	}
	// Output: move 64: on the ledge, 1.52 m up
}

// A game with a mode of its own beside those of this package writes Step itself.
func ExampleBegin() {
	const hovering = movement.Custom
	model, world := parkour.DefaultModel(), collide.WorldAt{World: new(collide.World)}
	hero := movement.State{Mode: hovering, Velocity: geom.V(0, 0, -1)}
	var state parkour.State
	var f movement.StepContext
	for range 60 {
		move := parkour.Begin(&model, &state, &hero, &movement.Command{}, 16667, &world, &f)
		for f.Running() {
			if f.Mode == hovering {
				f.Move(f.Velocity.Mul(f.TakeSlice()))
			} else {
				move.Advance()
			}
		}
		move.End()
	}
	fmt.Printf("%.2f m\n", -hero.Position.Z)
	// Output: 1.00 m
}
