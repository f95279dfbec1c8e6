package arena

import (
	"math"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

// How a bot walks.
const (
	planEvery = 150 * clock.Millisecond // looks for its way so often
	farAhead  = 8                       // places that it cuts across at most
	giveUp    = 700 * clock.Millisecond // of getting nowhere
)

// legs is where a bot is going.
type legs struct {
	goal  int32   // nowhere: to be chosen
	field []int32 // the way to it from everywhere
	queue []int32 // scratch of the field

	plan   clock.Micros // when to look for the way again
	here   int32        // the place it is at, nowhere if the map has none
	target geom.Vec3    // what it walks straight to
	low    bool         // the way there is to be crouched
	rest   clock.Micros // until when it stands about
	stray  clock.Micros // until when it walks off blindly
	dir    geom.Vec3    // where to, then

	from    geom.Vec3 // where it was at the last check
	check   clock.Micros
	stuck   int          // checks in a row at which it had got nowhere
	circle  clock.Micros // since when it is within a metre of around
	around  geom.Vec3
	glance  float64
	shift   clock.Micros // when it glances elsewhere
	tilt    float64
	walking bool // meant to walk since the last check
}

// reset forgets where it was going.
func (l *legs) reset() { *l = legs{goal: nowhere, here: nowhere, field: l.field, queue: l.queue} }

// wander walks from place to place and looks about.
func (b *Bot) wander(p *Player, self *Hero, now clock.Micros, dt float64) {
	l := &b.legs
	if now >= l.plan {
		l.plan = now + planEvery
		b.navigate(p, self, now)
	}
	way := l.target.Sub(self.Position).Flat(geom.Up)
	switch {
	case now < l.stray:
		way = l.dir
	case now < l.rest || way.Len() < 0.2:
		way = geom.Vec3{}
	}
	b.gaze(p, self, way, now, dt)
	b.stride(way.Unit())
	b.in.Crouch = l.low
	b.in.Reload = self.Ammo.Rounds < 15
	b.unstick(p, self, now, !way.IsZero())
}

// navigate finds out where it is, and what it can walk straight to from there on
// the way to its goal.
func (b *Bot) navigate(p *Player, self *Hero, now clock.Micros) {
	l := &b.legs
	l.here, l.low = b.Paths.Nearest(self.Position), false
	if l.here == nowhere {
		if now >= l.stray {
			b.strayFrom(p, self, now)
		}
		return
	}
	if l.goal == nowhere || l.here == l.goal || l.field[l.here] == nowhere {
		if l.here == l.goal && b.half() < 0.3 {
			l.rest = now + b.around(900*clock.Millisecond)
		}
		b.choose()
	}
	next := l.field[l.here]
	if next == nowhere {
		return
	}
	l.low = b.Paths.Low(l.here, next) || l.field[next] != nowhere && b.Paths.Low(next, l.field[next])
	for k := next; k != nowhere; k = l.field[k] {
		if k != next && !b.Paths.Straight(l.here, k) {
			break
		}
		if next = k; b.Paths.At(k).Dist(self.Position) > farAhead*pathCell {
			break
		}
	}
	l.target = b.Paths.At(next)
}

// choose sets out for some other place.
func (b *Bot) choose() { b.head(int32(float64(b.half() * float64(b.Paths.Places())))) }

// head makes a place the goal.
func (b *Bot) head(goal int32) {
	l := &b.legs
	l.goal = min(goal, int32(b.Paths.Places()-1))
	l.field, l.queue = b.Paths.Field(l.goal, l.field, l.queue)
}

// strayFrom walks off the map's blank towards where most room is.
func (b *Bot) strayFrom(p *Player, self *Hero, now clock.Micros) {
	b.legs.stray = now + b.around(clock.Second)
	b.legs.dir = geom.Forward(b.widest(p, self.Position.MulAdd(geom.Up, 0.9)))
}

// widest returns, of eight ways around, the one with the longest free view.
func (b *Bot) widest(p *Player, from geom.Vec3) float64 {
	best, reach := 0.0, 0.0
	turn := float64(b.half() * math.Pi)
	for i := range 8 {
		yaw := turn + float64(float64(i)*(math.Pi/4))
		if r := p.Reach(from, geom.Forward(yaw), 30); r > reach {
			best, reach = yaw, r
		}
	}
	return best
}

// gaze looks where the way leads, with a glance to the side now and then; at
// whoever shot, after a hit; and into the open, when it stands.
func (b *Bot) gaze(p *Player, self *Hero, way geom.Vec3, now clock.Micros, dt float64) {
	l := &b.legs
	if now >= l.shift {
		l.shift = now + b.around(1600*clock.Millisecond)
		l.glance, l.tilt = 0, float64(0.08*b.unit())
		if b.half() < 0.4 {
			l.glance = float64(1.2 * b.unit())
		}
		if way.IsZero() {
			l.dir = geom.Forward(b.widest(p, p.Eye()))
		}
	}
	ahead := way
	if way.Len() < 0.6 {
		ahead = l.dir
	}
	if ahead.IsZero() {
		ahead = geom.Forward(self.Yaw)
	}
	if now < b.eyes.alarm {
		yaw, pitch := Aim(p.Eye(), b.eyes.mark)
		b.turn(yaw, pitch, dt)
		return
	}
	climb := geom.Clamp((l.target.Y-self.Position.Y)/math.Max(way.Len(), 2), -0.6, 0.6)
	b.turn(geom.Atan2(-ahead.X, -ahead.Z)+l.glance, l.tilt+float64(0.6*climb), dt)
}

// unstick checks that the bot gets on when it means to: first it jumps and steps
// aside, then it goes where there is room, and wants to go elsewhere.
func (b *Bot) unstick(p *Player, self *Hero, now clock.Micros, means bool) {
	l := &b.legs
	l.walking = l.walking && means
	if !means || self.Position.Dist(l.around) > 1 {
		l.circle, l.around = now, self.Position
	} else if now-l.circle > 2*clock.Second { // on its feet, but to and fro
		l.circle, l.goal = now, nowhere
		b.strayFrom(p, self, now)
	}
	if now < l.check {
		b.in.Jump = l.stuck > 0 && now < l.stray
		return
	}
	moved := self.Position.Dist(l.from)
	switch {
	case !l.walking || moved > 0.6:
		l.stuck = 0
	case l.stuck == 0:
		l.stuck++
		l.stray = now + b.around(400*clock.Millisecond)
		l.dir = geom.Forward(float64(math.Pi * b.unit()))
	default:
		l.stuck++
		l.goal = nowhere
		b.strayFrom(p, self, now)
	}
	l.check, l.from, l.walking = now+giveUp, self.Position, true
}
