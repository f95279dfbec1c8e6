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
	scores   [session.MaxPlayers + 1]arena.Score
	health   uint8
	hurt     uint8
	dead     bool
	respawn  clock.Micros // local time at which the dead player returns
	magazine uint8
	started  bool // a first status has come
	taken    int  // corrections
	goals    arena.Goals
}

// begin forgets everything, for a new session.
func (t *story) begin() {
	*t = story{magazine: arena.NewGame().Weapons()[0].Magazine}
}

// tell writes the events of this frame.
func (t *story) tell(p *arena.Player, local clock.Micros) {
	for i := range p.News {
		t.news(p, &p.News[i])
	}
	for i := range p.Shots {
		tellShot(p, &p.Shots[i])
	}
	t.corrections(p)
	t.people(p)
	for _, k := range p.Kills {
		killer := uint32(k.Killer)
		if k.Killer == k.Victim {
			killer = 0
		}
		eventBlock.event(EventKill).u32(killer).u32(uint32(k.Victim)).flag(k.Part == rig.Head).end()
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
	case session.Placed:
		if hero := p.Self(); hero != nil && !hero.Dead {
			eventBlock.event(EventSpawned).f32(hero.Yaw).end()
		}
	case session.Confirmed:
		tellVerdict(&e.Receipt)
	case session.Seen:
		w := eventBlock.event(EventShot).u32(uint32(e.Player))
		w = vector(vector(w, e.From), e.To)
		w.flag(near(p, e.To)).end()
	}
}

func (t *story) welcomed(p *arena.Player, e *session.Event) {
	if e.Text != core.hash {
		eventBlock.event(EventClosed).text("the match plays another level by now; load the page again").end()
		return
	}
	eventBlock.event(EventResume).text(hexText(p.Key())).end()
	if p.Phase() == session.Loading {
		p.Enter(core.world)
	}
}

// tellShot shows a shot of one's own at once, and its hit as predicted.
func tellShot(p *arena.Player, f *arena.Fired) {
	o := &f.Outcome
	hit := o.Kind == rewind.Player
	w := eventBlock.event(EventShot).u32(uint32(p.ID()))
	vector(vector(w, f.From), o.Point).flag(hit).end()
	if hit {
		tellHit(HitPredicted, o, 0)
	}
}

// tellVerdict confirms a hit or takes it back. A miss that was shown as a miss
// needs no word.
func tellVerdict(r *shot.Receipt) {
	switch {
	case r.Verdict == shot.Hit:
		tellHit(HitConfirmed, &r.Outcome, r.Damage)
	case !r.Agrees:
		tellHit(HitRefused, &r.Outcome, 0)
	}
}

func tellHit(verdict uint8, o *rewind.Outcome, damage uint16) {
	eventBlock.event(EventHit).u8(verdict).flag(o.Tag == rig.Head).
		u16(damage).u32(uint32(o.Target)).end()
}

// corrections tells those that this frame applied.
func (t *story) corrections(p *arena.Player) {
	m := p.Stats().Moves
	taken := m.Corrections + m.Altered + m.Placed + m.Overtaken + m.Slowed
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
		case now.Here && (!was.Here || now.Name != was.Name || now.Bot != was.Bot):
			eventBlock.event(EventJoined).u32(uint32(id)).flag(now.Bot).text(now.Name).end()
		case was.Here && !now.Here:
			eventBlock.event(EventLeft).u32(uint32(id)).end()
		}
		*was = *now
	}
}

// status tells a hit taken, and notes when the dead return.
func (t *story) status(p *arena.Player, local clock.Micros) {
	s := &p.Status
	if s.Hurt != t.hurt && t.started {
		w := eventBlock.event(EventHurt).u16(uint16(t.health - min(s.Health, t.health)))
		vector(w, s.From).end()
	}
	dead := s.Respawn > 0
	if dead && !t.dead {
		t.respawn = local + s.Respawn
	}
	t.dead, t.hurt, t.health = dead, s.Hurt, s.Health
	t.started = t.started || p.Client.Status() != nil
}

func vector(w body, v geom.Vec3) body { return w.f32(v.X).f32(v.Y).f32(v.Z) }
