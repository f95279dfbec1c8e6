package collide

import (
	"math"

	"github.com/backstep-net/backstep/geom"
)

// disjoint reports whether the obstacle and the box share no point.
//
// It is exact and needs no square root: fifteen of sixteen obstacles end here.
func (o *Obstacle) disjoint(q *geom.AABB) bool {
	a, b, r := &o.Capsule.A, &o.Capsule.B, max(o.Capsule.Radius, 0)
	return max(a.X, b.X)+r < q.Min.X || min(a.X, b.X)-r > q.Max.X ||
		max(a.Z, b.Z)+r < q.Min.Z || min(a.Z, b.Z)-r > q.Max.Z ||
		max(a.Y, b.Y)+r < q.Min.Y || min(a.Y, b.Y)-r > q.Max.Y
}

// sweptBounds returns a box around the capsule during its motion, with a small margin.
func sweptBounds(c geom.Capsule, d geom.Vec3) geom.AABB {
	c.Radius = max(c.Radius, 0)
	return c.Bounds().Union(c.Moved(d).Bounds()).Grow(1e-6)
}

// SweepCapsule is WorldAt.SweepCapsule against this obstacle alone.
func (o *Obstacle) SweepCapsule(c geom.Capsule, delta geom.Vec3) (Hit, bool) {
	if around := sweptBounds(c, delta); o.disjoint(&around) {
		return Hit{}, false
	}
	return o.sweep(c, delta, 1)
}

// sweep returns the first touch of the moving capsule with the obstacle, if within limit.
// Relative to the A of the capsule, the obstacle is a parallelogram spanned by both cores,
// rounded by the sum of both radii.
//
// A character that already overlaps another one may leave it in any direction, and is
// stopped only by a motion further in: two that spawned at one place walk apart.
func (o *Obstacle) sweep(c geom.Capsule, d geom.Vec3, limit float64) (Hit, bool) {
	var s sweep
	sum := geom.Capsule{A: c.A, B: c.B, Radius: max(c.Radius, 0) + max(o.Capsule.Radius, 0)}
	if !s.begin(sum, d) || !finite(o.Capsule) {
		return Hit{}, false
	}
	axis := o.Capsule.B.Sub(o.Capsule.A)
	at := o.near(s.p, s.axis)
	reach := s.radius + contactTolerance
	if at.distSq <= float64(reach*reach) {
		n, depth := at.separation(s.radius, s.axis, axis)
		if n.Dot(d) >= -float64(minInward*s.length) {
			return Hit{}, false
		}
		return o.hit(0, &at, n, depth, depth > contactTolerance), true
	}
	u := s.sweepObstacle(o.Capsule.A.Sub(s.p), axis)
	if !(u <= limit) {
		return Hit{}, false
	}
	u = max(u, 0)
	moved := s.p.MulAdd(d, u)
	at = o.near(moved, s.axis)
	n, _ := at.separation(s.radius, s.axis, axis)
	return o.hit(u, &at, n, 0, false), true
}

// ray is sweep for a point. A ray that begins inside does not hit the obstacle.
func (o *Obstacle) ray(from, d geom.Vec3, limit float64) (Hit, bool) {
	h, ok := o.sweep(geom.Capsule{A: from, B: from}, d, limit)
	if !ok || h.Penetrating {
		return Hit{}, false
	}
	h.Point = from.MulAdd(d, h.Fraction)
	return h, true
}

func (o *Obstacle) overlaps(c geom.Capsule) bool {
	reach := max(c.Radius, 0) + max(o.Capsule.Radius, 0) - contactTolerance
	if reach <= 0 || !finite(o.Capsule) {
		return false
	}
	return o.near(c.A, c.B.Sub(c.A)).distSq < float64(reach*reach)
}

