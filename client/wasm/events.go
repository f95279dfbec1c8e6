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

// story is what the page has been told, so that each thing is told once.
type story struct {
	scores  [session.MaxPlayers + 1]arena.Score
	health  uint8
	hurt    uint8
	dead    bool
	respawn clock.Micros // local time at which the dead player returns
	owed    int          // hits taken whose tale has not come
	owing   clock.Micros // local time since when
	lost    uint16       // health, by them
	started bool         // a first status has come
	taken   int          // corrections
	goals   arena.Goals
}

// begin forgets everything, for a new session.
func (t *story) begin() { *t = story{} }

// tell writes the events of this frame.
func (t *story) tell(p *arena.Player, local clock.Micros) {
	for i := range p.Notices {
		t.news(p, &p.Notices[i])
	}
	for i := range p.Shots {
		tellShot(p, &p.Shots[i])
	}
	for i := range p.Marks {
		tellMark(&p.Marks[i])
	}
	for i := range p.Detonations {
		tellBurst(p, &p.Detonations[i])
	}
	for i := range p.DamageEvents {
		e := &p.DamageEvents[i]
		tellHurt(e.Damage, e.From, uint32(e.Player), e.Weapon, uint8(e.Tag), e.Ago)
		t.owed, t.owing = t.owed-1, local
	}
	t.corrections(p)
	t.people(p)
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

func (t *story) news(p *arena.Player, e *session.Event) {
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
		w = vector(vector(w, e.From), e.To).flag(near(p, e.To))
		points := e.Points[:min(len(e.Points), shot.MaxPellets)]
		w = w.u8(uint8(len(points)))
		for _, at := range points {
			w = vector(w, at)
		}
		w.end()
	}
}

func (t *story) welcomed(p *arena.Player, e *session.Event) {
	if e.Text != core.hash {
		eventBlock.event(EventClosed).text("the match plays another level by now; load the page again").end()
		return
	}
	eventBlock.event(EventResume).text(hexText(p.Key())).end()
	t.weapons(p.Game().Weapons())
	if p.Phase() == session.Loading {
		p.Enter(core.world)
	}
}

// tellShot shows a shot of one's own at once: of rays all, of a blade what it met.
func tellShot(p *arena.Player, f *arena.Fired) {
	to := f.Outcome.Point
	if int(f.Weapon) < len(p.Game().Weapons()) && p.Game().Weapons()[f.Weapon].Kind == shot.Projectile {
		to = f.From.MulAdd(geom.Look(hands.look.Yaw, hands.look.Pitch), aimShown)
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

// aimShown is how far along its aim a projectile is said to have been fired, in metres.
const aimShown = 10

// tellMark tells of a hit: that it was seen, that the server agrees, or that it does not.
func tellMark(m *arena.HitMarker) {
	verdict := [...]uint8{arena.Predicted: HitPredicted, arena.Confirmed: HitConfirmed, arena.Denied: HitRefused}[m.State%3]
	eventBlock.event(EventHit).u8(verdict).u8(uint8(m.Tag)).u16(m.Damage).u32(uint32(m.Target)).
		u8(m.Weapon).u32(m.Shot).text(m.Reason.String()).end()
}

// tellBurst tells where a projectile ended.
func tellBurst(p *arena.Player, e *session.Event) {
	radius := 0.0
	if int(e.Weapon) < len(p.Game().Weapons()) {
		radius = p.Game().Weapons()[e.Weapon].Blast.Radius
	}
	w := eventBlock.event(EventBurst).u32(uint32(e.Player)).u8(e.Weapon)
	vector(w, e.To).f32(radius).flag(e.Again).end()
}

func tellHurt(damage uint16, from geom.Vec3, by uint32, weapon, part uint8, ago clock.Micros) {
	w := vector(eventBlock.event(EventHurt).u16(damage), from)
	w.u32(by).u8(weapon).u8(part).f32(ago.Seconds()).end()
}

// weapons tells what there is to fight with.
func (t *story) weapons(list []shot.Weapon) {
	w := eventBlock.event(EventWeapons).u8(uint8(len(list)))
	for i := range list {
		g := &list[i]
		w = w.text(g.Name[:min(len(g.Name), mostWeapon)]).u8(uint8(g.Kind)).u8(g.Magazine)
		w = w.f32(g.Reload.Seconds()).f32(g.Draw.Seconds())
	}
	w.end()
}

// mostWeapon is how long the name of a weapon may be.
const mostWeapon = 24

// corrections tells those that this frame applied.
func (t *story) corrections(p *arena.Player) {
	m := p.Stats().Moves
	taken := m.Corrections + m.ServerForces + m.Teleports + m.Timeouts + m.Throttles
	if taken == t.taken {
		return
	}
	list := p.Corrections()
	for i := max(len(list)-(taken-t.taken), 0); i < len(list); i++ {
		tellCorrection(&list[i])
	}
	t.taken = taken
}

// mostName is how long the name of a field may be.
const mostName = 40

func tellCorrection(c *predict.Correction) {
	named := 0
	for named < len(c.Differences) && c.Differences[named].Field != "" {
		named++
	}
	w := eventBlock.event(EventCorrection).u8(uint8(c.Cause)).flag(c.Known).f32(c.Distance)
	w = w.u16(uint16(min(c.Replayed, math.MaxUint16))).u8(uint8(named))
	for _, d := range c.Differences[:named] {
		w = w.text(d.Field[:min(len(d.Field), mostName)]).f32(d.By)
	}
	w.end()
}

// people tells who came and went, by what changed on the scoreboard.
func (t *story) people(p *arena.Player) {
	for id := range p.Scores {
		now, was := &p.Scores[id], &t.scores[id]
		switch {
		case now.Here && (!was.Here || now.Name != was.Name || now.Bot != was.Bot || now.Team != was.Team):
			eventBlock.event(EventJoined).u32(uint32(id)).flag(now.Bot).u8(now.Team).text(now.Name).end()
		case was.Here && !now.Here:
			eventBlock.event(EventLeft).u32(uint32(id)).end()
		}
		*was = *now
	}
}

// status tells a hit taken, and notes when the dead return.
func (t *story) status(p *arena.Player, local clock.Micros) {
	s := &p.Status
	t.unexplained(s, local)
	dead := s.Respawn > 0
	if dead && !t.dead {
		t.respawn = local + s.Respawn
	}
	t.dead, t.hurt, t.health = dead, s.Hurt, s.Health
	t.started = t.started || p.Client.Status() != nil
}

// unexplained tells of hits that nobody is said to have made after a while: a fall.
func (t *story) unexplained(s *arena.Status, local clock.Micros) {
	if s.Hurt != t.hurt && t.started {
		t.owed += int(s.Hurt - t.hurt)
		t.lost += uint16(t.health - min(s.Health, t.health))
		t.owing = local
	}
	if t.owed == 0 || local-t.owing > explains {
		if t.owed > 0 {
			tellHurt(t.lost, s.From, 0, 0, 0, 0)
		}
		t.owed, t.lost, t.owing = 0, 0, local
	}
}

// explains is how much later than that somebody was hurt it may be told by whom.
const explains = 250 * clock.Millisecond

func vector(w body, v geom.Vec3) body { return w.f32(v.X).f32(v.Y).f32(v.Z) }
