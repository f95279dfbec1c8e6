package topdown

import (
	"math/rand/v2"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/serve"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

type match = serve.Match[Runner, Input]

// Config returns the server's side of the game: where coins lie, who has how many, and which maze is played.
func Config() serve.Config[Runner, Input] {
	dice := rand.New(rand.NewPCG(1, 2))
	free := func(m *match) geom.Vec3 { // a place at random
		floors := mazes[m.LevelIndex].floors
		return floors[dice.IntN(len(floors))].Add(geom.V(float64(dice.IntN(21)-10), 0, float64(dice.IntN(21)-10)).Mul(0.1))
	}
	var coins [14]track.Entity
	var wins [session.MaxPlayers + 1]int64 // by player: fields begin anew with each maze
	drop := func(m *match, coin *track.Entity) {
		coin.ID, coin.Position = m.Spawn(coinKind), free(m)
		m.UpdateEntity(coin.ID, coin.Sample)
	}
	var levels []serve.Level
	for _, maze := range mazes {
		levels = append(levels, serve.Level{World: maze.world})
	}
	return serve.Config[Runner, Input]{
		Name: "topdown", Levels: levels, Bots: 2, Think: Think, Another: Config,
		OnStart: func(m *match) {
			for i := range coins {
				drop(m, &coins[i])
			}
		},
		OnJoin: func(m *match, e session.Event) {
			if !e.Reconnected {
				m.SetState(e.Player, Runner{State: movement.Spawn(free(m), 0), Loadout: blaster.Loadout()})
				m.SetText(e.Player, "name", e.Name)
				m.SetNumber(e.Player, "wins", wins[e.Player])
			}
		},
		OnLeave: func(_ *match, id session.PlayerID) { wins[id] = 0 },
		OnShot: func(m *match, by session.PlayerID, r *shot.Receipt) {
			if target := r.Outcome.Target; r.Verdict == shot.Hit {
				m.SetNumber(target, "coins", m.Number(target, "coins")-3) // not below 0
				m.Modify(target, func(s *Runner) { s.Impulse = s.Position.Sub(r.Outcome.Point).Flat(geom.Up).Unit().Mul(9) })
			}
		},
		Simulate: func(m *match, now clock.Micros) {
			for _, p := range m.Players(nil) {
				for i := range coins {
					if coins[i].Position.Dist(p.Position) < 0.9 {
						m.Despawn(coins[i].ID)
						drop(m, &coins[i])
						m.SetNumber(p.ID, "coins", m.Number(p.ID, "coins")+1)
					}
				}
				if m.Number(p.ID, "coins") >= 15 {
					wins[p.ID]++
					m.ChangeLevel((m.LevelIndex + 1) % len(mazes))
				}
			}
		},
		OnCheckpoint: func(m *match, p *bits.Packer) {
			for id := range m.Seats() + 1 {
				p.Varint(&wins[id])
			}
			for i := range coins {
				p.Uint16((*uint16)(&coins[i].ID))
				p.Vec64(&coins[i].Position)
			}
		},
	}
}
