package collide

import (
	"math"

	"github.com/backstep-net/backstep/geom"
)

// pushOut returns the direction in which the triangle pushes the core and how deep they
// overlap (negative for a gap). It is not valid for the inner side of a solid: there
// another triangle of the solid is nearer, or the solid as a whole covers the case.
func pushOut(p, axis geom.Vec3, radius float64, t *tri, at *pair) (n geom.Vec3, depth float64, valid bool) {
	if !at.crossing && at.distSq > insideTolerance*insideTolerance {
		d := math.Sqrt(at.distSq)
		n = at.gap().Div(d)
		return n, radius - d, t.solid < 0 || n.Dot(t.cross()) > 0
	}
	// The core intersects the triangle: the shorter way out is through its face.
	face := t.normal()
	h0 := p.Sub(t.a).Dot(face)
	h1 := h0 + axis.Dot(face)
	above, below := -min(h0, h1), max(h0, h1)
	if t.solid >= 0 || above <= below {
		return face, radius + above, t.solid < 0
	}
	return face.Neg(), radius + below, true
}

// describe fills in the hit of a touch.
//
// It is done only for the touches that are left at the end, because it needs square roots
// and the nearest points at the place of the touch.
func (w *World) describe(s *sweep, c *candidate, h *Hit) {
	if c.tri < 0 {
		*h = w.solidHit(s, -1-c.tri)
		return
	}
	t := &w.tris[c.tri]
	moved := s.p.MulAdd(s.d, c.fraction)
	p := nearest(moved, s.axis, t)
	face := t.normal()
	h.Fraction, h.Point, h.Mover, h.Depth = c.fraction, p.surface, Static, 0
	h.Shape, h.Triangle, h.Penetrating = ShapeID(t.shape), t.number, c.pen
	n, depth, _ := pushOut(moved, s.axis, s.radius, t, &p)
	if c.pen {
		h.Depth = depth
	} else if p.distSq <= insideTolerance*insideTolerance {
		n = face
		if n.Dot(s.d) > 0 {
			n = n.Neg()
		}
	}
	h.Normal, h.FaceNormal = n, side(face, n, s.d, t.solid >= 0)
}

// side returns the normal of the face on the side that n points to. If n is along the face,
// the motion d decides.
//
// A loose triangle has no inside, so its normal follows the side of the contact. At an
// angle near 90° the sign of the product is noise.
func side(face, n, d geom.Vec3, solid bool) geom.Vec3 {
	if solid {
		return face
	}
	x := face.Dot(n)
	if math.Abs(x) < 1e-9 {
		x = -face.Dot(d)
	}
	if x < 0 {
		return face.Neg()
	}
	return face
}

// solidHit returns the hit of a core that begins inside a solid.
func (w *World) solidHit(s *sweep, i int32) Hit {
	v := &w.solids[i]
	n, depth, face, _ := v.inside(s.p, s.p.Add(s.axis))
	return Hit{
		Point: deepest(s.p, s.axis, n), Normal: n, FaceNormal: v.planes[face].n,
		Depth: s.radius + depth, Shape: ShapeID(v.shape), Triangle: v.planes[face].triangle,
		Penetrating: true,
	}
}

// deepest returns the end of the core that is deepest against n, and p if both are.
func deepest(p, axis, n geom.Vec3) geom.Vec3 {
	if axis.Dot(n) < 0 {
		return p.Add(axis)
	}
	return p
}
