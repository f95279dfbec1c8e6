package collide

import (
	"errors"
	"math"

	"github.com/backstep-net/backstep/geom"
)

// solid is the convex form of a shape, besides its triangles: from it the way out is
// computed for a mover inside.
//
// It costs some hundred bytes for each box. The triangles alone cannot say how deep a point
// is inside and which way out is the shortest; a character that a door has closed on needs
// that.
type solid struct {
	bounds  geom.AABB
	shape   uint32
	planes  []plane
	corners []geom.Vec3
	edges   []geom.Vec3 // directions, each once
	first   uint32      // its triangles are count numbers from this one on
	count   uint32
}

// plane is the half space n·x ≤ w that contains the solid, with the number of the first
// triangle in it.
type plane struct {
	n        geom.Vec3
	w        float64
	triangle uint32
}

// makeSolid computes planes, corners and edges of a closed convex surface.
func makeSolid(tris []tri, id uint32) (solid, error) {
	v := solid{bounds: geom.EmptyAABB(), shape: id, count: uint32(len(tris))}
	if len(tris) > 0 {
		v.first = tris[0].number
	}
	if len(tris) > 2*MaxHullPoints {
		return v, errors.New("a solid with too many triangles")
	}
	for i := range tris {
		t := &tris[i]
		v.bounds = v.bounds.Union(t.bounds())
		v.addPlane(t)
		v.addCorner(t.a)
		v.addCorner(t.b)
		v.addCorner(t.c)
		if !closedBy(tris, t.a, t.b) || !closedBy(tris, t.b, t.c) || !closedBy(tris, t.c, t.a) {
			return v, errors.New("a solid whose surface is not closed")
		}
	}
	for i := range tris {
		t := &tris[i]
		v.addEdge(t.b.Sub(t.a))
		v.addEdge(t.c.Sub(t.b))
		v.addEdge(t.a.Sub(t.c))
	}
	if len(v.corners) < 4 {
		return v, errors.New("a solid without volume")
	}
	// Rounding of the corners, after a rotation for example, may leave them outside a plane
	// by that much.
	bound := float64(v.bounds.Max.Sub(v.bounds.Min).Len()*1e-6) + 1e-9
	for _, p := range v.planes {
		for _, c := range v.corners {
			if p.n.Dot(c)-p.w > bound {
				return v, errors.New("a solid that is not convex")
			}
		}
	}
	return v, nil
}

// closedBy reports whether some triangle has the edge from b to a.
func closedBy(tris []tri, a, b geom.Vec3) bool {
	for i := range tris {
		t := &tris[i]
		if t.a == b && t.b == a || t.b == b && t.c == a || t.c == b && t.a == a {
			return true
		}
	}
	return false
}

// The two triangles of a box's side have one plane. Without merging, the way out would be
// tested twice, and a hull of a tessellated cylinder cap would have dozens of equal axes. w
// is the greatest of the corners, so that no corner is outside by rounding.
func (v *solid) addPlane(t *tri) {
	n := t.normal()
	w := max(n.Dot(t.a), n.Dot(t.b), n.Dot(t.c))
	for _, p := range v.planes {
		if p.n.Sub(n).LenSq() < 1e-18 && math.Abs(p.w-w) < 1e-9 {
			return
		}
	}
	v.planes = append(v.planes, plane{n, w, t.number})
}

func (v *solid) addCorner(c geom.Vec3) {
	for _, k := range v.corners {
		if k == c {
			return
		}
	}
	v.corners = append(v.corners, c)
}

// Parallel edges give the same separating axis: a box has three and not eighteen.
func (v *solid) addEdge(e geom.Vec3) {
	e = e.Unit()
	for _, k := range v.edges {
		if k.Cross(e).LenSq() < 1e-18 {
			return
		}
	}
	v.edges = append(v.edges, e)
}

// behind reports whether no corner is beyond the plane through p with the normal n, by more
// than rounding.
func (v *solid) behind(p, n geom.Vec3) bool {
	most := float64(n.LenSq() * 1e-10)
	for i := range v.corners {
		if v.corners[i].Sub(p).Dot(n) > most {
			return false
		}
	}
	return true
}

// insideTolerance is the distance, in metres, below which a core counts as inside a solid:
// at smaller distances the direction between them is noise.
const insideTolerance = 1e-7

// inside reports whether the segment a–b intersects the solid, and the shortest way out:
// along n by depth metres. The separating axes of a segment and a convex mover are the face
// normals of the mover and the products of its edges with the segment.
func (v *solid) inside(a, b geom.Vec3) (n geom.Vec3, depth float64, face int, ok bool) {
	depth = math.Inf(1)
	for i := range v.planes {
		p := &v.planes[i]
		d := p.w - min(p.n.Dot(a), p.n.Dot(b))
		if d < -insideTolerance {
			return n, 0, 0, false
		}
		if d < depth {
			n, depth, face = p.n, d, i
		}
	}
	axis := b.Sub(a)
	for _, e := range v.edges {
		m := e.Cross(axis)
		// The edge is parallel to the segment, or the segment is a point: no axis.
		if m.LenSq() <= float64(axis.LenSq()*1e-16) {
			continue
		}
		m = m.Unit()
		lo, hi := v.extent(m)
		at := m.Dot(a)
		if at-hi > insideTolerance || lo-at > insideTolerance {
			return n, 0, 0, false
		}
		// A face wins a tie: its normal is the cleaner one.
		if hi-at < depth-1e-9 {
			n, depth, face = m, hi-at, -1
		}
		if at-lo < depth-1e-9 {
			n, depth, face = m.Neg(), at-lo, -1
		}
	}
	if face < 0 {
		face = v.facing(n)
	}
	return n, depth, face, true
}

// extent returns the range of the corners along m.
func (v *solid) extent(m geom.Vec3) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, c := range v.corners {
		d := m.Dot(c)
		lo, hi = min(lo, d), max(hi, d)
	}
	return lo, hi
}

// facing returns the plane whose normal is nearest to n.
func (v *solid) facing(n geom.Vec3) int {
	best, at := math.Inf(-1), 0
	for i := range v.planes {
		if d := v.planes[i].n.Dot(n); d > best {
			best, at = d, i
		}
	}
	return at
}

// solidSet is a small set of solids, such as those that a core begins in.
//
// Fixed in size, so that it lives on the stack.
type solidSet struct {
	list [8]int32
	n    int
}

// has reports whether the solid is in the set. −1 never is.
func (in *solidSet) has(solid int32) bool {
	for _, s := range in.list[:in.n] {
		if s == solid {
			return true
		}
	}
	return false
}

// add adds a solid while there is room: more than eight solids at one place are not
// supported.
func (in *solidSet) add(solid int32) {
	if in.n < len(in.list) {
		in.list[in.n] = solid
		in.n++
	}
}

// collectSolids adds the solids that the segment a–b, whose box is core, intersects.
func (w *World) collectSolids(in *solidSet, k *traversal, core *box, a, b geom.Vec3) {
	k.begin(&w.solidTree, core)
	for {
		place, more := k.next(&w.solidTree)
		if !more {
			return
		}
		i := w.solidOrder[place]
		if _, _, _, ok := w.solids[i].inside(a, b); ok {
			in.add(int32(i))
		}
	}
}
