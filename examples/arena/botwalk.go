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
	planEvery     = 150 * clock.Millisecond // between checks of its path
	offMesh       = 1.2                     // metres off the mesh at which it is lost
	stuckTime     = 700 * clock.Millisecond // without progress
	lookAhead     = 4                       // metres along its path to the point it looks at
	personalSpace = 0.4                     // metres around another character
	avoidFrom     = 3.0                     // metres ahead at which it begins to step aside
	wallHeight    = 1                       // metres above the feet at which walls are tested
)

// locomotion is where a bot is going.
type locomotion struct {
	query  nav.Query
	path   []nav.Corner // scratch
	follow nav.Follower
	goal   geom.Vec3 // unless follow is done

	nextPlan   clock.Micros // when to check the path again
	here       nav.Ref      // the polygon it is on, 0 off the mesh
	at         geom.Vec3    // the place on it
	low        bool         // its place, or the next, needs crouching
	restUntil  clock.Micros // until then it stands
	strayUntil clock.Micros // until then it walks blindly
	dir        geom.Vec3    // the direction then

	from          geom.Vec3 // where it was at the last check
	check         clock.Micros
	stuck         int          // successive checks without progress
	circlingSince clock.Micros // since when it is within a metre of around
	around        geom.Vec3
	glance        float64
	nextGlance    clock.Micros // when it next glances aside
	tilt          float64
	walking       bool // has meant to walk since the last check
}

// reset forgets the goal and the path.
func (l *locomotion) reset() {
	*l = locomotion{query: l.query, path: l.path, follow: l.follow}
	l.follow.Stop()
}

// wander walks from place to place and looks around.
func (b *Bot) wander(p *Player, self *Hero, now clock.Micros, dt float64) {
	l := &b.legs
	b.locate(self)
	if now >= l.nextPlan {
		l.nextPlan = now + planEvery
		b.navigate(p, self, now)
	}
	way := l.follow.Velocity(self.Position).Div(l.follow.Speed)
	switch {
	case now < l.strayUntil:
		way = l.dir
	case now < l.restUntil:
		way = geom.Vec3{}
	}
	b.lookAround(p, self, way, now, dt)
	b.walkAlong(b.avoidOthers(p, self, way))
	b.in.Crouch = l.low || b.lowAt(way)
	b.in.Reload = self.lowOnAmmo(p.game.weapons, 2)
	b.selectWeapon(p, self, rocketMost, now)
	b.unstick(p, self, now, !way.IsZero())
}

// avoidOthers steers a direction, scaled to full speed, around the nearest character in
// the way, on the nearer side, if the mesh extends there.
func (b *Bot) avoidOthers(p *Player, self *Hero, way geom.Vec3) geom.Vec3 {
	dir, near, aside := way.Unit(), avoidFrom, geom.Vec3{}
	for _, o := range p.Remotes() {
		to := o.Sample.Position.Sub(self.Position)
		ahead, right := to.Dot(dir), to.Dot(dir.Cross(geom.Up))
		if o.Sample.Dead || ahead <= 0 || ahead > near || math.Abs(right) > 2*personalSpace || math.Abs(to.Y) > wallHeight ||
			!p.Clear(self.Position.MulAdd(geom.Up, wallHeight), o.Sample.Position.MulAdd(geom.Up, wallHeight)) {
			continue
		}
		near, aside = ahead, dir.Cross(geom.Up).Mul(math.Copysign(1-ahead/avoidFrom, -right))
	}
	if out := way.Add(aside.Mul(way.Len())).ClampLen(way.Len()); !aside.IsZero() && b.open(out.Unit(), 0.8) {
		return out
	}
	return way
}

// locate finds its place on the mesh.
func (b *Bot) locate(self *Hero) {
	l := &b.legs
	l.here, l.at, _ = b.Mesh.Nearest(self.Position, offMesh)
	l.low = b.Mesh.CrouchOnly(l.here)
}

// lowAt reports whether the mesh just ahead in a direction needs crouching.
func (b *Bot) lowAt(dir geom.Vec3) bool {
	l := &b.legs
	end, _, _ := b.Mesh.Raycast(l.here, l.at, l.at.MulAdd(dir.Unit(), 0.7))
	return b.Mesh.CrouchOnly(end)
}

// navigate finds a new goal if it has none, and a new path if it has left its own.
func (b *Bot) navigate(p *Player, self *Hero, now clock.Micros) {
	l := &b.legs
	switch {
	case self.Mode == movement.Falling:
	case l.here == 0:
		if now >= l.strayUntil {
			b.strayFrom(p, self, now)
		}
	case l.follow.Done():
		if !l.goal.IsZero() && b.random01() < 0.3 {
			l.restUntil = now + b.randomTime(900*clock.Millisecond)
		}
		b.choose()
	case l.follow.Kind() == nav.Walk && !b.straightTo(l.follow.Next().At):
		b.setGoal(l.goal)
	}
}

