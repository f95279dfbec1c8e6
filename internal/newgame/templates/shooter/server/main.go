// Command server runs the match: health, score, respawn. Clients cannot change these decisions.
package main

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/internal/newgame/templates/shooter/game"
	"github.com/backstep-net/backstep/serve"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

type match = serve.Match[game.Player, game.Input]

const respawnAfter = 2 * clock.Second

func main() { serve.Main(game.Rules(), config()) }

// config returns the match's settings and its reactions to events.
func config() serve.Config[game.Player, game.Input] {
	due := map[session.PlayerID]clock.Micros{} // respawn times of dead players
	spawn := func(m *match, id session.PlayerID, life uint8) {
		m.SetState(id, game.Spawn(id, life))
		m.SetNumber(id, "health", game.FullHealth)
	}
	return serve.Config[game.Player, game.Input]{
		Session: session.ServerConfig{World: game.Level(), PlayersBlock: true},
		Bots:    1, Think: game.Think, // one bot, so that a single player can play at once; -bots 0 for none
		OnJoin: func(m *match, e session.Event) {
			if e.Again { // reconnected: the player keeps its state
				return
			}
			spawn(m, e.Player, 1)
			m.SetText(e.Player, "name", e.Name)
		},
		OnLeave: func(_ *match, id session.PlayerID) { delete(due, id) },
		OnShot: func(m *match, by session.PlayerID, r *shot.Receipt) {
			for _, hit := range r.Events[:r.EventCount] {
				hurt(m, by, hit, due)
			}
		},
		OnTick: func(m *match, now clock.Micros) {
			for _, p := range m.Players(nil) {
				if at, waits := due[p.ID]; waits && now >= at {
					delete(due, p.ID)
					dead, _ := m.State(p.ID)
					spawn(m, p.ID, dead.Life+1)
				}
			}
		},
	}
}

// hurt subtracts a hit's damage from the target's health. A target that is dead already, or was hit in
// an earlier life, takes no damage.
func hurt(m *match, by session.PlayerID, hit shot.DamageEvent, due map[track.ID]clock.Micros) {
	target, here := m.State(hit.Target)
	if !here || target.Dead || hit.Life != target.Life {
		return
	}
	health := m.Number(hit.Target, "health") - int64(hit.Damage)
	m.SetNumber(hit.Target, "health", health)
	if health > 0 {
		return
	}
	m.SetNumber(by, "score", m.Number(by, "score")+1)
	m.Modify(hit.Target, func(p *game.Player) { p.Dead = true })
	due[hit.Target] = m.Now() + respawnAfter
}
