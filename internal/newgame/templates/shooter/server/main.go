// Command server runs the match: health, score, respawn. Clients cannot change what is decided here.
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

// config returns what happens in a match.
func config() serve.Config[game.Player, game.Input] {
	due := map[session.PlayerID]clock.Micros{} // when the dead come back
	spawn := func(m *match, id session.PlayerID, life uint8) {
		m.SetState(id, game.Spawn(id, life))
		m.SetNumber(id, "health", game.FullHealth)
	}
	return serve.Config[game.Player, game.Input]{
		Session: session.ServerConfig{World: game.Level(), PlayersBlock: true},
		Bots:    1, Think: game.Think, // to play at once, also alone; -bots 0 for none
		OnJoin: func(m *match, e session.Event) {
			if e.Again { // back after a lost connection: it keeps its place
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

// hurt takes a hit's damage from its target, once: who is dead already is not hit again.
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
