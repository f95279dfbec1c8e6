package movement

import (
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

const (
	// maxCandidates is how many movers near a character count.
	maxCandidates = 8
	// maxPushRounds is how often a move tests all of them again after one has moved the
	// character towards another.
	maxPushRounds = 3
)

// resolvePushers moves the character, which was at from, out of the way of the movers
// that moved since the move before [BAS-02]: each pushes it by the part of its motion
// that is left when they touch, however fast it is. Where the level does not let it, it
// is squeezed out sideways, and crushed if there is no way. The base is one of them
// only if it did not carry its rider.
func (f rider) resolvePushers(from geom.Vec3, carried bool) {
	if len(f.World.World.Movers()) == 0 {
		return
	}
	tested := false
	for range maxPushRounds {
		touched := false
		for _, b := range f.inTheWay(from) {
			if b == f.Base.Mover && carried && f.World.AngularVelocity(b).Flat(f.Up).IsZero() {
				continue // it turns about the vertical at most, so it comes no nearer
			}
			tested = true
			touched = f.pushedBy(b, from) || touched
		}
		if !touched {
			break
		}
	}
	if tested || !carried {
		f.squeezeOut()
	}
}

// inTheWay returns the movers nearby, including those at rest: the character may have been
// moved against them, or they against it while moves were missing.
func (f rider) inTheWay(from geom.Vec3) []collide.MoverID {
	around := f.capsule()
	around.Radius += f.Position.Dist(from) + skin
	return f.World.NearbyMovers(around, f.since, f.candidates[:0])
}

// pushedBy moves the character out of the way of one mover. It reports whether the
// two touched on the way. Seen from the mover, it is the character that moves, and
// slides along.
func (f rider) pushedBy(b collide.MoverID, from geom.Vec3) bool {
	was, is := f.World.PoseAt(b, f.since), f.World.Pose(b)
	now := f.capsule()
	before := now.Moved(from.Sub(f.Position))
	end := now.InverseTransformed(is)
	way := middle(end).Sub(middle(before.InverseTransformed(was)))
	c, normal, touched := f.slideAlong(b, end.Moved(way.Neg()), way)
	if !touched {
		return false
	}
	normal = is.Rotation.Rotate(normal)
	at := f.Position
	whole := f.pushThrough(is.Rotation.Rotate(c.A.Sub(end.A)))
	if made := f.Position.Sub(at).Dot(normal); made > 0 {
		f.pushed.remaining = normal.Mul(made)
	}
	if whole {
		f.matchPusher(b, normal)
	}
	return true
}

// withoutPushed returns delta, the character's own motion over dt, without the part that
// movers have made by pushing it in this move: the character would otherwise move twice.
func (f *StepContext) withoutPushed(delta geom.Vec3, dt float64) geom.Vec3 {
	p := &f.pushed
	p.rate, delta = geom.Vec3{}, f.inPlane(delta)
	if p.remaining.IsZero() {
		return delta
	}
	distance := p.remaining.Len()
	n := p.remaining.Div(distance)
	twice := min(delta.Dot(n), distance)
	if twice <= 0 {
		return delta
	}
	p.remaining, p.rate = n.Mul(distance-twice), n.Mul(twice/dt)
	n = n.Mul(-twice)
	if f.Mode == Walking {
		n = n.Flat(f.Up)
	}
	f.from = f.from.Add(n)
	return delta.Add(n)
}

// slideAlong moves the capsule through the space of one mover, along the surfaces that it hits
// there. It returns the end of the way, the normal of the last hit and whether there was a
// hit.
func (f rider) slideAlong(b collide.MoverID, c geom.Capsule, way geom.Vec3) (end geom.Capsule, normal geom.Vec3, touched bool) {
	s := slide{rest: way}
	for range maxSlides {
		length := s.rest.Len()
		if length < 1e-9 {
			break
		}
		dir, reach := s.rest.Div(length), length+skin
		f.Queries++
		hit, ok := f.World.SweepMover(b, c, dir.Mul(reach))
		stop := length
		switch {
		case !ok || hit.Depth > float64(0.5*c.Radius): // what began deep inside is squeezed out
		case hit.Penetrating: // turned into it: out on the side it was
			c = c.Moved(hit.Normal.Mul(hit.Depth + skin))
			s.along(hit.Normal, way)
			touched = true
			continue
		default:
			stop = max(float64(hit.Fraction*reach)-skin/max(-hit.Normal.Dot(dir), 1e-6), 0)
		}
		if stop >= length {
			return c.Moved(s.rest), s.prev, touched
		}
		c = c.Moved(dir.Mul(stop))
		s.rest = dir.Mul(length - stop)
		s.along(hit.Normal, way)
		touched = true
	}
	return c, s.prev, touched
}

// pushThrough displaces the body by delta along the surfaces of the still part of the level.
// It reports whether nothing was in the way.
func (f rider) pushThrough(delta geom.Vec3) bool {
	delta = f.inPlane(delta)
	s := slide{rest: delta}
	for range maxSlides {
		length := s.rest.Len()
		if length < 1e-9 {
			return s.prev.IsZero()
		}
		dir := s.rest.Div(length)
		hit, made := f.displace(dir, length, true)
		if made >= length {
			return s.prev.IsZero()
		}
		if hit.Penetrating {
			return false
		}
		if f.Mode == Walking && f.stands(&hit) && dir.Dot(f.Up) < -0.5 { // set down on still ground
			return false
		}
		s.rest = dir.Mul(length - made)
		if !s.along(hit.Normal, delta) {
			return false
		}
	}
	return false
}

// matchPusher gives a body that was pushed the speed of its pusher along n; of a walker the
// level part only. A faller lands on a pusher that rises from below.
func (f rider) matchPusher(b collide.MoverID, n geom.Vec3) {
	pusher := f.World.VelocityAt(b, f.Position)
	if f.Base.Mover != collide.Static {
		pusher = pusher.Sub(f.World.VelocityAt(f.Base.Mover, f.Position))
	}
	lack := pusher.Sub(f.Velocity).Dot(n)
	if lack <= 0 {
		return
	}
	if f.Mode == Falling && n.Dot(f.Up) > steepest {
		if floor, ok := f.faller().landingFloor(); ok {
			f.faller().land(&floor, f.Velocity, 0)
			return
		}
	}
	by := n.Mul(lack)
	if f.Mode == Walking {
		by = by.Flat(f.Up)
	}
	f.Velocity = f.Velocity.Add(by)
}

// squeezeOut frees a body that is between movers and the level, or reports that they
// crush it. A body that overlaps the level alone is at most stuck.
func (f rider) squeezeOut() {
	f.Queries++
	if !f.solid.Overlaps(f.capsule()) {
		return
	}
	f.Queries++
	if push, free := f.solid.Depenetrate(f.capsule(), f.Model.Radius); free && push.Finite() {
		f.pushOut(push)
		return
	}
	deep, moving := 0.0, false
	f.Queries++
	for _, c := range f.solid.Contacts(f.capsule(), 0, f.contacts[:0]) {
		deep = max(deep, -c.Distance)
		moving = moving || c.Mover != collide.Static
	}
	f.ForceFloor = true // refind tries, or the next move
	if moving {
		f.crushed = true
		f.report(Crushed, deep)
	}
}
