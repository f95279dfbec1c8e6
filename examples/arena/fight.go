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
	losesAfter = 600 * clock.Millisecond // an enemy out of sight
	tooFar     = 18.0                    // metres; nearer it does not come
	tooNear    = 6.0
	coverAt    = 2.5 // metres off, at most
)

// eyes is whom a bot sees and aims at.
type eyes struct {
	next  int // of the others, whom to look for in this frame
	enemy session.PlayerID
	since clock.Micros // first seen
	seen  clock.Micros // last seen
	last  track.Sample // as it was then
	mark  geom.Vec3    // where it believes the enemy's chest to be
	hurt  uint8        // hits taken, as last noticed
	alarm clock.Micros // until when it looks where a shot came from

	wander  [2]float64 // yaw and pitch off the mark
	wanders clock.Micros
	burst   int          // rounds left of this one
	hold    clock.Micros // until when it holds its fire
	armed   clock.Micros // until when it keeps the weapon in hand
	rockets clock.Micros // until when it has a mind to use rockets
	dir     geom.Vec3    // where it steps
	low     bool
	moves   clock.Micros // when it moves otherwise
}

// look keeps an eye on the enemy, and in each frame looks for one other player:
// whoever is much nearer is the enemy from then on. It returns nil where there is
// none.
func (b *Bot) look(p *Player, now clock.Micros) *track.Sample {
	e, others := &b.eyes, p.Remotes()
	b.startle(p, now)
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
	if e.enemy != 0 && now-e.seen > losesAfter {
		b.lose()
	}
	if len(others) == 0 {
		return nil
	}
	e.next = (e.next + 1) % len(others)
	if o := &others[e.next]; o.ID != e.enemy && !p.Friend(o.ID) && b.notices(p, &o.Sample) {
		b.eyes.enemy, e.since, e.seen, e.last = o.ID, now, now, o.Sample
		e.mark = p.Chest(&o.Sample)
	}
	if e.enemy == 0 {
		return nil
	}
	return &e.last
}

// startle turns to where a shot came from.
func (b *Bot) startle(p *Player, now clock.Micros) {
	e := &b.eyes
	if p.Status.Hurt != e.hurt && e.enemy == 0 {
		e.mark = p.Status.From.MulAdd(geom.Up, 1.1)
		e.alarm = now + b.around(1500*clock.Millisecond)
	}
	e.hurt = p.Status.Hurt
}

// lose gives an enemy up, or goes to where it was last seen.
func (b *Bot) lose() {
	if b.half() < 0.6 {
		b.head(b.eyes.last.Position)
	}
	b.eyes.enemy = 0
}

// notices reports whether it sees a player who would be a better enemy.
func (b *Bot) notices(p *Player, s *track.Sample) bool {
	eye := p.Eye()
	d := s.Position.Dist(eye)
	if s.Dead || d > b.Skill.SightRange || b.eyes.enemy != 0 && d > 0.6*b.eyes.last.Position.Dist(eye) {
		return false
	}
	if b.Skill.Field != 0 && d > 3 {
		yaw, _ := Aim(eye, s.Position)
		if math.Abs(geom.WrapAngle(yaw-b.in.Yaw)) > b.Skill.Field {
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
	b.arm(p, self, distance, now)
	yaw, pitch := Aim(p.Eye(), b.aims(p, self, enemy))
	off := b.turn(yaw+e.wander[0], pitch+e.wander[1], dt)
	if now == e.seen {
		b.trigger(p, self, off, distance, now)
	} else {
		b.in.Reload = self.short(p.game.weapons, 3)
	}
	b.dodge(p, self, enemy, now)
}

// follow moves the mark after the enemy, late, and lets the aim wander.
func (b *Bot) follow(p *Player, enemy *track.Sample, now clock.Micros, dt float64) {
	e := &b.eyes
	share := 1.0
	if lag := b.Skill.Lag.Seconds(); lag > 0 {
		share = math.Min(dt/lag, 1)
	}
	e.mark = e.mark.Lerp(p.Chest(enemy), share)
	if now >= e.wanders {
		e.wanders = now + b.around(350*clock.Millisecond)
		e.wander = [2]float64{float64(b.unit() * b.Skill.Shake), float64(b.unit() * b.Skill.Shake)}
	}
}

// dodge strafes, comes near, draws back, crouches and jumps, by whim, but stays
// on the mesh.
func (b *Bot) dodge(p *Player, self *Hero, enemy *track.Sample, now clock.Micros) {
	e, l := &b.eyes, &b.legs
	b.locate(self)
	if now >= e.moves {
		e.moves = now + b.around(800*clock.Millisecond)
		whim := b.half()
		e.low = whim < 0.12
		b.in.Jump = whim > 0.94
		if b.Skill.Rockets > 0 && b.half() < b.Skill.Rockets {
			e.rockets = now + 3*clock.Second
		}
		e.dir = b.sidestep(p, self, enemy)
	} else if !b.free(e.dir) {
		e.dir = b.sidestep(p, self, enemy)
	}
	b.stride(e.dir)
	b.in.Crouch = e.low
	l.walking = false
}

// sidestep chooses where to step: out of sight or back to reload, else to a side,
// nearer to a far enemy and away from a near one; where the mesh ends
// there, anywhere it goes on.
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
		side := math.Round(float64(1.4 * b.unit()))
		dir := ahead.Mul(push).MulAdd(geom.V(-ahead.Z, 0, ahead.X), side).Unit()
		if b.free(dir) {
			return dir
		}
	}
	first := int(float64(b.half() * 8))
	for i := range 8 {
		if dir := compass(first + i); b.free(dir) {
			return dir
		}
	}
	return geom.Vec3{}
}

// compass returns one of eight directions.
func compass(i int) geom.Vec3 { return geom.Forward(float64(float64(i%8) * (math.Pi / 4))) }

// cover returns the way to a place nearby, in a straight line, where the enemy
// would not see it; the zero vector where there is none.
func (b *Bot) cover(p *Player, self *Hero, enemy *track.Sample) geom.Vec3 {
	eye := p.Chest(enemy).MulAdd(geom.Up, 0.4)
	for i := range 8 {
		dir := compass(i)
		behind := self.Position.MulAdd(dir, coverAt).MulAdd(geom.Up, 1)
		if b.open(dir, coverAt) && !p.Clear(eye, behind) {
			return dir
		}
	}
	return geom.Vec3{}
}

// free reports whether the mesh goes on in a direction, a step or two.
func (b *Bot) free(dir geom.Vec3) bool { return dir.IsZero() || b.open(dir, 1.25) }

// open reports whether the mesh goes on so many metres in a direction, for one who
// stands upright.
func (b *Bot) open(dir geom.Vec3, metres float64) bool {
	l := &b.legs
	end, _, hit := b.Mesh.Raycast(l.here, l.at, l.at.MulAdd(dir, metres))
	return !hit && !b.Mesh.CrouchOnly(end)
}
