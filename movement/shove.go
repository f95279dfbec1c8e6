package movement

import (
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

const (
	// maxNear is how many bodies near a character count.
	maxNear = 8
	// maxShoves is how often a move asks all of them again, after one has moved the
	// character towards another.
	maxShoves = 3
)

// yieldTo gets out of the way of the bodies that moved since the move before, when
// the character was at from (BAS-02): each pushes it by the part of its motion that
// is left when they touch, however fast it is. Where the level does not let it, it
// is squeezed out sideways, and crushed if there is no way. The base is one of them
// only if it did not carry its rider.
func (f *StepContext) yieldTo(from geom.Vec3, carried bool) {
	if len(f.World.World.Bodies()) == 0 {
		return
	}
	asked := false
	for range maxShoves {
		touched := false
		for _, b := range f.inTheWay(from) {
			if b == f.Base.Body && carried && f.level(b) {
				continue
			}
			asked = true
			touched = f.shovedBy(b, from) || touched
		}
		if !touched {
			break
		}
	}
	if asked || !carried {
		f.squeeze()
	}
}

// inTheWay returns the bodies nearby, those that rest too: the character may have
// been moved against them, or they against it while moves were missing.
func (f *StepContext) inTheWay(from geom.Vec3) []collide.BodyID {
	around := f.body()
	around.Radius += f.Position.Dist(from) + skin
	return f.World.NearbyBodies(around, f.since, f.near[:0])
}

// level reports that the body turns about the vertical at most: it carries those
// who stand on it without coming nearer to them.
func (f *StepContext) level(b collide.BodyID) bool {
	spin := f.World.AngularVelocity(b)
	return spin.Flat(f.Up).IsZero()
}

// shovedBy moves the character out of the way of one body. It reports whether the
// two touched on the way. Seen from the body, it is the character that moves, and
// slides along.
func (f *StepContext) shovedBy(b collide.BodyID, from geom.Vec3) bool {
	was, is := f.World.PoseAt(b, f.since), f.World.Pose(b)
	now := f.body()
	before := now.Moved(from.Sub(f.Position))
	end := now.InverseTransformed(is)
	way := middle(end).Sub(middle(before.InverseTransformed(was)))
	c, normal, touched := f.slideAlong(b, end.Moved(way.Neg()), way)
	if !touched {
		return false
	}
	normal = is.Rotation.Rotate(normal)
	at := f.Position
	whole := f.force(is.Rotation.Rotate(c.A.Sub(end.A)))
	if made := f.Position.Sub(at).Dot(normal); made > 0 {
		f.given = normal.Mul(made)
	}
	if whole {
		f.hurry(b, normal)
	}
	return true
}

// own returns the motion delta of the body over dt without what it was given
// already by what pushed it in this move: seen from that, it would else move twice.
func (f *StepContext) own(delta geom.Vec3, dt float64) geom.Vec3 {
	f.giving, delta = geom.Vec3{}, f.inPlane(delta)
	if f.given.IsZero() {
		return delta
	}
	given := f.given.Len()
	n := f.given.Div(given)
	twice := min(delta.Dot(n), given)
	if twice <= 0 {
		return delta
	}
	f.given, f.giving = n.Mul(given-twice), n.Mul(twice/dt)
	n = n.Mul(-twice)
	if f.Mode == Walking {
		n = n.Flat(f.Up)
	}
	f.from = f.from.Add(n)
	return delta.Add(n)
}

func middle(c geom.Capsule) geom.Vec3 { return c.A.Lerp(c.B, 0.5) }

// slideAlong moves the capsule through the space of one body, along what it meets
// there. It returns where it ends, the normal of what it met last and whether it
// met anything.
func (f *StepContext) slideAlong(b collide.BodyID, c geom.Capsule, rest geom.Vec3) (_ geom.Capsule, normal geom.Vec3, touched bool) {
	for range maxSlides {
		length := rest.Len()
		if length < 1e-9 {
			break
		}
		dir, reach := rest.Div(length), length+skin
		f.Queries++
		hit, ok := f.World.SweepBody(b, c, dir.Mul(reach))
		if !ok || hit.Depth > float64(0.5*c.Radius) { // what began deep inside is squeezed out
			return c.Moved(rest), normal, touched
		}
		if hit.Penetrating { // turned into it: out on the side it was
			c = c.Moved(hit.Normal.Mul(hit.Depth + skin))
			rest = deflect(rest, hit.Normal, normal)
			normal, touched = hit.Normal, true
			continue
		}
		stop := max(float64(hit.Fraction*reach)-skin/max(-hit.Normal.Dot(dir), 1e-6), 0)
		if stop >= length {
			return c.Moved(rest), normal, touched
		}
		c = c.Moved(dir.Mul(stop))
		rest = deflect(dir.Mul(length-stop), hit.Normal, normal)
		normal, touched = hit.Normal, true
	}
	return c, normal, touched
}

// force displaces the body by delta, against the still part of the level alone, and
// along what it meets there. It reports whether nothing was in the way.
func (f *StepContext) force(delta geom.Vec3) bool {
	delta = f.inPlane(delta)
	rest, prev := delta, geom.Vec3{}
	for range maxSlides {
		length := rest.Len()
		if length < 1e-9 {
			return prev.IsZero()
		}
		dir, reach := rest.Div(length), length+midFloor
		f.Queries++
		hit, ok := f.World.World.SweepCapsule(f.body(), dir.Mul(reach))
		if ok && hit.Penetrating {
			return false
		}
		stop := length
		if ok {
			stop = min(f.stop(&hit, dir, reach, 0), length)
		}
		f.Position = f.Position.MulAdd(dir, stop)
		if stop >= length {
			return prev.IsZero()
		}
		if f.Mode == Walking && f.stands(&hit) && dir.Dot(f.Up) < -0.5 { // set down on still ground
			return false
		}
		rest = deflect(dir.Mul(length-stop), hit.Normal, prev)
		prev = hit.Normal
		if rest.Dot(delta) <= 0 {
			return false
		}
	}
	return false
}

// hurry gives a body that was pushed the speed of what pushes it, along n: a walker
// only the level part. What comes up from below is landed on.
func (f *StepContext) hurry(b collide.BodyID, n geom.Vec3) {
	pusher := f.World.VelocityAt(b, f.Position)
	if f.Base.Body != collide.Static {
		pusher = pusher.Sub(f.World.VelocityAt(f.Base.Body, f.Position))
	}
	lack := pusher.Sub(f.Velocity).Dot(n)
	if lack <= 0 {
		return
	}
	if f.Mode == Falling && n.Dot(f.Up) > steepest && f.lands() {
		f.land(f.Velocity, 0)
		return
	}
	by := n.Mul(lack)
	if f.Mode == Walking {
		by = by.Flat(f.Up)
	}
	f.Velocity = f.Velocity.Add(by)
}

// squeeze frees a body that moving bodies and the level have between them, or
// reports that they crush it. One that is in the level alone is stuck at most.
func (f *StepContext) squeeze() {
	f.Queries++
	if !f.solid.Overlaps(f.body()) {
		return
	}
	f.Queries++
	push, free := f.solid.Depenetrate(f.body(), f.Model.Radius)
	if free && push.Finite() {
		push = f.outInPlane(push)
		f.Position = f.Position.Add(push)
		f.Queries++
		if spare := push.Unit().Mul(skin); !f.solid.Overlaps(f.body().Moved(spare)) {
			f.Position = f.Position.Add(spare)
		}
		return
	}
	deep, moving := 0.0, false
	f.Queries++
	for _, c := range f.solid.Contacts(f.body(), 0, f.contacts[:0]) {
		deep = max(deep, -c.Distance)
		moving = moving || c.Body != collide.Static
	}
	f.ForceFloor = true // refind tries, or the next move
	if moving {
		f.crushed = true
		f.report(Crushed, deep)
	}
}
