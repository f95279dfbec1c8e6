package arena

import (
	"math"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/track"
)

// How a bot fights.
const (
	loseTime      = 600 * clock.Millisecond // after an enemy was last seen
	tooFar        = 18.0                    // metres; it does not come nearer than that
	tooNear       = 6.0
	coverDistance = 2.5 // metres, at most
)

// aiming is which enemy a bot sees and aims at.
type aiming struct {
	next       int // the player to look for in this frame
	enemy      session.PlayerID
	since      clock.Micros // first seen
	seen       clock.Micros // last seen
	last       track.Sample // the sample of that time
	aimPoint   geom.Vec3    // the estimated position of the enemy's chest
	alertUntil clock.Micros // until then it looks where a shot came from

	aimOffset     [2]float64 // yaw and pitch from the estimated chest
	wanders       clock.Micros
	burst         int          // rounds left in this burst
	holdFireUntil clock.Micros // until then it does not fire
	weaponUntil   clock.Micros // until then it keeps the held weapon
	rocketsUntil  clock.Micros // until then it prefers rockets
	dir           geom.Vec3    // direction of its steps
	low           bool
	nextMove      clock.Micros // when it changes its movement
}

// look tracks the enemy, and in each frame tests one other player, which becomes the enemy if
// much nearer. It returns nil if there is none.
func (b *Bot) look(p *Player, now clock.Micros) *track.Sample {
	e, others := &b.eyes, p.Remotes()
	b.reactToHit(p, now)
	for i := range others {
		if others[i].ID != e.enemy {
			continue
		}
		if others[i].Dead || p.Friend(e.enemy) {
			e.enemy = 0
		} else if b.visible(p, &others[i].Sample) {
			e.seen, e.last = now, others[i].Sample
		}
	}
	if e.enemy != 0 && now-e.seen > loseTime {
		b.loseEnemy()
	}
	if len(others) == 0 {
		return nil
	}
	e.next = (e.next + 1) % len(others)
	if o := &others[e.next]; o.ID != e.enemy && !p.Friend(o.ID) && b.notices(p, &o.Sample) {
		b.eyes.enemy, e.since, e.seen, e.last = o.ID, now, now, o.Sample
		e.aimPoint = p.Chest(&o.Sample)
	}
	if e.enemy == 0 {
		return nil
	}
	return &e.last
}

// reactToHit turns to where a shot came from.
func (b *Bot) reactToHit(p *Player, now clock.Micros) {
	e := &b.eyes
	if n := len(p.DamageEvents); n > 0 && e.enemy == 0 {
		e.aimPoint = p.DamageEvents[n-1].From
		e.alertUntil = now + b.randomTime(1500*clock.Millisecond)
	}
}

// loseEnemy gives an enemy up, or goes to where it was last seen.
func (b *Bot) loseEnemy() {
	if b.random01() < 0.6 {
		b.setGoal(b.eyes.last.Position)
	}
	b.eyes.enemy = 0
}

// notices reports whether it sees a player that is a better target.
func (b *Bot) notices(p *Player, s *track.Sample) bool {
	eye := p.Eye()
	d := s.Position.Dist(eye)
	if s.Dead || d > b.Skill.SightRange || b.eyes.enemy != 0 && d > 0.6*b.eyes.last.Position.Dist(eye) {
		return false
	}
	if b.Skill.FieldOfView != 0 && d > 3 {
		yaw, _ := Aim(eye, s.Position)
		if math.Abs(geom.WrapAngle(yaw-b.in.Yaw)) > b.Skill.FieldOfView {
			return false
		}
	}
	return b.visible(p, s)
}

func (b *Bot) visible(p *Player, s *track.Sample) bool { return p.Clear(p.Eye(), p.Chest(s)) }

// fight aims, fires in bursts and keeps moving.
func (b *Bot) fight(p *Player, self *Hero, enemy *track.Sample, now clock.Micros, dt float64) {
	e := &b.eyes
	b.follow(p, enemy, now, dt)
	distance := enemy.Position.Dist(self.Position)
	b.selectWeapon(p, self, distance, now)
	yaw, pitch := Aim(p.Eye(), b.aimTarget(p, self, enemy))
	off := b.turn(yaw+e.aimOffset[0], pitch+e.aimOffset[1], dt)
	if now == e.seen {
		b.trigger(p, self, off, distance, now)
	} else {
		b.in.Reload = self.lowOnAmmo(p.game.weapons, 3)
	}
	b.dodge(p, self, enemy, now)
}

