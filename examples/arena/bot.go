package arena

import (
	"math"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/nav"
)

// Skill is how well a bot plays. Zero makes it better, except for SightRange.
type Skill struct {
	// TurnRate is the largest rate at which its view turns, in radians per second; zero
	// turns instantly.
	TurnRate float64
	// Smoothing is the time in which the view settles, in seconds; zero stops at once.
	Smoothing float64
	// FieldOfView is how far to either side it notices an enemy, in radians; zero is all
	// around.
	FieldOfView float64
	// SightRange is how far it sees, in metres; zero sees nobody.
	SightRange float64
	// ReactionTime is how long it looks at an enemy before it fires.
	ReactionTime clock.Micros
	// AimLag is by how much its aim lags behind a moving enemy.
	AimLag clock.Micros
	// AimError is how far its aim wanders off the target, in radians.
	AimError float64
	// Burst is about how many rounds it fires in a row; zero holds the trigger.
	Burst int
	// Pause is about how long it waits between bursts.
	Pause clock.Micros
	// Rockets is the probability, 0 … 1 per decision, that it uses a rocket launcher at
	// middle range; zero never.
	Rockets float64
}

// SkillNames are the words of SkillNamed, the weakest first.
var SkillNames = [...]string{"easy", "normal", "hard"}

// SkillNamed returns the skill of a word of SkillNames; false for any other word.
func SkillNamed(name string) (Skill, bool) {
	for i, skill := range [...]Skill{Easy, Rookie, Veteran} {
		if SkillNames[i] == name {
			return skill, true
		}
	}
	return Skill{}, false
}

// Predefined skills. Their hit rates are measured at 15 m, standing still, against a bot of
// the same skill: TestHowWellBotsShoot prints them.
var (
	// Easy is for a first visit: TestSlowHowLongANewcomerLives prints how long such a player lives among four.
	Easy = Skill{TurnRate: 2, Smoothing: 0.18, FieldOfView: 0.8, SightRange: 30, ReactionTime: 1100 * clock.Millisecond,
		AimLag: 260 * clock.Millisecond, AimError: 0.055, Burst: 3, Pause: 1500 * clock.Millisecond}
	// Rookie is for beginners: it hits with one round in five.
	Rookie = Skill{TurnRate: 3, Smoothing: 0.12, FieldOfView: 1.1, SightRange: 40, ReactionTime: 600 * clock.Millisecond,
		AimLag: 140 * clock.Millisecond, AimError: 0.024, Burst: 4, Pause: 700 * clock.Millisecond, Rockets: 0.04}
	// Veteran is for experienced players.
	Veteran = Skill{TurnRate: 6, Smoothing: 0.08, FieldOfView: 1.4, SightRange: 60, ReactionTime: 300 * clock.Millisecond,
		AimLag: 40 * clock.Millisecond, AimError: 0.012, Burst: 6, Pause: 350 * clock.Millisecond, Rockets: 0.06}
	// Sharp aims perfectly: for tests.
	Sharp = Skill{TurnRate: 30, SightRange: 90}
)

// Input is what a player's devices say in one frame.
type Input struct {
	Forward, Right float64 // −1 … 1
	Yaw, Pitch     float64 // view direction, radians
	Jump, Crouch   bool    // whether the keys are held
	Fire, Reload   bool    // held
	Dash, Hook     bool    // held
	Shield, Aim    bool    // held
	// Select is the number, from 1, of the weapon to hold, 0 for no change. Next selects
	// by offset, negative backwards. Melee strikes, after selecting the sword.
	Select uint8
	Next   int
	Melee  bool
	// Shot is the direction of Fire, yaw and pitch; nil means the view direction.
	Shot *[2]float64
}

// Bot plays through a Player as a person would: it sees only what that client draws, and
// produces only inputs. The same seed and the same views give the same inputs. Its walking
// is in botwalk.go, its fighting in botfight.go.
type Bot struct {
	// Skill is read at every Think. The zero Skill sees nobody: the bot only walks.
	Skill Skill
	// Mesh is its navigation mesh, made by the function Mesh. Share one among the bots of
	// a level: a bot without one bakes its own when it first spawns, which takes some
	// tenths of a second.
	Mesh *nav.Mesh

	random uint64
	last   clock.Micros
	born   bool  // has been alive
	life   uint8 // the current life
	in     Input
	rate   [2]float64 // of the view's yaw and pitch, radians per second

	legs locomotion
	eyes aiming
}

