package bench

import (
	"math"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/character"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/internal/benchscene"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
)

// Hero is a player of the measured match: a character with weapons.
type Hero struct {
	movement.State
	shot.Loadout
}

// Command is its input.
type Command struct {
	movement.Command
	shot.Trigger
}

// The aliases that every function of the measured match uses.
type (
	gameServer = session.Server[Hero, Command]
	gameClient = session.Client[Hero, Command]
)

// Weapons are those of the measured match: a rifle and a shotgun.
func Weapons() shot.Table {
	return shot.Table{shot.Rifle(), {
		Name: "shotgun", Range: 40, Pellets: 8, Cooldown: 800 * clock.Millisecond, Reload: 2 * clock.Second, Magazine: 6,
		Deploy: 300 * clock.Millisecond, Damage: [rig.HitGroups]uint16{rig.Body: 10, rig.Head: 15},
		Spread: shot.Spread{Cone: .06}, Policy: rewind.HeadFirst,
	}}
}

// Rules returns the measured match's game: the library's own character and weapons and the arena's figure, and nothing else.
func Rules() session.Game[Hero, Command] {
	model := Model()
	g := session.Game[Hero, Command]{
		Step: func(m *session.Move, h *Hero, c *Command) {
			h.Loadout.Step(m.Weapons, c.Trigger.Input(), m.Duration)
			m.Walk(&model, &h.State, &c.Command)
		},
		PackState:   func(p *bits.Packer, h *Hero) { h.State.Pack(p); h.Loadout.Pack(p) },
		PackCommand: func(p *bits.Packer, c, before *Command) { c.Command.Pack(p, &before.Command); c.Trigger.Pack(p) },
		Hitboxes:    func() rewind.HitboxProvider { return humanoid() },
	}
	character.Arm(&g, Weapons(), nil)
	character.Fill(&g, &model)
	return g
}

// Spawn returns player id of a match on a scene: on a spiral about the middle, two metres from the next. Every fourth
// has the shotgun in hand.
func Spawn(scene benchscene.Scene, id session.PlayerID) Hero {
	out := 2 * geom.Clamp(float64(id), 1, 1000) / 3
	sin, cos := geom.SinCos(float64(2.4 * float64(id)))
	at := geom.V(float64((4+out)*cos), 0, float64((4+out)*sin))
	at.Y = scene.Height(at.X, at.Z) + 3
	h := Hero{State: movement.Spawn(at, 0), Loadout: Weapons().Loadout()}
	h.State.Mode = movement.Falling
	if id%4 == 0 {
		h.Loadout.Held = 1
	}
	return h
}

// Player says what a client of the measured match does in its frames.
type Player struct {
	// Number from 0, which differs between the players of a match.
	Number int
	frame  int
	in     Command
}

// Play makes the input of a client's next frame: it faces one of the others, strafes about, and pulls the trigger
// whenever it may.
func (p *Player) Play(c *gameClient) *Command {
	p.frame++
	p.in.Trigger = shot.Trigger{}
	if c.Phase() != session.Playing {
		return &p.in
	}
	c.ApplyCorrection()
	if turn := (p.frame + 7*p.Number) / 40; turn%2 == 0 {
		p.in.Forward, p.in.Right = 1, float64(turn%3)-1
	} else {
		p.in.Forward, p.in.Right = float64(turn%3)-1, 1
	}
	p.in.Jump = (p.frame+11*p.Number)%90 == 0
	if all := c.Remotes(); len(all) > 0 {
		to := all[(p.Number+p.frame/200)%len(all)].Position.Add(geom.V(0, .2, 0)).Sub(c.Eye())
		p.in.Yaw, p.in.Pitch = math.Atan2(-to.X, -to.Z), math.Atan2(to.Y, math.Hypot(to.X, to.Z))
		p.in.Trigger.Claim.Fire = !c.Waiting()
	}
	return &p.in
}
