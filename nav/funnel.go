package nav

import "github.com/backstep-net/backstep/geom"

// corners computes the shortest path through the route, separately for each part between
// links.
//
// At a link the path must pass through its exact start and end, so the funnel starts again
// there.
func (q *Query) corners(a geom.Vec3, end Ref, b geom.Vec3, into []Corner) []Corner {
	m := q.Mesh
	from, base := 0, len(into)
	at := a
	for i, n := range q.route {
		k := int(n) - len(m.portals)
		if k < 0 {
			continue
		}
		l := &m.links[k]
		into = q.funnel(from, i, at, l.start, into)
		into = append(into, Corner{At: l.start, Ref: Ref(l.from + 1), Kind: l.kind, Link: int32(k)})
		from, at = i+1, l.end
		if i+1 < len(q.route) || !sameFlat(l.end, b) {
			into = append(into, Corner{At: l.end, Ref: Ref(l.to + 1)})
		}
	}
	into = q.funnel(from, len(q.route), at, b, into)
	if n := len(into); n > base && into[n-1].Kind == Walk && sameFlat(into[n-1].At, b) {
		into = into[:n-1]
	}
	return append(into, Corner{At: m.snapToPoly(end, b), Ref: end})
}

func sameFlat(a, b geom.Vec3) bool { return a.X == b.X && a.Z == b.Z }

// funnel appends the corners, without both ends, of the shortest path from a to b through
// the portals route[from:to]: the funnel of Lee and Preparata 1984, as described by
// Mononen.
//
// The funnel is the wedge from the apex, within which straight lines pass all portals so
// far. Each portal narrows it from the left or the right; if the sides cross, the path
// bends at the corner of the side that was crossed, and the funnel begins again from there.
// It is linear except for the portals that are walked over again after a corner.
func (q *Query) funnel(from, to int, a, b geom.Vec3, into []Corner) []Corner {
	// The right side of the funnel and the left one, and the portals that they come from.
	apex, side, at := a, [2]geom.Vec3{a, a}, [2]int{from - 1, from - 1}
portals:
	for i := from; i <= to; i++ {
		ends := [2]geom.Vec3{b, b}
		if i < to {
			ends[1], ends[0] = q.portalEnds(q.route[i])
		}
		for s, end := range ends {
			inward, other := float64(1-2*s), 1-s
			if !(float64(inward*cross(apex, side[s], end)) <= 0) {
				continue // the portal is wider than the funnel on this side
			}
			if sameFlat(apex, side[s]) || float64(inward*cross(apex, side[other], end)) > 0 {
				side[s], at[s] = end, i
				continue
			}
			if at[other] == to {
				return into
			}
			// This side crossed over the other one: the corner of the other side is part of
			// the path.
			if !sameFlat(side[other], a) {
				into = q.corner(into, side[other], at[other])
			}
			apex, side[s], at[s] = side[other], side[other], at[other]
			i = at[other]
			continue portals
		}
	}
	return into
}

// corner appends the end of a portal of the route.
func (q *Query) corner(into []Corner, p geom.Vec3, i int) []Corner {
	ref := Ref(q.Mesh.portals[q.route[i]].to + 1)
	return append(into, Corner{At: q.Mesh.snapToPoly(ref, p), Ref: ref})
}

// portalEnds returns the ends of a portal, left and right in the direction of travel.
//
// Heights are left out: the mesh is a height field above each portal, so the shortest path
// is that of the plan.
func (q *Query) portalEnds(n int32) (left, right geom.Vec3) {
	m := q.Mesh
	o := &m.portals[n]
	p := &m.polys[o.from]
	lo, hi := m.line(o.lo), m.line(o.hi)
	switch o.side {
	case east:
		x := m.line(p.x + p.w)
		return geom.V(x, 0, lo), geom.V(x, 0, hi)
	case west:
		x := m.line(p.x)
		return geom.V(x, 0, hi), geom.V(x, 0, lo)
	case south:
		z := m.line(p.z + p.h)
		return geom.V(hi, 0, z), geom.V(lo, 0, z)
	}
	z := m.line(p.z)
	return geom.V(lo, 0, z), geom.V(hi, 0, z)
}

// cross returns twice the signed horizontal area of a triangle: above zero if c is to the
// right of the line from a to b, seen from above with −Z ahead.
func cross(a, b, c geom.Vec3) float64 {
	return float64((b.X-a.X)*(c.Z-a.Z)) - float64((c.X-a.X)*(b.Z-a.Z))
}
