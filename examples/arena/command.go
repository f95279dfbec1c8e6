package arena

import (
	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/shot"
)

// Command is what a player wants during one move.
type Command struct {
	Move   movement.Command
	Shot   shot.Claim
	Reload bool
	// Select is the number, from 1, of the weapon to take in hand; 0 is no change.
	Select uint8
	// Ability is the number, from 1, of one of Game.Abilities to use; 0 is none.
	Ability uint8
	Dash    bool // in this move, if it can
	Hook    bool // held: the hook is out
	Shield  bool // held: the shield is up, if it can be
	// Aim is whether the sights are to be aimed down, which the hands turn on and off
	// (LAG-10).
	Aim bool
}

// Quantise snaps the command to what the wire carries. The client calls it
// before it simulates, so that both ends step with the same numbers.
func (c *Command) Quantise() {
	c.Move.Quantise()
	c.Shot = c.Shot.Quantise()
	if c.Select > shot.MaxWeapons {
		c.Select = 0
	}
}

// counts reports whether the command does something that happens once.
func (c *Command) counts() bool {
	return c.Shot.Fire || c.Reload || c.Select != 0 || c.Ability != 0 || c.Dash
}

// holds reports whether two commands hold the same down.
func (c *Command) holds(other *Command) bool {
	return c.Hook == other.Hook && c.Shield == other.Shield && c.Aim == other.Aim
}

// Carry leaves what is held down and drops the shot and whatever else happens once.
func (g *Game) Carry(c *Command) {
	c.Shot, c.Reload, c.Select, c.Ability, c.Dash = shot.Claim{}, false, 0, 0, false
}

// Rest lets go of everything, and looks on where it looked (GAP-11).
func (g *Game) Rest(c *Command) {
	*c = Command{Move: movement.Command{Yaw: c.Move.Yaw, Pitch: c.Move.Pitch}}
}

// PackCommand packs c; what equals the command before costs a bit, and so do doing
// nothing but move and holding on to what was held.
func (g *Game) PackCommand(p *bits.Packer, c, before *Command) {
	c.Move.Pack(p, &before.Move)
	acts := c.counts() || !c.holds(before)
	p.Bool(&acts)
	if !acts {
		g.Carry(c)
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
	if !c.counts() && c.holds(before) { // no writer spends bits on none
		p.Fail(bits.ErrRange)
	}
}

// packSome packs a number of 0 … most: one bit of zero.
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