// follow moves the aim point after the enemy with a delay, and lets the aim wander.
func (b *Bot) follow(p *Player, enemy *track.Sample, now clock.Micros, dt float64) {
	e := &b.eyes
	share := 1.0
	if lag := b.Skill.AimLag.Seconds(); lag > 0 {
		share = min(dt/lag, 1)
	}
	e.aimPoint = e.aimPoint.Lerp(p.Chest(enemy), share)
	if now >= e.wanders {
		e.wanders = now + b.randomTime(350*clock.Millisecond)
		e.aimOffset = [2]float64{float64(b.randomSigned() * b.Skill.AimError), float64(b.randomSigned() * b.Skill.AimError)}
	}
}

// dodge strafes, approaches, retreats, crouches and jumps at random, within the mesh.
func (b *Bot) dodge(p *Player, self *Hero, enemy *track.Sample, now clock.Micros) {
	e, l := &b.eyes, &b.legs
	b.locate(self)
	if now >= e.nextMove {
		e.nextMove = now + b.randomTime(800*clock.Millisecond)
		whim := b.random01()
		e.low = whim < 0.12
		b.in.Jump = whim > 0.94
		if b.Skill.Rockets > 0 && b.random01() < b.Skill.Rockets {
			e.rocketsUntil = now + 3*clock.Second
		}
		e.dir = b.sidestep(p, self, enemy)
	} else if !b.canStep(e.dir) {
		e.dir = b.sidestep(p, self, enemy)
	}
	b.walkAlong(e.dir)
	b.in.Crouch = e.low
	l.walking = false
}

// sidestep chooses a direction: out of sight or backwards to reload, else sideways, towards
// a distant enemy and away from a near one; any direction if the mesh ends there.
func (b *Bot) sidestep(p *Player, self *Hero, enemy *track.Sample) geom.Vec3 {
	if self.InHand().Reload > 0 {
		if dir := b.cover(p, self, enemy); !dir.IsZero() {
			return dir
		}
	}
	way := enemy.Position.Sub(self.Position).Flat(geom.Up)
	ahead, push := way.Unit(), 0.0
	switch d := way.Len(); {
	case d > tooFar:
		push = 1
	case d < tooNear || self.InHand().Reload > 0:
		push = -1
	}
	for range 3 {
		side := math.Round(float64(1.4 * b.randomSigned()))
		dir := ahead.Mul(push).MulAdd(geom.V(-ahead.Z, 0, ahead.X), side).Unit()
		if b.canStep(dir) {
			return dir
		}
	}
	first := int(float64(b.random01() * 8))
	for i := range 8 {
		if dir := compass(first + i); b.canStep(dir) {
			return dir
		}
	}
	return geom.Vec3{}
}

// compass returns one of eight directions.
func compass(i int) geom.Vec3 { return geom.Forward(float64(float64(i%8) * (math.Pi / 4))) }

// cover returns the direction to a nearby place, in a straight line, where the enemy cannot
// see the bot; zero if there is none.
func (b *Bot) cover(p *Player, self *Hero, enemy *track.Sample) geom.Vec3 {
	eye := p.Chest(enemy).MulAdd(geom.Up, 0.4)
	for i := range 8 {
		dir := compass(i)
		behind := self.Position.MulAdd(dir, coverDistance).MulAdd(geom.Up, 1)
		if b.open(dir, coverDistance) && !p.Clear(eye, behind) {
			return dir
		}
	}
	return geom.Vec3{}
}

// canStep reports whether the mesh extends a step or two in a direction.
func (b *Bot) canStep(dir geom.Vec3) bool { return dir.IsZero() || b.open(dir, 1.25) }

// open reports whether the mesh extends that many metres in a direction, at standing
// height.
func (b *Bot) open(dir geom.Vec3, metres float64) bool {
	l := &b.legs
	end, _, hit := b.Mesh.Raycast(l.here, l.at, l.at.MulAdd(dir, metres))
	return !hit && !b.Mesh.CrouchOnly(end)
}
