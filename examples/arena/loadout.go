package arena

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/shot"
)

// The share of its speed that a hero has left while the shield is up, and while aiming down
// the sights.
const (
	ShieldSpeedScale = 0.5
	AimSpeedScale    = 0.6
)

// InHand returns the ammunition of the held weapon.
func (h *Hero) InHand() *shot.Ammo { return &h.Loadout.Ammo[h.Loadout.Held%shot.MaxWeapons] }

// lowOnAmmo reports whether less than 1/share of the held weapon's magazine is left.
func (h *Hero) lowOnAmmo(t shot.Table, share int) bool {
	return int(h.Loadout.Held) < len(t) && int(h.InHand().Rounds)*share < int(t[h.Loadout.Held].Magazine)
}

// weaponInput returns the weapon part of a command: nothing is fired behind the shield.
func (h *Hero) weaponInput(c *Command) shot.WeaponInput {
	free := !h.Shielded
	return shot.WeaponInput{Fire: c.Shot.Fire && free, Reload: c.Reload && free, Select: c.Select}
}

// updateWeapons applies the command to shield, sights and the held weapon. Neither shield
// nor sights go up during a swing.
func (g *Game) updateWeapons(h *Hero, c *Command, d clock.Micros) {
	h.Shielded = c.Shield && h.Mode != Grappling && h.Loadout.Swing == 0
	h.Loadout.Step(g.weapons, h.weaponInput(c), d)
	h.Aiming = c.Aim && !h.Shielded && h.InHand().Reload == 0
	h.SpeedScale = h.speedScale()
}

// speedScale returns the movement.State.SpeedScale of the hero: shield and sights make it
// slower.
func (h *Hero) speedScale() float64 {
	switch {
	case h.Shielded:
		return ShieldSpeedScale
	case h.Aiming:
		return AimSpeedScale
	}
	return 0
}

// fired reports whether Step fired, and which part of a swing it was.
func (g *Game) fired(t shot.Table, before *Hero, c *Command, after *Hero) shot.FireResult {
	if before.Dead || before.Spectating {
		return shot.FireResult{}
	}
	return shot.DeriveFireResult(t, &before.Loadout, &after.Loadout, after.weaponInput(c))
}

// claim completes the claim of a command that begins with the hero, aimed as it is, and reports
// whether there is a shot: nothing is fired behind the shield.
func (g *Game) claim(t shot.Table, h *Hero, c *Command) bool {
	free := !c.Shield || h.Mode == Grappling || h.Loadout.Swing > 0
	if h.Dead || h.Spectating || !h.Loadout.Claims(t, c.Shot.Fire && free) {
		return false
	}
	c.Shot = shot.Claim{Weapon: h.Loadout.Held, Yaw: c.Shot.Yaw, Pitch: c.Shot.Pitch}
	return true
}
