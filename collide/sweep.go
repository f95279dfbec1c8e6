package collide

import (
	"math"

	"github.com/backstep-net/backstep/geom"
)

const (
	// contactTolerance is the overlap, in metres, up to which shapes count as just
	// touching.
	//
	// A sweep stops where surfaces meet exactly, so the next one begins there, off by
	// rounding. With zero tolerance about half of those would begin inside the wall and be
	// Penetrating. At 16 km a float64 resolves 2e-12 m: the tolerance is well above that.
	contactTolerance = 1e-9
	// minInward is the least part of a motion that must lead into a surface to count as
	// moving further in: less is rounding of a motion along it.
	//
	// A character slides along a wall by a motion from which the part into the wall has
	// been removed; what is left of it is about 1e-16 of the motion. Zero here would make
	// the character stick.
	minInward = 1e-12
)

// SweepCapsule moves the capsule by delta and returns the first touch: the fraction at
// which the surfaces just meet, without a skin. If the capsule overlaps something before it
// moves and the motion leads further in, the hit has Fraction 0 and Penetrating; a motion
// out of an overlap is not blocked by what it overlaps. Where a capsule touches along a
// line, Point is the end nearest to A. A zero delta, or numbers that are not finite, hit
// nothing.
//
// For capsules thinner than 1 mm Normal equals FaceNormal.
func (w *World) SweepCapsule(c geom.Capsule, delta geom.Vec3) (h Hit, ok bool) {
	ok = w.sweep(&h, c, delta, 1)
	return h, ok
}

// sweep is SweepCapsule for touches no later than limit. It stores the touch in h, because
// a Hit that is returned is copied three times by each function that passes it on.
//
// Sweeps are continuous: a touch is solved for, not stepped towards, so no speed tunnels
// through a thin wall, and the result does not depend on the length of a command.
func (w *World) sweep(h *Hit, c geom.Capsule, delta geom.Vec3, limit float64) bool {
	var s sweep
	if !s.begin(c, delta) {
		*h = Hit{}
		return false
	}
	var f earliestHits
	var k traversal
	core := coreBox(c.A, c.B)
	w.search(&s, &f, &k, &core, limit)
	ok := w.firstTouch(&s, &f, h)
	// The capsule may be a little inside the ground, and this may be an edge between two of
	// its triangles. That is rare, so only then is everything searched again with the
	// expensive test of every touch.
	if ok && (s.startsDeep || s.grazes(h)) && w.onInnerEdge(&s, h) {
		s.skipInnerEdges, s.startsIn, s.overlapped = true, solidSet{}, solidSet{}
		f = earliestHits{}
		w.search(&s, &f, &k, &core, limit)
		ok = w.firstTouch(&s, &f, h)
	}
	return ok
}

// search collects the first touches no later than limit.
func (w *World) search(s *sweep, f *earliestHits, k *traversal, core *box, limit float64) {
	w.sweepSolids(s, f, k, core)
	f.limit = min(f.limit, limit)
	w.sweepTriangles(s, f, k, core)
}

// sweepSolids begins the search with the solids that contain part of the core.
//
// The triangles of such a solid say nothing: seen from inside, all of them are left in the
// direction of the motion. The solid as a whole knows the shortest way out.
func (w *World) sweepSolids(s *sweep, f *earliestHits, k *traversal, core *box) {
	f.begin(s.length)
	w.collectSolids(&s.startsIn, k, core, s.p, s.p.Add(s.axis))
	for _, i := range s.startsIn.list[:s.startsIn.n] {
		n, _, _, _ := w.solids[i].inside(s.p, s.p.Add(s.axis))
		if n.Dot(s.d) < -float64(minInward*s.length) && !s.ignoreStart {
			w.addTouch(s, f, candidate{tri: -1 - i, pen: true})
		}
	}
}

// hinders reports whether a touch of a triangle of a solid blocks the motion. A solid that
// the capsule overlaps before it moves counts as a whole: only at the point nearest to the
// core, and never later, because it is convex and a motion out of it stays out.
func (w *World) hinders(s *sweep, t *tri, fraction float64) bool {
	if s.startsIn.has(t.solid) {
		return false
	}
	if fraction <= 0 {
		p := nearest(s.p, s.axis, t)
		return p.distSq <= float64(w.startDistSq(s, t.solid)*(1+1e-9))
	}
	if s.overlapped.has(t.solid) {
		return false
	}
	if w.startsClear(s, t) {
		return true
	}
	s.overlapped.add(t.solid)
	return false
}

