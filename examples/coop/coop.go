// Package coop is a fort that players hold together against waves of characters that nobody plays. Walls and
// gates keep them out, and a gate stays shut while somebody stands on its plate.
package coop

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
	"github.com/backstep-net/backstep/track"
)

// Guard is a player's state.
type Guard struct {
	movement.State
	shot.Loadout
	Dead bool // it waits for the next wave
}

// Input is a player's command.
type Input struct {
	movement.Command
	shot.Trigger
}

// The kinds of attackers.
const Walker, Runner track.Kind = 1, 2

var rifles = shot.Table{{
	Name: "rifle", Range: 60, Cooldown: 180 * clock.Millisecond, Magazine: 24, Reload: 1500 * clock.Millisecond,
	Damage: [rig.HitGroups]uint16{rig.Body: 34, rig.Head: 100},
}}

// Rules returns the game, the same on both ends.
func Rules() session.Game[Guard, Input] {
	model := movement.DefaultModel()
	g := session.Game[Guard, Input]{
		Step: func(m *session.Move, s *Guard, c *Input) {
			move := c.Command
			if able(s) {
				s.Loadout.Step(m.Weapons, c.Trigger.Input(), m.Duration)
				m.World.TriggerVolumes(model.Capsule(&s.State), false) // the plates
			} else {
				move = movement.Command{Yaw: c.Yaw, Pitch: c.Pitch}
			}
			m.Walk(&model, &s.State, &move)
		},
		PackCommand: func(p *bits.Packer, c, before *Input) { c.Command.Pack(p, &before.Command); c.Trigger.Pack(p) },
		PackState:   func(p *bits.Packer, s *Guard) { s.State.Pack(p); s.Loadout.Pack(p); p.Bool(&s.Dead) },
		Pose: func(s *Guard) track.Sample {
			pose := character.Pose(&s.State)
			pose.Dead = s.Dead
			return pose
		},
		IsCharacter: func(kind track.Kind) bool { return kind == Walker || kind == Runner },
		Fields: []session.Field[Guard]{
			{Name: "name", Text: 24}, {Name: "health", Max: 100}, {Name: "score", Max: 999}, // of players
			{Name: "wave", Max: 99}, {Name: "left", Max: 99}, // of the match
		},
	}
	character.Arm(&g, rifles, able)
	character.Fill(&g, &model)
	return g
}

func able(s *Guard) bool { return !s.Dead }

// Half the size of the field and of the fort, metres.
const field, fort = 20.0, 7.0

// Field returns the level: a fort with two gates in a fenced field.
func Field() *collide.World {
	var b collide.Builder
	box := func(x, y, z, hx, hy, hz float64) {
		b.Box(geom.V(x, y, z), geom.V(hx, hy, hz), geom.IdentityQuat, collide.Surface{})
	}
	box(0, -2, 0, field+1, 2, field+1)
	box(0, 0.15, 0, 2, 0.15, 2) // a post to shoot from
	box(0, 0.45, 0, 1.4, 0.15, 1.4)
	for _, side := range []float64{-1, 1} {
		box(side*field, 0.6, 0, 0.2, 0.6, field)
		box(0, 0.6, side*field, field, 0.6, 0.2)
		box(side*fort, 0.6, 0, 0.25, 0.6, fort)
		for _, end := range []float64{-1, 1} {
			box(side*(fort/2+0.75), 0.6, end*fort, fort/2-0.75, 0.6, 0.25) // leaves 3 m for the gate
			box(side*1.75, 1, end*fort, 0.25, 1, 0.35)
			box(side*13, 0.7, end*11, 1.2, 0.7, 0.8)
		}
	}
	for i, name := range []string{"north", "south"} {
		z := float64(2*i-1) * fort
		path := collide.Path{Keys: []collide.Key{{Position: geom.V(0, -0.75, z)}, {At: 350 * clock.Millisecond, Position: geom.V(0, 0.7, z)}}}
		trigger := collide.Trigger{Kind: collide.Timed, Delay: collide.DefaultDelay, Hold: clock.Second}
		b.TriggeredMover(name, path, trigger, func(b *collide.Builder) {
			b.Box(geom.Vec3{}, geom.V(1.5, 0.7, 0.15), geom.IdentityQuat, collide.Surface{})
		})
		b.VolumeBox(collide.Volume{Triggers: name}, geom.V(0, 1, z*0.6), geom.V(0.8, 1, 0.8), geom.IdentityQuat)
	}
	return b.MustBake()
}

// Think returns what a bot does: it stands on the post, shoots at the nearest it sees, and steps back from it.
func Think(c *session.Client[Guard, Input]) (in Input) {
	near, eye := math.Inf(1), c.Eye()
	for _, e := range c.Entities() {
		to := e.Position.Add(geom.V(0, 1.1, 0)).Sub(eye)
		if _, wall := c.World().Ray(eye, to); wall || e.Dead || to.Len() > near {
			continue
		}
		near = to.Len()
		sway := float64(0.08 * geom.Sin(float64(3*c.View().At.Seconds())+float64(c.ID()))) // nobody aims perfectly
		in.Yaw, in.Pitch = geom.WrapAngle(geom.Yaw(to)+sway), geom.Pitch(to)
		in.Claim.Fire = near < 12 && (c.View().At/(500*clock.Millisecond)+clock.Micros(c.ID()))%3 == 0
	}
	switch home := geom.Forward(float64(c.ID()) * 2).Sub(c.Position()); {
	case near < 3:
		in.Forward = -1
	case home.Flat(geom.Up).Len() > 0.7:
		in.Forward, in.Right = home.Unit().Dot(geom.Forward(in.Yaw)), home.Unit().Dot(geom.Right(in.Yaw))
	}
	return in
}
