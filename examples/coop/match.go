package coop

import (
	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/damage"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/npc"
	"github.com/backstep-net/backstep/serve"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

type match = serve.Match[Guard, Input]

// Serve is the whole program of the game's server.
func Serve() { serve.Main(Rules(), Config()) }

// Config returns the server's side of the game: waves, health, respawns.
func Config() serve.Config[Guard, Input] {
	var npcs *npc.Crowd
	ledger := damage.NewLedger(damage.Rules{}, int(track.MaxID)+1)
	spawn := func(m *match, id track.ID) {
		at := geom.Forward(float64(id) * 2).Mul(3).Add(geom.V(0, 0.1, 0))
		ledger.Spawn(id, m.Respawn(id, Guard{State: movement.Spawn(at, geom.WrapAngle(float64(id)*2)), Loadout: rifles.Loadout()}), 1)
	}
	return serve.Config[Guard, Input]{
		Name: "coop", Session: session.ServerConfig{World: Field(), PlayersBlock: true}, Bots: 2, Think: Think, Another: Config,
		OnStart: func(m *match) {
			kinds := map[track.Kind]npc.Kind{Walker: {Speed: 2.2, Team: 2}, Runner: {Speed: 4, Team: 2}}
			npcs = npc.New(npc.Config{Match: m, World: m.World(), Mesh: npc.BakeMesh(m.World(), new(movement.DefaultModel())), Kinds: kinds, Ledger: ledger})
		},
		OnJoin: func(m *match, e session.Event) {
			ledger.Join(e.Player, e.Reconnected)
			if !e.Reconnected {
				m.SetText(e.Player, "name", e.Name)
				spawn(m, e.Player)
			}
		},
		OnLeave: func(_ *match, id session.PlayerID) { ledger.Leave(id) },
		OnShot:  func(_ *match, _ session.PlayerID, r *shot.Receipt) { ledger.QueueReceipt(r, 0) },
		Simulate: func(m *match, now clock.Micros) {
			npcs.Step(now)
			for _, id := range npcs.All(nil) {
				if turn := (m.TickNumber() + uint32(id)) % 60; turn%20 == 0 && !npcs.Dead(id) {
					prey, at := nearest(m, npcs.State(id).Position)
					if npcs.Steer(id, at); turn == 0 && at.Dist(npcs.State(id).Position) < 1.3 { // once a second
						ledger.Queue(damage.Hit{Attacker: id, Target: prey, Life: ledger.Vitals(prey).Life, Damage: 12})
					}
				}
			}
		},
		OnTick: func(m *match, now clock.Micros) {
			for _, d := range ledger.ApplyQueued(now, nil) {
				if d.Killed && int(d.Target) <= m.Seats() {
					m.Modify(d.Target, func(s *Guard) { s.Dead = true })
				} else if d.Killed {
					m.SetNumber(d.Attacker, "score", m.Number(d.Attacker, "score")+1)
				}
			}
			players, left, wave := m.Players(nil), npcs.All(nil), m.Number(session.OfMatch, "wave")
			for _, p := range players {
				m.SetNumber(p.ID, "health", int64(ledger.Vitals(p.ID).Health))
			}
			if living, _ := nearest(m, geom.Vec3{}); living == 0 { // from the beginning, when the dead are gone
				wave = 0
				for _, id := range left {
					npcs.Kill(id)
				}
			}
			if len(players) > 0 && len(left) == 0 {
				for _, p := range players {
					if ledger.Heal(p.ID, 50) == 0 && ledger.Vitals(p.ID).Health == 0 {
						spawn(m, p.ID)
					}
				}
				wave++
				attack(npcs, wave)
			}
			m.SetNumber(session.OfMatch, "wave", wave)
			m.SetNumber(session.OfMatch, "left", int64(len(left)))
		},
		OnCheckpoint: func(_ *match, p *bits.Packer) { ledger.Checkpoint(p); npcs.Checkpoint(p) }, // the wave is a field
	}
}

// nearest returns the living player nearest to a place, and where it is; 0 and the place if nobody lives.
func nearest(m *match, to geom.Vec3) (id track.ID, _ geom.Vec3) {
	at, far := to, 99.0
	for _, p := range m.Players(nil) {
		if pose, ok := m.Pose(p.ID); ok && !pose.Dead && pose.Position.Dist(to) < far {
			id, at, far = p.ID, pose.Position, pose.Position.Dist(to)
		}
	}
	return id, at
}

// attack spawns a wave, in the north and in the south.
func attack(npcs *npc.Crowd, wave int64) {
	kinds := []track.Kind{Walker, Walker, Runner}[:min(wave+1, 3)] // runners from the second wave on
	for i := range min(4+3*wave, 60) {
		npcs.Spawn(kinds[int(i)%len(kinds)], geom.V(float64(float64(i/2%10)*3.4)-15, 0.1, float64(i%2*2-1)*(field-float64(2+i/20*2))), 0)
	}
}
