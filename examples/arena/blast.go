package arena

import (
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/shot"
)

// blastLift is the upward share of a blast's push, so that it lifts characters off the
// floor.
const blastLift = 0.4

// isBlast reports whether a receipt is of a projectile that detonated.
func (m *Match) isBlast(r *shot.Receipt) bool {
	w := m.weapon(r.Weapon)
	return w != nil && w.Kind == shot.Projectile && w.Blast.Radius > 0 && (r.Verdict == shot.Hit || r.Verdict == shot.Miss)
}

// weapon returns a weapon of the table, nil for an index beyond it.
func (m *Match) weapon(i uint8) *shot.Weapon {
	if int(i) >= len(m.game.weapons) {
		return nil
	}
	return &m.game.weapons[i]
}

// pushTargets pushes the players hit by a blast away from it: the one with the most damage
// by Blast.Push, the others in proportion to their damage. Team-mates are pushed even if
// they take no damage.
func (m *Match) pushTargets(r *shot.Receipt) {
	b := &m.weapon(r.Weapon).Blast
	for i := range r.Events[:r.EventCount] {
		h := &r.Events[i]
		most := float64(b.Damage)
		if h.Target == r.Shooter {
			most = float64(most * b.Self)
		}
		if h.Damage == 0 || most <= 0 || !m.fighters[h.Target].score.Connected {
			continue
		}
		speed := float64(b.Push * min(float64(h.Damage)/most, 1))
		m.Server.Modify(h.Target, func(hero *Hero) { m.pushHero(hero, r.Outcome.Point, speed) })
	}
}

// pushHero pushes a hero away from a point.
func (m *Match) pushHero(h *Hero, from geom.Vec3, speed float64) {
	c := m.game.model.Capsule(&h.State)
	up := geom.Up
	if h.Up != (geom.Vec3{}) {
		up = h.Up
	}
	away := c.A.Lerp(c.B, 0.5).Sub(from).Unit().MulAdd(up, blastLift)
	m.game.model.AddImpulse(&h.State, away.Unit().Mul(float64(speed*m.game.model.Mass)))
	h.releaseHook()
}

// pushBodies pushes the bodies near a blast. It is cosmetic.
func (m *Match) pushBodies(r *shot.Receipt) {
	b := &m.weapon(r.Weapon).Blast
	for i := range m.entities.loose {
		id := m.entities.loose[i].id
		at := m.entities.Motion(id).Position
		way := at.Sub(r.Outcome.Point)
		if d := way.Len(); d < b.Radius {
			share := 1 - d/b.Radius
			m.entities.Impulse(id, way.Unit().MulAdd(geom.Up, blastLift).Mul(float64(float64(blastPush*b.Push)*share)))
		}
	}
}

// blastPush is the impulse of a blast on a body, in kg·m/s, for each m/s of its push on
// heroes.
const blastPush = 2
