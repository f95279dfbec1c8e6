package arena

import (
	"math"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/predict"
)

// Combine reports whether one longer command may take the place of two (rows CMB):
// where neither does anything that counts once, nothing discrete changed with the
// first, no hook is thrown, out or let go, movement agrees, and the Game is not Exact.
// A button that is held for what cannot be yet is no reason to stay apart (SND-08).
func (g *Game) Combine(w *collide.WorldAt, start, between *Hero, first, second *Command, d clock.Micros) bool {
	switch {
	case g.Exact, g.acts(start, first, d), g.acts(between, second, d):
		return false
	case !first.holds(second), start.Hook.Held != between.Hook.Held, start.Mode == Grappling:
		return false
	case !start.Loadout.CanCombine(&between.Loadout), g.Digest(start) != g.Digest(between), start.Doomed != between.Doomed:
		return false
	case start.Watching: // through everybody
		g.empty = *w
		g.empty.Obstacles = nil
		return g.watcher.CanCombine(&g.empty, &start.State, &between.State, &first.Move, &second.Move)
	}
	return g.pace(between).CanCombine(w, &start.State, &between.State, &first.Move, &second.Move)
}

// acts reports whether a command of at most d may do something that counts once with the
// hero, and not only ask for it.
func (g *Game) acts(h *Hero, c *Command, d clock.Micros) bool {
	full := int(h.Loadout.Held) < len(g.weapons) && h.InHand().Rounds >= g.weapons[h.Loadout.Held].Magazine
	return c.Shot.Fire || c.Ability != 0 ||
		c.Dash && h.Rest <= d ||
		c.Reload && h.InHand().Reload == 0 && !full ||
		c.Select != 0 && c.Select != h.Loadout.Held+1
}

// Differ names what of truth is not as predicted (ACK-14): what makes another hero of
// it first, then how it moves.
func (g *Game) Differ(predicted, truth *Hero, into []predict.Difference) []predict.Difference {
	p, t := predicted, truth
	differs := func(field string, by float64) {
		if by != 0 {
			into = append(into, predict.Difference{Field: field, By: math.Abs(by)})
		}
	}
	differs("life", float64(t.Life)-float64(p.Life))
	differs("dead", one(p.Dead != t.Dead || p.Doomed != t.Doomed))
	differs("watching", one(p.Watching != t.Watching))
	differs("weapon", float64(t.Loadout.Held)-float64(p.Loadout.Held))
	differs("rounds", float64(t.InHand().Rounds)-float64(p.InHand().Rounds))
	into = movement.Differ(&p.State, &t.State, into)
	differs("shield", one(p.Shielded != t.Shielded))
	differs("aim", one(p.Aiming != t.Aiming))
	differs("hook", one(p.Hook != t.Hook))
	differs("cool-down", (t.InHand().Cooldown - p.InHand().Cooldown).Seconds())
	differs("reload", (t.InHand().Reload - p.InHand().Reload).Seconds())
	differs("draw", (t.Loadout.Draw - p.Loadout.Draw).Seconds())
	differs("swing", (t.Loadout.Swing - p.Loadout.Swing).Seconds())
	differs("arms", one(p.Loadout != t.Loadout && p.Loadout.Digest() != t.Loadout.Digest()))
	differs("dash rest", (t.Rest - p.Rest).Seconds())
	return into
}

// one is 1 for yes.
func one(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}
