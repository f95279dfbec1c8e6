// Package melee is a fight with swords and shields. A strike winds up, cuts, and recovers; a raised shield
// stops the blade and staggers the attacker. Blades are judged as their owners saw them: shields and heads
// are hitboxes of the pose that was on the screen.
package melee

import (
	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/character"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// Fighter is a player's state.
type Fighter struct {
	movement.State
	shot.Loadout
	Stagger clock.Micros // for how long it can neither strike nor block
	Shield  uint8        // 1 while it is up
	Dead    bool         // it waits for its next life
}

// Input is a player's command.
type Input struct {
	movement.Command
	shot.Trigger      // Claim.Fire strikes
	Block        bool // held
}

// What a fighter does, for others to draw: the field "act".
const Idle, WindUp, Cut, Recover, Staggered = 0, 1, 2, 3, 4

var swords = shot.Table{{
	Name: "sword", Kind: shot.Melee, Range: 2.3, Cooldown: clock.Second,
	Swing:  shot.Swing{Arc: 2, Tilt: 0.35, Begins: 400 * clock.Millisecond, Lasts: 160 * clock.Millisecond, Radius: 0.06},
	Damage: [rig.HitGroups]uint16{rig.Body: 34, rig.Head: 50}, // a shield takes none
}}

var body = rig.Rigid(
	rig.Hitbox{Name: "body", HitGroup: rig.Body, Shape: rig.Capsule, At: geom.Transform{Translation: geom.V(0, 0.74, 0)}, Half: geom.V(0, 0.42, 0), Radius: 0.32},
	rig.Hitbox{Name: "head", HitGroup: rig.Head, Shape: rig.Ball, At: geom.Transform{Translation: geom.V(0, 1.6, 0)}, Radius: 0.16},
	rig.Hitbox{Name: "shield", HitGroup: rig.Shield, Prop: 1, Shape: rig.Box, At: geom.Transform{Translation: geom.V(-0.1, 1.15, -0.55)}, Half: geom.V(0.55, 0.65, 0.04)},
)

// Rules returns the game, the same on both ends.
func Rules() session.Game[Fighter, Input] {
	model := movement.DefaultModel()
	model.MaxWalkSpeed, model.MaxAcceleration = 5, 30
	g := session.Game[Fighter, Input]{
		Step: func(m *session.Move, s *Fighter, c *Input) {
			move := c.Command
			switch {
			case able(s):
				s.Loadout.Step(m.Weapons, c.Trigger.Input(), m.Duration)
			case s.Shield > 0: // the sword cools down
				s.Loadout.Step(m.Weapons, shot.WeaponInput{}, m.Duration)
			default:
				s.Stagger -= min(s.Stagger, m.Duration)
				move = movement.Command{Yaw: c.Yaw, Pitch: c.Pitch}
			}
			s.Shield, s.SpeedScale = 0, 1
			if c.Block && able(s) && s.Swing == 0 {
				s.Shield, s.SpeedScale = 1, 0.5
			}
			m.Walk(&model, &s.State, &move)
		},
		PackCommand: func(p *bits.Packer, c, before *Input) {
			c.Command.Pack(p, &before.Command)
			c.Trigger.Pack(p)
			p.Bool(&c.Block)
		},
		PackState: func(p *bits.Packer, s *Fighter) {
			s.State.Pack(p)
			s.Loadout.Pack(p)
			p.Varint((*int64)(&s.Stagger))
			p.Byte(&s.Shield)
			p.Bool(&s.Dead)
		},
		Pose: func(s *Fighter) track.Sample {
			pose := character.Pose(&s.State)
			pose.Dead, pose.UserData = s.Dead, uint16(s.Shield)
			return pose
		},
		Hitboxes: func() rewind.HitboxProvider {
			return &rewind.Upright{Rig: body, Props: func(s *track.Sample) uint8 { return uint8(s.UserData) }}
		},
		Fields: []session.Field[Fighter]{
			{Name: "name", Text: 24}, {Name: "health", Max: 100}, {Name: "score", Max: 99},
			{Name: "act", Max: Staggered, Of: act}, {Name: "shield", Max: 1, Of: func(s *Fighter) int64 { return int64(s.Shield) }},
		},
	}
	character.Arm(&g, swords, able)
	character.Fill(&g, &model)
	return g
}

// able reports whether a fighter may strike.
func able(s *Fighter) bool { return !s.Dead && s.Stagger == 0 && s.Shield == 0 }

// act returns what a fighter does.
func act(s *Fighter) int64 {
	switch {
	case s.Stagger > 0:
		return Staggered
	case s.Swing > swords[0].Swing.Lasts:
		return WindUp
	case s.Swing > 0:
		return Cut
	case s.Ammo[0].Cooldown > 0:
		return Recover
	}
	return Idle
}

// Courtyard returns the level: a dais of two steps between four pillars, and a wall around.
func Courtyard() *collide.World {
	var b collide.Builder
	box := func(x, y, z, hx, hy, hz float64) {
		b.Box(geom.V(x, y, z), geom.V(hx, hy, hz), geom.IdentityQuat, collide.Surface{})
	}
	box(0, -1, 0, 13, 1, 13)
	box(0, 0.15, 0, 4.5, 0.15, 4.5)
	box(0, 0.45, 0, 3.5, 0.15, 3.5)
	for _, side := range []float64{-1, 1} {
		box(side*12.5, 1, 0, 0.5, 1, 13)
		box(0, 1, side*12.5, 13, 1, 0.5)
		for _, end := range []float64{-1, 1} {
			box(side*7, 2, end*7, 0.6, 2, 0.6)
		}
	}
	return b.MustBake()
}

// Think returns what a bot does: it goes to the nearest fighter, and strikes or blocks as its mood is.
func Think(c *session.Client[Fighter, Input]) (in Input) {
	foe, far := track.Entity{}, 99.0
	for _, r := range c.Remotes() {
		if d := r.Position.Dist(c.Position()); d < far && !r.Dead {
			foe, far = r, d
		}
	}
	if foe.ID == 0 {
		return in
	}
	to, mood := foe.Position.Sub(c.Position()), (int64(c.View().At/clock.Second)+int64(c.ID()))%5
	in.Yaw = geom.Yaw(to)
	switch threat := c.Number(foe.ID, "act"); {
	case far < 3.2 && (mood < 2 && threat < Recover || mood == 2 && threat == WindUp):
		in.Block = true
	case far > 1.8:
		in.Forward, in.Right = 1, float64(mood%3-1)/3
	default:
		in.Right = float64(mood%3 - 1)
	}
	in.Claim.Fire = far < 2.4 && !in.Block && mood != 4
	return in
}
