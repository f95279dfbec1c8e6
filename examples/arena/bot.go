package arena

import (
	"math"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/track"
)

// Skill is how well a bot plays.
type Skill struct {
	// TurnRate is how fast it turns its view, in radians a second.
	TurnRate float64
	// Shake is how far its aim wanders off the target, in radians.
	Shake float64
	// Patience is how long it looks at an enemy before it fires.
	Patience clock.Micros
	// Sight is how far it sees, in metres.
	Sight float64
}

// Skills to choose from.
var (
	// Rookie is good company for a newcomer.
	Rookie = Skill{TurnRate: 3, Shake: 0.045, Patience: 500 * clock.Millisecond, Sight: 40}
	// Sharp aims at just what it sees: for tests.
	Sharp = Skill{TurnRate: 30, Shake: 0, Patience: 0, Sight: 90}
)

// Input is what a player's hands do during one frame.
type Input struct {
	Forward, Right float64 // −1 … 1
	Yaw, Pitch     float64 // where the player looks, radians
	Jump, Crouch   bool
	Fire, Reload   bool
}

// Bot plays through a Player as a person would: it sees only what that client
// draws, and gives it only inputs. The same seed and the same sights give the
// same inputs.
type Bot struct {
	Skill  Skill
	random uint64
	last   clock.Micros

	in       Input
	heading  float64      // where it wants to walk
	until    clock.Micros // when it thinks again
	strafe   float64
	stuckAt  geom.Vec3
	stuckBy  clock.Micros
	enemy    session.PlayerID
	seen     clock.Micros // since when it sees the enemy
	shake    geom.Vec3    // yaw and pitch error, drawn anew now and then
	shakeBy  clock.Micros
	wantJump bool
}

// NewBot returns a bot whose whims come from the seed.
func NewBot(skill Skill, seed uint64) *Bot {
	return &Bot{Skill: skill, random: seed}
}

// Think returns what the bot does in the frame at now, on any clock that moves
// on.
func (b *Bot) Think(p *Player, now clock.Micros) Input {
	dt := geom.Clamp((now - b.last).Seconds(), 0, 0.1)
	b.last = now
	b.in.Fire, b.in.Jump, b.in.Reload = false, false, false
	self := p.Self()
	if self == nil || self.Dead {
		b.in.Forward, b.in.Right = 0, 0
		return b.in
	}
	if enemy, ok := b.look(p, now); ok {
		b.fight(p, enemy, now, dt)
	} else {
		b.wander(p, now, dt)
	}
	b.unstick(self, now)
	return b.in
}

// look returns the nearest enemy in sight and notes since when it is seen.
func (b *Bot) look(p *Player, now clock.Micros) (track.Sample, bool) {
	var best track.Sample
	nearest, found, who := b.Skill.Sight, false, session.PlayerID(0)
	eye := p.Eye()
	for _, r := range p.Remotes() {
		d := r.Position.Dist(eye)
		if r.Dead || d >= nearest || !p.Clear(eye, chest(&r.Sample)) {
			continue
		}
		best, nearest, found, who = r.Sample, d, true, r.ID
	}
	if !found || who != b.enemy {
		b.enemy, b.seen = who, now
	}
	return best, found
}

// chest is the middle of what can be hit of a sample's body.
func chest(s *track.Sample) geom.Vec3 {
	if s.Crouched {
		return s.Position.MulAdd(geom.Up, 0.3)
	}
	return s.Position.MulAdd(geom.Up, 1.1)
}

// fight turns to the enemy, strafes, and fires once the aim is on.
func (b *Bot) fight(p *Player, enemy track.Sample, now clock.Micros, dt float64) {
	if now >= b.shakeBy {
		b.shakeBy = now + 300*clock.Millisecond
		b.shake = geom.V(b.unit(), b.unit(), 0).Mul(b.Skill.Shake)
		b.strafe = math.Round(float64(b.unit() * 1.5))
	}
	yaw, pitch := Aim(p.Eye(), chest(&enemy))
	yaw, pitch = yaw+b.shake.X, pitch+b.shake.Y
	off := b.turn(yaw, pitch, dt)
	b.in.Right = geom.Clamp(b.strafe, -1, 1)
	b.in.Forward = 0
	if enemy.Position.Dist(p.Eye()) > 12 {
		b.in.Forward = 1
	}
	b.in.Fire = off < 0.01 && now-b.seen >= b.Skill.Patience
}