// startsClear reports whether the capsule does not overlap the solid of the triangle t, which
// it is about to touch, before it moves.
//
// Planes between them are tried first: most solids that a capsule touches are ones that it does
// not begin in, and one plane proves that. It is the plane of a face or, beside an edge, the
// one across the way from t to the core.
func (w *World) startsClear(s *sweep, t *tri) bool {
	v := &w.solids[t.solid]
	q := s.p.Add(s.axis)
	reach := max(s.radius-contactTolerance, 0)
	for i := range v.planes {
		p := &v.planes[i]
		if min(p.n.Dot(s.p), p.n.Dot(q))-p.w >= reach {
			return true
		}
	}
	if near := nearest(s.p, s.axis, t); near.distSq > float64(s.rr) && v.behind(near.surface, near.gap()) {
		return true
	}
	return w.startDistSq(s, t.solid) >= float64(reach*reach)
}

// startDistSq returns the squared distance of the core from the surface of the solid before
// it moves.
//
// It costs a query of each triangle of the solid; overlapped remembers the answer for a
// sweep.
func (w *World) startDistSq(s *sweep, solid int32) float64 {
	v := &w.solids[solid]
	q := s.p.Add(s.axis)
	least := math.Inf(1)
	for n := v.first; n < v.first+v.count; n++ {
		t := &w.tris[w.triIndex[n]]
		// A convex solid is nearest at a face that the core is in front of.
		if face := t.cross(); max(s.p.Sub(t.a).Dot(face), q.Sub(t.a).Dot(face)) < 0 {
			continue
		}
		p := nearest(s.p, s.axis, t)
		least = min(least, p.distSq)
	}
	return least
}

// addTouch adds a touch and reports whether it was the earliest so far. If very many are
// equally early, the worst one is dropped.
func (w *World) addTouch(s *sweep, f *earliestHits, c candidate) bool {
	earlier := f.add(c)
	if f.full() {
		var worst, h Hit
		at := 0
		w.describe(s, &f.list[0], &worst)
		for i := 1; i < f.n; i++ {
			if w.describe(s, &f.list[i], &h); better(&worst, &h, s.d) {
				at, worst = i, h
			}
		}
		f.drop(at)
	}
	return earlier
}

// firstTouch decides between equally early touches, and reports whether there are any.
func (w *World) firstTouch(s *sweep, f *earliestHits, best *Hit) bool {
	if f.n == 0 {
		*best = Hit{}
		return false
	}
	w.describe(s, &f.list[0], best)
	if f.n > 1 {
		w.decide(s, f, best)
	}
	return true
}

func (w *World) decide(s *sweep, f *earliestHits, best *Hit) {
	var h Hit
	for i := 1; i < f.n; i++ {
		if w.describe(s, &f.list[i], &h); better(&h, best, s.d) {
			*best = h
		}
	}
}

// sweepTriangles collects the first touches. Every touch shortens the motion, and with it
// the box that is searched.
func (w *World) sweepTriangles(s *sweep, f *earliestHits, k *traversal, core *box) {
	capsule := core.grown(s.radius)
	search := capsule.swept(s.d, f.limit)
	k.begin(&w.triTree, &search)
	k.toward(s.d)
	for {
		i, more := k.next(&w.triTree)
		if !more {
			return
		}
		t := &w.tris[i]
		u, pen, ok := s.meets(t, f.limit)
		if !ok || t.solid >= 0 && !w.hinders(s, t, u) || s.skipInnerEdges && w.atInnerEdge(s, t, u) {
			continue
		}
		if w.addTouch(s, f, candidate{fraction: u, tri: int32(i), pen: pen}) && k.more() {
			search = capsule.swept(s.d, f.limit)
			k.shrink(&w.triTree, &search)
		}
	}
}

