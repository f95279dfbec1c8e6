// Package topdown is a game seen from above: players run through a maze, gather coins, and shoot
// bolts that bounce off the walls. A player that is hit is pushed away and drops three coins. The
// first with 15 coins wins a star, and all go on in the next maze.
package topdown

import (
	"strings"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/character"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// Runner is a player's state.
type Runner struct {
	movement.State
	shot.Loadout
}

// Input is a player's command.
type Input struct {
	movement.Command
	shot.Trigger
}

const coinKind, boltKind track.Kind = 1, 2 // of entities

var blaster = shot.Table{{
	Name: "blaster", Kind: shot.Projectile, Cooldown: 900 * clock.Millisecond,
	Damage: [rig.HitGroups]uint16{rig.Body: 1, rig.Head: 1, rig.Arm: 1, rig.Leg: 1},
	Flight: shot.Ballistics{Speed: 14, Radius: 0.15, Bounce: 1, Fuse: 1500 * clock.Millisecond, EntityKind: boltKind},
}}

// Rules returns the game, the same on both ends.
func Rules() session.Game[Runner, Input] {
	model := movement.DefaultModel()
	model.MaxWalkSpeed, model.MaxAcceleration, model.JumpSpeed = 6.5, 40, 0
	g := session.Game[Runner, Input]{
		Step: func(m *session.Move, s *Runner, c *Input) {
			s.Loadout.Step(m.Weapons, c.Trigger.Input(), m.Duration)
			m.Walk(&model, &s.State, &c.Command)
		},
		PackCommand: func(p *bits.Packer, c, before *Input) { c.Command.Pack(p, &before.Command); c.Trigger.Pack(p) },
		PackState:   func(p *bits.Packer, s *Runner) { s.State.Pack(p); s.Loadout.Pack(p) },
		Fields:      []session.Field[Runner]{{Name: "name", Text: 24}, {Name: "coins", Max: 99}, {Name: "wins", Max: 99}},
	}
	character.Arm(&g, blaster, nil)
	character.Fill(&g, &model)
	return g
}

// maze is a level: a floor and a box for each wall. floors are the middles of the letters that are no wall.
type maze struct {
	world  *collide.World
	floors []geom.Vec3
}

// mazes are drawn with a letter for 3 m × 3 m.
var mazes = []maze{build(`
	#############
	#...#...#...#
	#.#...#...#.#
	#...#...#...#
	##.#.....#.##
	#...#...#...#
	#.#...#...#.#
	#...#...#...#
	#############`), build(`
	#############
	#...........#
	#.###.#.###.#
	#.#...#...#.#
	#...#...#...#
	#.#...#...#.#
	#.###.#.###.#
	#...........#
	#############`)}

func build(drawing string) (m maze) {
	var b collide.Builder
	b.Box(geom.V(0, -1, 0), geom.V(40, 1, 40), geom.IdentityQuat, collide.Surface{})
	lines := strings.Fields(drawing)
	for row, line := range lines {
		for column, letter := range line {
			middle := geom.V(3*float64(column-len(line)/2), 0, 3*float64(row-len(lines)/2))
			if letter == '.' {
				m.floors = append(m.floors, middle)
				continue
			}
			b.Box(middle.Add(geom.V(0, 1.2, 0)), geom.V(1.5, 1.2, 1.5), geom.IdentityQuat, collide.Surface{})
		}
	}
	m.world = b.MustBake()
	return m
}

// Think returns what a bot does: it runs to the nearest coin, now and then anywhere, and shoots at
// others near by that have coins to lose.
func Think(c *session.Client[Runner, Input]) (in Input) {
	var to geom.Vec3
	for _, e := range c.Entities() {
		if way := e.Position.Sub(c.Position()).Flat(geom.Up); e.Kind == coinKind && (to.IsZero() || way.Len() < to.Len()) {
			to = way
		}
	}
	if part := c.Newest() / 100; part%3 == 0 {
		to = geom.Right(float64(part))
	}
	for _, r := range c.Remotes() {
		if way := r.Position.Sub(c.Position()); way.Len() < 9 && c.Number(r.ID, "coins") > 0 {
			in.Yaw, in.Claim.Fire = geom.Yaw(way), true
		}
	}
	in.Forward, in.Right = to.Unit().Dot(geom.Forward(in.Yaw)), to.Unit().Dot(geom.Right(in.Yaw))
	return in
}
