package movement

import (
	"math"

	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

const (
	// headroom in metres is how near to an obstacle's head, from above, the feet slip
	// off it.
	headroom = 0.03
	// extrapolation is for how long an obstacle that comes nearer is assumed to have
	// gone on since it was seen, in units of 1/Repulsion: 0.15 s with the default.
	extrapolation = 1.5
	// minApproach in m/s: a walker that would approach an obstacle in its way slower
	// than this stands still instead, some centimetres off. An approach that slows with
	// the distance would never end (BAS-08: both stopped in 0.5 s).
	minApproach = 0.4
)

// obstacles returns the obstacles that count.
func (b *Body) obstacles() []collide.Obstacle {
	return b.World.Obstacles[:min(len(b.World.Obstacles), collide.MaxObstacles)]
}

// obstacleWalls caches, for one slice, which obstacles of the world are separated from the
// body by a wall: a bit for each.
type obstacleWalls struct{ tested, walled uint16 }

// walledOff reports that a wall separates the body from obstacle i, which then is not in
// its way [BAS-09]. A wall is what the level or a mover puts between their axes, at a
// height that both have and above what a walker could step onto. Where two capsules touch,
// nothing stands between their axes there, so no touch is missed. An obstacle that
// reaches through a wall, because it comes from an old snapshot, is not felt.
func (b *Body) walledOff(i int) bool {
	bit := uint16(1) << i
	if b.walls.tested&bit == 0 {
		b.walls.tested |= bit
		if b.wallBefore(&b.World.Obstacles[i]) {
			b.walls.walled |= bit
		}
	}
	return b.walls.walled&bit != 0
}

// wallBefore reports whether there is something solid between the body and an obstacle.
func (b *Body) wallBefore(o *collide.Obstacle) bool {
	c, low, high := b.capsule(), o.Capsule.A, o.Capsule.B
	bottom, top := c.A.Dot(b.Up), c.B.Dot(b.Up)
	lo, hi := low.Dot(b.Up), high.Dot(b.Up)
	if lo > hi {
		low, high, lo, hi = high, low, hi, lo
	}
	b.Queries++
	if lo > top || hi < bottom { // one is above the other
		from, to := c.B, low
		if hi < bottom {
			from, to = c.A, high
		}
		_, hit := b.solid.Ray(from, to.Sub(from))
		return hit
	}
	feet := max(bottom-c.Radius, lo-o.Capsule.Radius)
	above := min(top, hi)
	below := min(max(max(bottom, lo), feet+b.Model.StepHeight+skin), above)
	core := geom.Capsule{A: c.A.MulAdd(b.Up, below-bottom), B: c.A.MulAdd(b.Up, above-bottom)}
	_, hit := b.solid.SweepCapsule(core, middle(o.Capsule).Sub(middle(c)).Flat(b.Up))
	return hit
}

// sweepReachable is sweep without the obstacles that are known to be walled off.
func (b *Body) sweepReachable(c geom.Capsule, delta geom.Vec3) (collide.Hit, bool) {
	view, n := *b.World, 0
	var number [collide.MaxObstacles]collide.MoverID
	for i := range b.obstacles() {
		if b.walls.walled>>i&1 == 0 {
			b.reachable[n], number[n] = b.World.Obstacles[i], collide.FirstObstacle+collide.MoverID(i)
			n++
		}
	}
	view.Obstacles = b.reachable[:n]
	b.Queries++
	hit, ok := view.SweepCapsule(c, delta)
	if ok && hit.Mover >= collide.FirstObstacle {
		hit.Mover = number[hit.Mover-collide.FirstObstacle]
	}
	return hit, ok
}

// separate moves the body away from the obstacles that it overlaps [BAS-08], by half
// of Model.Repulsion's share of the depth: the other half is theirs, and then
// neither side overshoots, however late they see each other. It gives no velocity.
func (f rider) separate() {
	if len(f.World.Obstacles) == 0 || f.Model.Repulsion == 0 {
		return
	}
	share := float64(0.5 * min(1, float64(f.Model.Repulsion*f.Duration)))
	var away geom.Vec3
	for i := range f.obstacles() {
		o := &f.World.Obstacles[i]
		to, room := f.toward(o, headroom)
		dist := to.Len()
		if dist >= room || f.walledOff(i) {
			continue
		}
		out := to.Neg().Unit()
		if dist < nearlyZero { // one in the other: each sees the other's number
			out = geom.Forward(float64(o.ID)).Flat(f.Up).Unit()
		}
		away = away.MulAdd(out, float64(share*(room-dist)))
	}
	if away.LenSq() < nearlyZero*nearlyZero {
		return
	}
	away = f.inPlane(away)
	if f.Mode == Walking {
		away = f.ramp(away, &f.Floor)
	}
	length := away.Len()
	f.displace(away.Div(length), length, false)
}

// toward returns the horizontal way to an obstacle in metres, and how far apart the two
// must be at least: less where only the round end of one is at the level of the other,
// zero where one is above the other by more than near.
func (b *Body) toward(o *collide.Obstacle, near float64) (to geom.Vec3, room float64) {
	c := b.capsule()
	to = middle(o.Capsule).Sub(middle(c)).Flat(b.Up)
	lo, hi := c.A.Dot(b.Up), c.B.Dot(b.Up)
	one, two := o.Capsule.A.Dot(b.Up), o.Capsule.B.Dot(b.Up)
	gap := max(min(one, two)-hi, lo-max(one, two), 0)
	r := c.Radius + o.Capsule.Radius
	if gap > 0 {
		r += near
	}
	return to, math.Sqrt(max(float64(r*r)-float64(gap*gap), 0))
}

// slowForObstacles slows a walker down before obstacles in its way, so that it approaches them
// at no more than Model.Repulsion times the distance. Each side sees the other as it was some
// time ago: if both stopped only at the touch, they would oscillate.
func (f walker) slowForObstacles(v geom.Vec3) geom.Vec3 {
	if f.Model.Repulsion == 0 || len(f.World.Obstacles) == 0 {
		return v
	}
	ground := f.World.VelocityAt(f.Base.Mover, f.Position)
	for i := range f.obstacles() {
		to, room := f.toward(&f.World.Obstacles[i], 0)
		dir := v.Unit()
		ahead := to.Dot(dir)
		aside := to.LenSq() - float64(ahead*ahead)
		free := float64(room*room) - aside
		if ahead <= 0 || free <= 0 {
			continue
		}
		way := max(ahead-math.Sqrt(free), 0)
		n := to.MulAdd(dir, -way).Unit()
		coming := max(ground.Sub(f.World.Obstacles[i].Velocity).Dot(n), 0)
		way = max(way-float64(coming*extrapolation)/f.Model.Repulsion, 0)
		limit := float64(f.Model.Repulsion * float64(way*dir.Dot(n)))
		if limit < minApproach {
			limit = 0
		}
		if into := v.Dot(n); into > limit && !f.walledOff(i) {
			v = v.MulAdd(n, limit-into)
		}
	}
	return v
}
