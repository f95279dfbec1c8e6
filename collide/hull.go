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
// Dobkin, Huhdanpaa 1996) without its outside sets: the points are at most 256, and it runs at
// bake time.
func convexHull(points []geom.Vec3) ([]uint32, error) {
	if len(points) < 4 || len(points) > MaxHullPoints {
		return nil, errors.New("a hull takes 4 to " + strconv.Itoa(MaxHullPoints) + " points, not " +
			strconv.Itoa(len(points)))
	}
	box := geom.EmptyAABB()
	for _, p := range points {
		box = box.Include(p)
	}
	size := box.Max.Sub(box.Min).Len()
	h := hull{points: points, cells: make([]gridPoint, len(points))}
	// Points of a level file are rounded to 32-bit floats, a relative error of 6e-8: points
	// that were coplanar in the tool are not any more. Below this tolerance the hull would
	// get sliver faces with random normals.
	h.tolerance = max(float64(size*1e-7), 2*minTriangleHeight)
	h.snap(box.Min, size)
	for h.begin() {
		for h.grow(h.farthest()) {
		}
		sliver, ok := h.sliver()
		if !ok {
			return h.indices(), nil
		}
		h.left[sliver] = true
	}
	return nil, errors.New("the points of a hull lie in one plane")
}

type hull struct {
	points    []geom.Vec3
	cells     []gridPoint // of the points
	faces     []hullFace
	left      [MaxHullPoints]bool // points that are left out: others are nearly in line with them
	used      [MaxHullPoints]bool
	tolerance float64
}

// gridPoint is a point in cells of a grid. The points of a hull differ by at most 1<<gridBits.
type gridPoint [3]int64

// gridBits divides the size of a hull into cells, so small that they do not show in the normal
// of a triangle as thin as the tolerance.
const gridBits = 3 * digitBits

type hullFace struct {
	v [3]uint32
	n geom.Vec3 // outward, unit
	w float64
}

// snap finds the cells of the points.
//
// With them it is exact which faces a point is in front of. With rounded products, a point that
// nearly lies in the plane of a cap of many triangles would see some of them, here and there,
// and the hull would have holes and folds.
func (h *hull) snap(low geom.Vec3, size float64) {
	_, exponent := math.Frexp(size)
	cell := math.Ldexp(1, exponent-gridBits)
	for i, p := range h.points {
		p = p.Sub(low).Div(cell)
		h.cells[i] = gridPoint{int64(p.X), int64(p.Y), int64(p.Z)}
	}
}

// digitBits are the bits of a digit in inFront.
const digitBits = 15

// inFront reports whether the point is in front of the face. It is the sign of a determinant,
// computed as a number of seven digits.
func (h *hull) inFront(f *hullFace, point uint32) bool {
	const mask = 1<<digitBits - 1
	digits := func(to uint32, axis int) [3]int64 {
		d := h.cells[to][axis] - h.cells[f.v[0]][axis]
		return [3]int64{d & mask, d >> digitBits & mask, d >> (2 * digitBits)}
	}
	var sum [7]int64
	for i := range 3 {
		j, k := (i+1)%3, (i+2)%3
		bj, bk, cj, ck, p := digits(f.v[1], j), digits(f.v[1], k), digits(f.v[2], j), digits(f.v[2], k), digits(point, i)
		for u := range 27 {
			x, y, z := u/9, u/3%3, u%3
			sum[x+y+z] += (bj[x]*ck[y] - bk[x]*cj[y]) * p[z]
		}
	}
	rest := int64(0)
	for i := range 6 {
		sum[i+1] += sum[i] >> digitBits
		rest |= sum[i] & mask
	}
	return sum[6] > 0 || sum[6] == 0 && rest != 0
}

// sliver returns a point that is nearly in line with two neighbours: a triangle with the three
// has no reliable normal.
func (h *hull) sliver() (point uint32, ok bool) {
	for _, f := range h.faces {
		for i := range 3 {
			a, b, c := h.points[f.v[i]], h.points[f.v[(i+1)%3]], h.points[f.v[(i+2)%3]]
			base := b.Sub(a)
			if longest := base.LenSq(); longest >= max(c.Sub(a).LenSq(), c.Sub(b).LenSq()) &&
				base.Cross(c.Sub(a)).LenSq() <= float64(longest*float64(h.tolerance*h.tolerance)) {
				return f.v[(i+2)%3], true
			}
		}
	}
	return 0, false
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
	h.faces = append(h.faces[:0], h.face(v[0], v[1], v[2]), h.face(v[0], v[3], v[1]),
		h.face(v[1], v[3], v[2]), h.face(v[2], v[3], v[0]))
	h.used = h.left
	for _, i := range v {
		h.used[i] = true
	}
	return true
}

// extreme returns the point with the greatest measure, the first of equals.
func (h *hull) extreme(of func(i int) float64) uint32 {
	best, at := math.Inf(-1), 0
	for i := range h.points {
		if x := of(i); x > best && !h.left[i] {
			best, at = x, i
		}
	}
	return uint32(at)
}

// farthest returns the point farthest outside a face, and false if none is outside by more
// than the tolerance.
func (h *hull) farthest() (point uint32, ok bool) {
	best := h.tolerance
	for i, p := range h.points {
		if h.used[i] {
			continue
		}
		for k := range h.faces {
			if d := h.faces[k].n.Dot(p) - h.faces[k].w; d > best {
				best, point, ok = d, uint32(i), true
			}
		}
	}
	return point, ok
}

// grow replaces the faces that are visible from the point by triangles from the point to
// their rim. It returns ok.
func (h *hull) grow(point uint32, ok bool) bool {
	if !ok {
		return false
	}
	h.used[point] = true
	var kept, seen []hullFace
	for _, f := range h.faces {
		if h.inFront(&f, point) {
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
				kept = append(kept, h.face(a, b, point))
			}
		}
	}
	h.faces = kept
	return true
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