// sweep is a capsule in motion. Its core is the segment from p along axis. Relative to the
// capsule the world moves, and a triangle touches it when the point p comes within radius
// of the prism spanned by the triangle and −axis.
//
// Its fields are what the test of each triangle needs and what does not change from
// triangle to triangle.
type sweep struct {
	p, axis, d     geom.Vec3
	radius, rr     float64   // and its square
	length         float64   // of d
	dd, aa         float64   // squared lengths of d and axis
	span           geom.Vec3 // spans the sides of the prism: axis, or d for a sphere
	lead           geom.Vec3 // from p to the leading end of a motion along the axis
	lengthwise     bool      // the motion is along the axis, or the capsule is a sphere
	startsIn       solidSet  // solids that the core begins in
	overlapped     solidSet  // further solids that the capsule is known to begin in
	startsDeep     bool      // the capsule begins deeper than a touch in a loose triangle
	skipInnerEdges bool      // touches at inner edges do not count; see atInnerEdge
	ignoreStart    bool      // touches that exist before the motion do not count
	prism          prism     // of the current triangle
}

// begin prepares the sweep and reports whether there is anything to sweep.
//
// A motion along the axis is the same as that of the leading end alone: a capsule that
// falls upright is a ball. Such a motion also makes the sides of the prism degenerate, so
// it must be known.
func (s *sweep) begin(c geom.Capsule, d geom.Vec3) bool {
	s.p, s.axis, s.d, s.radius = c.A, c.B.Sub(c.A), d, max(c.Radius, 0)
	s.rr = float64(s.radius * s.radius)
	s.dd, s.aa = d.Dot(d), s.axis.Dot(s.axis)
	s.length = math.Sqrt(s.dd)
	s.span = s.axis
	if s.axis.Cross(d).LenSq() <= float64(float64(s.dd*s.aa)*1e-20) {
		s.lengthwise = true
		if s.axis.Dot(d) > 0 {
			s.lead = s.axis
		}
		if s.aa == 0 {
			s.span = d
		}
	}
	return sweepable(c, s.dd)
}

// sweepable reports whether there is anything to sweep: a finite capsule, and a motion of
// that squared length.
func sweepable(c geom.Capsule, dd float64) bool {
	return dd > 0 && dd <= math.MaxFloat64 && c.A.Finite() && c.B.Finite() && geom.Finite(c.Radius)
}

// meets returns when the moving capsule first touches the triangle, up to limit, and
// whether they overlapped before.
//
// The prism is convex, so each of its planes that the point is more than radius beyond must
// be crossed before they touch. The last plane crossed is the place of the touch if the
// face of the prism is there, else the touch is at a rounded edge. A point that is beyond
// no plane by radius may overlap already.
//
// This is the separating-axis view of the Minkowski sum: the sum of a triangle, the
// reversed core and a ball is what the point p must enter. The planes tested are those of
// the triangle and of each edge with the core; together with the rounded edges they are the
// whole surface of the sum.
func (s *sweep) meets(t *tri, limit float64) (fraction float64, pen, ok bool) {
	n := t.cross()
	dn := s.d.Dot(n)
	if t.solid >= 0 && dn >= 0 {
		return 0, false, false // a neighbour that faces the motion is hit no later
	}
	h0, slope := s.p.Sub(t.a).Dot(n), s.axis.Dot(n)
	h1 := h0 + slope
	// The capsule is on the back of the triangle: loose triangles block from both sides, so
	// look at it from there.
	if h0 <= 0 && h1 <= 0 {
		h0, h1, dn = -h0, -h1, -dn
	}
	// Heights are times the length of n, and are compared squared: no square root for the
	// triangles that are missed, which are most.
	low, rr := min(h0, h1), float64(s.rr*n.Dot(n))
	beyond := low > 0 && float64(low*low) > rr
	if beyond {
		end := low + float64(dn*limit)
		if dn >= 0 || end > 0 && float64(end*end) > rr {
			return 0, false, false
		}
	}
	pr := &s.prism
	pr.v[0], pr.v[1], pr.v[2] = t.a.Sub(s.p), t.b.Sub(s.p), t.c.Sub(s.p)
	pr.e[0], pr.e[1], pr.e[2] = t.b.Sub(t.a), t.c.Sub(t.b), t.a.Sub(t.c)
	pr.n, pr.when, pr.enter, pr.separated = n, [4]float64{-1, -1, -1, -1}, 0, false
	if beyond {
		u := (low - math.Sqrt(rr)) / -dn
		pr.separated, pr.enter, pr.when[0] = true, max(u, 0), u
		pr.far = h1 < h0
		pr.both = float64(slope*slope) <= float64(n.Dot(n)*1e-18)
	}
	if !s.sides(limit) {
		return 0, false, false
	}
	if !pr.separated {
		if u, pen, ok, done := s.touchAtStart(t); done {
			return u, pen, ok
		}
	} else if s.onFace() {
		return pr.enter, false, pr.enter <= limit
	}
	u := s.edges(limit)
	return u, false, u <= limit
}