// wander walks about: straight on until a wall or a whim turns it.
func (b *Bot) wander(p *Player, now clock.Micros, dt float64) {
	self := p.Self()
	chest := self.Position.MulAdd(geom.Up, 0.9)
	if now >= b.until {
		b.until = now + clock.Second + clock.Micros(float64(2e6*b.half()))
		b.heading += float64(b.unit() * 0.8)
	}
	if !p.Clear(chest, chest.MulAdd(geom.Forward(b.heading), 2.5)) {
		b.heading = b.widest(p, chest)
	}
	b.turn(b.heading, 0, dt)
	b.in.Forward, b.in.Right = 1, 0
	b.in.Crouch = b.lowAhead(p, self.Position)
	b.in.Jump = b.wantJump || b.half() < 0.002
	b.wantJump = false
}

// widest returns, of eight ways around, the one with the longest free view.
func (b *Bot) widest(p *Player, from geom.Vec3) float64 {
	best, reach := b.heading+math.Pi, 0.0
	turn := float64(b.half() * math.Pi)
	for i := range 8 {
		yaw := turn + float64(float64(i)*(math.Pi/4))
		if r := p.Reach(from, geom.Forward(yaw), 30); r > reach {
			best, reach = yaw, r
		}
	}
	return best
}

// lowAhead reports whether the way ahead is open at the knees and closed at the
// head: something to crouch under.
func (b *Bot) lowAhead(p *Player, feet geom.Vec3) bool {
	ahead := geom.Forward(b.heading).Mul(1.2)
	knee, head := feet.MulAdd(geom.Up, 0.6), feet.MulAdd(geom.Up, 1.6)
	return p.Clear(knee, knee.Add(ahead)) && !p.Clear(head, head.Add(ahead))
}

// turn moves the view towards yaw and pitch at the bot's rate and returns how far
// off it still is, in radians.
func (b *Bot) turn(yaw, pitch, dt float64) float64 {
	limit := float64(b.Skill.TurnRate * dt)
	dy := geom.WrapAngle(yaw - b.in.Yaw)
	dp := pitch - b.in.Pitch
	b.in.Yaw = geom.WrapAngle(b.in.Yaw + geom.Clamp(dy, -limit, limit))
	b.in.Pitch += geom.Clamp(dp, -limit, limit)
	return math.Max(math.Abs(dy), math.Abs(dp)) - limit
}

// unstick jumps, then turns elsewhere, when the bot means to walk and does not
// get anywhere.
func (b *Bot) unstick(self *Hero, now clock.Micros) {
	if now < b.stuckBy {
		return
	}
	b.stuckBy = now + 700*clock.Millisecond
	moved := self.Position.Dist(b.stuckAt)
	b.stuckAt = self.Position
	if moved < 0.5 && b.in.Forward != 0 {
		b.wantJump = true
		b.heading += float64(math.Pi * b.unit())
		b.strafe = -b.strafe
	}
}

// Aim returns the yaw and pitch that look from eye to the point.
func Aim(eye, at geom.Vec3) (yaw, pitch float64) {
	d := at.Sub(eye)
	return geom.Atan2(-d.X, -d.Z), geom.Atan2(d.Y, d.Flat(geom.Up).Len())
}

// half returns a number of 0 … 1, unit one of −1 … 1.
func (b *Bot) half() float64 {
	b.random = b.random*6364136223846793005 + 1442695040888963407
	return float64(float64(b.random>>11) * (1.0 / (1 << 53)))
}

func (b *Bot) unit() float64 { return float64(2*b.half()) - 1 }
