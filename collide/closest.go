package collide

import (
	"math"

	"github.com/backstep-net/backstep/geom"
)

// pair is the nearest points of a segment and a triangle. With crossing they share a point,
// and there is no direction between them.
type pair struct {
	core, surface geom.Vec3
	distSq        float64
	crossing      bool
}

// gap returns the vector from the surface to the core.
func (p *pair) gap() geom.Vec3 { return p.core.Sub(p.surface) }

// nearest returns the nearest points of the segment from p along axis and the triangle. If
// many points are equally near, it is the one nearest to p. An axis of zero is a point.
//
// It is the kernel of all queries that are not rays: contacts, overlaps, the start of a
// sweep. The cases are tried from the cheapest and most frequent one: a character stands
// over the inside of a floor triangle. Heights h are times the length of n, which spares a
// square root.
func nearest(p, axis geom.Vec3, t *tri) pair {
	e0, e1, e2 := t.b.Sub(t.a), t.c.Sub(t.b), t.a.Sub(t.c)
	n := e2.Cross(e0)
	nn := n.Dot(n)
	q := p.Add(axis)
	h0, h1 := p.Sub(t.a).Dot(n), q.Sub(t.a).Dot(n)
	best := pair{distSq: math.Inf(1)}
	if over(p, t, e0, e1, e2, n) {
		if h0 == 0 {
			return pair{p, p, 0, true}
		}
		best = pair{core: p, surface: p.MulAdd(n, -h0/nn), distSq: float64(h0*h0) / nn}
		if (h0 > 0) == (h1 > 0) && math.Abs(h0) <= math.Abs(h1) {
			return best // the rest of the segment is not nearer to the plane
		}
	}
	// The ends are on different sides of the plane: the segment crosses it, perhaps inside
	// the triangle.
	if (h0 > 0) != (h1 > 0) && h0 != h1 {
		x := p.MulAdd(axis, h0/(h0-h1))
		if over(x, t, e0, e1, e2, n) {
			return pair{x, x, 0, true}
		}
	}
	// It does not cross the triangle: an end of it is over the triangle, or an edge is nearest.
	// Of equally near points the first one found stays, and p comes before q. So the contact of
	// a capsule that lies flat is at its A, always.
	best.edge(p, axis, t.a, e0)
	best.edge(p, axis, t.b, e1)
	best.edge(p, axis, t.c, e2)
	if d := float64(h1*h1) / nn; closer(d, best.distSq) && over(q, t, e0, e1, e2, n) {
		best = pair{core: q, surface: q.MulAdd(n, -h1/nn), distSq: d}
	}
	return best
}

// closer reports whether the squared distance a is less than b by more than rounding.
//
// Without the margin, the last bit would decide which of two equally near places is the
// contact, and a character that slides along a wall would see it flicker.
func closer(a, b float64) bool { return a < float64(b*(1-1e-12)) }

// over reports whether x lies straight above or below the triangle, its border
// included.
//
// The border counts for both neighbours, so nothing falls between them.
func over(x geom.Vec3, t *tri, e0, e1, e2, n geom.Vec3) bool {
	return e0.Cross(x.Sub(t.a)).Dot(n) >= 0 &&
		e1.Cross(x.Sub(t.b)).Dot(n) >= 0 &&
		e2.Cross(x.Sub(t.c)).Dot(n) >= 0
}

// edge takes the nearest points of the segment p+axis and the edge v+e if they are nearer
// than the best so far. Ericson 2005, 5.1.9, with the case of nearly parallel lines
// computed from their ends.
func (best *pair) edge(p, axis, v, e geom.Vec3) {
	r := p.Sub(v)
	a, b, c := axis.Dot(axis), axis.Dot(e), e.Dot(e)
	f, g := axis.Dot(r), e.Dot(r)
	if a == 0 {
		best.take(p, v.MulAdd(e, geom.Clamp(g/c, 0, 1)))
		return
	}
	// The determinant of the two lines: zero if they are parallel. Below a billionth of its
	// largest value the division amplifies rounding to millimetres, so the four ends are
	// tried instead.
	den := float64(a*c) - float64(b*b)
	if den > float64(float64(a*c)*1e-9) {
		s := geom.Clamp((float64(b*g)-float64(c*f))/den, 0, 1)
		t := (float64(b*s) + g) / c
		if t < 0 {
			t, s = 0, geom.Clamp(-f/a, 0, 1)
		} else if t > 1 {
			t, s = 1, geom.Clamp((b-f)/a, 0, 1)
		}
		best.take(p.MulAdd(axis, s), v.MulAdd(e, t))
		return
	}
	best.take(p, v.MulAdd(e, geom.Clamp(g/c, 0, 1)))
	best.take(p.MulAdd(axis, geom.Clamp(-f/a, 0, 1)), v)
	best.take(p.MulAdd(axis, geom.Clamp((b-f)/a, 0, 1)), v.Add(e))
	best.take(p.Add(axis), v.MulAdd(e, geom.Clamp((b+g)/c, 0, 1)))
}

func (best *pair) take(core, surface geom.Vec3) {
	if d := core.Sub(surface).LenSq(); closer(d, best.distSq) {
		*best = pair{core: core, surface: surface, distSq: d}
	}
}
