package arena

import (
	"math"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/track"
)

// The parameters of health packs.
const (
	PackHealth      = 50 // health
	PackRespawnTime = 15 * clock.Second
	packReach       = 0.9 // metres around it, flat
	packTall        = 1.2 // metres above and below
)

// pack is one health pack.
type pack struct {
	at   geom.Vec3 // its base
	id   track.ID  // 0 while it is taken
	back clock.Micros
}

// updatePacks gives packs to hurt players that touch one, and respawns them.
func (m *Match) updatePacks(now clock.Micros) {
	for i := range m.entities.packs {
		p := &m.entities.packs[i]
		if p.id == 0 && now >= p.back {
			if p.id = m.Server.Spawn(KindHealth); p.id != 0 {
				m.Server.UpdateEntity(p.id, track.Sample{Pose: track.Pose{Position: p.at}, GameData: track.GameData{UserData: PackHealth}})
			}
		}
		if p.id == 0 {
			continue
		}
		if id := m.nearestTaker(p.at); id != 0 {
			m.ledger.Heal(track.ID(id), PackHealth)
			m.showStatus(id)
			m.Server.Despawn(p.id)
			p.id, p.back = 0, now+PackRespawnTime
		}
	}
}

// nearestTaker returns the nearest hurt player at a pack, 0 for none.
func (m *Match) nearestTaker(at geom.Vec3) uint16 {
	best, nearest := uint16(0), packReach
	for id := 1; id < len(m.fighters); id++ {
		f := &m.fighters[id]
		if !f.score.Connected || f.dead || f.spectates || m.ledger.Vitals(track.ID(id)).Health == FullHealth {
			continue
		}
		h, ok := m.Server.State(session.PlayerID(id))
		if !ok || math.Abs(h.Position.Y-at.Y) > packTall {
			continue
		}
		if d := h.Position.Sub(at).Flat(geom.Up).Len(); d < nearest {
			best, nearest = uint16(id), d
		}
	}
	return best
}
