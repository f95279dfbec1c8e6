package body

import (
	"math"

	"github.com/backstep-net/backstep/geom"
)

// collideHulls finds the contact points on b of two hulls, while a moves by way against b. It
// returns the axis of separation. Rotation within the piece is left out: the points are found anew after
// at most 1/60 s.
func collideHulls(a, b *hull, way geom.Vec3, into []contactPoint) ([]contactPoint, axis) {
	x, enter := separation(a, b, way)
	if x.gap <= margin {
		return hullPoints(a, b, &x, into), x
	}
	if enter > 1 {
		return into, x
	}
	// They will touch within the piece: the points are found there, and their gaps are what is left of the
	// way along the normal.
	step := way.Mul(enter)
	a.move(step)
	x, _ = separation(a, b, geom.Vec3{})
	// At the share of the last axis the hulls touch, but for rounding, or pass each other at a corner.
	if x.gap <= float64(margin*0.5) {
		from := len(into)
		into = hullPoints(a, b, &x, into)
		way := -x.n.Dot(step)
		for i := from; i < len(into); i++ {
			into[i].gap += way
		}
	}
	// Back, because the next triangle is tested against the box as it is.
	a.move(step.Neg())
	return into, x
}

// collideBoxes finds where two boxes touch, or will while the first moves by way against the second.
func (w *World) collideBoxes(a, b int32, way geom.Vec3, m *manifold) {
	x, y := &w.sims[a], &w.sims[b]
	w.level.hulls[0].box(x.pos, x.q, w.bodies[a].Half)
	w.level.hulls[1].box(y.pos, y.q, w.bodies[b].Half)
	var along axis
	w.level.points, along = collideHulls(&w.level.hulls[0], &w.level.hulls[1], way, w.level.points[:0])
	reduceManifold(along.n, w.level.points, m)
}

// collideCapsuleBox finds where a ball or capsule, moving by way, touches a box. The points are on
// the box, the normal away from it.
func collideCapsuleBox(c geom.Capsule, at geom.Vec3, q geom.Quat, half, way geom.Vec3, m *manifold) {
	t := geom.Transform{Rotation: q, Translation: at}
	// In the box's frame every formula is about axes.
	c = c.InverseTransformed(t)
	ahead := 0.0
	dist, n, on := capsuleToBox(c, half)
	if dist-c.Radius > margin {
		// Not near yet: where it enters the box, grown by its radius.
		way = q.Inverse().Rotate(way)
		ahead = boxEntry(c, half, way)
		if ahead > 1 {
			return
		}
		c = c.Moved(way.Mul(ahead))
		if dist, n, on = capsuleToBox(c, half); dist-c.Radius > margin {
			return
		}
		ahead = -float64(n.Dot(way) * ahead)
	}
	m.normal = q.Rotate(n)
	if c.A != c.B && layOnFace(c, half, n, ahead, t, m) {
		return
	}
	m.add(t.Apply(on), dist-c.Radius+ahead)
}

// capsuleToBox returns the distance of the core of c from the box around the origin, the direction
// from the box to the core, and the nearest point of the box. Inside the box the distance is
// negative, and the direction is the shortest way out.
func capsuleToBox(c geom.Capsule, half geom.Vec3) (dist float64, n, on geom.Vec3) {
	// A ball.
	if c.A == c.B {
		return pointToBox(c.A, half)
	}
	if crossesBox(c.A, c.B, half) {
		return segmentOutOfBox(c.A, c.B, half)
	}
	// The nearest point of a segment that does not cross the box is one of its ends, or it faces an edge.
	dist, n, on = pointToBox(c.A, half)
	if d, m, o := pointToBox(c.B, half); d < dist {
		dist, n, on = d, m, o
	}
	for k := range 12 {
		p, q := boxEdge(k, half)
		x, y := closestPoints(c.A, c.B, p, q)
		// Ends win where they are as near: their normal is that of a face.
		if d := x.Dist(y); d < dist-1e-9 && d > 1e-9 {
			dist, n, on = d, x.Sub(y).Div(d), y
		}
	}
	return dist, n, on
}

// pointToBox is capsuleToBox for a point. On the surface, within a nanometre, it counts as inside, where
// the direction does not come of a difference of almost nothing.
func pointToBox(p, half geom.Vec3) (dist float64, n, on geom.Vec3) {
	on = p.Max(half.Neg()).Min(half)
	if d := p.Dist(on); d > 1e-9 {
		return d, p.Sub(on).Div(d), on
	}
	// Inside: out through the nearest face.
	d, k := smallest(half.X-math.Abs(p.X), half.Y-math.Abs(p.Y), half.Z-math.Abs(p.Z))
	n = axisVector(k, component(p, k) < 0)
	return -d, n, p.MulAdd(n, d)
}

// smallest returns the least of three numbers and its index, the first of equals in the order x, y, z:
// equal ways out must give the same normal in every piece.
func smallest(x, y, z float64) (float64, int) {
	switch {
	case x <= y && x <= z:
		return x, 0
	case y <= z:
		return y, 1
	}
	return z, 2
}

// axisVector returns the unit vector along an axis, or against it.
func axisVector(k int, against bool) geom.Vec3 {
	n := [3]geom.Vec3{{X: 1}, {Y: 1}, {Z: 1}}[k]
	if against {
		return n.Neg()
	}
	return n
}

