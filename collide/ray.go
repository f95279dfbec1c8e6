package collide

import (
	"math"

	"github.com/backstep-net/backstep/geom"
)

// tieTolerance is how near two hits must be, in metres along the motion, to count as
// equally early.
//
// Two triangles that share an edge are hit at fractions that differ by rounding. Without a
// tolerance the normal of a ray that hits the edge would depend on the order of the tree.
const tieTolerance = 1e-9

// candidate is a touch that may be the first.
type candidate struct {
	fraction float64
	tri      int32 // index into World.tris; −1 − index for a solid
	pen      bool
}

// earliestHits is the touches found so far that are tied for the earliest. Between two
// calls it always has room for one more.
//
// Eight is more than the triangles around most vertices. Where more are tied, the worst is
// dropped (addTouch, addCrossing), so the winner does not depend on the order of visits
// either.
type earliestHits struct {
	list     [8]candidate
	n        int
	earliest float64 // the earliest fraction
	limit    float64 // later fractions are ignored
	tie      float64 // tieTolerance as a fraction
}

func (f *earliestHits) begin(length float64) {
	f.earliest, f.limit = math.Inf(1), 1
	f.tie = tieTolerance / length
}

// add adds a touch, and reports whether it was the earliest so far.
func (f *earliestHits) add(c candidate) bool {
	if c.fraction > f.limit {
		return false
	}
	earlier := c.fraction < f.earliest
	if earlier {
		f.earliest = c.fraction
		// What was tied with the previous earliest may now be too late.
		f.limit = min(f.earliest+f.tie, 1)
		kept := 0
		for _, k := range f.list[:f.n] {
			if k.fraction <= f.limit {
				f.list[kept] = k
				kept++
			}
		}
		f.n = kept
	}
	f.list[f.n] = c
	f.n++
	return earlier
}

// full reports that there is no room for another one: drop one.
func (f *earliestHits) full() bool { return f.n == len(f.list) }

// drop removes one candidate.
func (f *earliestHits) drop(i int) {
	f.n--
	f.list[i] = f.list[f.n]
}

// better reports whether a wins a tie against b for a motion d: by the face that opposes it
// more, then by the lower number.
func better(a, b *Hit, d geom.Vec3) bool {
	x, y := a.FaceNormal.Dot(d), b.FaceNormal.Dot(d)
	// The face that looks most against the motion is the one that a capsule would stop at; the
	// triangle number decides between coplanar faces, because it is the same on every
	// machine.
	if x != y {
		return x < y
	}
	return a.Triangle < b.Triangle
}

// Ray casts the line from → from+delta and returns the first surface that it hits, from
// either side. A zero delta, or numbers that are not finite, hit nothing. Rays are
// watertight: none passes between triangles that share an edge or a vertex (Woop, Benthin,
// Wald 2013, without its fall-back: float64 products are compared exactly).
func (w *World) Ray(from, delta geom.Vec3) (Hit, bool) { return w.ray(from, delta, 1) }

// ray is Ray for hits no later than limit.
func (w *World) ray(from, delta geom.Vec3, limit float64) (Hit, bool) {
	length := delta.Len()
	if !(length > 0 && length <= math.MaxFloat64) || !from.Finite() {
		return Hit{}, false
	}
	var f earliestHits
	f.begin(length)
	f.limit = limit
	if length <= shortRay {
		w.castShort(&f, from, delta)
	} else {
		w.castTriangles(&f, from, delta)
	}
	return w.firstCrossing(&f, from, delta)
}

// addCrossing adds a hit. If very many are equally early, the worst one is dropped.
func (w *World) addCrossing(f *earliestHits, c candidate, from, delta geom.Vec3) {
	if f.add(c); !f.full() {
		return
	}
	at, worst := 0, w.rayHit(&f.list[0], from, delta)
	for i := 1; i < f.n; i++ {
		if h := w.rayHit(&f.list[i], from, delta); better(&worst, &h, delta) {
			at, worst = i, h
		}
	}
	f.drop(at)
}

