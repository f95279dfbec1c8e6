package splitview

import (
	"math"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/character"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
)

// Hero is a player's state.
type Hero struct {
	movement.State
	shot.Loadout
}

// Input is a player's command.
type Input struct {
	movement.Command
	shot.Trigger // Claim.Fire shoots
}

// The gun hits at once: what decides is where the target was seen.
var guns = shot.Table{{
	Name: "gun", Kind: shot.Hitscan, Range: 40, Cooldown: 600 * clock.Millisecond,
	Damage: [rig.HitGroups]uint16{rig.Body: 1, rig.Head: 1, rig.Arm: 1, rig.Leg: 1},
}}

// pushSpeed is how fast a hit throws its target back, m/s.
const pushSpeed = 5

// Rules returns the game, the same on all ends.
func Rules() session.Game[Hero, Input] {
	model := movement.DefaultModel()
	model.MaxWalkSpeed, model.MaxAcceleration, model.JumpSpeed = 4.5, 34, 5
	g := session.Game[Hero, Input]{
		Step: func(m *session.Move, s *Hero, c *Input) {
			s.Loadout.Step(m.Weapons, c.Trigger.Input(), m.Duration)
			m.Walk(&model, &s.State, &c.Command)
		},
		PackCommand: func(p *bits.Packer, c, before *Input) { c.Command.Pack(p, &before.Command); c.Trigger.Pack(p) },
		PackState:   func(p *bits.Packer, s *Hero) { s.State.Pack(p); s.Loadout.Pack(p) },
	}
	character.Arm(&g, guns, nil)
	character.Fill(&g, &model)
	return g
}

// HalfX and HalfZ are half the sides of the floor, metres.
const HalfX, HalfZ = 4, 5.4

// Solid is a box of the level, for the page to draw.
type Solid struct {
	// Centre is its middle and Half its half size, metres.
	Centre, Half geom.Vec3
}

// Solids are what stands on the floor.
var Solids = []Solid{
	{geom.V(0, 0.3, 0), geom.V(0.9, 0.3, 0.9)},
	{geom.V(-2.1, 0.5, -2.6), geom.V(0.9, 0.5, 0.25)},
	{geom.V(2.1, 0.5, 2.6), geom.V(0.9, 0.5, 0.25)},
	{geom.V(2.6, 0.4, -3.9), geom.V(0.4, 0.4, 0.4)},
	{geom.V(-2.6, 0.4, 3.9), geom.V(0.4, 0.4, 0.4)},
}

// level is the floor, the solids, and four walls that nobody sees.
var level = func() *collide.World {
	var b collide.Builder
	box := func(centre, half geom.Vec3) { b.Box(centre, half, geom.IdentityQuat, collide.Surface{}) }
	box(geom.V(0, -1, 0), geom.V(HalfX+1, 1, HalfZ+1))
	for _, s := range Solids {
		box(s.Centre, s.Half)
	}
	for _, side := range []float64{-1, 1} {
		box(geom.V(float64(side*(HalfX+0.5)), 4, 0), geom.V(0.5, 4, HalfZ+1))
		box(geom.V(0, 4, float64(side*(HalfZ+0.5))), geom.V(HalfX+1, 4, 0.5))
	}
	return b.MustBake()
}()

// spawns are where the two players begin: you near the camera, the opponent opposite.
var spawns = [2]movement.State{
	movement.Spawn(geom.V(-0.6, 0, 4.2), 0),
	movement.Spawn(geom.V(0.6, 0, -4.2), math.Pi),
}
