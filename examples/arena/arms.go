package arena

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/shot"
)

// By how much who holds the shield up, or aims down the sights, is slower on foot.
const (
	ShieldSlows = 0.5
	AimSlows    = 0.6
)

// InHand is the ammunition of the weapon in hand.
func (h *Hero) InHand() *shot.Ammo { return &h.Loadout.Ammo[h.Loadout.Held%shot.MaxWeapons] }

// short reports whether less than 1/share of the magazine is left of the weapon in hand.
func (h *Hero) short(t shot.Table, share int) bool {
	return int(h.Loadout.Held) < len(t) && int(h.InHand().Rounds)*share < int(t[h.Loadout.Held].Magazine)
}

// wish is what a command wants of the arms: nothing is fired behind the shield.
func (h *Hero) wish(c *Command) shot.WeaponInput {
	free := !h.Shielded
	return shot.WeaponInput{Fire: c.Shot.Fire && free, Reload: c.Reload && free, Select: c.Select}
}

// handle does with the hero's hands what the command wants: the shield goes up and down,
// unless a blade is on its way, the sights likewise, and the weapon in hand fires.
func (g *Game) handle(h *Hero, c *Command, d clock.Micros) {
	h.Shielded = c.Shield && h.Mode != Grappling && h.Loadout.Swing == 0
	h.Loadout.Step(g.weapons, h.wish(c), d)
	h.Aiming = c.Aim && !h.Shielded && h.InHand().Reload == 0
}

// Fired tells whether Step fired, and which part of a blade's way it was.
func (g *Game) Fired(before *Hero, c *Command, after *Hero) shot.FireResult {
	if before.Dead || before.Watching {
		return shot.FireResult{}
	}
	return shot.DeriveFireResult(g.weapons, &before.Loadout, &after.Loadout, after.wish(c))
}

// claims reports whether a command that begins now has a shot to claim.
func (g *Game) claims(h *Hero, fire, shield bool) bool {
	free := !shield || h.Mode == Grappling || h.Loadout.Swing > 0
	return h.Loadout.Claims(g.weapons, fire && free)
}

// Swing claims the blade that is on its way for a command that begins with the hero.
func (g *Game) Swing(h *Hero, c *Command) bool {
	if h.Dead || h.Watching || !h.Loadout.Claims(g.weapons, false) {
		return false
	}
	c.Shot = shot.Claim{Weapon: h.Loadout.Held, Yaw: c.Move.Yaw, Pitch: c.Move.Pitch}
	return true
}

// pace is the model by which the hero moves: what it does with its hands makes it slower.
func (g *Game) pace(h *Hero) *movement.Model {
	share := 1.0
	switch {
	case h.Shielded:
		share = ShieldSlows
	case h.Aiming:
		share = AimSlows
	default:
		return &g.model
	}
	g.slowed = g.model
	g.slowed.MaxWalkSpeed = float64(g.model.MaxWalkSpeed * share)
	g.slowed.MaxCrouchedSpeed = float64(g.model.MaxCrouchedSpeed * share)
	return &g.slowed
}
