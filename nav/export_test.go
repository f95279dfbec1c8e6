package nav

import "github.com/backstep-net/backstep/geom"

// Meet reports whether two polygons are one round a corner of the mesh: the same,
// or joined at that place by portals, over as many as hops.
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
