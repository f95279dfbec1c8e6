package collide

import "github.com/backstep-net/backstep/geom"

const (
	// pushRounds is how often the contacts are queried again after a push.
	//
	// A push out of one wall can lead into the next one: corners take two or three rounds,
	// acute ones more. What is not free after eight is reported as stuck.
	pushRounds = 8
	// pushSlack is the gap left after a push, in metres.
	//
	// Without it the capsule would be left touching, and rounding would count that as an
	// overlap again.
	pushSlack = 1e-6
)

// Depenetrate returns the shortest push found, of at most max metres, that frees the
// capsule from what it overlaps, and whether the capsule is free after it [STP-05]: free of
// the world, the movers and the obstacles together. A capsule that overlaps nothing is free
// with a push of zero. A capsule that cannot be freed within max, or only by pushing its
// core through a surface (see CanEscape), gets zero and false. The push leaves a gap of a
// micrometre: add a skin to it before sweeping on.
func (v *WorldAt) Depenetrate(c geom.Capsule, max float64) (push geom.Vec3, free bool) {
	if !finite(c) || !(max >= 0) {
		return geom.Vec3{}, false
	}
	var store [32]Contact
	// Each round queries the world anew, because after a push other triangles are touched.
	for range pushRounds {
		list := v.Contacts(c.Moved(push), 0, store[:0])
		if !anyOverlap(list) {
			break
		}
		push = push.Add(combinedPush(list))
		if push.Len() > max {
			return geom.Vec3{}, false
		}
	}
	if v.Overlaps(c.Moved(push)) || !v.CanEscape(c, push) {
		return geom.Vec3{}, false
	}
	return push, true
}

func anyOverlap(list []Contact) bool {
	for i := range list {
		if list[i].Distance < -contactTolerance {
			return true
		}
	}
	return false
}

// combinedPush returns a short push that satisfies all contacts at once: it resolves the
// deepest one first, then whatever remains, until none does.
//
// The sum of all pushes would be far too long: the floor of a hundred triangles would push
// a hundred times. This is the Gauss–Seidel iteration of a contact solver: it converges to
// a push that satisfies every plane, and for one plane it is the shortest.
func combinedPush(list []Contact) geom.Vec3 {
	var push geom.Vec3
	for range 32 {
		worst, deep := -1, 0.0
		for i := range list {
			d := -list[i].Distance + pushSlack - push.Dot(list[i].Normal)
			if d > deep+1e-12 {
				worst, deep = i, d
			}
		}
		if worst < 0 {
			break
		}
		push = push.MulAdd(list[worst].Normal, deep)
	}
	return push
}

// CanEscape reports whether the core of the capsule can make the motion delta without
// hitting a surface, other than those of the solids and triangles that it begins in: a push
// out of a crate leaves the crate, and must not lead through the wall behind it.
//
// The core and not the capsule, because the capsule overlaps by assumption; what a core
// passes through is a wall that the capsule would end up behind.
func (v *WorldAt) CanEscape(c geom.Capsule, delta geom.Vec3) bool {
	c.Radius = 0
	if v.World.crosses(c, delta) {
		return false
	}
	if v.staticOnly() {
		return true
	}
	core := coreBox(c.A, c.B)
	search := core.swept(delta, 1)
	var near moverIterator
	near.begin(v.World, &search)
	for i, pose, ok := near.next(v); ok; i, pose, ok = near.next(v) {
		if v.World.movers[i].Shape.crosses(c.InverseTransformed(pose), pose.Rotation.Inverse().Rotate(delta)) {
			return false
		}
	}
	for i := range v.obstacles() {
		if h, ok := v.Obstacles[i].sweep(c, delta, 1); ok && !h.Penetrating {
			return false
		}
	}
	return true
}

// crosses reports whether the capsule hits a surface on its way that it does not begin in.
func (w *World) crosses(c geom.Capsule, delta geom.Vec3) bool {
	var s sweep
	if !s.begin(c, delta) {
		return false
	}
	var f earliestHits
	var k traversal
	s.ignoreStart = true
	core := coreBox(c.A, c.B)
	w.search(&s, &f, &k, &core, 1)
	return f.n > 0
}
