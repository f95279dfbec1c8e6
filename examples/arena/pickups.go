package arena

import (
	"math"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/track"
)

// What health packs are.
const (
	PackHeals = 50 // health
	PackBack  = 15 * clock.Second
	packReach = 0.9 // metres around it, flat
	packTall  = 1.2 // metres above and below
)

// pack is one health pack.
type pack struct {
	at   geom.Vec3 // its foot
	id   track.ID  // 0 while it is gone
	back clock.Micros
}

// heal gives packs to who walks over them and needs one, and brings them back.
func (m *Match) heal(now clock.Micros) {
	for i := range m.ground.packs {
		p := &m.ground.packs[i]
		if p.id == 0 && now >= p.back {
			if p.id = m.Server.Spawn(KindHealth); p.id != 0 {
				m.Server.UpdateEntity(p.id, track.Sample{Position: p.at, UserData: PackHeals})
			}
		}
		if p.id == 0 {
			continue
		}
		if id := m.taker(p.at); id != 0 {
			m.ledger.Heal(track.ID(id), PackHeals)
			m.tellStatus(id)
			m.Server.Despawn(p.id)
			p.id, p.back = 0, now+PackBack
		}
	}
}

// taker is the nearest of the hurt who stand at a pack, 0 for nobody.
func (m *Match) taker(at geom.Vec3) uint16 {
	best, nearest := uint16(0), packReach
	for id := 1; id < len(m.fighters); id++ {
		f := &m.fighters[id]
		if !f.score.Here || f.dead || f.watches || m.ledger.Vitals(track.ID(id)).Health == FullHealth {
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
