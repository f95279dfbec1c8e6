package collide

import (
	"math"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

// moving is precomputed data of a mover, besides its shape and path.
//
// All of it is an early exit: computing a pose takes a binary search, a rotation and a box,
// and most movers of a level are far from any query.
type moving struct {
	sweptBounds box       // around all its poses
	segments    []box     // around its poses between one key and the next; none if there is only one pair of keys
	bounds      geom.AABB // of its shape, in the space of the mover
	maxSpeed    float64   // upper bound of the speed of all its points at all times, m/s
}

// bodyFaceTie is how much less, as a part of the motion, a face must oppose it to lose a
// tie between bodies. Smaller differences come from rounding when rotating into the space
// of a mover and back, and would assign a seam between floor and lift to either of them by
// chance.
const bodyFaceTie = 1e-9

// measure computes the data of a mover, and a box around all its poses.
func measure(b *Mover) (moving, geom.AABB) {
	// A mover that turns is bounded at all angles at once (turned), because the angle of a
	// key depends on its neighbours; one that does not turn has the smaller box of its one
	// angle.
	m := moving{bounds: b.Shape.Bounds()}
	around, move, turn := b.Path.extent()
	local, radius := b.Shape.turned(b.Path.axis())
	if turn == 0 {
		local = m.bounds.Transformed(geom.Transform{Rotation: b.Path.Pose(0).Rotation})
	}
	for i := 0; len(b.Path.Keys) > 2 && i+1 < len(b.Path.Keys); i++ {
		leg := b.Path.segmentBounds(i)
		m.segments = append(m.segments, outward(geom.AABB{Min: leg.Min.Add(local.Min), Max: leg.Max.Add(local.Max)}))
	}
	around = geom.AABB{Min: around.Min.Add(local.Min), Max: around.Max.Add(local.Max)}
	m.sweptBounds = outward(around)
	m.maxSpeed = move + float64(turn*radius)
	return m, around
}

// mayTouch reports whether mover number i+1 may be within so many metres of the box at an instant:
// an early exit before its pose is computed.
func (w *World) mayTouch(i int, t clock.Micros, within float64, b *box) bool {
	m := &w.moving[i]
	if m.sweptBounds.overlap(b) < 0 {
		return false
	}
	if len(m.segments) == 0 {
		return true
	}
	at, _ := w.pathTime(i, t)
	// A train that circles the whole level has swept bounds as large as the level: the box
	// of the current leg is what excludes it.
	leg := m.segments[min(w.movers[i].Path.locate(at).key, len(m.segments)-1)].grown(within)
	return leg.overlap(b) >= 0
}

// turned returns a box around the geometry rotated about the axis by any angle, and the
// largest distance of a point from the origin.
//
// Every corner moves on a circle about the axis. The extent of a circle of radius r along X
// is r times the sine of the angle between the axis and X.
func (w *World) turned(axis geom.Vec3) (around geom.AABB, radius float64) {
	around = geom.EmptyAABB()
	across := geom.V(
		math.Sqrt(max(1-float64(axis.X*axis.X), 0)),
		math.Sqrt(max(1-float64(axis.Y*axis.Y), 0)),
		math.Sqrt(max(1-float64(axis.Z*axis.Z), 0)))
	for i := range w.tris {
		for _, p := range [3]geom.Vec3{w.tris[i].a, w.tris[i].b, w.tris[i].c} {
			along := axis.Mul(p.Dot(axis))
			ring := p.Sub(along).Len()
			around = around.Include(along.MulAdd(across, ring)).Include(along.MulAdd(across, -ring))
			radius = max(radius, p.Len())
		}
	}
	return around, radius
}

// moverIterator iterates over the movers near a box, in an order that depends only on the
// world and the box.
type moverIterator struct {
	traversal
	around box // what was asked for
}

// begin starts an iteration over the movers near a box.
func (n *moverIterator) begin(w *World, around *box) {
	n.around = *around
	n.traversal.begin(&w.moverTree, around)
}

// next returns the next mover whose bounds, at the pose of v.At, overlap the box, and that
// pose; ok is false at the end.
func (n *moverIterator) next(v *WorldAt) (i int, pose geom.Transform, ok bool) {
	for {
		if i, ok = n.nearby(v.World); !ok {
			return 0, pose, false
		}
		id := MoverID(i + 1)
		if v.excludes(id) || !v.World.mayTouch(i, v.At, 0, &n.around) {
			continue
		}
		pose = v.World.Pose(id, v.At)
		around := outward(v.World.moving[i].bounds.Transformed(pose))
		if around.overlap(&n.around) >= 0 {
			return i, pose, true
		}
	}
}

// nearby returns the next mover that may ever be near the box; ok is false at the end.
func (n *moverIterator) nearby(w *World) (i int, ok bool) {
	place, ok := n.traversal.next(&w.moverTree)
	if !ok {
		return 0, false
	}
	return int(w.moverOrder[place]), true
}

// staticOnly reports whether there is nothing but the static world.
func (v *WorldAt) staticOnly() bool { return len(v.World.movers)|len(v.Obstacles) == 0 }

// obstacles returns the obstacles that count.
func (v *WorldAt) obstacles() []Obstacle { return v.Obstacles[:min(len(v.Obstacles), MaxObstacles)] }

// toWorld transforms a hit on a mover from the space of the mover to world space.
func (h *Hit) toWorld(pose *geom.Transform, mover int) {
	h.Point = pose.Apply(h.Point)
	h.Normal = pose.Rotation.Rotate(h.Normal)
	h.FaceNormal = pose.Rotation.Rotate(h.FaceNormal)
	h.Mover = MoverID(mover + 1)
}

// nearestHit is the first touch among the sources queried so far.
//
// Hits of different sources are compared in world space, after a rotation there and back,
// so ties have their own tolerance; see bodyFaceTie.
type nearestHit struct {
	best  *Hit
	ok    bool
	limit float64 // later fractions are ignored
	tie   float64 // tieTolerance as a fraction
}

// newNearestHit starts with best, if ok, for the motion d.
//
// Later sources are searched only up to the hit that is known.
func newNearestHit(best *Hit, ok bool, d geom.Vec3) nearestHit {
	n := nearestHit{best: best, ok: ok, limit: 1, tie: tieTolerance / d.Len()}
	if ok {
		n.limit = min(best.Fraction+n.tie, 1)
	}
	return n
}

// take keeps h if it wins against the best hit so far: by being earlier, or in a tie by a
// face that opposes the motion d clearly more, or else by a lower MoverID.
func (n *nearestHit) take(h *Hit, d geom.Vec3) {
	if n.ok {
		if h.Fraction > n.limit {
			return
		}
		if h.Fraction >= n.best.Fraction-n.tie {
			// The static world wins between equal faces: it has the lowest id. A character
			// on the seam between floor and lift stands on the floor then, and is not
			// carried.
			more, slack := n.best.FaceNormal.Dot(d)-h.FaceNormal.Dot(d), float64(bodyFaceTie*d.Len())
			if more < -slack || more <= slack && h.Mover > n.best.Mover {
				return
			}
		}
	}
	*n.best, n.ok = *h, true
	n.limit = min(h.Fraction+n.tie, 1)
}

// rayMoving queries movers and obstacles for a hit before best, which is that of the static
// world if ok.
//
// The ray is transformed into the space of the mover, not the mover into the world: its tree
// stays as it was baked.
func (v *WorldAt) rayMoving(from, delta geom.Vec3, best *Hit, ok bool) bool {
	n := newNearestHit(best, ok, delta)
	core := coreBox(from, from)
	search := core.swept(delta, n.limit)
	var near moverIterator
	near.begin(v.World, &search)
	for i, pose, ok := near.next(v); ok; i, pose, ok = near.next(v) {
		h, ok := v.World.movers[i].Shape.ray(pose.ApplyInverse(from), pose.Rotation.Inverse().Rotate(delta), n.limit)
		if ok {
			h.toWorld(&pose, i)
			n.take(&h, delta)
		}
	}
	if len(v.Obstacles) == 0 {
		return n.ok
	}
	// Obstacles have no tree: there are at most sixteen, and the box excludes most.
	around := sweptBounds(geom.Capsule{A: from, B: from}, delta)
	for i := range v.obstacles() {
		if v.Obstacles[i].disjoint(&around) {
			continue
		}
		if h, ok := v.Obstacles[i].ray(from, delta, n.limit); ok {
			h.Mover = FirstObstacle + MoverID(i)
			n.take(&h, delta)
		}
	}
	return n.ok
}

// sweepMoving queries movers and obstacles for a touch before best, which is that of the
// static world if ok.
//
// The mover stands still at its pose of v.At during the sweep. Movers that move towards
// characters push them: movement does that with SweepBody, once for each command.
func (v *WorldAt) sweepMoving(c geom.Capsule, delta geom.Vec3, best *Hit, ok bool) bool {
	n := newNearestHit(best, ok, delta)
	core := coreBox(c.A, c.B)
	core = core.grown(max(c.Radius, 0))
	search := core.swept(delta, n.limit)
	var near moverIterator
	near.begin(v.World, &search)
	for i, pose, ok := near.next(v); ok; i, pose, ok = near.next(v) {
		var h Hit
		if v.World.movers[i].Shape.sweep(&h, c.InverseTransformed(pose), pose.Rotation.Inverse().Rotate(delta), n.limit) {
			h.toWorld(&pose, i)
			n.take(&h, delta)
		}
	}
	if len(v.Obstacles) == 0 {
		return n.ok
	}
	around := sweptBounds(c, delta)
	for i := range v.obstacles() {
		if v.Obstacles[i].disjoint(&around) {
			continue
		}
		if h, ok := v.Obstacles[i].sweep(c, delta, n.limit); ok {
			h.Mover = FirstObstacle + MoverID(i)
			n.take(&h, delta)
		}
	}
	return n.ok
}

// overlapsMoving reports whether the capsule overlaps a mover or an obstacle.
func (v *WorldAt) overlapsMoving(c geom.Capsule) bool {
	if !finite(c) {
		return false
	}
	search := coreBox(c.A, c.B)
	search = search.grown(max(c.Radius, 0))
	var near moverIterator
	near.begin(v.World, &search)
	for i, pose, ok := near.next(v); ok; i, pose, ok = near.next(v) {
		if v.World.movers[i].Shape.Overlaps(c.InverseTransformed(pose)) {
			return true
		}
	}
	for i := range v.obstacles() {
		if v.Obstacles[i].overlaps(c) {
			return true
		}
	}
	return false
}

// contactsMoving adds the contacts with movers and obstacles to those of the static world,
// which are the elements since from.
func (v *WorldAt) contactsMoving(c geom.Capsule, margin float64, into []Contact, from int) []Contact {
	if !finite(c) || !geom.Finite(margin) {
		return into
	}
	search := coreBox(c.A, c.B)
	search = search.grown(max(c.Radius+margin, 0))
	var near moverIterator
	near.begin(v.World, &search)
	for i, pose, ok := near.next(v); ok; i, pose, ok = near.next(v) {
		into = v.contactsWith(i, &pose, c, margin, into, from)
	}
	for i := range v.obstacles() {
		if x, ok := v.Obstacles[i].contact(c, margin); ok {
			x.Mover = FirstObstacle + MoverID(i)
			into = keepDeepest(into, from, x)
		}
	}
	// Seams within one source have been dropped by World.Contacts; these are the seams
	// between sources.
	rest := v.dropSeams(into[from:])
	sortContacts(rest)
	return into[:from+len(rest)]
}

// dropSeams removes contacts on the border of a triangle of one source if another source
// also contains the place and comes nearer: the seam between a floor and a lift that is
// flush with it is as little a contact as a seam within the floor.
func (v *WorldAt) dropSeams(list []Contact) []Contact {
	kept := 0
	for i := range list {
		c := &list[i]
		seam := false
		for j := range list {
			o := &list[j]
			seam = seam || o.Mover != c.Mover && o.Distance < c.Distance-contactTolerance &&
				c.FaceNormal.Sub(c.Normal).LenSq() > 1e-18 && v.holds(o, c.Point)
		}
		if !seam {
			list[kept], list[i] = list[i], list[kept] // swapped, not overwritten: the inner loop still reads it
			kept++
		}
	}
	return list[:kept]
}

// seamTolerance is how far apart, in metres, the faces of two sources may be and still
// count as flush: rotating there and back is rounded.
const seamTolerance = 1e-6

// holds reports whether p lies on the triangle of a contact with the world or a mover.
func (v *WorldAt) holds(o *Contact, p geom.Vec3) bool {
	if math.Abs(o.FaceNormal.Dot(p.Sub(o.Point))) > seamTolerance || o.Mover >= FirstObstacle {
		return false
	}
	w := v.World
	// The triangle of a mover is in the space of the mover.
	if b := w.Mover(o.Mover); b != nil {
		w, p = b.Shape, v.Pose(o.Mover).ApplyInverse(p)
	}
	return nearest(p, geom.Vec3{}, w.triByNumber(int(o.Triangle))).distSq < seamTolerance*seamTolerance
}

// contactsWith adds the contacts with one mover to those since from, if there is room or
// they are deeper.
func (v *WorldAt) contactsWith(i int, pose *geom.Transform, c geom.Capsule, margin float64, into []Contact, from int) []Contact {
	// A mover contributes at most 32 contacts; the capacity of into is the bound for all
	// movers together.
	var store [32]Contact
	list := v.World.movers[i].Shape.Contacts(c.InverseTransformed(*pose), margin, store[:0])
	for k := range list {
		x := &list[k]
		x.Point, x.Normal, x.FaceNormal = pose.Apply(x.Point), pose.Rotation.Rotate(x.Normal), pose.Rotation.Rotate(x.FaceNormal)
		x.Mover = MoverID(i + 1)
		into = keepDeepest(into, from, *x)
	}
	return into
}

// Obstacle returns the obstacle with that id, nil if the WorldAt has none.
func (v *WorldAt) Obstacle(id MoverID) *Obstacle {
	if id < FirstObstacle || int(id-FirstObstacle) >= len(v.obstacles()) {
		return nil
	}
	return &v.Obstacles[id-FirstObstacle]
}

// Pose returns the pose of the mover at v.At; see PoseAt.
func (v *WorldAt) Pose(id MoverID) geom.Transform { return v.PoseAt(id, v.At) }

// PoseAt returns the pose of the mover at match time t. Static is at the origin. An obstacle
// has no path: its middle stays where Obstacles has it.
func (v *WorldAt) PoseAt(id MoverID, t clock.Micros) geom.Transform {
	if v.World.Mover(id) != nil {
		return v.World.Pose(id, t)
	}
	pose := geom.Transform{Rotation: geom.IdentityQuat}
	if o := v.Obstacle(id); o != nil {
		pose.Translation = o.Capsule.A.Lerp(o.Capsule.B, 0.5)
	}
	return pose
}

// VelocityAt returns the velocity in m/s of the material of the mover at a point in world
// space, at v.At. It is zero for Static; every point of an obstacle has its Velocity.
//
// The velocity of the material, not of the mover's origin: a character that jumps off the
// rim of a merry-go-round leaves along its tangent.
func (v *WorldAt) VelocityAt(id MoverID, point geom.Vec3) geom.Vec3 {
	if v.World.Mover(id) != nil {
		move, spin := v.World.velocity(int(id-1), v.At)
		if spin.IsZero() {
			return move
		}
		// v = v₀ + ω × r.
		return move.Add(spin.Cross(point.Sub(v.Pose(id).Translation)))
	}
	if o := v.Obstacle(id); o != nil {
		return o.Velocity
	}
	return geom.Vec3{}
}

// AngularVelocity returns the angular velocity of the mover at v.At, in rad/s about the
// direction of the vector. It is zero for Static and for obstacles.
func (v *WorldAt) AngularVelocity(id MoverID) geom.Vec3 {
	if v.World.Mover(id) != nil {
		_, spin := v.World.velocity(int(id-1), v.At)
		return spin
	}
	return geom.Vec3{}
}

// SweepMover moves the capsule by delta, both given in the space of the mover, and returns
// the first touch with that one mover, in the same space. So what stood at x while the mover
// moved from pose p to pose q is swept from p.ApplyInverse(x) to q.ApplyInverse(x), and the
// mover cannot tunnel through it at any speed. Static is queried in world space; obstacles
// and unknown ids are never hit.
func (v *WorldAt) SweepMover(id MoverID, c geom.Capsule, delta geom.Vec3) (Hit, bool) {
	if id == Static {
		return v.World.SweepCapsule(c, delta)
	}
	b := v.World.Mover(id)
	if b == nil || v.excludes(id) {
		return Hit{}, false
	}
	h, ok := b.Shape.SweepCapsule(c, delta)
	h.Mover = id
	return h, ok
}

// Pose returns the pose of a mover at match time t. Static and ids that the world does not
// have are at the origin. It is a function of t and, for triggered movers, of the match's log
// (WithTriggers).
func (w *World) Pose(id MoverID, t clock.Micros) geom.Transform {
	if w.Mover(id) == nil {
		return geom.Transform{Rotation: geom.IdentityQuat}
	}
	at, _ := w.pathTime(int(id-1), t)
	return w.movers[id-1].Path.Pose(at)
}

// velocity returns the velocity in m/s and the angular velocity in rad/s of mover number i+1 at
// match time t, the derivatives of its pose.
func (w *World) velocity(i int, t clock.Micros) (move, spin geom.Vec3) {
	at, direction := w.pathTime(i, t)
	switch direction {
	case 0:
		return move, spin
	case 1:
		return w.movers[i].Path.Velocity(at)
	}
	// On the way back the piece of the path before this time comes next.
	move, spin = w.movers[i].Path.Velocity(at - 1)
	return move.Neg(), spin.Neg()
}
