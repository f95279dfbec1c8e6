// Package hockey is a game of tag on ice: skaters with stamina, a freeze gun, a puck, and a door in
// the middle that opens for skaters nearby. The skater that is "it" freezes others with the gun, and
// a frozen one is "it" next. A puck in a goal is a point for the skater that touched it last.
package hockey

import (
	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/bodies"
	"github.com/backstep-net/backstep/body"
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

// Skater is a player's state.
type Skater struct {
	movement.State
	shot.Loadout
	Stamina, Frozen clock.Micros // of sprinting that is left; until it may move again
}

// Input is a player's command.
type Input struct {
	movement.Command
	shot.Trigger
}

const puckKind track.Kind = 1 // of the entity

// Pucks are the rigid bodies of the game.
var Pucks = bodies.Config{Kinds: map[track.Kind]body.Body{puckKind: puck()}}

func puck() body.Body {
	b := body.NewBox(geom.V(0.2, 0.08, 0.2), 1)
	b.Friction, b.Restitution, b.Kick, b.MaxSpeed = 0.03, 0.7, 0.4, 25
	return b
}

var gun = shot.Table{{Name: "freeze gun", Range: 40, Cooldown: 600 * clock.Millisecond, Magazine: 255, Reload: clock.Second,
	Damage: [rig.HitGroups]uint16{rig.Body: 1, rig.Head: 1, rig.Arm: 1, rig.Leg: 1}}}

// Rules returns the game, the same on both ends.
func Rules() session.Game[Skater, Input] {
	model := movement.DefaultModel() // of ice: fast, and hard to stop
	model.MaxWalkSpeed, model.MaxSprintSpeed, model.MaxAcceleration, model.GroundFriction, model.BrakingDeceleration = 6, 9, 12, 1.5, 2
	g := session.Game[Skater, Input]{
		Step: func(m *session.Move, s *Skater, c *Input) {
			move := c.Command
			if s.Frozen > 0 {
				s.Frozen -= min(s.Frozen, m.Duration)
				move = movement.Command{Yaw: c.Yaw, Pitch: c.Pitch}
			} else {
				s.Loadout.Step(m.Weapons, c.Trigger.Input(), m.Duration)
			}
			if move.Sprint {
				move.Sprint = s.Stamina > 0
				s.Stamina -= min(s.Stamina, m.Duration)
			} else {
				s.Stamina = min(s.Stamina+m.Duration/2, 3*clock.Second)
			}
			m.Walk(&model, &s.State, &move)
			m.World.TriggerVolumes(model.Capsule(&s.State), false) // opens the door
		},
		PackCommand: func(p *bits.Packer, c, before *Input) { c.Command.Pack(p, &before.Command); c.Trigger.Pack(p) },
		PackState: func(p *bits.Packer, s *Skater) {
			s.State.Pack(p)
			s.Loadout.Pack(p)
			p.Varint((*int64)(&s.Stamina))
			p.Varint((*int64)(&s.Frozen))
		},
		Fields: []session.Field[Skater]{
			{Name: "it", Max: 1}, {Name: "score", Max: 99}, {Name: "name", Text: 24},
			{Name: "frozen", Max: 1, Of: func(s *Skater) int64 { return min(int64(s.Frozen), 1) }},
		},
	}
	character.Arm(&g, gun, func(s *Skater) bool { return s.Frozen == 0 })
	character.Fill(&g, &model)
	return g
}

// Rink returns the level: ice between boards, and a wall in the middle with a door in it.
func Rink() *collide.World {
	var b collide.Builder
	box := func(x, y, z, hx, hy, hz float64) {
		b.Box(geom.V(x, y, z), geom.V(hx, hy, hz), geom.IdentityQuat, collide.Surface{})
	}
	box(0, -1, 0, 11, 1, 18)
	for _, side := range []float64{-1, 1} {
		box(side*10, 1, 0, 1, 2, 18)
		box(0, 1, side*17, 11, 2, 1)
		box(side*5.5, 1, 0, 3.5, 1, 0.2) // leaves 4 m for the door
	}
	path := collide.Path{Keys: []collide.Key{{Position: geom.V(0, 1, 0)}, {At: 400 * clock.Millisecond, Position: geom.V(0, 3.2, 0)}}}
	b.TriggeredMover("door", path, collide.Trigger{Kind: collide.Timed, Delay: collide.DefaultDelay, Hold: 2 * clock.Second}, func(b *collide.Builder) {
		b.Box(geom.Vec3{}, geom.V(2, 1, 0.15), geom.IdentityQuat, collide.Surface{})
	})
	b.VolumeBox(collide.Volume{Triggers: "door"}, geom.V(0, 1, 0), geom.V(2, 1, 3), geom.IdentityQuat)
	return b.MustBake()
}

// Think returns what a bot does: it skates to the puck, and when it is "it" shoots at the others.
func Think(c *session.Client[Skater, Input]) (in Input) {
	aims := c.Entities()
	if c.Number(c.ID(), "it") == 1 && len(c.Remotes()) > 0 {
		aims, in.Claim.Fire = c.Remotes(), true
	}
	if len(aims) > 0 {
		to := aims[0].Position.Sub(c.Position())
		in.Forward, in.Yaw = 1, geom.Yaw(to)
	}
	return in
}
