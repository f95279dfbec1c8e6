package main

import (
	"math"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/examples/arena"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/predict"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
)

// pageEvents is what the page knows, so that each event is written once.
type pageEvents struct {
	scores        [session.MaxPlayers + 1]arena.Score
	health        uint8
	hurt          uint8
	dead          bool
	respawn       clock.Micros // local time at which the dead player respawns
	pendingHits   int          // hits in the status whose Damaged event has not arrived
	pendingSince  clock.Micros // local time of the first of them
	pendingDamage uint16       // health lost by them
	hasStatus     bool         // a status has arrived
	taken         int          // corrections written
	goals         arena.Goals
}

// begin resets everything for a new session.
func (t *pageEvents) begin() { *t = pageEvents{} }

// write writes the events of this frame.
func (t *pageEvents) write(p *arena.Player, local clock.Micros) {
	for i := range p.Notices {
		t.notice(p, &p.Notices[i])
	}
	for i := range p.Shots {
		writeShot(p, &p.Shots[i])
	}
	for i := range p.HitMarkers {
		writeMarker(&p.HitMarkers[i])
	}
	for i := range p.Detonations {
		writeDetonation(p, &p.Detonations[i])
	}
	for i := range p.DamageEvents {
		e := &p.DamageEvents[i]
		writeHurt(e.Damage, e.From, uint32(e.Player), e.Weapon, uint8(e.Tag), e.Ago)
		t.pendingHits, t.pendingSince = t.pendingHits-1, local
	}
	t.corrections(p)
	t.joinsAndLeaves(p)
	for _, k := range p.Kills {
		killer := uint32(k.Killer)
		if k.Killer == k.Victim {
			killer = 0
		}
		eventBlock.event(EventKill).u32(killer).u32(uint32(k.Victim)).flag(k.Part == rig.Head).u8(k.Weapon).end()
	}
	if p.Goals != t.goals {
		t.goals = p.Goals
		eventBlock.event(EventGoals).u16(t.goals.Red).u16(t.goals.Blue).u8(t.goals.Team).u32(uint32(t.goals.By)).end()
	}
	t.status(p, local)
}

func (t *pageEvents) notice(p *arena.Player, e *session.Event) {
	switch e.Kind {
	case session.Welcomed:
		t.welcomed(p, e)
	case session.Refused:
		eventBlock.event(EventClosed).text(e.Text).end()
	case session.Teleported:
		if hero := p.Self(); hero != nil && !hero.Dead {
			eventBlock.event(EventSpawned).f32(hero.Yaw).end()
		}
	case session.ClockDrift:
		eventBlock.event(EventNotice).text(e.Text).end()
	case session.ShotSeen:
		w := eventBlock.event(EventShot).u32(uint32(e.Player)).u8(e.Weapon)
		w = vector(vector(w, e.From), e.To).flag(nearPlayer(p, e.To))
		points := e.Points[:min(len(e.Points), shot.MaxPellets)]
		w = w.u8(uint8(len(points)))
		for _, at := range points {
			w = vector(w, at)
		}
		w.end()
	}
}

func (t *pageEvents) welcomed(p *arena.Player, e *session.Event) {
	if e.Text != core.hash {
		eventBlock.event(EventClosed).text("the match plays another level now; reload the page").end()
		return
	}
	key := p.Key()
	eventBlock.event(EventResume).text(string(keyText(key))).end()
	t.weapons(p.Game().Weapons())
	if p.Phase() == session.Loading {
		p.Enter(core.world)
	}
}

// writeShot writes a shot of the own player when it is fired: all rays of a gun, the hits
// of a blade.
func writeShot(p *arena.Player, f *arena.Fired) {
	to := f.Outcome.Point
	if int(f.Weapon) < len(p.Game().Weapons()) && p.Game().Weapons()[f.Weapon].Kind == shot.Projectile {
		to = f.From.MulAdd(geom.Look(devices.look.Yaw, devices.look.Pitch), aimDistance)
	}
	w := eventBlock.event(EventShot).u32(uint32(p.ID())).u8(f.Weapon)
	w = vector(vector(w, f.From), to).flag(f.Outcome.Kind == rewind.Player)
	count := 0
	for i := range f.Outcomes {
		if f.Outcomes[i] != f.Outcome {
			count++
		}
	}
	count = min(count, shot.MaxPellets)
	w = w.u8(uint8(count))
	for i := range f.Outcomes {
		if f.Outcomes[i] != f.Outcome && count > 0 {
			w = vector(w, f.Outcomes[i].Point)
			count--
		}
	}
	w.end()
}

// aimDistance is the distance of the end point that is written for a projectile when it is
// fired, in metres.
const aimDistance = 10

