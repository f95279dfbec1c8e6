// Command server runs the match: health, score, respawn. Clients cannot change these decisions.
package main

import (
	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/damage"
	"github.com/backstep-net/backstep/internal/newgame/templates/shooter/game"
	"github.com/backstep-net/backstep/serve"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
)

type match = serve.Match[game.Player, game.Input]

const (
	respawnAfter             = 2 * clock.Second
	noTeam       damage.Team = 0 // members of a team, from 1 on, do each other no damage
)

func main() { serve.Main(game.Rules(), config()) }

// config returns the match's settings and its reactions to events.
func config() serve.Config[game.Player, game.Input] {
	ledger := damage.NewLedger(game.Damage, session.MaxPlayers+1) // health; each hit counts once
	var due [session.MaxPlayers + 1]clock.Micros                  // respawn times of dead players; 0: alive
	spawn := func(m *match, id session.PlayerID) {
		life := m.Respawn(id, game.Spawn(id, int(ledger.Vitals(id).Life)))
		ledger.Spawn(id, life, noTeam)
		m.SetNumber(id, "health", int64(game.Damage.Health))
		due[id] = 0
	}
	return serve.Config[game.Player, game.Input]{
		Session: session.ServerConfig{World: game.Level(), PlayersBlock: true},
		Bots:    1, Think: game.Think, // one bot, so that a single player can play at once; -bots 0 for none
		Another: config, // of each match that -matches adds
		OnJoin: func(m *match, e session.Event) {
			ledger.Join(e.Player, e.Reconnected)
			if e.Reconnected { // reconnected: the player keeps its state
				return
			}
			spawn(m, e.Player)
			m.SetText(e.Player, "name", e.Name)
		},
		OnLeave: func(_ *match, id session.PlayerID) { ledger.Leave(id) },
		OnShot:  func(_ *match, _ session.PlayerID, r *shot.Receipt) { ledger.QueueReceipt(r, 0) },
		OnTick: func(m *match, now clock.Micros) {
			for _, hit := range ledger.ApplyQueued(now, nil) {
				m.SetNumber(hit.Target, "health", int64(hit.HealthLeft))
				if hit.Killed {
					if hit.Attacker != 0 && hit.Attacker != hit.Target { // 0 is the level: a fall, water
						m.SetNumber(hit.Attacker, "score", m.Number(hit.Attacker, "score")+1)
					}
					m.Modify(hit.Target, func(p *game.Player) { p.Dead = true })
					due[hit.Target] = now + respawnAfter
				}
			}
			for _, p := range m.Players(nil) {
				if at := due[p.ID]; at != 0 && now >= at {
					spawn(m, p.ID)
				}
			}
		},
		// With -checkpoint a restarted server continues the match: states and fields are kept anyway, and
		// the variables of these functions here. The order is the same for writing and reading.
		OnCheckpoint: func(_ *match, p *bits.Packer) {
			ledger.Checkpoint(p)
			for id := range due {
				p.Varint((*int64)(&due[id]))
			}
		},
	}
}
