package arena

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// How a bot chooses its weapon by the distance of its enemy.
const (
	adjacent       = 1.7 // metres: the sword
	shotgunNear    = 6.5 // the shotgun, until the enemy is at shotgunFar
	shotgunFar     = 9.0
	rocketLeast    = 7.0 // a nearer rocket would hurt its shooter
	rocketMost     = 25.0
	weaponHoldTime = 1200 * clock.Millisecond // how long a weapon is kept
)

// roles are the weapons of a table by their use for a bot: the index, or −1 for none.
type roles struct{ rifle, shotgun, rocket, sword int }

// rolesOf returns the first weapon for each role.
func rolesOf(t shot.Table) roles {
	r := roles{-1, -1, -1, -1}
	for i := range t {
		role := &r.rifle
		switch w := &t[i]; {
		case w.Kind == shot.Melee:
			role = &r.sword
		case w.Kind == shot.Projectile && (w.Flight.Gravity != 0 || w.Flight.Bounce != 0):
			continue // bots cannot throw
		case w.Kind == shot.Projectile:
			role = &r.rocket
		case w.Pellets > 1:
			role = &r.shotgun
		}
		if *role < 0 {
			*role = i
		}
	}
	return r
}

// selectWeapon selects a weapon for an enemy at a distance in metres.
func (b *Bot) selectWeapon(p *Player, self *Hero, distance float64, now clock.Micros) {
	r, held := rolesOf(p.game.weapons), int(self.Loadout.Held)
	want := b.bestWeapon(&r, self, distance, now)
	if want < 0 || want == held || now < b.eyes.weaponUntil && want != r.sword || self.Loadout.Swing > 0 || self.Loadout.Next != 0 {
		return
	}
	b.eyes.weaponUntil = now + weaponHoldTime
	b.in.Select = uint8(want) + 1
}

func (b *Bot) bestWeapon(r *roles, self *Hero, distance float64, now clock.Micros) int {
	near := shotgunNear
	if int(self.Loadout.Held) == r.shotgun {
		near = shotgunFar
	}
	has := func(i int) bool { return i >= 0 && self.Loadout.Ammo[i].Rounds > 0 && self.Loadout.Ammo[i].Reload == 0 }
	switch {
	case r.sword >= 0 && distance < adjacent:
		return r.sword
	case distance < near && has(r.shotgun):
		return r.shotgun
	case now < b.eyes.rocketsUntil && distance > rocketLeast && distance < rocketMost && has(r.rocket):
		return r.rocket
	case r.rifle >= 0:
		return r.rifle
	}
	return int(self.Loadout.Held)
}

// aimTarget returns where to aim with the held weapon: at the estimated position of the
// enemy's chest, or with a rocket at the feet, where they will be when it arrives.
func (b *Bot) aimTarget(p *Player, self *Hero, enemy *track.Sample) geom.Vec3 {
	e := &b.eyes
	if p.kind(self.Loadout.Held) != shot.Projectile {
		return e.aimPoint
	}
	w := &p.game.weapons[self.Loadout.Held]
	away := e.aimPoint.Dist(p.Eye()) / max(w.Flight.Speed, 1)
	lead := enemy.Velocity.Flat(geom.Up).Mul(away)
	return e.aimPoint.Add(lead).MulAdd(geom.Up, -0.8)
}

// trigger fires when the aim is good enough: after a reaction time, in bursts with pauses.
func (b *Bot) trigger(p *Player, self *Hero, off, distance float64, now clock.Micros) {
	e := &b.eyes
	if now-e.since < b.Skill.ReactionTime || now < e.holdFireUntil || !self.Loadout.Ready() {
		return
	}
	near, single := max(float64(1.25*b.Skill.AimError), 0.01), true
	switch w := &p.game.weapons[self.Loadout.Held]; {
	case w.Kind == shot.Melee:
		near = 0.4
		if distance > w.Range-0.2 {
			return
		}
	case w.Kind == shot.Projectile:
		if distance < rocketLeast-1 {
			return
		}
	default:
		single = w.Pellets > 1
	}
	if off > near {
		return
	}
	b.in.Fire = true
	switch {
	case b.Skill.Burst == 0:
	case single:
		e.holdFireUntil = now + b.randomTime(b.Skill.Pause/2)
	default:
		b.count(now)
	}
}

// count counts the rounds of a burst, and pauses after it.
func (b *Bot) count(now clock.Micros) {
	e := &b.eyes
	if e.burst--; e.burst <= 0 {
		e.burst = b.Skill.Burst - 1 + int(float64(b.random01()*4))
		e.holdFireUntil = now + b.randomTime(b.Skill.Pause)
	}
}
