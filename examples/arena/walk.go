package arena

import (
	"math"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/nav"
)

// How a bot walks.
const (
	planEvery = 150 * clock.Millisecond // looks whether its way still holds so often
	offMesh   = 1.2                     // metres off the mesh at which it is lost
	giveUp    = 700 * clock.Millisecond // of getting nowhere
	lookAhead = 4                       // metres along its way to where it looks
	elbow     = 0.4                     // metres around a character that it keeps clear of
	evadeFrom = 3.0                     // metres ahead at which it begins to step aside
	waist     = 1                       // metres above the feet at which a wall separates
)

// legs is where a bot is going.
type legs struct {
	query  nav.Query
	way    []nav.Corner // scratch
	follow nav.Follower
	goal   geom.Vec3 // unless follow is done

	plan  clock.Micros // when to look after the way again
	here  nav.Ref      // the polygon it is on, 0 off the mesh
	at    geom.Vec3    // the place on it
	low   bool         // it or what comes next is to be crouched
	rest  clock.Micros // until when it stands about
	stray clock.Micros // until when it walks off blindly
	dir   geom.Vec3    // where to, then

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
func (l *legs) reset() {
	*l = legs{query: l.query, way: l.way, follow: l.follow}
	l.follow.Stop()
}

// wander walks from place to place and looks about.
func (b *Bot) wander(p *Player, self *Hero, now clock.Micros, dt float64) {
	l := &b.legs
	b.locate(self)
	if now >= l.plan {
		l.plan = now + planEvery
		b.navigate(p, self, now)
	}
	way := l.follow.Velocity(self.Position).Div(l.follow.Speed)
	switch {
	case now < l.stray:
		way = l.dir
	case now < l.rest:
		way = geom.Vec3{}
	}
	b.gaze(p, self, way, now, dt)
	b.stride(b.evade(p, self, way))
	b.in.Crouch = l.low || b.lowAt(way)
	b.in.Reload = self.short(p.game.weapons, 2)
	b.arm(p, self, rocketMost, now)
	b.unstick(p, self, now, !way.IsZero())
}

// evade leads a way, in shares of full speed, round the nearest character that is in it,
// on the side that is nearer, if the mesh goes on there.
func (b *Bot) evade(p *Player, self *Hero, way geom.Vec3) geom.Vec3 {
	dir, near, aside := way.Unit(), evadeFrom, geom.Vec3{}
	for _, o := range p.Remotes() {
		to := o.Sample.Position.Sub(self.Position)
		ahead, right := to.Dot(dir), to.Dot(dir.Cross(geom.Up))
		if o.Sample.Dead || ahead <= 0 || ahead > near || math.Abs(right) > 2*elbow || math.Abs(to.Y) > waist ||
			!p.Clear(self.Position.MulAdd(geom.Up, waist), o.Sample.Position.MulAdd(geom.Up, waist)) {
			continue
		}
		near, aside = ahead, dir.Cross(geom.Up).Mul(math.Copysign(1-ahead/evadeFrom, -right))
	}
	if out := way.Add(aside.Mul(way.Len())).ClampLen(way.Len()); !aside.IsZero() && b.open(out.Unit(), 0.8) {
		return out
	}
	return way
}

// locate finds out where on the mesh it is.
func (b *Bot) locate(self *Hero) {
	l := &b.legs
	l.here, l.at, _ = b.Mesh.Nearest(self.Position, offMesh)
	l.low = b.Mesh.Low(l.here)
}

// lowAt reports whether the ground is low just ahead in a direction.
func (b *Bot) lowAt(dir geom.Vec3) bool {
	l := &b.legs
	end, _, _ := b.Mesh.Raycast(l.here, l.at, l.at.MulAdd(dir.Unit(), 0.7))
	return b.Mesh.Low(end)
}

// navigate finds a new goal where it has none, and a new way where it has come off
// its own.
func (b *Bot) navigate(p *Player, self *Hero, now clock.Micros) {
	l := &b.legs
	switch {
	case self.Mode == movement.Falling:
	case l.here == 0:
		if now >= l.stray {
			b.strayFrom(p, self, now)
		}
	case l.follow.Done():
		if !l.goal.IsZero() && b.half() < 0.3 {
			l.rest = now + b.around(900*clock.Millisecond)
		}
		b.choose()
	case l.follow.Kind() == nav.Walk && !b.sees(l.follow.Next().At):
		b.head(l.goal)
	}
}

// sees reports whether the mesh leads straight to a place.
func (b *Bot) sees(to geom.Vec3) bool {
	_, at, _ := b.Mesh.Raycast(b.legs.here, b.legs.at, to)
	return at.Sub(to).Flat(geom.Up).LenSq() < 0.1
}

// choose sets out for some other place that it can get to.
func (b *Bot) choose() {
	box := b.Mesh.Bounds()
	size := box.Max.Sub(box.Min)
	for range 4 {
		at := box.Min.Add(geom.V(float64(b.half()*size.X), float64(b.half()*size.Y), float64(b.half()*size.Z)))
		if _, to, ok := b.Mesh.Nearest(at, 4); ok && b.head(to) {
			return
		}
	}
}

// head makes a place the goal, if there is a way.
func (b *Bot) head(goal geom.Vec3) bool {
	l := &b.legs
	l.query.Mesh, l.query.Reach = b.Mesh, offMesh
	way, ok := l.query.Path(l.at, goal, l.way[:0])
	l.way, l.goal = way, goal
	l.follow.Follow(way)
	return ok
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
	if !way.IsZero() && now >= l.stray {
		ahead = l.follow.Ahead(self.Position, lookAhead).Sub(self.Position).Flat(geom.Up)
	}
	if ahead.Len() < 0.6 {
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
	climb := geom.Clamp((l.follow.Ahead(self.Position, lookAhead).Y-self.Position.Y)/lookAhead, -0.6, 0.6)
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
		l.circle = now
		l.follow.Stop()
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
		l.follow.Stop()
		b.strayFrom(p, self, now)
	}
	l.check, l.from, l.walking = now+giveUp, self.Position, true
}
