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

// part moves the body away from the characters that it overlaps (BAS-08), by half
// of Model.Repulsion's share of the depth: the other half is theirs, and then
// neither side overshoots, however late they see each other. It gives no velocity.
func (f *Frame) part() {
	if len(f.World.Obstacles) == 0 || f.Model.Repulsion == 0 {
		return
	}
	share := float64(0.5 * min(1, float64(f.Model.Repulsion*f.Duration)))
	var away geom.Vec3
	for i := range f.World.Obstacles[:min(len(f.World.Obstacles), collide.MaxObstacles)] {
		o := &f.World.Obstacles[i]
		to, room := f.toward(o, headroom)
		dist := to.Len()
		if dist >= room {
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
	if f.Mode == Walking {
		away = f.ramp(away, &f.Floor)
	}
	f.aside(away)
}

// toward returns the horizontal way to an obstacle, and how far apart the two must
// be at least: less where one has but its round end at the other's level, zero
// where one is above the other by more than near.
func (f *Frame) toward(o *collide.Obstacle, near float64) (to geom.Vec3, room float64) {
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
func (f *Frame) aside(by geom.Vec3) {
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
func (f *Frame) heed(v geom.Vec3) geom.Vec3 {
	if f.Model.Repulsion == 0 || len(f.World.Obstacles) == 0 {
		return v
	}
	ground := f.World.VelocityAt(f.Base.Body, f.Position)
	for i := range f.World.Obstacles[:min(len(f.World.Obstacles), collide.MaxObstacles)] {
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
		if into := v.Dot(n); into > limit {
			v = v.MulAdd(n, limit-into)
		}
	}
	return v
}