// writeMarker writes a hit marker: predicted, confirmed or denied.
func writeMarker(m *arena.HitMarker) {
	verdict := [...]uint8{arena.Predicted: HitPredicted, arena.Confirmed: HitConfirmed, arena.Denied: HitRefused}[m.State%3]
	eventBlock.event(EventHit).u8(verdict).u8(uint8(m.Tag)).u16(m.Damage).u32(uint32(m.Target)).
		u8(m.Weapon).u32(m.Shot).text(m.Reason.String()).end()
}

// writeDetonation writes where a projectile ended.
func writeDetonation(p *arena.Player, e *session.Event) {
	radius := 0.0
	if int(e.Weapon) < len(p.Game().Weapons()) {
		radius = p.Game().Weapons()[e.Weapon].Blast.Radius
	}
	w := eventBlock.event(EventDetonation).u32(uint32(e.Player)).u8(e.Weapon)
	vector(w, e.To).f32(radius).flag(e.Again).end()
}

func writeHurt(damage uint16, from geom.Vec3, by uint32, weapon, part uint8, ago clock.Micros) {
	w := vector(eventBlock.event(EventDamage).u16(damage), from)
	w.u32(by).u8(weapon).u8(part).f32(ago.Seconds()).end()
}

// weapons writes the weapons of the match.
func (t *pageEvents) weapons(list []shot.Weapon) {
	w := eventBlock.event(EventWeapons).u8(uint8(len(list)))
	for i := range list {
		g := &list[i]
		w = w.text(g.Name[:min(len(g.Name), maxWeaponName)]).u8(uint8(g.Kind)).u8(g.Magazine)
		w = w.f32(g.Reload.Seconds()).f32(g.Draw.Seconds())
	}
	w.end()
}

// maxWeaponName is the longest name of a weapon in an event, in bytes.
const maxWeaponName = 24

// corrections writes the corrections that this frame applied.
func (t *pageEvents) corrections(p *arena.Player) {
	m := p.Stats().Moves
	taken := m.Corrections + m.ServerForces + m.Teleports + m.Timeouts + m.Throttles
	if taken == t.taken {
		return
	}
	list := p.Corrections()
	for i := max(len(list)-(taken-t.taken), 0); i < len(list); i++ {
		writeCorrection(&list[i])
	}
	t.taken = taken
}

// maxFieldName is the longest name of a field in an event, in bytes.
const maxFieldName = 40

func writeCorrection(c *predict.Correction) {
	named := 0
	for named < len(c.Differences) && c.Differences[named].Field != "" {
		named++
	}
	w := eventBlock.event(EventCorrection).u8(uint8(c.Cause)).flag(c.Known).f32(c.Distance)
	w = w.u16(uint16(min(c.Replayed, math.MaxUint16))).u8(uint8(named))
	for _, d := range c.Differences[:named] {
		w = w.text(d.Field[:min(len(d.Field), maxFieldName)]).f32(d.By)
	}
	w.end()
}

// joinsAndLeaves writes joins and leaves, from the changes of the scoreboard.
func (t *pageEvents) joinsAndLeaves(p *arena.Player) {
	for id := range p.Scores {
		now, was := &p.Scores[id], &t.scores[id]
		switch {
		case now.Connected && (!was.Connected || now.Name != was.Name || now.Bot != was.Bot || now.Team != was.Team):
			eventBlock.event(EventJoined).u32(uint32(id)).flag(now.Bot).u8(now.Team).text(now.Name).end()
		case was.Connected && !now.Connected:
			eventBlock.event(EventLeft).u32(uint32(id)).end()
		}
		*was = *now
	}
}

// status writes hits taken and notes the time of the respawn.
func (t *pageEvents) status(p *arena.Player, local clock.Micros) {
	s := &p.Status
	t.unexplained(s, local)
	dead := s.Respawn > 0
	if dead && !t.dead {
		t.respawn = local + s.Respawn
	}
	t.dead, t.hurt, t.health = dead, s.Hurt, s.Health
	t.hasStatus = t.hasStatus || p.Client.Status() != nil
}

// unexplained writes damage without an attacker, such as a fall, once no Damaged event has
// arrived for it in time.
func (t *pageEvents) unexplained(s *arena.Status, local clock.Micros) {
	if s.Hurt != t.hurt && t.hasStatus {
		t.pendingHits += int(s.Hurt - t.hurt)
		t.pendingDamage += uint16(t.health - min(s.Health, t.health))
		t.pendingSince = local
	}
	if t.pendingHits == 0 || local-t.pendingSince > attackerTimeout {
		if t.pendingHits > 0 {
			writeHurt(t.pendingDamage, s.From, 0, 0, 0, 0)
		}
		t.pendingHits, t.pendingDamage, t.pendingSince = 0, 0, local
	}
}

// attackerTimeout is how long after a status the Damaged event that names the attacker may
// arrive.
const attackerTimeout = 250 * clock.Millisecond

func vector(w body, v geom.Vec3) body { return w.f32(v.X).f32(v.Y).f32(v.Z) }
