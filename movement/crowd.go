package movement

import (
	"math"

	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// headroom in metres is how near to somebody's head, from above, the feet slip off
// it.
const headroom = 0.03

// foresight is for how long somebody who comes nearer is thought to have gone on
// since it was seen, in units of 1/Repulsion: 0.15 s with the default.
const foresight = 1.5

// standoff in m/s: who would come near somebody in its way slower than this stands
// still instead, some centimetres off. An approach that slows with the distance
// would else never end (BAS-08: both stopped in 0.5 s).
const standoff = 0.4

// others returns the obstacles that count.
func (f *StepContext) others() []collide.Obstacle {
	return f.World.Obstacles[:min(len(f.World.Obstacles), collide.MaxObstacles)]
}

// barred is what a slice has found out about the obstacles of the world, by their
// number: whether something solid stands between the body and them.
type barred struct{ asked, walled uint16 }

// walledOff reports that a wall separates the body from an obstacle, which then is not in
// its way (BAS-09). A wall is what the level or a body puts between their axes, at a
// height that both have and above what a walker could step onto. Where two capsules touch,
// nothing stands between their axes there, so no touch is missed; one that reaches through
// a wall, for it is drawn from an old snapshot, is not felt.
func (f *StepContext) walledOff(i int) bool {
	bit := uint16(1) << i
	if f.barred.asked&bit == 0 {
		f.barred.asked |= bit
		if f.between(&f.World.Obstacles[i]) {
			f.barred.walled |= bit
		}
	}
	return f.barred.walled&bit != 0
}

// between reports whether there is something solid between the body and an obstacle.
func (f *StepContext) between(o *collide.Obstacle) bool {
	c, low, high := f.body(), o.Capsule.A, o.Capsule.B
	a, b := c.A.Dot(f.Up), c.B.Dot(f.Up)
	lo, hi := low.Dot(f.Up), high.Dot(f.Up)
	if lo > hi {
		low, high, lo, hi = high, low, hi, lo
	}
	f.Queries++
	if lo > b || hi < a { // one is above the other
		from, to := c.B, low
		if hi < a {
			from, to = c.A, high
		}
		_, hit := f.solid.Ray(from, to.Sub(from))
		return hit
	}
	feet := math.Max(a-c.Radius, lo-o.Capsule.Radius)
	top := math.Min(b, hi)
	bottom := math.Min(math.Max(math.Max(a, lo), feet+f.Model.StepHeight+skin), top)
	core := geom.Capsule{A: c.A.MulAdd(f.Up, bottom-a), B: c.A.MulAdd(f.Up, top-a)}
	_, hit := f.solid.SweepCapsule(core, middle(o.Capsule).Sub(middle(c)).Flat(f.Up))
	return hit
}

// sweepReachable is sweep without the obstacles that are known to be walled off.
func (f *StepContext) sweepReachable(c geom.Capsule, delta geom.Vec3) (collide.Hit, bool) {
	view, n := *f.World, 0
	var number [collide.MaxObstacles]collide.BodyID
	for i := range f.others() {
		if f.barred.walled>>i&1 == 0 {
			f.reachable[n], number[n] = f.World.Obstacles[i], collide.FirstObstacle+collide.BodyID(i)
			n++
		}
	}
	view.Obstacles = f.reachable[:n]
	f.Queries++
	hit, ok := view.SweepCapsule(c, delta)
	if ok && hit.Body >= collide.FirstObstacle {
		hit.Body = number[hit.Body-collide.FirstObstacle]
	}
	return hit, ok
}

// part moves the body away from the characters that it overlaps (BAS-08), by half
// of Model.Repulsion's share of the depth: the other half is theirs, and then
// neither side overshoots, however late they see each other. It gives no velocity.
func (f *StepContext) part() {
	if len(f.World.Obstacles) == 0 || f.Model.Repulsion == 0 {
		return
	}
	share := float64(0.5 * min(1, float64(f.Model.Repulsion*f.Duration)))
	var away geom.Vec3
	for i := range f.others() {
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
	f.aside(away)
}

// toward returns the horizontal way to an obstacle, and how far apart the two must
// be at least: less where one has but its round end at the other's level, zero
// where one is above the other by more than near.
func (f *StepContext) toward(o *collide.Obstacle, near float64) (to geom.Vec3, room float64) {
	c := f.body()
	to = middle(o.Capsule).Sub(middle(c)).Flat(f.Up)
	lo, hi := c.A.Dot(f.Up), c.B.Dot(f.Up)
	a, b := o.Capsule.A.Dot(f.Up), o.Capsule.B.Dot(f.Up)
	gap := max(min(a, b)-hi, lo-max(a, b), 0)
	r := c.Radius + o.Capsule.Radius
	if gap > 0 {
		r += near
	}
	return to, math.Sqrt(max(float64(r*r)-float64(gap*gap), 0))
}

// aside moves the body as far as walls and bodies let it.
func (f *StepContext) aside(by geom.Vec3) {
	length := by.Len()
	dir, reach := by.Div(length), length+midFloor
	f.Queries++
	hit, blocked := f.solid.SweepCapsule(f.body(), dir.Mul(reach))
	if blocked && hit.Penetrating {
		return
	}
	if blocked {
		length = min(length, f.stop(&hit, dir, reach, 0))
	}
	f.Position = f.Position.MulAdd(dir, length)
}

// heed slows a walker down in front of characters in its way, so that it comes
// near them at no more than Model.Repulsion times the distance. What each sees of
// the other is old: two who stopped only at the touch would go to and fro.
func (f *StepContext) heed(v geom.Vec3) geom.Vec3 {
	if f.Model.Repulsion == 0 || len(f.World.Obstacles) == 0 {
		return v
	}
	ground := f.World.VelocityAt(f.Base.Body, f.Position)
	for i := range f.others() {
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
		way = max(way-float64(coming*foresight)/f.Model.Repulsion, 0)
		limit := float64(f.Model.Repulsion * float64(way*dir.Dot(n)))
		if limit < standoff {
			limit = 0
		}
		if into := v.Dot(n); into > limit && !f.walledOff(i) {
			v = v.MulAdd(n, limit-into)
		}
	}
	return v
}
