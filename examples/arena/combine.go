package arena

import (
	"math"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/predict"
	"github.com/backstep-net/backstep/session"
)

// Combine reports whether one longer command may replace two (rows CMB): neither does
// anything that counts once, the first changed nothing discrete, no hook is thrown, out or
// released, movement agrees, and the Game is not Exact. A held button that cannot act yet
// does not prevent it. [SND-08]
func (g *Game) Combine(m *session.Move, start, between *Hero, first, second *Command) bool {
	w, d := m.World, m.Duration
	switch {
	case g.Exact, g.triggersAction(start, first, d), g.triggersAction(between, second, d):
		return false
	case !first.holdsSame(second), start.Hook.Held != between.Hook.Held, start.Mode == Grappling:
		return false
	case !start.Loadout.CanCombine(g.weapons, &between.Loadout, d), g.Digest(start) != g.Digest(between), start.Doomed != between.Doomed:
		return false
	case start.Spectating: // spectators pass through everybody
		g.emptyWorld = *w
		g.emptyWorld.Obstacles = nil
		return g.spectatorModel.CanCombine(&g.emptyWorld, &start.State, &between.State, &first.Move, &second.Move)
	}
	return g.model.CanCombine(w, &start.State, &between.State, &first.Move, &second.Move)
}

// triggersAction reports whether a command of at most d would start an action that counts
// once, not only request it.
func (g *Game) triggersAction(h *Hero, c *Command, d clock.Micros) bool {
	full := int(h.Loadout.Held) < len(g.weapons) && h.InHand().Rounds >= g.weapons[h.Loadout.Held].Magazine
	return c.Shot.Fire || c.Ability != 0 ||
		c.Dash && h.DashCooldown <= d ||
		c.Reload && h.InHand().Reload == 0 && !full ||
		c.Select != 0 && c.Select != h.Loadout.Held+1
}

// Differ names the fields in which truth differs from predicted: first those that
// distinguish two heroes, then movement. [ACK-14]
func (g *Game) Differ(predicted, truth *Hero, into []predict.Difference) []predict.Difference {
	p, t := predicted, truth
	differs := func(field string, by float64) {
		if by != 0 {
			into = append(into, predict.Difference{Field: field, By: math.Abs(by)})
		}
	}
	differs("life", float64(t.Life)-float64(p.Life))
	differs("dead", boolValue(p.Dead != t.Dead || p.Doomed != t.Doomed))
	differs("spectating", boolValue(p.Spectating != t.Spectating))
	differs("weapon", float64(t.Loadout.Held)-float64(p.Loadout.Held))
	differs("rounds", float64(t.InHand().Rounds)-float64(p.InHand().Rounds))
	into = movement.Differ(&p.State, &t.State, into)
	differs("shield", boolValue(p.Shielded != t.Shielded))
	differs("aim", boolValue(p.Aiming != t.Aiming))
	differs("hook", boolValue(p.Hook != t.Hook))
	differs("cool-down", (t.InHand().Cooldown - p.InHand().Cooldown).Seconds())
	differs("reload", (t.InHand().Reload - p.InHand().Reload).Seconds())
	differs("draw", (t.Loadout.Deploy - p.Loadout.Deploy).Seconds())
	differs("swing", (t.Loadout.Swing - p.Loadout.Swing).Seconds())
	differs("arms", boolValue(p.Loadout != t.Loadout && p.Loadout.Digest() != t.Loadout.Digest()))
	differs("dash rest", (t.DashCooldown - p.DashCooldown).Seconds())
	return into
}

// boolValue returns 1 for true, 0 for false.
func boolValue(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}
