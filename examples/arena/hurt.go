package arena

import (
	"math"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/damage"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// rulesOf returns a match's rules of damage from its config's.
func rulesOf(r damage.Rules) damage.Rules {
	r.Health = FullHealth
	if r.Self == 0 {
		r.Self = 1
	}
	if r.Plates == ([rig.Tags]damage.ArmourPlate{}) {
		r.Plates = plates
	}
	r.Armour = FullArmour
	return r
}

// plates are what armour does where a match does not say: it takes half of what meets the
// body, less elsewhere, and wears off by what it takes.
var plates = [rig.Tags]damage.ArmourPlate{
	rig.NoTag: {Share: 0.4, Wear: 1}, rig.Body: {Share: 0.5, Wear: 1}, rig.Head: {Share: 0.25, Wear: 1},
	rig.Arm: {Share: 0.3, Wear: 1}, rig.Leg: {Share: 0.3, Wear: 1},
}

// judged is for session.ServerConfig.OnReceipt: it notes whom a shot hurts, once, which is dealt
// when all shots of the tick are known, and makes the receipt tell what friends are spared.
func (m *Match) judged(r *shot.Receipt) {
	if m.blasts(r) {
		m.pushes = append(m.pushes, *r)
	}
	if m.config.Peaceful || m.config.Immortal {
		return
	}
	m.ledger.ApplyReceipt(r, 0)
	rules, sum := m.ledger.Rules(), 0
	for i := range r.Events[:r.EventCount] {
		h, share := &r.Events[i], 1.0
		switch {
		case h.Target == r.Shooter:
			share = rules.Self
		case m.friends(uint16(r.Shooter), uint16(h.Target)):
			share = rules.Friendly
		}
		h.Damage = uint16(float64(float64(h.Damage)*share) + 0.5)
		sum += int(h.Damage)
	}
	r.Damage = uint16(min(sum, math.MaxUint16))
}

// settle deals what this tick's shots and the level do, and tells those whom it concerns.
func (m *Match) settle(now clock.Micros) {
	for id := range m.fighters {
		m.perish(uint16(id))
	}
	m.dealt = m.ledger.Settle(now, m.dealt[:0])
	for i := range m.dealt {
		m.hurt(&m.dealt[i])
	}
	for i := range m.pushes {
		m.push(&m.pushes[i])
	}
	m.pushes = m.pushes[:0]
}

// deadly is more damage than anybody survives.
const deadly = 1 << 15

// perish strikes down those who fell off the world, were crushed or went where nobody
// lives.
func (m *Match) perish(id uint16) {
	f := &m.fighters[id]
	if !f.score.Here || f.dead || f.watches || m.config.Immortal {
		return
	}
	h, ok := m.Server.State(session.PlayerID(id))
	if ok && h.Life == f.life && (h.Doomed || m.falls(&h)) {
		m.wound(id, deadly)
	}
}

// wound has somebody lose health by nobody's doing.
func (m *Match) wound(id uint16, points uint16) {
	m.ledger.Apply(damage.Hit{Target: track.ID(id), Life: m.fighters[id].life, Damage: points, Count: 1, Seen: m.Server.Now()})
}

// falls reports whether a hero is where none lives: below the kill height, or in a
// volume that kills (BAS-06).
func (m *Match) falls(h *Hero) bool {
	w := collide.WorldAt{World: m.config.World, At: m.Server.Now()}
	return h.Position.Y < m.config.KillHeight || m.game.model.Killed(&w, &h.State)
}

// hurt tells of a blow that did something.
func (m *Match) hurt(d *damage.Result) {
	v := &m.fighters[d.Target]
	if h, ok := m.Server.State(d.Attacker); ok {
		v.status.From = h.Position
	}
	v.status.Hurt++
	if d.Killed {
		m.kill(killOf(d))
	}
	m.tellStatus(uint16(d.Target))
}

// killOf is the line of the kill feed for a deadly blow: of one that nobody dealt, the
// victim's own.
func killOf(d *damage.Result) Kill {
	k := Kill{Killer: uint16(d.Attacker), Victim: uint16(d.Target)}
	if d.Attacker == 0 {
		k.Killer = k.Victim
		return k
	}
	k.Weapon, k.Part, k.Distance = d.Weapon+1, d.Tag, d.Distance
	return k
}

// kill counts a death and tells of it. The victim's body goes down a round trip
// later: what it did before its player could know still counts, so two may kill
// each other, and nobody is told that the last shots on the screen never were
// (HIT-14's grace). Who kills one of their own team has no credit for it.
func (m *Match) kill(k Kill) {
	v := &m.fighters[k.Victim]
	v.dead = true
	v.respawn = m.Server.Now() + RespawnAfter
	v.status.Respawn = RespawnAfter
	v.score.Deaths++
	if killer := &m.fighters[k.Killer]; k.Killer != k.Victim && killer.score.Here && !m.friends(k.Killer, k.Victim) {
		killer.score.Kills++
		m.tellScore(k.Killer)
	}
	v.falls = m.Server.Now() + min(m.Server.RoundTrip(session.PlayerID(k.Victim)), Grace)
	m.tellScore(k.Victim)
	m.Server.Broadcast(m.packNote(&note{kind: tellKill, kill: k}))
}

// friends reports whether two play for one team.
func (m *Match) friends(a, b uint16) bool {
	if max(a, b) >= uint16(len(m.fighters)) {
		return false
	}
	team := m.fighters[a].score.Team
	return team != 0 && team == m.fighters[b].score.Team
}

// tend returns the dead after their wait, and lays down who has died.
func (m *Match) tend(id uint16, now clock.Micros) {
	f := &m.fighters[id]
	if !f.score.Here || !f.dead || m.config.Immortal {
		return
	}
	h, ok := m.Server.State(session.PlayerID(id))
	switch {
	case now >= f.respawn:
		m.enter(id)
	case ok && f.falls != 0 && now >= f.falls:
		f.falls, h.Dead = 0, true
		m.Server.SetState(session.PlayerID(id), h)
	}
}

// Dealt appends the last blows to into, oldest first: who was hurt by whom with what and
// when, and why a blow did nothing. See damage.Ledger.Log.
func (m *Match) Dealt(into []damage.Result) []damage.Result { return m.ledger.Log(into) }
