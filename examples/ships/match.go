package ships

import (
	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/damage"
	"github.com/backstep-net/backstep/serve"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
)

type match = serve.Match[Ship, Input]

// Config returns the server's part: health, score, next lives.
func Config() serve.Config[Ship, Input] {
	ledger := damage.NewLedger(damage.Rules{Health: 100}, session.MaxPlayers+1)
	var due [session.MaxPlayers + 1]clock.Micros // of the next life; 0: the ship flies
	start := func(m *match, id session.PlayerID) {
		ledger.Spawn(id, m.Respawn(id, launch(id)), 0)
		m.SetNumber(id, "health", 100)
		due[id] = 0
	}
	return serve.Config[Ship, Input]{
		Session: session.ServerConfig{World: Space()}, Think: Think, Another: Config,
		OnJoin: func(m *match, e session.Event) {
			if ledger.Join(e.Player, e.Reconnected); !e.Reconnected {
				start(m, e.Player)
				m.SetText(e.Player, "name", e.Name)
			}
		},
		OnLeave: func(_ *match, id session.PlayerID) { ledger.Leave(id) },
		OnShot:  func(_ *match, _ session.PlayerID, r *shot.Receipt) { ledger.QueueReceipt(r, 0) },
		OnTick: func(m *match, now clock.Micros) {
			for _, hit := range ledger.ApplyQueued(now, nil) {
				m.SetNumber(hit.Target, "health", int64(hit.HealthLeft))
				if hit.Killed {
					m.SetNumber(hit.Attacker, "score", m.Number(hit.Attacker, "score")+1)
					m.Modify(hit.Target, func(s *Ship) { s.Dead = true })
					due[hit.Target] = now + 2*clock.Second
				}
			}
			for _, p := range m.Players(nil) {
				if at := due[p.ID]; at != 0 && now >= at {
					start(m, p.ID)
				}
			}
		},
		OnCheckpoint: func(_ *match, p *bits.Packer) {
			ledger.Checkpoint(p)
			for id := range due {
				p.Varint((*int64)(&due[id]))
			}
		},
	}
}