// NewBot returns a bot that makes its random choices from the seed.
func NewBot(skill Skill, seed uint64) *Bot {
	return &Bot{Skill: skill, random: seed}
}

// Think returns the bot's input for the frame at now, by any monotonic clock.
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
		b.startLife(p, self)
	}
	if enemy := b.look(p, now); enemy != nil {
		b.fight(p, self, enemy, now, dt)
	} else {
		b.wander(p, self, now, dt)
	}
	return b.in
}

// startLife resets the state of the last life.
func (b *Bot) startLife(p *Player, self *Hero) {
	if b.Mesh == nil {
		b.Mesh = meshOrEmpty(p.World().World, self.Position)
	}
	b.born, b.life = true, self.Life
	b.in.Yaw, b.in.Pitch, b.rate = self.Yaw, 0, [2]float64{}
	b.legs.reset()
	b.legs.follow.Speed, b.legs.follow.Acceleration, b.legs.follow.CornerRadius = movement.DefaultModel().MaxWalkSpeed, 12, 0.3
	b.eyes = aiming{}
}

// turn turns the view towards yaw and pitch, at the bot's rate and smoothing, and returns
// the remaining angle in radians.
func (b *Bot) turn(yaw, pitch, dt float64) float64 {
	dy, dp := geom.WrapAngle(yaw-b.in.Yaw), pitch-b.in.Pitch
	b.rate[0], b.rate[1] = b.turnSpeed(b.rate[0], dy, dt), b.turnSpeed(b.rate[1], dp, dt)
	b.in.Yaw = geom.WrapAngle(b.in.Yaw + float64(b.rate[0]*dt))
	b.in.Pitch = geom.Clamp(b.in.Pitch+float64(b.rate[1]*dt), -1.3, 1.3)
	return max(math.Abs(geom.WrapAngle(yaw-b.in.Yaw)), math.Abs(pitch-b.in.Pitch))
}

// turnSpeed returns the next turn rate for a remaining angle: within the limit and, with
// smoothing, without a jump of the rate and in time to stop.
func (b *Bot) turnSpeed(rate, off, dt float64) float64 {
	limit, at := b.Skill.TurnRate, off/max(dt, 1e-6)
	switch {
	case limit == 0:
		return at
	case b.Skill.Smoothing == 0:
		return geom.Clamp(at, -limit, limit)
	}
	effort := limit / b.Skill.Smoothing // radians per second squared
	limit = min(limit, math.Sqrt(float64(effort*math.Abs(off))))
	want := geom.Clamp(off/max(b.Skill.Smoothing, 2*dt), -limit, limit)
	return rate + geom.Clamp(want-rate, -float64(effort*dt), float64(effort*dt))
}

// walkAlong moves along a flat unit vector, whatever the view direction.
func (b *Bot) walkAlong(dir geom.Vec3) {
	b.in.Forward, b.in.Right = dir.Dot(geom.Forward(b.in.Yaw)), dir.Dot(geom.Right(b.in.Yaw))
}

// Aim returns the yaw and pitch from eye to a point.
func Aim(eye, at geom.Vec3) (yaw, pitch float64) {
	d := at.Sub(eye)
	return geom.Yaw(d), geom.Pitch(d)
}

// random01 returns a number of 0 … 1, randomSigned one of −1 … 1.
func (b *Bot) random01() float64 {
	b.random = b.random*6364136223846793005 + 1442695040888963407
	return float64(float64(b.random>>11) * (1.0 / (1 << 53)))
}

func (b *Bot) randomSigned() float64 { return float64(2*b.random01()) - 1 }

// randomTime returns a time of half to one and a half times t.
func (b *Bot) randomTime(t clock.Micros) clock.Micros {
	return clock.Micros(float64(float64(t) * (0.5 + b.random01())))
}
