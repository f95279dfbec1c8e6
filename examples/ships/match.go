package ships

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/damage"
	"github.com/backstep-net/backstep/serve"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
)

type match = serve.Match[Ship, Input]

const wreckage = 2 * clock.Second // from death to the next life

// Config returns the server's part: health, score, next lives.
func Config() serve.Config[Ship, Input] {
	ledger := damage.NewLedger(damage.Rules{Health: 100}, session.MaxPlayers+1)
	due := map[session.PlayerID]clock.Micros{} // of the next life
	start := func(m *match, id session.PlayerID, life uint8) {
		ledger.Enter(id, m.Respawn(id, launch(id, life)), 0)
		m.SetNumber(id, "health", 100)
	}
	return serve.Config[Ship, Input]{
		Session: session.ServerConfig{World: Space()},
		Think:   Think,
		OnJoin: func(m *match, e session.Event) {
			if ledger.Join(e.Player, e.Again); !e.Again {
				start(m, e.Player, 0)
				m.SetText(e.Player, "name", e.Name)
			}
		},
		OnLeave: func(_ *match, id session.PlayerID) { ledger.Leave(id); delete(due, id) },
		OnShot:  func(_ *match, _ session.PlayerID, r *shot.Receipt) { ledger.ApplyReceipt(r, 0) },
		OnTick: func(m *match, now clock.Micros) {
			for _, hit := range ledger.Settle(now, nil) {
				m.SetNumber(hit.Target, "health", int64(hit.HealthLeft))
				if hit.Killed {
					m.SetNumber(hit.Attacker, "score", m.Number(hit.Attacker, "score")+1)
					m.Modify(hit.Target, func(s *Ship) { s.Dead = true })
					due[hit.Target] = now + wreckage
				}
			}
			for _, p := range m.Players(nil) {
				if at, waits := due[p.ID]; waits && now >= at {
					delete(due, p.ID)
					s, _ := m.State(p.ID)
					start(m, p.ID, s.Life+1)
				}
			}
		},
	}
}