// component returns a component of v: X, Y, Z for 0, 1, 2.
func component(v geom.Vec3, k int) float64 { return [3]float64{v.X, v.Y, v.Z}[k] }

// boxEdge returns the ends of an edge, 0 … 11: four along each axis.
func boxEdge(k int, half geom.Vec3) (p, q geom.Vec3) {
	// The upper bits of k are the axis, the lower two say on which side the edge is along the others.
	axis := k >> 2
	a, b := half, half
	if k&1 != 0 {
		a = a.Neg()
	}
	if k&2 != 0 {
		b = b.Neg()
	}
	switch axis {
	case 0:
		return geom.V(-half.X, a.Y, b.Z), geom.V(half.X, a.Y, b.Z)
	case 1:
		return geom.V(a.X, -half.Y, b.Z), geom.V(a.X, half.Y, b.Z)
	}
	return geom.V(a.X, b.Y, -half.Z), geom.V(a.X, b.Y, half.Z)
}

// clipToBox returns between which shares of the way from p by d it is inside the box, 0 … 1; from is
// above to if it never is. The box is around the origin, along the axes.
func clipToBox(p, d, half geom.Vec3) (from, to float64) {
	from, to = 0, 1
	for k := range 3 {
		x, v, h := component(p, k), component(d, k), component(half, k)
		// Along the slab: all of it is inside, or none.
		if math.Abs(v) < 1e-12 {
			if math.Abs(x) > h {
				return 1, 0
			}
			continue
		}
		// The slabs of Kay and Kajiya 1986.
		a, b := (-h-x)/v, (h-x)/v
		from, to = max(from, min(a, b)), min(to, max(a, b))
	}
	return from, to
}

// crossesBox reports whether the segment a–b has a point in the box.
func crossesBox(a, b, half geom.Vec3) bool {
	from, to := clipToBox(a, b.Sub(a), half)
	return from <= to
}

// segmentOutOfBox returns the shortest way out for a segment that crosses the box: the separating
// axes are the faces and the products of the box's edges with the segment.
func segmentOutOfBox(a, b, half geom.Vec3) (dist float64, n, on geom.Vec3) {
	depth := math.Inf(1)
	// try considers the way out along d, and against it.
	try := func(d geom.Vec3) {
		reach := float64(math.Abs(d.X)*half.X) + float64(math.Abs(d.Y)*half.Y) + float64(math.Abs(d.Z)*half.Z)
		lo, hi := d.Dot(a), d.Dot(b)
		lo, hi = min(lo, hi), max(lo, hi)
		// Less a nanometre, so that equal ways give the same normal with every rounding.
		if x := reach - lo; x < depth-1e-9 {
			depth, n = x, d
		}
		if x := reach + hi; x < depth-1e-9 {
			depth, n = x, d.Neg()
		}
	}
	for k := range 3 {
		try(axisVector(k, false))
	}
	for k := range 3 {
		if d := axisVector(k, false).Cross(b.Sub(a)); d.LenSq() > 1e-8 {
			try(d.Unit())
		}
	}
	// The end that is deepest along n leaves last.
	low := a
	if n.Dot(b) < n.Dot(a) {
		low = b
	}
	return -depth, n, low.MulAdd(n, depth).Max(half.Neg()).Min(half)
}

// boxEntry returns after which share of way the capsule may touch the box; above 1 is never. It may be
// too early at corners, where the grown box is larger than the round one; then there is no contact.
func boxEntry(c geom.Capsule, half, way geom.Vec3) float64 {
	r := geom.V(c.Radius, c.Radius, c.Radius)
	first := 2.0
	// Three places of the core. A capsule that comes across an edge between them is found when it is near,
	// and swept by its inner ball.
	for _, p := range [3]geom.Vec3{c.A, c.B, c.A.Add(c.B).Mul(0.5)} {
		if from, to := clipToBox(p, way, half.Add(r)); from <= to {
			first = min(first, from)
		}
	}
	return first
}

// layOnFace adds two points where a capsule lies on a face: with one it would see-saw.
func layOnFace(c geom.Capsule, half, n geom.Vec3, ahead float64, t geom.Transform, m *manifold) bool {
	_, k := smallest(-math.Abs(n.X), -math.Abs(n.Y), -math.Abs(n.Z))
	d := c.B.Sub(c.A)
	// The normal within 8° of a face's, and the capsule less than 12° steep on it. A steeper one touches with
	// one end.
	if math.Abs(component(n, k)) < 0.99 || math.Abs(d.Dot(n)) > float64(0.2*d.Len()) {
		return false
	}
	face := axisVector(k, component(n, k) < 0)
	// The two points are where the core enters and leaves the space over the face.
	wide := half.MulAdd(axisVector(k, false), 1e6) // only the other two axes bound it
	from, to := clipToBox(c.A, d, wide)
	// A standing capsule touches with one end only.
	if to-from < 0.02 {
		return false
	}
	for _, s := range [2]float64{from, to} {
		p := c.A.MulAdd(d, s)
		gap := face.Dot(p) - component(half, k)
		m.add(t.Apply(p.MulAdd(face, -gap)), gap-c.Radius+ahead)
	}
	m.normal = t.Rotation.Rotate(face)
	return true
}
