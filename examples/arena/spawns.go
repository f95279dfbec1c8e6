package arena

import (
	"math"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
)

// DefaultSpawnProtection is the MatchConfig.SpawnProtection that `backstep serve` sets.
const DefaultSpawnProtection = 3 * clock.Second

// The view from a spawn point, and from where it is seen.
const (
	spawnEye    = 1.6  // metres above the feet
	spawnSight  = 60.0 // metres from which a player sees a spawn point
	blockedView = 6.0  // metres of free view below which a spawn point turns
	openView    = 20.0 // metres beyond which more free view is no better
	spawnTurns  = 16   // directions to choose from
)

// spawnFor draws a spawn point among those at least half as far from everybody alive as the farthest, with
// SafeSpawns of those that no enemy sees, if there are any. With Assigned it is the player's own.
func (m *Match) spawnFor(id uint16) Spawn {
	if m.config.Assigned {
		return m.config.Spawns[(int(id)-1)%len(m.config.Spawns)]
	}
	hidden := 0
	for _, s := range m.config.Spawns {
		if m.config.SafeSpawns && !m.inView(id, s.Position) {
			hidden++
		}
	}
	fits := func(s Spawn) bool { return hidden == 0 || !m.inView(id, s.Position) }
	most, fit := 0.0, 0
	for _, s := range m.config.Spawns {
		if fits(s) {
			most = max(most, m.distanceToNearest(id, s.Position))
		}
	}
	var drawn Spawn
	for _, s := range m.config.Spawns {
		if !fits(s) || m.distanceToNearest(id, s.Position) < most/2 {
			continue
		}
		if fit++; m.draw(fit) == 0 { // reservoir sampling: each is equally likely
			drawn = s
		}
	}
	return drawn
}

// others calls yield with each other hero that is alive, until yield returns false.
func (m *Match) others(id uint16, yield func(other uint16, h *Hero) bool) {
	for other := range m.fighters {
		o := &m.fighters[other]
		if !o.score.Connected || o.dead || o.spectates || uint16(other) == id {
			continue
		}
		if h, ok := m.Server.State(session.PlayerID(other)); ok && !yield(uint16(other), &h) {
			return
		}
	}
}

// distanceToNearest returns the distance from p to the nearest other hero alive.
func (m *Match) distanceToNearest(id uint16, p geom.Vec3) float64 {
	nearest := 1e9
	m.others(id, func(_ uint16, h *Hero) bool {
		nearest = min(nearest, h.Position.Dist(p))
		return true
	})
	return nearest
}

// inView reports whether the level hides a spawn point from no enemy: one within sight range that
// need only turn round to see a hero there.
func (m *Match) inView(id uint16, feet geom.Vec3) bool {
	at, seen := feet.MulAdd(geom.Up, spawnEye), false
	m.others(id, func(other uint16, h *Hero) bool {
		way := at.Sub(m.game.Eye(h))
		if m.friends(id, other) || way.Len() > spawnSight {
			return true
		}
		_, hit := m.config.World.Ray(m.game.Eye(h), way)
		seen = !hit
		return !seen
	})
	return seen
}

// facingOpenSpace returns the spawn points, those that look at a wall turned to the most open
// direction; of two that are alike, to the one nearer the middle of the level.
func facingOpenSpace(w *collide.World, spawns []Spawn) []Spawn {
	var middle geom.Vec3
	for _, s := range spawns {
		middle = middle.Add(s.Position.Div(float64(len(spawns))))
	}
	turned := make([]Spawn, len(spawns))
	for i, s := range spawns {
		if turned[i] = s; freeView(w, s.Position, s.Yaw) < blockedView {
			turned[i].Yaw = openYaw(w, s, middle)
		}
	}
	return turned
}

// openYaw returns the direction, out of a few, in which a spawn point sees farthest. The middle of the level
// is worth a third of openView.
func openYaw(w *collide.World, s Spawn, middle geom.Vec3) float64 {
	inward, _ := Aim(s.Position, middle)
	best, most := s.Yaw, -1.0
	for i := range spawnTurns {
		yaw := geom.WrapAngle(inward + float64(float64(i)*(2*math.Pi/spawnTurns)))
		worth := freeView(w, s.Position, yaw) + float64(openView/3*geom.Forward(yaw).Dot(geom.Forward(inward)))
		if worth > most {
			best, most = yaw, worth
		}
	}
	return best
}

// freeView returns how far a hero at feet sees along yaw before the level is in the way, in metres, up to
// openView: the least of three rays, so that the edge of a pillar counts as well.
func freeView(w *collide.World, feet geom.Vec3, yaw float64) float64 {
	free := openView
	for _, aside := range [...]float64{-0.15, 0, 0.15} {
		if hit, ok := w.Ray(feet.MulAdd(geom.Up, spawnEye), geom.Forward(yaw+aside).Mul(openView)); ok {
			free = min(free, float64(hit.Fraction*openView))
		}
	}
	return free
}

// protect begins the protection of a new life.
func (m *Match) protect(id uint16) {
	f := &m.fighters[id]
	f.protected = 0
	if m.config.SpawnProtection > 0 {
		f.protected = m.Server.Now() + m.config.SpawnProtection
	}
	f.score.Protected = f.protected != 0
	m.set(id, fieldProtected, number(f.score.Protected))
}

// unprotect ends it.
func (m *Match) unprotect(id uint16) {
	m.fighters[id].protected, m.fighters[id].score.Protected = 0, false
	m.set(id, fieldProtected, 0)
}

// endProtection ends the protection of players whose time is over, and of those that have fired.
func (m *Match) endProtection(now clock.Micros) {
	for id := range m.fighters {
		f := &m.fighters[id]
		if f.protected == 0 || !f.score.Connected {
			continue
		}
		h, ok := m.Server.State(session.PlayerID(id))
		if now >= f.protected || ok && h.Life == f.life && h.hasFired(m.game.weapons) {
			m.unprotect(uint16(id))
		}
	}
}

// hasFired reports whether a hero has used a weapon in a life that began with full magazines. After the first
// reload it no longer says so.
func (h *Hero) hasFired(t shot.Table) bool {
	for i := range t {
		if h.Loadout.Ammo[i].Rounds < t[i].Magazine {
			return true
		}
	}
	return h.Loadout.Swings > 0
}

// spareProtected removes from a receipt the damage to players whose new life is protected.
func (m *Match) spareProtected(r *shot.Receipt) {
	spared, left := false, 0
	for i := range r.Events[:r.EventCount] {
		h := &r.Events[i]
		if int(h.Target) < len(m.fighters) && m.fighters[h.Target].protected != 0 && h.Target != r.Shooter {
			h.Damage, h.Reason, spared = 0, shot.Evaded, true
		}
		left += int(h.Damage)
	}
	if spared && left == 0 {
		r.Reason = shot.Evaded
	}
}