// prism is the prism of triangle and −axis relative to A of the capsule, and the times when
// its planes are crossed.
//
// It is scratch of the sweep rather than a local variable: nearly 300 bytes that would be
// cleared for every triangle.
type prism struct {
	v, e      [3]geom.Vec3
	n         geom.Vec3
	m         [3]geom.Vec3 // outward normals of the sides, of any length
	when      [4]float64   // when each plane is crossed: cap, three sides; −1 if it need not be crossed
	enter     float64      // when the last plane is crossed
	separated bool         // some plane separates them at the start
	far       bool         // the near cap is that of B of the capsule
	both      bool         // both caps lie in one plane
}

// sides tests the planes spanned by an edge and the direction of the core. For a sphere any
// planes through the edges that have the triangle on one side will do; those along the
// motion exclude most.
//
// It returns false as soon as some plane keeps them apart until limit: the separating axis.
// Otherwise enter is when the last of the planes is crossed, and leave when the first is
// left again.
func (s *sweep) sides(limit float64) bool {
	pr := &s.prism
	leave := limit
	// All three normals e × span point into the triangle, or all three out of it,
	// as the span leans; a span in its plane leaves each to face the point.
	lean := pr.n.Dot(s.span)
	ss := s.span.Dot(s.span)
	flat := float64(lean*lean) <= float64(float64(pr.n.Dot(pr.n)*ss)*1e-20)
	for i := range 3 {
		m := pr.e[i].Cross(s.span)
		mm := m.Dot(m)
		if mm <= float64(float64(pr.e[i].Dot(pr.e[i])*ss)*1e-20) {
			continue // parallel to this edge
		}
		h := -m.Dot(pr.v[i])
		if flat && h < 0 || !flat && lean < 0 {
			m, h = m.Neg(), -h
		}
		pr.m[i] = m
		beyond := h > 0 && float64(h*h) > float64(s.rr*mm)
		if s.lengthwise {
			if beyond {
				return false // a motion along the planes crosses none of them
			}
			continue
		}
		dm := s.d.Dot(m)
		switch {
		case beyond && dm >= 0:
			return false
		case beyond:
			u := (h - float64(s.radius*math.Sqrt(mm))) / -dm
			pr.separated, pr.when[i+1] = true, u
			pr.enter = max(pr.enter, u)
		case dm > 0:
			leave = min(leave, (float64(s.radius*math.Sqrt(mm))-h)/dm)
		}
	}
	return pr.enter <= leave
}

// onFace reports whether the point, when it crosses the last of the planes, is over that
// face of the prism.
//
// Where two planes are crossed at the same time the touch is at their edge, and both faces
// are as good: hence the tolerance.
func (s *sweep) onFace() bool {
	pr := &s.prism
	near := pr.enter - tieTolerance/s.length
	at := s.d.Mul(pr.enter)
	if pr.when[0] >= near {
		q := at
		if pr.far {
			q = at.Add(s.axis)
		}
		if pr.over(q) || pr.both && pr.over(at.Add(s.axis)) {
			return true
		}
	}
	for i := range 3 {
		if pr.when[i+1] >= near && s.overSide(i, at) {
			return true
		}
	}
	return false
}

// over reports whether q lies straight above or below the triangle.
func (pr *prism) over(q geom.Vec3) bool {
	for i := range 3 {
		if pr.e[i].Cross(q.Sub(pr.v[i])).Dot(pr.n) < 0 {
			return false
		}
	}
	return true
}

