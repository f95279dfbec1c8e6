package topdown

import (
	"math/rand/v2"
	"slices"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/serve"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

type match = serve.Match[Runner, Input]

// Config returns the server's side of the game: where coins lie, and who has how many.
func Config() serve.Config[Runner, Input] {
	dice := rand.New(rand.NewPCG(1, 2))
	free := func() geom.Vec3 { // a place at random
		return floors[dice.IntN(len(floors))].Add(geom.V(float64(dice.IntN(21)-10), 0, float64(dice.IntN(21)-10)).Mul(0.1))
	}
	var coins []track.Entity // that lie about
	return serve.Config[Runner, Input]{
		Name: "topdown", Session: session.ServerConfig{World: level},
		OnJoin: func(m *match, e session.Event) {
			if !e.Again {
				m.SetState(e.Player, Runner{State: movement.Spawn(free(), 0), Loadout: blaster.Loadout()})
				m.SetText(e.Player, "name", e.Name)
			}
		},
		OnShot: func(m *match, by session.PlayerID, r *shot.Receipt) {
			target, from := r.Outcome.Target, r.Outcome.Point
			if r.Verdict == shot.Hit {
				m.SetNumber(target, "coins", m.Number(target, "coins")-3) // not below 0
				m.Modify(target, func(s *Runner) { s.Impulse = s.Position.Sub(from).Flat(geom.Up).Unit().Mul(9) })
			}
		},
		Simulate: func(m *match, now clock.Micros) {
			for len(coins) < 14 {
				coin := track.Entity{ID: m.Spawn(coinKind)}
				coin.Position = free()
				m.UpdateEntity(coin.ID, coin.Sample)
				coins = append(coins, coin)
			}
			for _, p := range m.Players(nil) {
				s, _ := m.State(p.ID)
				coins = slices.DeleteFunc(coins, func(coin track.Entity) bool {
					near := coin.Position.Dist(s.Position) < 0.9
					if near {
						m.Despawn(coin.ID)
						m.SetNumber(p.ID, "coins", m.Number(p.ID, "coins")+1)
					}
					return near
				})
				if m.Number(p.ID, "coins") < 15 {
					continue
				}
				m.SetNumber(p.ID, "wins", m.Number(p.ID, "wins")+1)
				for _, p := range m.Players(nil) {
					m.SetNumber(p.ID, "coins", 0)
				}
			}
		},
	}
}
