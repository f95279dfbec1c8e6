package main

import (
	"math"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/examples/arena"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// seenState is what the page knows of a session, so that each event comes once.
type seenState struct {
	health        uint8
	hits          uint8
	dead          bool
	respawn       clock.Micros // local time at which the dead player respawns
	pendingHits   int          // counted hits whose Damaged event has not arrived
	pendingSince  clock.Micros // local time of the first of them
	pendingDamage uint16       // health lost by them
	hasStatus     bool         // the player's fields have arrived
	goals         arena.Goals
}

// seen is of the present session.
var seen seenState

// drawEvents fills what happened in this frame.
func drawEvents(p *arena.Player, local clock.Micros) {
	b := &block
	b.Joins, b.Leaves, b.Notices = b.Joins[:0], b.Leaves[:0], b.Notices[:0]
	b.Tracers, b.Detonations, b.Hurts, b.Spawned = b.Tracers[:0], b.Detonations[:0], b.Hurts[:0], false
	for i := range p.Notices {
		notice(p, &p.Notices[i])
	}
	for i := range p.Shots {
		ownTracer(p, &p.Shots[i])
	}
	for i := range p.Detonations {
		e := &p.Detonations[i]
		b.Detonations = append(b.Detonations, Detonation{e.Player, e.Weapon, e.To, blastRadius(p, e.Weapon), e.Corrected})
	}
	for i := range p.DamageEvents {
		e := &p.DamageEvents[i]
		b.Hurts = append(b.Hurts, Hurt{e.Damage, e.From, e.Player, e.Weapon, e.HitGroup, e.Ago})
		seen.pendingHits, seen.pendingSince = seen.pendingHits-1, local
	}
	joinsAndLeaves(p)
	b.Scored = p.Goals != seen.goals
	seen.goals = p.Goals
}

// notice handles an event of the session.
func notice(p *arena.Player, e *session.Event) {
	switch e.Kind {
	case session.Teleported:
		hero := p.Self()
		block.Spawned = block.Spawned || hero != nil && !hero.Dead
	case session.ClockDrift:
		block.Notices = append(block.Notices, e.Text)
	case session.ShotSeen:
		block.Tracers = append(block.Tracers, Tracer{e.Player, e.Weapon, e.From, e.To, nearPlayer(p, e.To), e.Points})
	}
}

// aimDistance is the distance of the end point of a projectile that is just fired, in metres.
const aimDistance = 10

// ownTracer appends a shot of the own player when it is fired: all rays of a gun, the hits of a
// blade.
func ownTracer(p *arena.Player, f *arena.Fired) {
	t := Tracer{p.ID(), f.Weapon, f.From, f.Outcome.Point, f.Outcome.Kind == rewind.Player, nil}
	if weapons := p.Game().Weapons(); int(f.Weapon) < len(weapons) && weapons[f.Weapon].Kind == shot.Projectile {
		t.To = f.From.MulAdd(geom.Look(controls.Yaw, controls.Pitch), aimDistance)
	}
	for i := range f.Outcomes {
		if f.Outcomes[i] != f.Outcome {
			t.Ends = append(t.Ends, f.Outcomes[i].Point)
		}
	}
	block.Tracers = append(block.Tracers, t)
}

// blastRadius returns that of a weapon, 0 of none.
func blastRadius(p *arena.Player, weapon uint8) float64 {
	if weapons := p.Game().Weapons(); int(weapon) < len(weapons) {
		return weapons[weapon].Blast.Radius
	}
	return 0
}

// nearPlayer reports whether a drawn player is within a metre of a point, so that a shot
// that ended there looks like a hit.
func nearPlayer(p *arena.Player, point geom.Vec3) bool {
	for _, r := range p.Remotes() {
		d := point.Sub(r.Position)
		if math.Abs(d.X) < 0.7 && math.Abs(d.Z) < 0.7 && d.Y > -0.2 && d.Y < 2 {
			return true
		}
	}
	return false
}

// joinsAndLeaves brings the scoreboard up to date, and fills joins and leaves from its changes.
func joinsAndLeaves(p *arena.Player) {
	if n := int(p.MaxPlayerID()) + 1; len(block.Scores) < n {
		block.Scores = append(block.Scores, make([]arena.Score, n-len(block.Scores))...)
	}
	for id := range block.Scores {
		now, was := p.Score(track.ID(id)), &block.Scores[id]
		switch {
		case now.Connected && (!was.Connected || now.Name != was.Name || now.Bot != was.Bot || now.Team != was.Team):
			block.Joins = append(block.Joins, Join{track.ID(id), now.Bot, now.Team, now.Name})
		case was.Connected && !now.Connected:
			block.Leaves = append(block.Leaves, track.ID(id))
		}
		*was = now
	}
}

// drawStatus fills hits taken without an attacker, the time until the respawn and the warning of
// a high ping.
func drawStatus(p *arena.Player, local clock.Micros) {
	s := &p.Status
	unexplained(s, local)
	dead := s.Respawn > 0
	if dead && !seen.dead {
		seen.respawn = local + s.Respawn
	}
	seen.dead, seen.hits, seen.health = dead, s.Hits, s.Health
	seen.hasStatus = p.Score(p.ID()).Connected
	block.Respawn = 0
	if hero := p.Self(); hero != nil && hero.Dead {
		block.Respawn = max(seen.respawn-local, 0)
	}
	block.HighPing = p.Ping.Shown()
}

// unexplained appends damage without an attacker, such as a fall, once no Damaged event has
// arrived for it in time.
func unexplained(s *arena.Status, local clock.Micros) {
	if s.Hits != seen.hits && seen.hasStatus {
		seen.pendingHits += int(s.Hits - seen.hits)
		seen.pendingDamage += uint16(seen.health - min(s.Health, seen.health))
		seen.pendingSince = local
	}
	if seen.pendingHits == 0 || local-seen.pendingSince > attackerTimeout {
		if seen.pendingHits > 0 {
			block.Hurts = append(block.Hurts, Hurt{Damage: seen.pendingDamage})
		}
		seen.pendingHits, seen.pendingDamage, seen.pendingSince = 0, 0, local
	}
}

// attackerTimeout is how long after its health the Damaged event that names the attacker may
// arrive.
const attackerTimeout = 250 * clock.Millisecond