// firstCrossing decides between equally early hits.
func (w *World) firstCrossing(f *earliestHits, from, delta geom.Vec3) (Hit, bool) {
	if f.n == 0 {
		return Hit{}, false
	}
	best := w.rayHit(&f.list[0], from, delta)
	for i := 1; i < f.n; i++ {
		if h := w.rayHit(&f.list[i], from, delta); better(&h, &best, delta) {
			best = h
		}
	}
	return best, true
}

func (w *World) rayHit(c *candidate, from, delta geom.Vec3) Hit {
	t := &w.tris[c.tri]
	n := t.normal()
	if n.Dot(delta) > 0 {
		n = n.Neg()
	}
	return Hit{
		Fraction: c.fraction, Point: from.MulAdd(delta, c.fraction),
		Normal: n, FaceNormal: n, Shape: ShapeID(t.shape), Triangle: t.number,
	}
}

// shear maps a ray onto the Z axis: axis is the one along which the ray is longest. After
// the shear the ray has x = y = 0, and z is its fraction.
//
// In the space after the shear the ray is the Z axis, so a triangle is hit if it contains
// the origin of the XY plane, which is the sign of three products. The axis along which the
// ray is longest is chosen because dividing by a small component would lose the precision
// of the other two.
type shear struct {
	from       geom.Vec3
	axis       int
	sx, sy, sz float64
}

func shearAlong(from, d geom.Vec3) shear {
	s := shear{from: from}
	x, y, z := math.Abs(d.X), math.Abs(d.Y), math.Abs(d.Z)
	switch {
	case x >= y && x >= z:
		s.axis, s.sx, s.sy, s.sz = 0, d.Y/d.X, d.Z/d.X, 1/d.X
	case y >= z:
		s.axis, s.sx, s.sy, s.sz = 1, d.Z/d.Y, d.X/d.Y, 1/d.Y
	default:
		s.axis, s.sx, s.sy, s.sz = 2, d.X/d.Z, d.Y/d.Z, 1/d.Z
	}
	return s
}

// apply transforms a vertex into the space of the ray. The result depends only on the
// vertex, so triangles that share one agree about it.
//
// The cyclic order of the axes keeps the orientation of the triangle.
func (s *shear) apply(v geom.Vec3) (x, y, z float64) {
	v = v.Sub(s.from)
	switch s.axis {
	case 0:
		x, y, z = v.Y, v.Z, v.X
	case 1:
		x, y, z = v.Z, v.X, v.Y
	default:
		x, y, z = v.X, v.Y, v.Z
	}
	return x - float64(s.sx*z), y - float64(s.sy*z), float64(z * s.sz)
}

// meets returns the fraction at which the ray crosses the triangle, if that is within 0 …
// limit. On an edge the sign of the product of two vertices decides for one neighbour
// exactly what it decides, negated, for the other; zero counts for both.
//
// Products are not fused with sums: a fused product has one rounding less, so the two
// neighbours of an edge would no longer get exactly opposite numbers, and rays would pass
// between them.
func (s *shear) meets(t *tri, limit float64) (float64, bool) {
	ax, ay, az := s.apply(t.a)
	bx, by, bz := s.apply(t.b)
	cx, cy, cz := s.apply(t.c)
	u := float64(cx*by) - float64(cy*bx)
	v := float64(ax*cy) - float64(ay*cx)
	w := float64(bx*ay) - float64(by*ax)
	if (u < 0 || v < 0 || w < 0) && (u > 0 || v > 0 || w > 0) {
		return 0, false
	}
	det := u + v + w
	// The triangle is seen edge-on. Its neighbours are hit instead, or it has no thickness
	// to hit.
	if det == 0 {
		return 0, false
	}
	z := (float64(u*az) + float64(v*bz) + float64(w*cz)) / det
	return z, z >= 0 && z <= limit
}
