package nav

import "github.com/backstep-net/backstep/geom"

// dropEvery is the number of border cells per link down.
//
// A long ledge needs a way down here and there and not at each sample: a link costs the
// search as much as a portal.
const dropEvery = 10

// drops returns links down from the borders of the mesh that are ledges: where the body can
// move straight out and then straight down onto the mesh.
func (r *rects) drops(m *Mesh) []meshLink {
	if r.p.MaxDrop <= 0 {
		return nil
	}
	var out []meshLink
	for id := range int32(len(r.polys)) {
		for side := range 4 {
			out = r.dropsOf(out, m, id, side)
		}
	}
	return out
}

// dropsOf appends the links down over one side of a rectangle.
//
// Polygons for crouching have none: the fall is tested with the upright body.
func (r *rects) dropsOf(out []meshLink, m *Mesh, id int32, side int) []meshLink {
	p := &r.polys[id]
	if p.crouchOnly {
		return out
	}
	n, dx, dz := p.h, int32(0), int32(0)
	along := south
	switch side {
	case east:
		dx = p.w
	case south:
		n, along, dz = p.w, east, p.h
	case north:
		n, along = p.w, east
	}
	i := r.sample(id, dx, dz)
	since := int32(dropEvery)
	for k := range n + 1 {
		if since++; since > dropEvery && r.border(i, side) {
			x, z := p.x+dx+stepX[along]*k, p.z+dz+stepZ[along]*k
			if w, ok := r.drop(m, i, x, z, side); ok {
				w.from = id
				out = append(out, w)
				since = 0
			}
		}
		i = r.link[along][i]
	}
	return out
}

// border reports whether the mesh ends at a sample, towards a side.
func (r *rects) border(i int32, side int) bool { return r.link[side][i] < 0 }

// drop looks for a drop from sample i at x, z of the grid.
func (r *rects) drop(m *Mesh, i, x, z int32, side int) (meshLink, bool) {
	top := geom.V(r.at(x), r.list[i].y, r.at(z))
	// As far as a body needs to step out: over the margin that was eroded and its own
	// width, and a few cells for rounding.
	far := int32((max(r.p.LedgeMargin, 0)+float64(2*r.p.Radius))/r.p.Cell) + 3
	for k := int32(1); k <= far; k++ {
		jx, jz := x+stepX[side]*k-r.x, z+stepZ[side]*k-r.z
		if jx < 0 || jz < 0 || jx >= r.nx || jz >= r.nz {
			return meshLink{}, false
		}
		j := r.below(jz*r.nx+jx, top.Y)
		if j < 0 {
			continue
		}
		end := geom.V(r.at(jx+r.x), r.list[j].y, r.at(jz+r.z))
		to := r.polyAt(j)
		if to < 0 || !r.dropClear(top, end) {
			continue
		}
		return meshLink{to: to, start: top, end: m.snapToPoly(Ref(to+1), end), kind: Drop, cost: top.Dist(end), link: -1}, true
	}
	return meshLink{}, false
}

// below returns the highest sample of a column on which the body stands upright, more than
// a step and at most a drop below y, or −1. It is also −1 if another floor is in between.
func (r *rects) below(column int32, y float64) int32 {
	for j := r.first[column]; j < r.first[column+1]; j++ {
		s := &r.list[j]
		if s.y > y-r.p.StepHeight-1e-4 {
			continue
		}
		// What lies in between would be landed on first.
		if s.standing == upright && s.y >= y-r.p.MaxDrop {
			return int32(j)
		}
		return -1
	}
	return -1
}

// polyAt returns a rectangle that has the sample as a corner of one of its cells, or −1.
func (r *rects) polyAt(i int32) int32 {
	w, n := r.link[west][i], r.link[north][i]
	for _, c := range [4]int32{i, w, n, -1} {
		if c >= 0 && r.poly[c] >= 0 && r.cellHas(c, i) {
			return r.poly[c]
		}
	}
	if w >= 0 {
		if c := r.link[north][w]; c >= 0 && r.poly[c] >= 0 && r.cellHas(c, i) {
			return r.poly[c]
		}
	}
	return -1
}

// cellHas reports whether a sample is a corner of the cell.
func (r *rects) cellHas(cell, i int32) bool {
	e, s := r.link[east][cell], r.link[south][cell]
	return i == cell || i == e || i == s || e >= 0 && r.link[south][e] == i
}

// dropClear reports whether nothing is in the way straight out and down.
//
// The two sweeps stand for the parabola of a fall, which lies inside of their corner: there
// only the side of the ledge itself could be in its way.
func (r *rects) dropClear(top, end geom.Vec3) bool {
	body := r.body(top.MulAdd(geom.Up, hover), r.p.Height)
	out := end.Sub(top)
	out.Y = 0
	if _, hit := r.world.SweepCapsule(body, out); hit {
		return false
	}
	_, hit := r.world.SweepCapsule(body.Moved(out), geom.V(0, end.Y-top.Y, 0))
	return !hit
}
