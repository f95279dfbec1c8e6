package body

import (
	"math"

	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// hull is a box or a triangle for the separating axis test. Its arrays have fixed sizes, so two hulls in
// the World serve all pairs without allocating.
type hull struct {
	corners        int
	corner         [8]geom.Vec3
	faces          int
	normal         [6]geom.Vec3
	faceCorners    [6][4]int8 // corners of a face, counter-clockwise seen from outside
	cornersPerFace int        // how many corners a face has
	edges          int
	edge           [3]geom.Vec3 // directions, unit
}

// boxLoops are the faces +X, −X, +Y, −Y, +Z, −Z of a box whose corner number i has +X
// where i&1, +Y where i&2, +Z where i&4.
var boxLoops = [6][4]int8{{1, 3, 7, 5}, {0, 4, 6, 2}, {2, 6, 7, 3}, {0, 1, 5, 4}, {4, 5, 7, 6}, {0, 2, 3, 1}}

// box makes the hull of a box of half sizes half, centred at a place and turned by q.
func (h *hull) box(at geom.Vec3, q geom.Quat, half geom.Vec3) {
	x, y, z := q.Axes()
	h.corners, h.faces, h.cornersPerFace, h.edges = 8, 6, 4, 3
	h.edge = [3]geom.Vec3{x, y, z}
	h.normal = [6]geom.Vec3{x, x.Neg(), y, y.Neg(), z, z.Neg()}
	h.faceCorners = boxLoops
	x, y, z = x.Mul(half.X), y.Mul(half.Y), z.Mul(half.Z)
	for i := range h.corner {
		c := at
		for k, d := range [3]geom.Vec3{x, y, z} {
			if i>>k&1 == 0 {
				d = d.Neg()
			}
			c = c.Add(d)
		}
		h.corner[i] = c
	}
}

// triangle makes the hull of a triangle, which has no thickness: only the face with the normal n
// counts.
func (h *hull) triangle(f *collide.Face, n geom.Vec3) {
	h.corners, h.faces, h.cornersPerFace, h.edges = 3, 1, 3, 3
	h.corner[0], h.corner[1], h.corner[2] = f.A, f.B, f.C
	// Counter-clockwise seen from the side of n: hullPoints clips to the left of each edge.
	if n.Dot(f.Normal) < 0 {
		h.corner[1], h.corner[2] = f.C, f.B
	}
	h.normal[0] = n
	h.faceCorners[0] = [4]int8{0, 1, 2, 0}
	h.edge[0] = h.corner[1].Sub(h.corner[0]).Unit()
	h.edge[1] = h.corner[2].Sub(h.corner[1]).Unit()
	h.edge[2] = h.corner[0].Sub(h.corner[2]).Unit()
}

// move translates the hull by d. Its directions stay.
func (h *hull) move(d geom.Vec3) {
	for i := range h.corners {
		h.corner[i] = h.corner[i].Add(d)
	}
}

// extent returns the interval of the hull along d: in metres, if d is a unit vector.
func (h *hull) extent(d geom.Vec3) (lo, hi float64) {
	lo = d.Dot(h.corner[0])
	hi = lo
	for i := 1; i < h.corners; i++ {
		x := d.Dot(h.corner[i])
		lo, hi = min(lo, x), max(hi, x)
	}
	return lo, hi
}

// axis is a direction along which two hulls are apart, from the second to the first, by gap metres.
// It comes from a face of either or from an edge of both.
type axis struct {
	n            geom.Vec3
	gap          float64
	face         int // of the first if firstFace, else of the second; −1 for edges
	firstFace    bool
	edgeA, edgeB int // indices of hull.edge of the first and second; for edges only
}

// faceBias is by how much, in metres, edges must be further apart than faces to count: their one
// contact point is worth less than the several of a face. Too large, and boxes that cross at their edges
// would be held by faces that do not touch.
const faceBias = 0.002

// separation finds the axis along which a is farthest from b, and whether a, moving by way, touches
// b at all: enter is the share of way after which the last axis closes, and over 1 if one does not
// close.
func separation(a, b *hull, way geom.Vec3) (best axis, enter float64) {
	best.gap = math.Inf(-1)
	// The faces of b: a lies in front of one of them, if they are apart. For a triangle only its one side
	// counts, so a body beside it is not pushed down through it.
	for i := range b.faces {
		n := b.normal[i]
		lo, _ := a.extent(n)
		gap := lo - n.Dot(b.corner[b.faceCorners[i][0]])
		enter = max(enter, closingShare(gap, n, way))
		if gap > best.gap {
			best = axis{n: n, gap: gap, face: i}
		}
	}
	for i := range a.faces {
		n := a.normal[i].Neg()
		_, hi := b.extent(n)
		gap := n.Dot(a.corner[a.faceCorners[i][0]]) - hi
		enter = max(enter, closingShare(gap, n, way))
		// Faces of b are preferred: a box that lies flat must not change its reference face from piece to
		// piece, or its contact points would jump and the impulses kept for them be lost.
		if gap > best.gap+float64(faceBias*0.5) {
			best = axis{n: n, gap: gap, face: i, firstFace: true}
		}
	}
	for i := range a.edges {
		for j := range b.edges {
			// Two edges: their common perpendicular. Together with the faces these are all axes that can separate
			// two convex polyhedra (the separating axis theorem).
			n := a.edge[i].Cross(b.edge[j])
			l := n.LenSq()
			// Parallel within half a degree: the axis would be noise, and a face separates them as well.
			if l < 1e-4 {
				continue
			}
			n = n.Div(math.Sqrt(l))
			loA, hiA := a.extent(n)
			loB, hiB := b.extent(n)
			gap := loA - hiB
			if other := loB - hiA; other > gap {
				n, gap = n.Neg(), other
			}
			enter = max(enter, closingShare(gap, n, way))
			if gap > best.gap+faceBias {
				best = axis{n: n, gap: gap, face: -1, edgeA: i, edgeB: j}
			}
		}
	}
	return best, enter
}

// closingShare returns after which share of way a gap along n is closed: 0 if there is none, 2 if
// it does not close. Two hulls meet when the last of their axes has closed, or later.
func closingShare(gap float64, n, way geom.Vec3) float64 {
	if gap <= 0 {
		return 0
	}
	closing := -n.Dot(way)
	// More than 1, so that the maximum over all axes says that they never meet.
	if closing < gap {
		return 2
	}
	return gap / closing
}

// polygon is a face while it is clipped, its corners in order.
type polygon struct {
	n int
	p [12]geom.Vec3
}

// add appends a corner. A quadrilateral that is clipped by four planes has at most eight.
func (g *polygon) add(p geom.Vec3) {
	if g.n < len(g.p) {
		g.p[g.n] = p
		g.n++
	}
}

// clip keeps the part of g below the plane n·x ≤ w. Corners on the plane are kept, so that a face that
// fits exactly loses none of its points.
func (g *polygon) clip(n geom.Vec3, w float64) {
	whole := *g
	g.n = 0
	for i := range whole.n {
		p, q := whole.p[i], whole.p[(i+1)%whole.n]
		dp, dq := n.Dot(p)-w, n.Dot(q)-w
		// Sutherland and Hodgman 1974, for one plane.
		if dp <= 0 {
			g.add(p)
		}
		if (dp < 0) != (dq < 0) && dp != dq && dp != 0 && dq != 0 {
			g.add(p.Lerp(q, dp/(dp-dq)))
		}
	}
}

// hullPoints appends the contact points of a and b along an axis, on b.
func hullPoints(a, b *hull, x *axis, into []contactPoint) []contactPoint {
	// Two edges cross in one point.
	if x.face < 0 {
		p, q := a.edgeAt(x.edgeA, x.n.Neg()), b.edgeAt(x.edgeB, x.n)
		_, on := closestPoints(p[0], p[1], q[0], q[1])
		return append(into, contactPoint{on, x.gap})
	}
	ref, other := b, a
	n := x.n
	if x.firstFace {
		ref, other, n = a, b, n.Neg()
	}
	// Two faces: the one that looks against the reference face is clipped to its sides. What is left is
	// where they touch.
	var g polygon
	other.opposingFace(n, &g)
	loop := &ref.faceCorners[x.face]
	for i := range ref.cornersPerFace {
		p, q := ref.corner[loop[i]], ref.corner[loop[(i+1)%ref.cornersPerFace]]
		side := q.Sub(p).Cross(n).Unit()
		g.clip(side, side.Dot(p))
	}
	w := n.Dot(ref.corner[loop[0]])
	for i := range g.n {
		gap := n.Dot(g.p[i]) - w
		// A corner that is lifted; it gets its contact when it comes down.
		if gap > margin {
			continue
		}
		at := g.p[i]
		if !x.firstFace {
			// Points are on b, and the polygon was a's.
			at = at.MulAdd(n, -gap)
		}
		into = append(into, contactPoint{at, gap})
	}
	return into
}

// opposingFace fills g with the face whose normal is most against n: of a box that lies on another, its
// underside. For a triangle that is the triangle.
func (h *hull) opposingFace(n geom.Vec3, g *polygon) {
	best, at := math.Inf(1), 0
	for i := range h.faces {
		if d := h.normal[i].Dot(n); d < best {
			best, at = d, i
		}
	}
	for i := range h.cornersPerFace {
		g.add(h.corner[h.faceCorners[at][i]])
	}
}

// edgeAt returns the ends of the edge of a direction that is farthest along n: a box has four of each
// direction, a triangle one.
func (h *hull) edgeAt(edge int, n geom.Vec3) [2]geom.Vec3 {
	// Edge i of a triangle begins at corner i.
	if h.corners == 3 {
		return [2]geom.Vec3{h.corner[edge], h.corner[(edge+1)%3]}
	}
	best, at := math.Inf(-1), 0
	for i := range h.corners {
		if i>>edge&1 == 0 {
			// Corner i and the one with the bit of this axis set are the ends of an edge.
			if d := n.Dot(h.corner[i]) + n.Dot(h.corner[i|1<<edge]); d > best {
				best, at = d, i
			}
		}
	}
	return [2]geom.Vec3{h.corner[at], h.corner[at|1<<edge]}
}

// reduceManifold keeps those points of one normal that support as well as all: the deepest, the one
// farthest from it, and those farthest to either side of the line between.
func reduceManifold(n geom.Vec3, all []contactPoint, m *manifold) {
	m.normal = n
	if len(all) <= maxPoints {
		for _, s := range all {
			m.add(s.at, s.gap)
		}
		return
	}
	// The deepest first: it must not be missing, or the body sinks in there.
	first := maxOf(all, func(s *contactPoint) float64 { return -s.gap })
	a := all[first]
	second := maxOf(all, func(s *contactPoint) float64 { return s.at.Sub(a.at).LenSq() })
	b := all[second]
	// Then the widest to both sides of the line between, for the largest area to stand on.
	across := b.at.Sub(a.at).Cross(n)
	m.add(a.at, a.gap)
	m.add(b.at, b.gap)
	for _, side := range [2]geom.Vec3{across, across.Neg()} {
		k := maxOf(all, func(s *contactPoint) float64 { return side.Dot(s.at.Sub(a.at)) })
		// Where no point is on that side, the ones found so far are all that matter.
		if s := all[k]; side.Dot(s.at.Sub(a.at)) > 1e-9 {
			m.add(s.at, s.gap)
		}
	}
}

// maxOf returns the index of the point with the greatest measure, the first of equals. of is a measure in
// any unit.
func maxOf(all []contactPoint, of func(s *contactPoint) float64) int {
	best, at := math.Inf(-1), 0
	for i := range all {
		if x := of(&all[i]); x > best {
			best, at = x, i
		}
	}
	return at
}
