package arena

import (
	"math"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/nav"
)

// Skill is how well a bot plays. Zeros make it better, but for Sight.
type Skill struct {
	// TurnRate is how fast its view turns at most, in radians a second; zero turns
	// at once.
	TurnRate float64
	// Ease is how gently the view settles, in seconds; zero stops dead.
	Ease float64
	// Field is how far to either side it notices an enemy, in radians; zero is
	// all around.
	Field float64
	// SightRange is how far it sees, in metres; zero sees nobody.
	SightRange float64
	// Patience is how long it looks at an enemy before it fires.
	Patience clock.Micros
	// Lag is how far behind a moving enemy its aim is.
	Lag clock.Micros
	// Shake is how far its aim wanders off the target, in radians.
	Shake float64
	// Burst is how many rounds it fires in a row, about; zero holds the trigger.
	Burst int
	// Pause is how long it waits between bursts, about.
	Pause clock.Micros
	// Rockets is how often, 0 … 1 of its whims, it has a mind to use a rocket launcher, at
	// middle range; zero never.
	Rockets float64
}

// Skills to choose from. What they hit was measured at 15 m, standing still,
// with another of their kind for a target: TestHowWellBotsShoot prints it.
var (
	// Rookie is good company for a newcomer: it hits with one round in five.
	Rookie = Skill{TurnRate: 3, Ease: 0.12, Field: 1.1, SightRange: 40, Patience: 600 * clock.Millisecond,
		Lag: 140 * clock.Millisecond, Shake: 0.024, Burst: 4, Pause: 700 * clock.Millisecond, Rockets: 0.04}
	// Veteran is for those who have played before.
	Veteran = Skill{TurnRate: 6, Ease: 0.08, Field: 1.4, SightRange: 60, Patience: 300 * clock.Millisecond,
		Lag: 40 * clock.Millisecond, Shake: 0.012, Burst: 6, Pause: 350 * clock.Millisecond, Rockets: 0.06}
	// Sharp aims at just what it sees: for tests.
	Sharp = Skill{TurnRate: 30, SightRange: 90}
)

// Input is what a player's hands do during one frame.
type Input struct {
	Forward, Right float64 // −1 … 1
	Yaw, Pitch     float64 // where the player looks, radians
	Jump, Crouch   bool
	Fire, Reload   bool
	Dash, Hook     bool
	Shield, Aim    bool // held up; aimed down
	// Select is the number, from 1, of the weapon to take in hand, 0 for none. Next goes on
	// by so many, negative back. Melee strikes: it takes the sword in hand first.
	Select uint8
	Next   int
	Melee  bool
	// Shot is where Fire goes, yaw and pitch, if elsewhere than the player looks.
	Shot *[2]float64
}

// Bot plays through a Player as a person would: it sees only what that client
// draws, and gives it only inputs. The same seed and the same sights give the
// same inputs. Its legs are in walk.go, its eyes and its trigger in fight.go.
type Bot struct {
	Skill Skill
	// Mesh is what it finds its way by: Mesh makes it. Share one among the bots of a
	// level: a bot without bakes its own, which takes some tenths of a second, when it
	// first stands in the world.
	Mesh *nav.Mesh

	random uint64
	last   clock.Micros
	born   bool  // has been alive
	life   uint8 // which life it is
	in     Input
	rate   [2]float64 // of the view's yaw and pitch, radians a second

	legs legs
	eyes eyes
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
	b.in.Fire, b.in.Jump, b.in.Reload, b.in.Crouch = false, false, false, false
	b.in.Forward, b.in.Right, b.in.Select = 0, 0, 0
	self := p.Self()
	if self == nil || self.Dead {
		return b.in
	}
	if !b.born || self.Life != b.life {
		b.begin(p, self)
	}
	if enemy := b.look(p, now); enemy != nil {
		b.fight(p, self, enemy, now, dt)
	} else {
		b.wander(p, self, now, dt)
	}
	return b.in
}

// begin is a new life: nothing of the last one matters.
func (b *Bot) begin(p *Player, self *Hero) {
	if b.Mesh == nil {
		b.Mesh = meshOf(p.World().World, self.Position)
	}
	b.born, b.life = true, self.Life
	b.in.Yaw, b.in.Pitch, b.rate = self.Yaw, 0, [2]float64{}
	b.legs.reset()
	b.legs.follow.Speed, b.legs.follow.Acceleration, b.legs.follow.CornerRadius = movement.DefaultModel().MaxWalkSpeed, 12, 0.3
	b.eyes = eyes{hurt: p.Status.Hurt}
}

// turn moves the view towards yaw and pitch, at the bot's rate and with its ease,
// and returns how far off it still is, in radians.
func (b *Bot) turn(yaw, pitch, dt float64) float64 {
	dy, dp := geom.WrapAngle(yaw-b.in.Yaw), pitch-b.in.Pitch
	b.rate[0], b.rate[1] = b.eased(b.rate[0], dy, dt), b.eased(b.rate[1], dp, dt)
	b.in.Yaw = geom.WrapAngle(b.in.Yaw + float64(b.rate[0]*dt))
	b.in.Pitch = geom.Clamp(b.in.Pitch+float64(b.rate[1]*dt), -1.3, 1.3)
	return math.Max(math.Abs(geom.WrapAngle(yaw-b.in.Yaw)), math.Abs(pitch-b.in.Pitch))
}

// eased returns the rate at which an angle that is off by so much turns next: no
// faster than the limit, and for who has ease, in no jerk and so that it stops in
// time.
func (b *Bot) eased(rate, off, dt float64) float64 {
	limit, at := b.Skill.TurnRate, off/math.Max(dt, 1e-6)
	switch {
	case limit == 0:
		return at
	case b.Skill.Ease == 0:
		return geom.Clamp(at, -limit, limit)
	}
	effort := limit / b.Skill.Ease // radians a second, each second
	limit = math.Min(limit, math.Sqrt(float64(effort*math.Abs(off))))
	want := geom.Clamp(off/math.Max(b.Skill.Ease, 2*dt), -limit, limit)
	return rate + geom.Clamp(want-rate, -float64(effort*dt), float64(effort*dt))
}

// stride makes the legs go along a flat unit vector, wherever the eyes look.
func (b *Bot) stride(dir geom.Vec3) {
	b.in.Forward, b.in.Right = dir.Dot(geom.Forward(b.in.Yaw)), dir.Dot(geom.Right(b.in.Yaw))
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

// around returns a time of half to one and a half times t.
func (b *Bot) around(t clock.Micros) clock.Micros {
	return clock.Micros(float64(float64(t) * (0.5 + b.half())))
}