// overSide reports whether q lies straight above the parallelogram v, e, −axis.
func (s *sweep) overSide(i int, q geom.Vec3) bool {
	return inSpan(q.Sub(s.prism.v[i]), s.prism.e[i], s.axis.Neg(), s.prism.m[i])
}

// edges returns when the point first comes within radius of an edge of the prism, or
// infinity.
//
// For a sphere, and for a motion along the axis, the prism is the triangle itself.
// Otherwise it has nine edges: the triangle, the triangle moved back by the axis, and the
// three that connect them.
func (s *sweep) edges(limit float64) float64 {
	pr := &s.prism
	u := limit
	hit := false
	for i := range 3 {
		if x := s.edge(pr.v[i].Sub(s.lead), pr.e[i]); x <= u {
			u, hit = x, true
		}
	}
	if !s.lengthwise {
		back := s.axis.Neg()
		for i := range 3 {
			if x := s.edge(pr.v[i].Add(back), pr.e[i]); x <= u {
				u, hit = x, true
			}
			if x := s.edge(pr.v[i], back); x <= u {
				u, hit = x, true
			}
		}
	}
	if !hit {
		return math.Inf(1)
	}
	return max(u, 0)
}

// edge returns when the moving point comes within radius of the segment from v along e, or
// infinity. The segment may be a point. The moving point is known not to begin there.
//
// The cross product with e keeps the part of a vector perpendicular to the edge, times |e|.
//
// Perpendicular to the edge this is a ray against a circle (Ericson 2005, 5.3.7, without
// the ends of the cylinder, which corner covers). Dividing by |e| is avoided by scaling the
// circle instead.
func (s *sweep) edge(v, e geom.Vec3) float64 {
	d, w := s.d.Cross(e), e.Cross(v)
	ee, c := e.Dot(e), w.Dot(w)
	along := -v.Dot(e)
	if c > float64(s.rr*ee) {
		b := d.Dot(w)
		if b >= 0 {
			return math.Inf(1)
		}
		a, x := d.Dot(d), s.d.Dot(w)
		disc := float64(a*s.rr) - float64(x*x)
		if disc < 0 {
			return math.Inf(1)
		}
		u := (-b - math.Sqrt(float64(ee*disc))) / a
		along += float64(u * s.d.Dot(e))
		if along >= 0 && along <= ee {
			return u
		}
	}
	if along > ee {
		v = v.Add(e)
	}
	return s.corner(v)
}

// corner returns when the moving point comes within radius of v, or infinity.
//
// The discriminant is computed from the cross product, not from b·b − a·c: those two are
// large and nearly equal for a far corner, and their difference would have no correct
// digit.
func (s *sweep) corner(v geom.Vec3) float64 {
	b := -s.d.Dot(v)
	if b >= 0 {
		return math.Inf(1)
	}
	x := s.d.Cross(v)
	disc := float64(s.dd*s.rr) - x.Dot(x)
	if disc < 0 {
		return math.Inf(1)
	}
	return (-b - math.Sqrt(disc)) / s.dd
}

// touchAtStart tests whether the capsule touches the triangle before it moves. done is
// false if it does not.
//
// A capsule that rests on the floor touches it at the start of every sweep: such a touch
// counts only if the motion leads further in.
func (s *sweep) touchAtStart(t *tri) (fraction float64, pen, ok, done bool) {
	p := nearest(s.p, s.axis, t)
	reach := s.radius + contactTolerance
	if p.distSq > float64(reach*reach) {
		return 0, false, false, false
	}
	if s.ignoreStart {
		return 0, false, false, true
	}
	if t.solid >= 0 && (p.crossing || p.distSq <= insideTolerance*insideTolerance) {
		return 0, false, false, true // the solid as a whole covers this case
	}
	n, depth, _ := pushOut(s.p, s.axis, s.radius, t, &p)
	s.startsDeep = s.startsDeep || t.solid < 0 && depth > contactTolerance
	if n.Dot(s.d) >= -float64(minInward*s.length) {
		return 0, false, false, true
	}
	return 0, depth > contactTolerance, true, true
}