// contact returns the contact of the capsule, grown by margin, with the obstacle.
func (o *Obstacle) contact(c geom.Capsule, margin float64) (Contact, bool) {
	radius := max(c.Radius, 0) + max(o.Capsule.Radius, 0)
	axis := c.B.Sub(c.A)
	at := o.near(c.A, axis)
	reach := max(radius+margin, 0)
	if !finite(o.Capsule) || at.distSq > float64(reach*reach) {
		return Contact{}, false
	}
	n, depth := at.separation(radius, axis, o.Capsule.B.Sub(o.Capsule.A))
	h := o.hit(0, &at, n, 0, false)
	return Contact{Point: h.Point, Normal: n, FaceNormal: n, Distance: -depth, Shape: NoShape}, true
}

// near returns the nearest points of the core from p along axis and the core of the
// obstacle; of equally near ones the one nearest to p.
func (o *Obstacle) near(p, axis geom.Vec3) pair {
	best := pair{distSq: math.Inf(1)}
	e := o.Capsule.B.Sub(o.Capsule.A)
	if e.IsZero() {
		t := 0.0
		if aa := axis.Dot(axis); aa > 0 {
			t = geom.Clamp(o.Capsule.A.Sub(p).Dot(axis)/aa, 0, 1)
		}
		best.take(p.MulAdd(axis, t), o.Capsule.A)
		return best
	}
	best.edge(p, axis, o.Capsule.A, e)
	return best
}

// separation returns the direction from the core of the obstacle to the other core, and the
// depth of the overlap of shapes whose radii sum to radius. Where the cores intersect the
// direction is perpendicular to both.
func (at *pair) separation(radius float64, axis, other geom.Vec3) (n geom.Vec3, depth float64) {
	d := math.Sqrt(at.distSq)
	if d > insideTolerance {
		return at.gap().Div(d), radius - d
	}
	n = axis.Cross(other).Unit()
	if n.IsZero() {
		along := axis.Add(other).Unit()
		if along.IsZero() {
			along = geom.Up
		}
		// Two parallel cores in one line have no direction between them. Any one will do if
		// both ends choose the same.
		if n = (geom.Vec3{X: 1}).Flat(along).Unit(); n.IsZero() {
			n = geom.Vec3{Z: 1}
		}
	}
	return n, radius
}

func (o *Obstacle) hit(fraction float64, at *pair, n geom.Vec3, depth float64, pen bool) Hit {
	if !pen {
		depth = 0
	}
	return Hit{
		Fraction: fraction, Point: at.surface.MulAdd(n, max(o.Capsule.Radius, 0)),
		Normal: n, FaceNormal: n, Depth: depth, Shape: NoShape, Penetrating: pen,
	}
}

// sweepObstacle returns when the moving point first comes within radius of the
// parallelogram that e and the core span from v, or infinity. It is known not to begin
// there. The boundary consists of two faces and four round edges; a convex shape is entered
// at the first of them that is hit.
//
// Either core may be a point: then the parallelogram is a segment.
func (s *sweep) sweepObstacle(v, e geom.Vec3) float64 {
	back := s.axis.Neg()
	if s.aa == 0 {
		return s.edge(v, e)
	}
	n := e.Cross(s.axis)
	if nn := n.Dot(n); nn > float64(float64(e.Dot(e)*s.aa)*1e-20) {
		h, dn := v.Dot(n), s.d.Dot(n)
		if h < 0 {
			h, dn = -h, -dn
		}
		if w := float64(s.radius * math.Sqrt(nn)); h > w && dn > 0 {
			if x := (h - w) / dn; inSpan(s.d.Mul(x).Sub(v), e, back, n) {
				return x // over a face: no edge is hit before
			}
		}
	}
	return min(s.edge(v, e), s.edge(v.Add(back), e), s.edge(v, back), s.edge(v.Add(e), back))
}

// inSpan reports whether q, projected along n, lies in the parallelogram spanned by e and
// f.
func inSpan(q, e, f, n geom.Vec3) bool {
	// q = e·x + f·y + n·z: each coordinate by Cramer's rule, times n·n.
	sign := e.Cross(f).Dot(n)
	x, y := q.Cross(f).Dot(n), e.Cross(q).Dot(n)
	if sign < 0 {
		sign, x, y = -sign, -x, -y
	}
	return x >= 0 && x <= sign && y >= 0 && y <= sign
}
