package collide

import (
	"errors"
	"math"
	"strconv"

	"github.com/backstep-net/backstep/geom"
)

// convexHull returns the outward triangles of the convex hull of the points, as indices
// into them. It grows a tetrahedron by the point farthest outside any face until none is
// farther than a tolerance of a ten-millionth of the size.
//
// It is the incremental algorithm with the farthest point first, as Quickhull (Barber,
// Dobkin, Huhdanpaa 1996) without its outside sets: with at most 256 points the quadratic
// search takes well below a millisecond, at bake time.
func convexHull(points []geom.Vec3) ([]uint32, error) {
	if len(points) < 4 || len(points) > MaxHullPoints {
		return nil, errors.New("a hull takes 4 to " + strconv.Itoa(MaxHullPoints) + " points, not " +
			strconv.Itoa(len(points)))
	}
	box := geom.EmptyAABB()
	for _, p := range points {
		box = box.Include(p)
	}
	h := hull{points: points}
	// Points of a level file are rounded to 32-bit floats, a relative error of 6e-8: points
	// that were coplanar in the tool are not any more. Below this tolerance the hull would
	// get sliver faces with random normals.
	h.tolerance = max(float64(box.Max.Sub(box.Min).Len()*1e-7), 2*minTriangleHeight)
	if !h.begin() {
		return nil, errors.New("the points of a hull lie in one plane")
	}
	for range 2 * MaxHullPoints {
		point, face := h.farthest()
		if face < 0 {
			return h.indices(), nil
		}
		if !h.grow(point) {
			break
		}
	}
	return nil, errors.New("the points of a hull lie too close to one another")
}

type hull struct {
	points    []geom.Vec3
	faces     []hullFace
	used      [MaxHullPoints]bool
	tolerance float64
}

type hullFace struct {
	v [3]uint32
	n geom.Vec3 // outward, unit
	w float64
}

func (h *hull) face(a, b, c uint32) hullFace {
	t := tri{a: h.points[a], b: h.points[b], c: h.points[c]}
	n := t.cross()
	if l := n.Len(); l > 0 {
		n = n.Div(l)
	}
	return hullFace{[3]uint32{a, b, c}, n, n.Dot(t.a)}
}

// begin finds four points with volume: two extremes, the point farthest from their line,
// the point farthest from their plane.
func (h *hull) begin() bool {
	p := h.points
	var v [4]uint32
	v[0] = h.extreme(func(i int) float64 { return -p[i].X })
	v[1] = h.extreme(func(i int) float64 { return p[i].Sub(p[v[0]]).LenSq() })
	line := p[v[1]].Sub(p[v[0]]).Unit()
	v[2] = h.extreme(func(i int) float64 { return p[i].Sub(p[v[0]]).Cross(line).LenSq() })
	n := line.Cross(p[v[2]].Sub(p[v[0]])).Unit()
	v[3] = h.extreme(func(i int) float64 { return math.Abs(p[i].Sub(p[v[0]]).Dot(n)) })
	// The tetrahedron must have its faces counter-clockwise seen from outside: the sign of
	// its volume decides.
	d := p[v[3]].Sub(p[v[0]]).Dot(n)
	if n.IsZero() || !(math.Abs(d) > h.tolerance) {
		return false
	}
	if d > 0 {
		v[1], v[2] = v[2], v[1]
	}
	h.faces = append(h.faces, h.face(v[0], v[1], v[2]), h.face(v[0], v[3], v[1]),
		h.face(v[1], v[3], v[2]), h.face(v[2], v[3], v[0]))
	for _, i := range v {
		h.used[i] = true
	}
	return true
}

// extreme returns the point with the greatest measure, the first of equals.
func (h *hull) extreme(of func(i int) float64) uint32 {
	best, at := math.Inf(-1), 0
	for i := range h.points {
		if x := of(i); x > best {
			best, at = x, i
		}
	}
	return uint32(at)
}

// farthest returns the point farthest outside a face, and face −1 if none is
// outside by more than the tolerance.
func (h *hull) farthest() (point uint32, face int) {
	best, face := h.tolerance, -1
	for i, p := range h.points {
		if h.used[i] {
			continue
		}
		for k := range h.faces {
			if d := h.faces[k].n.Dot(p) - h.faces[k].w; d > best {
				best, point, face = d, uint32(i), k
			}
		}
	}
	return point, face
}

// grow replaces the faces that are visible from the point by triangles from the point to
// their rim.
func (h *hull) grow(point uint32) bool {
	h.used[point] = true
	p := h.points[point]
	var kept, seen []hullFace
	for _, f := range h.faces {
		// A face is also replaced if the point nearly lies in its plane: otherwise the new
		// triangles would meet it at an angle of almost 180°, perhaps a little more, and
		// the hull would not be convex.
		if f.n.Dot(p)-f.w > float64(h.tolerance*0.5) {
			seen = append(seen, f)
		} else {
			kept = append(kept, f)
		}
	}
	for _, f := range seen {
		for i := range 3 {
			a, b := f.v[i], f.v[(i+1)%3]
			// An edge whose other side is not seen belongs to the rim.
			if !hasEdge(seen, b, a) {
				g := h.face(a, b, point)
				if g.n.IsZero() {
					return false
				}
				kept = append(kept, g)
			}
		}
	}
	h.faces = kept
	return len(kept) >= 4
}

func hasEdge(faces []hullFace, a, b uint32) bool {
	for _, f := range faces {
		if f.v[0] == a && f.v[1] == b || f.v[1] == a && f.v[2] == b || f.v[2] == a && f.v[0] == b {
			return true
		}
	}
	return false
}

func (h *hull) indices() []uint32 {
	var out []uint32
	for _, f := range h.faces {
		out = append(out, f.v[:]...)
	}
	return out
}
