package movement

import (
	"math"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

// searchEvery is how often a body that is stuck looks for room again: the world may
// have moved.
const searchEvery = 100 * clock.Millisecond

// unstick pushes an overlapping body out and reports whether it is free [STP-05,
// GRD-09]. The push is the shortest, and no longer than the radius, or else one to
// where there is room [STP-06].
func (f *StepContext) unstick() bool {
	f.Queries++
	push, free := f.solid.Depenetrate(f.capsule(), f.Model.Radius)
	if !free && f.searches() {
		push, free = f.escape()
	}
	if !push.Finite() {
		return false
	}
	if !free {
		f.stick()
		return false
	}
	f.Stuck = false
	f.pushOut(push)
	return true
}

// stick records that the body overlaps something with no way out, and reports it once, until
// it has been free. It tries again in the next move.
func (f *StepContext) stick() {
	f.ForceFloor = true
	if !f.Stuck && !f.crushed {
		f.Stuck = true
		f.report(Stuck, 0)
	}
}

// searches reports whether to look for room: once a move, and where the body was stuck
// already every searchEvery.
func (f *StepContext) searches() bool {
	if f.searched || f.Stuck && f.since/searchEvery == f.World.At/searchEvery {
		return false
	}
	f.searched = true
	return true
}

// escape returns the shortest way out of the solids that contain the axis of the body: no
// longer than the body is wide, and through no surface other than theirs. If the shortest push
// leads into something else, it tries the positions in eight level directions, above and below, at one and at two
// radii.
func (b *Body) escape() (push geom.Vec3, free bool) {
	body, radius := b.capsule(), b.Model.Radius
	width := 2 * radius
	b.Queries++
	if push, free = b.solid.Depenetrate(body, width); free {
		return push, true
	}
	stand, best := orientation(b.State.Up), width
	for i := range 20 {
		way := geom.Forward(float64(float64(i%10) * (math.Pi / 4))).Unit()
		switch i % 10 {
		case 8:
			way = geom.Up
		case 9:
			way = geom.Up.Neg()
		}
		way = stand.Rotate(way).Mul(float64(radius * float64(1+i/10)))
		b.Queries += 2
		more, ok := b.solid.Depenetrate(body.Moved(way), radius)
		if way = way.Add(more); ok && way.Len() <= best && b.solid.CanEscape(body, way) {
			push, free, best = way, true, way.Len()
		}
	}
	return push, free
}
