package collide

import (
	"math"

	"github.com/backstep-net/backstep/geom"
)

// grazing is the sine of the largest angle to a surface at which a capsule may have caught on
// an inner edge: 5 mm deep in the ground, a capsule of 0.35 m hits the next edge at 0.17.
//
// A wider angle would only cost time: every sweep that hits an edge flatly would be
// searched twice.
const grazing = 0.35

// grazes reports whether the first touch is at an edge of a solid and at such a flat angle
// that the capsule may be slightly inside the face of another. (For loose triangles startsDeep
// records that; the triangles of a solid that the motion does not lead into are not tested
// at all.)
func (s *sweep) grazes(h *Hit) bool {
	return h.Normal.Dot(s.d) > -float64(grazing*s.length) && h.Normal.Cross(h.FaceNormal).LenSq() > faceOnSinSq && !s.skipInnerEdges
}

// onInnerEdge reports whether the first touch is at an inner edge: then the sweep must be
// repeated with a test of every touch.
func (w *World) onInnerEdge(s *sweep, h *Hit) bool {
	return w.atInnerEdge(s, w.triByNumber(int(h.Triangle)), h.Fraction)
}

const (
	// beneathTolerance is how far, in metres, a triangle may rise above the plane of
	// another and still count as lying beneath it.
	beneathTolerance = 1e-6
	// faceOnSinSq is the squared sine of the angle below which a contact normal counts as
	// the normal of the face.
	faceOnSinSq = 1e-12
)

// atInnerEdge reports whether a capsule that begins inside a mesh touches the triangle only at
// an edge inside that mesh: the capsule is then deeper in another triangle, face on, and this
// triangle does not rise above the plane of that one. Without this test a capsule that is
// slightly sunk into the ground would catch on each edge of the ground. The other triangle
// blocks the motion on its own account, so nothing is tunnelled through: what lies beneath
// a plane that the motion does not lead into is hit no deeper than the capsule began.
//
// A capsule that begins outside of everything never hits such an edge first.
func (w *World) atInnerEdge(s *sweep, t *tri, fraction float64) bool {
	moved := s.p.MulAdd(s.d, fraction)
	// Face on, or with the core inside the triangle, it is no edge at all.
	p := nearest(moved, s.axis, t)
	if p.crossing || p.distSq <= insideTolerance*insideTolerance || faces(t, &p) {
		return false
	}
	// Only triangles nearer to the core than this one can cover it.
	reach := math.Sqrt(p.distSq) - contactTolerance
	around := coreBox(moved, moved.Add(s.axis))
	around = around.grown(reach)
	var k traversal
	k.begin(&w.triTree, &around)
	for {
		i, ok := k.next(&w.triTree)
		if !ok {
			return false
		}
		if o := &w.tris[i]; o != t && o.covers(t, moved, s.axis, reach) {
			return true
		}
	}
}

// covers reports whether the face of o comes nearer than reach to the core, and all of t
// lies beneath it.
func (o *tri) covers(t *tri, core, axis geom.Vec3, reach float64) bool {
	q := nearest(core, axis, o)
	if q.crossing || q.distSq <= insideTolerance*insideTolerance || q.distSq >= float64(reach*reach) || !faces(o, &q) {
		return false
	}
	// Look at o from the side on which the core is. A solid has no back: there the core
	// would be inside of it.
	n := o.cross()
	if n.Dot(q.gap()) < 0 {
		if o.solid >= 0 {
			return false
		}
		n = n.Neg()
	}
	most := max(t.a.Sub(o.a).Dot(n), t.b.Sub(o.a).Dot(n), t.c.Sub(o.a).Dot(n))
	return most <= float64(beneathTolerance*n.Len())
}

// faces reports whether the nearest point of the core is straight above the triangle.
func faces(t *tri, p *pair) bool {
	n, gap := t.cross(), p.gap()
	return n.Cross(gap).LenSq() <= float64(faceOnSinSq*float64(n.Dot(n)*p.distSq))
}
