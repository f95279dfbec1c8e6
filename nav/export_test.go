package nav

import "github.com/backstep-net/backstep/geom"

// Polygons returns the number of polygons: a Ref is 1 … Polygons().
func (m *Mesh) Polygons() int { return len(m.polys) }

// PathBetween is Path where the polygons of both ends are known.
func (q *Query) PathBetween(start Ref, a geom.Vec3, end Ref, b geom.Vec3, into []Corner) (way []Corner, ok bool) {
	return q.pathBetween(start, a, end, b, into)
}

// Portals returns the number of borders that polygons share.
func (m *Mesh) Portals() int { return len(m.portals) / 2 }

// Bytes returns about how much memory the mesh holds.
func (m *Mesh) Bytes() int {
	return 56*len(m.polys) + 20*len(m.portals) + 4*len(m.heights) + 80*len(m.links) +
		4*len(m.tiles.first) + 4*len(m.tiles.list)
}

// Area returns how much floor the mesh covers, in m², measured horizontally.
func (m *Mesh) Area() float64 {
	cells := int64(0)
	for i := range m.polys {
		cells += int64(m.polys[i].w) * int64(m.polys[i].h)
	}
	return float64(float64(cells) * float64(m.cell*m.cell))
}

// Connected reports whether a path from one polygon to the other exists over portals alone,
// without links.
func (m *Mesh) Connected(a, b Ref) bool {
	return m.has(a) && m.has(b) && m.polys[a-1].group == m.polys[b-1].group
}

// Passed returns the number of corners already reached.
func (f *Follower) Passed() int { return f.next }

// Remaining returns the horizontal length of the rest of the path in metres.
func (f *Follower) Remaining(at geom.Vec3) float64 {
	sum := 0.0
	for i := f.next; i < len(f.corners); i++ {
		sum += flatDist(at, f.corners[i].At)
		at = f.corners[i].At
	}
	return sum
}

// Corners returns the least and greatest corner of the polygon; their Y has no meaning.
func (m *Mesh) Corners(ref Ref) (lo, hi geom.Vec3) { return m.bounds(ref) }

// Meet reports whether two polygons are the same or connected at that point through
// portals, over at most so many hops.
func (m *Mesh) Meet(a, b Ref, at geom.Vec3, hops int) bool {
	if a == b {
		return true
	}
	if hops == 0 {
		return false
	}
	p := &m.polys[a-1]
	for _, o := range m.portals[p.first:p.last] {
		c := at.X
		if o.side == east || o.side == west {
			c = at.Z
		}
		q := m.clampToPoly(Ref(o.to+1), at)
		if flatDist(at, q) < 1e-9 && c >= m.line(o.lo) && c <= m.line(o.hi) && m.Meet(Ref(o.to+1), b, at, hops-1) {
			return true
		}
	}
	return false
}
