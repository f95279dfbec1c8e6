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

// rulesOf returns a match's damage rules from its config's.
func rulesOf(r damage.Rules) damage.Rules {
	r.Health = FullHealth
	if r.Self == 0 {
		r.Self = 1
	}
	if r.Plates == ([rig.HitGroups]damage.ArmourPlate{}) {
		r.Plates = armourPlates
	}
	r.Armour = FullArmour
	return r
}

// armourPlates are the default armour: it absorbs half of the damage to the body, less
// elsewhere, and wears off by what it absorbs.
var armourPlates = [rig.HitGroups]damage.ArmourPlate{
	rig.NoHitGroup: {Share: 0.4, Wear: 1}, rig.Body: {Share: 0.5, Wear: 1}, rig.Head: {Share: 0.25, Wear: 1},
	rig.Arm: {Share: 0.3, Wear: 1}, rig.Leg: {Share: 0.3, Wear: 1},
}

// onReceipt is session.ServerConfig.OnReceipt: it collects each hit once, to be applied when
// all shots of the tick are known, and corrects the receipt for what friendly-fire rules spare.
func (m *Match) onReceipt(r *shot.Receipt) {
	if m.isBlast(r) {
		m.pushes = append(m.pushes, *r)
	}
	if m.config.Peaceful || m.config.Immortal || m.round.over {
		return
	}
	m.spareProtected(r)
	m.ledger.QueueReceipt(r, 0)
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

// applyDamage applies the damage of this tick's shots and of the level, and notifies the
// players.
func (m *Match) applyDamage(now clock.Micros) {
	for id := range m.fighters {
		m.checkDeath(uint16(id))
	}
	m.results = m.ledger.ApplyQueued(now, m.results[:0])
	for i := range m.results {
		m.recordHit(&m.results[i])
	}
	for i := range m.pushes {
		m.pushTargets(&m.pushes[i])
	}
	m.pushes = m.pushes[:0]
}

// lethalDamage is more damage than anybody survives.
const lethalDamage = 1 << 15

// checkDeath kills players that fell off the world, were crushed, or are in a volume that
// kills.
func (m *Match) checkDeath(id uint16) {
	f := &m.fighters[id]
	if !f.score.Connected || f.dead || f.spectates || m.config.Immortal {
		return
	}
	h, ok := m.Server.State(session.PlayerID(id))
	if ok && h.Life == f.life && (h.Doomed || m.isLethal(&h)) {
		m.damageByLevel(id, lethalDamage)
	}
}

// damageByLevel applies damage without an attacker.
func (m *Match) damageByLevel(id uint16, points uint16) {
	m.ledger.Queue(damage.Hit{Target: track.ID(id), Life: m.fighters[id].life, Damage: points, Count: 1, Seen: m.Server.Now()})
}

// isLethal reports whether a hero is below the kill height or in a volume that kills.
// [BAS-06]
func (m *Match) isLethal(h *Hero) bool {
	w := collide.WorldAt{World: m.config.World, At: m.Server.Now()}
	return h.Position.Y < m.config.KillHeight || m.game.model.Killed(&w, &h.State)
}

// recordHit handles a hit that did damage.
func (m *Match) recordHit(d *damage.Result) {
	v := &m.fighters[d.Target]
	v.status.Hits++
	if d.Killed {
		m.kill(killOf(d))
		m.sendKillcam(d)
	}
	m.showStatus(uint16(d.Target))
}

// killOf returns the kill-feed line of a lethal hit: without an attacker the killer is the
// victim.
func killOf(d *damage.Result) Kill {
	k := Kill{Killer: uint16(d.Attacker), Victim: uint16(d.Target)}
	if d.Attacker == 0 {
		k.Killer = k.Victim
		return k
	}
	k.Weapon, k.HitGroup, k.Distance = d.Weapon+1, d.HitGroup, d.Distance
	return k
}

// kill counts a death and broadcasts it. The victim dies a round trip later: shots that it
// fired before its player could know still count, so that two may kill each other and no
// shot seen on the screen is taken back (the grace of HIT-14). Killing a team-mate scores
// nothing.
func (m *Match) kill(k Kill) {
	v := &m.fighters[k.Victim]
	v.dead = true
	v.respawn = m.Server.Now() + RespawnAfter
	v.status.Respawn = RespawnAfter
	v.score.Deaths++
	if killer := &m.fighters[k.Killer]; k.Killer != k.Victim && killer.score.Connected && !m.friends(k.Killer, k.Victim) {
		killer.score.Kills++
		m.showScore(k.Killer)
	}
	v.falls = m.Server.Now() + min(m.Server.RoundTrip(session.PlayerID(k.Victim)), DeathGrace)
	m.showScore(k.Victim)
	m.packer.Write(m.scratch[:])
	k.pack(&m.packer)
	m.Server.Broadcast(m.packer.Bytes())
}

// friends reports whether two players are on one team.
func (m *Match) friends(a, b uint16) bool {
	if max(a, b) >= uint16(len(m.fighters)) {
		return false
	}
	team := m.fighters[a].score.Team
	return team != 0 && team == m.fighters[b].score.Team
}

// updateDead respawns the dead after their wait, and takes down those that have just died.
func (m *Match) updateDead(id uint16, now clock.Micros) {
	f := &m.fighters[id]
	if !f.score.Connected || !f.dead || m.config.Immortal {
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

// DamageLog appends the last hits to into, oldest first: attacker, target, weapon and time,
// and why a hit did nothing. See damage.Ledger.Log.
func (m *Match) DamageLog(into []damage.Result) []damage.Result { return m.ledger.Log(into) }
