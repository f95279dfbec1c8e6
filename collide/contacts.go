package collide

import (
	"math"

	"github.com/backstep-net/backstep/geom"
)

// Overlaps reports whether the capsule shares more than a touching point with the world:
// deeper than 1e-9 m, or wholly inside a solid. Numbers that are not finite overlap
// nothing.
func (w *World) Overlaps(c geom.Capsule) bool {
	if !finite(c) {
		return false
	}
	var in solidSet
	var k traversal
	core := coreBox(c.A, c.B)
	// A core wholly inside a box touches none of its triangles.
	if w.collectSolids(&in, &k, &core, c.A, c.B); in.n > 0 {
		return true
	}
	axis := c.B.Sub(c.A)
	// Resting on the floor is no overlap: shapes may share a layer of contactTolerance.
	reach := c.Radius - contactTolerance
	if reach <= 0 {
		return false
	}
	reach = float64(reach * reach)
	core = core.grown(c.Radius)
	k.begin(&w.triTree, &core)
	for {
		i, ok := k.next(&w.triTree)
		if !ok {
			return false
		}
		if p := nearest(c.A, axis, &w.tris[i]); p.distSq < reach {
			return true
		}
	}
}

func finite(c geom.Capsule) bool {
	return c.A.Finite() && c.B.Finite() && geom.Finite(c.Radius)
}

// Contacts appends to into every place where the capsule, grown by margin metres, touches
// the world: at most one per triangle, ordered by triangle number, as many as fit into the
// capacity of into (the deepest are kept). A solid contributes the faces that are turned to
// the capsule; a solid that contains part of the core contributes one contact, with the
// shortest way out. A place on the border of a triangle is left out if another triangle
// that shares it comes nearer, so a flat floor of many triangles is one plane and not a
// bowl.
func (w *World) Contacts(c geom.Capsule, margin float64, into []Contact) []Contact {
	if !finite(c) || !geom.Finite(margin) {
		return into
	}
	from := len(into)
	var in solidSet
	var k traversal
	core := coreBox(c.A, c.B)
	w.collectSolids(&in, &k, &core, c.A, c.B)
	for _, i := range in.list[:in.n] {
		v := &w.solids[i]
		n, depth, face, _ := v.inside(c.A, c.B)
		// The triangles of that solid are skipped below: the nearest of them need not be
		// the way out.
		into = keepDeepest(into, from, Contact{
			Point: deepest(c.A, c.B.Sub(c.A), n), Normal: n, FaceNormal: v.planes[face].n,
			Distance: -(c.Radius + depth), Shape: ShapeID(v.shape), Triangle: v.planes[face].triangle,
		})
	}
	reach := max(c.Radius+margin, 0)
	core = core.grown(reach)
	k.begin(&w.triTree, &core)
	for {
		i, more := k.next(&w.triTree)
		if !more {
			break
		}
		if t := &w.tris[i]; !in.has(t.solid) {
			if x, ok := contactWith(c, t, reach); ok {
				into = keepDeepest(into, from, x)
			}
		}
	}
	rest := w.dropCovered(into[from:])
	sortContacts(rest)
	return into[:from+len(rest)]
}

// contactWith returns the contact with one triangle within reach of the core.
func contactWith(c geom.Capsule, t *tri, reach float64) (Contact, bool) {
	axis := c.B.Sub(c.A)
	n := t.cross()
	// Most triangles are out of reach of the plane alone: this spares them the
	// nearest points.
	h0 := c.A.Sub(t.a).Dot(n)
	h1 := h0 + axis.Dot(n)
	near := min(math.Abs(h0), math.Abs(h1))
	if (h0 > 0) == (h1 > 0) && float64(near*near) > float64(float64(reach*reach)*n.Dot(n)) {
		return Contact{}, false
	}
	p := nearest(c.A, axis, t)
	if p.distSq > float64(reach*reach) {
		return Contact{}, false
	}
	out, depth, valid := pushOut(c.A, axis, c.Radius, t, &p)
	if !valid {
		return Contact{}, false
	}
	return Contact{
		Point: p.surface, Normal: out, FaceNormal: side(t.normal(), out, geom.Vec3{}, t.solid >= 0),
		Distance: -depth, Shape: ShapeID(t.shape), Triangle: t.number,
	}, true
}

// keepDeepest appends c, or, if the list is full, replaces the shallowest contact since
// from by it. The list never grows beyond its capacity.
//
// The caller's capacity is the bound: a capsule in a pile of debris can touch hundreds of
// triangles, and the shallow ones matter least.
func keepDeepest(list []Contact, from int, c Contact) []Contact {
	if len(list) < cap(list) {
		return append(list, c)
	}
	worst := from
	for i := from; i < len(list); i++ {
		if shallower(&list[i], &list[worst]) {
			worst = i
		}
	}
	if worst < len(list) && shallower(&list[worst], &c) {
		list[worst] = c
	}
	return list
}

// shallower is a total order of contacts that does not depend on the order in which they
// were found.
func shallower(a, b *Contact) bool {
	if a.Distance != b.Distance {
		return a.Distance > b.Distance
	}
	return contactAfter(a, b)
}

// contactAfter orders contacts by mover, then by triangle.
func contactAfter(a, b *Contact) bool {
	if a.Mover != b.Mover {
		return a.Mover > b.Mover
	}
	return a.Triangle > b.Triangle
}

// dropCovered removes contacts on the border of a triangle if another triangle that
// contains the place comes nearer.
func (w *World) dropCovered(list []Contact) []Contact {
	// Whatever is dropped is marked first and removed after: an order of removal would
	// decide which of two contacts, each on the border of the other, survives.
	var drop [64]bool
	for i := range list {
		c := &list[i]
		if i >= len(drop) || c.FaceNormal.Sub(c.Normal).LenSq() < 1e-18 {
			continue
		}
		for j := range list {
			if o := &list[j]; o.Distance < c.Distance-contactTolerance && o.holds(c.Point, w) {
				drop[i] = true
				break
			}
		}
	}
	kept := 0
	for i := range list {
		if i >= len(drop) || !drop[i] {
			list[kept] = list[i]
			kept++
		}
	}
	return list[:kept]
}

// holds reports whether p lies on the contact's triangle.
func (c *Contact) holds(p geom.Vec3, w *World) bool {
	// The plane is the cheap test; nearest is exact.
	if math.Abs(c.FaceNormal.Dot(p.Sub(c.Point))) > 1e-8 {
		return false
	}
	t := &w.tris[w.triIndex[c.Triangle]]
	at := nearest(p, geom.Vec3{}, t)
	return at.crossing || at.distSq < 1e-16
}

// sortContacts sorts by mover and triangle: insertion sort, because the lists are short.
func sortContacts(list []Contact) {
	for i := 1; i < len(list); i++ {
		for j := i; j > 0 && contactAfter(&list[j-1], &list[j]); j-- {
			list[j], list[j-1] = list[j-1], list[j]
		}
	}
}