// straightTo reports whether the mesh leads straight to a place.
func (b *Bot) straightTo(to geom.Vec3) bool {
	_, at, _ := b.Mesh.Raycast(b.legs.here, b.legs.at, to)
	return at.Sub(to).Flat(geom.Up).LenSq() < 0.1
}

// choose picks another reachable place as the goal.
func (b *Bot) choose() {
	box := b.Mesh.Bounds()
	size := box.Max.Sub(box.Min)
	for range 4 {
		at := box.Min.Add(geom.V(float64(b.random01()*size.X), float64(b.random01()*size.Y), float64(b.random01()*size.Z)))
		if _, to, ok := b.Mesh.Nearest(at, 4); ok && b.setGoal(to) {
			return
		}
	}
}

// setGoal makes a place the goal if there is a path.
func (b *Bot) setGoal(goal geom.Vec3) bool {
	l := &b.legs
	l.query.Mesh, l.query.Reach = b.Mesh, offMesh
	way, ok := l.query.Path(l.at, goal, l.path[:0])
	l.path, l.goal = way, goal
	l.follow.Follow(way)
	return ok
}

// strayFrom walks off the mesh towards the most open direction.
func (b *Bot) strayFrom(p *Player, self *Hero, now clock.Micros) {
	b.legs.strayUntil = now + b.randomTime(clock.Second)
	b.legs.dir = geom.Forward(b.widest(p, self.Position.MulAdd(geom.Up, 0.9)))
}

// widest returns the yaw of the longest free view among eight directions.
func (b *Bot) widest(p *Player, from geom.Vec3) float64 {
	best, reach := 0.0, 0.0
	turn := float64(b.random01() * math.Pi)
	for i := range 8 {
		yaw := turn + float64(float64(i)*(math.Pi/4))
		if r := p.Reach(from, geom.Forward(yaw), 30); r > reach {
			best, reach = yaw, r
		}
	}
	return best
}

// lookAround looks along the path, with a glance aside now and then; at the shooter after a
// hit; into the open when it stands.
func (b *Bot) lookAround(p *Player, self *Hero, way geom.Vec3, now clock.Micros, dt float64) {
	l := &b.legs
	if now >= l.nextGlance {
		l.nextGlance = now + b.randomTime(1600*clock.Millisecond)
		l.glance, l.tilt = 0, float64(0.08*b.randomSigned())
		if b.random01() < 0.4 {
			l.glance = float64(1.2 * b.randomSigned())
		}
		if way.IsZero() {
			l.dir = geom.Forward(b.widest(p, p.Eye()))
		}
	}
	ahead := way
	if !way.IsZero() && now >= l.strayUntil {
		ahead = l.follow.PointAhead(self.Position, lookAhead).Sub(self.Position).Flat(geom.Up)
	}
	if ahead.Len() < 0.6 {
		ahead = l.dir
	}
	if ahead.IsZero() {
		ahead = geom.Forward(self.Yaw)
	}
	if now < b.eyes.alertUntil {
		yaw, pitch := Aim(p.Eye(), b.eyes.aimPoint)
		b.turn(yaw, pitch, dt)
		return
	}
	climb := geom.Clamp((l.follow.PointAhead(self.Position, lookAhead).Y-self.Position.Y)/lookAhead, -0.6, 0.6)
	b.turn(geom.Yaw(ahead)+l.glance, l.tilt+float64(0.6*climb), dt)
}

// unstick checks that the bot makes progress when it means to walk: first it jumps and
// steps aside, then it goes where there is room and picks another goal.
func (b *Bot) unstick(p *Player, self *Hero, now clock.Micros, means bool) {
	l := &b.legs
	l.walking = l.walking && means
	if !means || self.Position.Dist(l.around) > 1 {
		l.circlingSince, l.around = now, self.Position
	} else if now-l.circlingSince > 2*clock.Second { // moving, but to and fro
		l.circlingSince = now
		l.follow.Stop()
		b.strayFrom(p, self, now)
	}
	if now < l.check {
		b.in.Jump = l.stuck > 0 && now < l.strayUntil
		return
	}
	moved := self.Position.Dist(l.from)
	switch {
	case !l.walking || moved > 0.6:
		l.stuck = 0
	case l.stuck == 0:
		l.stuck++
		l.strayUntil = now + b.randomTime(400*clock.Millisecond)
		l.dir = geom.Forward(float64(math.Pi * b.randomSigned()))
	default:
		l.stuck++
		l.follow.Stop()
		b.strayFrom(p, self, now)
	}
	l.check, l.from, l.walking = now+stuckTime, self.Position, true
}
