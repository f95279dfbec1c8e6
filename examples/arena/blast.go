package arena

import (
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/shot"
)

// lift is how much of a blast's push goes up beside away: it takes people off their feet.
const lift = 0.4

// blasts reports whether a receipt is of a projectile that burst.
func (m *Match) blasts(r *shot.Receipt) bool {
	w := m.weapon(r.Weapon)
	return w != nil && w.Kind == shot.Projectile && w.Blast.Radius > 0 && (r.Verdict == shot.Hit || r.Verdict == shot.Miss)
}

// weapon returns one of the table, nil of an index beyond it.
func (m *Match) weapon(i uint8) *shot.Weapon {
	if int(i) >= len(m.game.weapons) {
		return nil
	}
	return &m.game.weapons[i]
}

// push pushes those whom a blast hurts away from it: by Blast.Push who is hurt most, others by
// as much less as they are hurt less. Friends are pushed whether they are hurt or not.
func (m *Match) push(r *shot.Receipt) {
	b := &m.weapon(r.Weapon).Blast
	for i := range r.Events[:r.EventCount] {
		h := &r.Events[i]
		most := float64(b.Damage)
		if h.Target == r.Shooter {
			most = float64(most * b.Self)
		}
		if h.Damage == 0 || most <= 0 || !m.fighters[h.Target].score.Here {
			continue
		}
		speed := float64(b.Push * min(float64(h.Damage)/most, 1))
		m.Server.Modify(h.Target, func(hero *Hero) { m.shove(hero, r.Outcome.Point, speed) })
	}
}

// shove pushes a hero away from a point.
func (m *Match) shove(h *Hero, from geom.Vec3, speed float64) {
	c := m.game.model.Capsule(&h.State)
	up := geom.Up
	if h.Up != (geom.Vec3{}) {
		up = h.Up
	}
	away := c.A.Lerp(c.B, 0.5).Sub(from).Unit().MulAdd(up, lift)
	m.game.model.AddImpulse(&h.State, away.Unit().Mul(float64(speed*m.game.model.Mass)))
	h.letGo()
}

// scatter pushes the bodies near a blast: which is for the eye.
func (m *Match) scatter(r *shot.Receipt) {
	b := &m.weapon(r.Weapon).Blast
	for i := range m.ground.loose {
		l := &m.ground.loose[i]
		at := m.ground.world.Motion(l.in).Position
		way := at.Sub(r.Outcome.Point)
		if d := way.Len(); d < b.Radius {
			share := 1 - d/b.Radius
			m.ground.world.Impulse(l.in, at, way.Unit().MulAdd(geom.Up, lift).Mul(float64(float64(blastPush*b.Push)*share)))
		}
	}
}

// blastPush is the impulse that a body gets of a blast, in kg·m/s, for each m/s that heroes
// would.
const blastPush = 2
