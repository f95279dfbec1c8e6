package arena

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/movement"
)

// maxWeapons is how many weapons a hero carries at most.
const maxWeapons = 8

// By how much who holds the shield up, or aims down the sights, is slower on foot.
const (
	ShieldSlows = 0.5
	AimSlows    = 0.6
)

// Weapon is the index of the weapon in hand.
func (h *Hero) Weapon() uint8 { return 0 }

// handle does with the hero's hands what the command wants: the shield goes up and down,
// the sights likewise, and the weapon in hand fires, if nothing is in its way.
func (g *Game) handle(h *Hero, c *Command, d clock.Micros) {
	h.Shielded = c.Shield && h.Mode != Grappling
	h.Aiming = c.Aim && !h.Shielded && h.Ammo.Reload == 0
	h.Ammo.Step(&g.weapons[0], c.Shot.Fire && !h.Shielded, c.Reload && !h.Shielded, d)
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
