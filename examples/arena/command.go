package arena

import (
	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/shot"
)

// Command is a player's input for one move.
type Command struct {
	Move   movement.Command // view direction, direction of travel and movement buttons
	Shot   shot.Claim       // the shot that this move fires; the zero Claim is none
	Reload bool             // start to reload the held weapon; no effect on a full magazine
	// Select is the number, from 1, of the weapon to hold; 0 is no change.
	Select uint8
	// Ability is the number, from 1, of one of Game.Abilities to start; 0 is none.
	Ability uint8
	Dash    bool // start a dash in this move, if possible
	Hook    bool // held: the hook is out
	Shield  bool // held: the shield is up, if possible
	// Aim is whether to aim down the sights; the client toggles it. [LAG-10]
	Aim bool
}

// Quantise rounds the command to what the wire carries. The client calls it before it
// simulates, so that both ends step with the same numbers.
func (c *Command) Quantise() {
	c.Move.Quantise()
	c.Shot = c.Shot.Quantise()
	if c.Select > shot.MaxWeapons {
		c.Select = 0
	}
}

// hasOneShot reports whether the command does something that counts once.
func (c *Command) hasOneShot() bool {
	return c.Shot.Fire || c.Reload || c.Select != 0 || c.Ability != 0 || c.Dash
}

// holdsSame reports whether two commands hold the same buttons.
func (c *Command) holdsSame(other *Command) bool {
	return c.Hook == other.Hook && c.Shield == other.Shield && c.Aim == other.Aim
}

// ClearOneTime keeps what is held and drops the shot and everything else that counts once.
func (g *Game) ClearOneTime(c *Command) {
	c.Shot, c.Reload, c.Select, c.Ability, c.Dash = shot.Claim{}, false, 0, 0, false
}

// ReleaseHeld releases everything and keeps the view direction. [GAP-11]
func (g *Game) ReleaseHeld(c *Command) {
	*c = Command{Move: movement.Command{Yaw: c.Move.Yaw, Pitch: c.Move.Pitch}}
}

// PackCommand packs c. What equals the previous command costs one bit; so does a command
// that only moves, and one that holds the same buttons.
func (g *Game) PackCommand(p *bits.Packer, c, before *Command) {
	c.Move.Pack(p, &before.Move)
	acts := c.hasOneShot() || !c.holdsSame(before)
	p.Bool(&acts)
	if !acts {
		g.ClearOneTime(c)
		c.Hook, c.Shield, c.Aim = before.Hook, before.Shield, before.Aim
		return
	}
	p.Bool(&c.Hook)
	p.Bool(&c.Shield)
	p.Bool(&c.Aim)
	p.Bool(&c.Reload)
	p.Bool(&c.Dash)
	c.Shot.Pack(p)
	packSome(p, &c.Select, shot.MaxWeapons)
	packSome(p, &c.Ability, 255)
	if !c.hasOneShot() && c.holdsSame(before) { // canonical: a writer never sets this bit for nothing
		p.Fail(bits.ErrRange)
	}
}

// packSome packs a number of 0 … most: zero takes one bit.
func packSome(p *bits.Packer, v *uint8, most int) {
	some := *v != 0
	p.Bool(&some)
	n := int(*v)
	if some {
		p.Ranged(&n, 1, most)
	} else {
		n = 0
	}
	*v = uint8(n)
}
