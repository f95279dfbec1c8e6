package melee

import (
	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/damage"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/serve"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
)

type match = serve.Match[Fighter, Input]

// Serve is the whole program of the game's server.
func Serve() { serve.Main(Rules(), Config()) }

// Config returns the server's side of the game: health, staggering, respawns.
func Config() serve.Config[Fighter, Input] {
	ledger := damage.NewLedger(damage.Rules{}, session.MaxPlayers+1)
	spawn := func(m *match, id session.PlayerID) {
		at := geom.Forward(2.4 * float64(id)).Mul(-9).Add(geom.V(0, 0.1, 0)) // looks at the middle
		state := Fighter{State: movement.Spawn(at, geom.WrapAngle(2.4*float64(id))), Loadout: swords.Loadout()}
		ledger.Spawn(id, m.Respawn(id, state), 0)
		m.SetNumber(id, "health", 100)
	}
	return serve.Config[Fighter, Input]{
		Name: "melee", Session: session.ServerConfig{World: Courtyard(), PlayersBlock: true}, Bots: 4, Think: Think, Another: Config,
		OnJoin: func(m *match, e session.Event) {
			ledger.Join(e.Player, e.Reconnected)
			if !e.Reconnected {
				m.SetText(e.Player, "name", e.Name)
				spawn(m, e.Player)
			}
		},
		OnLeave: func(_ *match, id session.PlayerID) { ledger.Leave(id) },
		OnShot: func(m *match, by session.PlayerID, r *shot.Receipt) {
			if ledger.QueueReceipt(r, 0); r.Outcome.HitGroup == rig.Shield {
				stagger(m, by, 900*clock.Millisecond, geom.Vec3{})
			}
		},
		OnTick: func(m *match, now clock.Micros) {
			for _, d := range ledger.ApplyQueued(now, nil) {
				m.SetNumber(d.Target, "health", int64(d.HealthLeft))
				from, _ := m.State(d.Attacker)
				stagger(m, d.Target, 250*clock.Millisecond, geom.Forward(from.Yaw).Mul(4))
				if d.Killed {
					m.SetNumber(d.Attacker, "score", m.Number(d.Attacker, "score")+1)
					m.Modify(d.Target, func(s *Fighter) { s.Dead, s.Stagger = true, 3*clock.Second })
				}
			}
			for _, p := range m.Players(nil) {
				if s, _ := m.State(p.ID); s.Dead && s.Stagger == 0 {
					spawn(m, p.ID)
				}
			}
		},
		OnCheckpoint: func(_ *match, p *bits.Packer) { ledger.Checkpoint(p) },
	}
}

// stagger interrupts a fighter, and pushes it.
func stagger(m *match, id session.PlayerID, d clock.Micros, push geom.Vec3) {
	m.Modify(id, func(s *Fighter) {
		s.Stagger, s.Impulse = max(s.Stagger, d), s.Impulse.Add(push)
		s.Swing, s.Swept, s.ClaimDue = 0, 0, false
	})
}
