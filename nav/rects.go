package nav

import "math"

// maxSide is the largest side of a rectangle, in cells.
//
// A rectangle is crossed from anywhere to anywhere in a straight line, so larger ones make
// paths shorter to search. But a path goes through the point of a portal that is nearest to
// the goal's line, and a very long portal makes that a bad guess.
const maxSide = 48

// rects merges cells into rectangles, in the order of the samples.
type rects struct {
	*field
	poly  []int32 // by a cell's sample, the rectangle it belongs to, or −1
	polys []poly
	nw    []int32 // by rectangle, its north-western sample
}

// buildRects merges the cells. It is greedy: the largest rectangle at the first free cell. An optimal
// partition would have some percent fewer rectangles and take far longer to bake.
func buildRects(f *field) *rects {
	r := &rects{field: f, poly: make([]int32, len(f.list))}
	for i := range r.poly {
		r.poly[i] = -1
	}
	for c := range f.nx * f.nz {
		for i := f.first[c]; i < f.first[c+1]; i++ {
			if r.poly[i] < 0 && f.cellAt(int32(i)) {
				r.take(int32(i), c)
			}
		}
	}
	return r
}

// take makes the largest rectangle whose north-western cell is i, in that column of the
// field.
func (r *rects) take(i, column int32) {
	// Cells where the body must crouch are not merged with others, so the cost of crouching
	// belongs to whole polygons.
	isLow := r.cellNeedsCrouch(i)
	bestW, bestH, width := int32(0), int32(0), int32(maxSide)
	row := i
	for h := int32(1); h <= maxSide && row >= 0 && width > 0; h++ {
		// Every row may only be as wide as the rows above it.
		width = min(width, r.run(row, width, isLow))
		if width*h > bestW*bestH {
			bestW, bestH = width, h
		}
		row = r.link[south][row]
	}
	id := int32(len(r.polys))
	r.polys = append(r.polys, poly{
		x: r.x + column%r.nx, z: r.z + column/r.nx, w: bestW, h: bestH, crouchOnly: isLow,
	})
	r.nw = append(r.nw, i)
	for row := i; bestH > 0; bestH-- {
		for k, c := row, bestW; c > 0; c-- {
			r.poly[k] = id
			k = r.link[east][k]
		}
		row = r.link[south][row]
	}
}

// run returns the number of free cells of that kind in a row from i on, at most most.
func (r *rects) run(i, most int32, isLow bool) int32 {
	n := int32(0)
	for n < most && i >= 0 && r.poly[i] < 0 && r.cellAt(i) && r.cellNeedsCrouch(i) == isLow {
		n++
		i = r.link[east][i]
	}
	return n
}

// sample returns the sample of a rectangle at dx, dz from its north-western one.
func (r *rects) sample(poly, dx, dz int32) int32 {
	i := r.nw[poly]
	for ; dx > 0; dx-- {
		i = r.link[east][i]
	}
	for ; dz > 0; dz-- {
		i = r.link[south][i]
	}
	return i
}

// portals returns the shared parts of the borders of the rectangles, by rectangle, side and
// position.
func (r *rects) portals() []portal {
	var out []portal
	for id := range int32(len(r.polys)) {
		p := &r.polys[id]
		p.first = int32(len(out))
		for side := range 4 {
			out = r.portalsOf(out, id, side)
		}
		p.last = int32(len(out))
	}
	return out
}

// portalsOf appends the portals of one side of a rectangle.
//
// Neighbouring cells that lead to the same rectangle become one portal: the funnel works on
// long portals, not on one for each cell.
func (r *rects) portalsOf(out []portal, id int32, side int) []portal {
	p := &r.polys[id]
	along, n, start := south, p.h, p.z
	dx, dz := int32(0), int32(0)
	switch side {
	case east:
		dx = p.w - 1
	case south:
		along, n, start, dz = east, p.w, p.x, p.h-1
	case north:
		along, n, start = east, p.w, p.x
	}
	cell := r.sample(id, dx, dz)
	last := int32(-1)
	for k := range n {
		other := r.across(cell, side)
		switch {
		case other < 0:
		case other == last:
			out[len(out)-1].hi++
		default:
			out = append(out, portal{from: id, to: other, lo: start + k, hi: start + k + 1, side: int8(side)})
		}
		last = other
		cell = r.link[along][cell]
	}
	return out
}

// across returns the rectangle on the other side of a cell's side, or −1.
func (r *rects) across(cell int32, side int) int32 {
	if next := r.link[side][cell]; next >= 0 && r.poly[next] >= 0 && r.shared(cell, next, side) {
		return r.poly[next]
	}
	return -1
}

// shared reports whether two adjacent cells have both samples of their common side in
// common.
//
// Cells that touch at one sample only, over and under a bridge, are not connected.
func (r *rects) shared(cell, next int32, side int) bool {
	switch side {
	case east, west:
		if side == west {
			cell, next = next, cell
		}
		return r.link[east][r.link[south][cell]] == r.link[south][next]
	}
	if side == north {
		cell, next = next, cell
	}
	return r.link[south][r.link[east][cell]] == r.link[east][next]
}

// heights returns the heights of the samples of the rectangles: four for a rectangle whose
// other samples follow from its corners.
func (r *rects) heights() []float32 {
	var out []float32
	for id := range int32(len(r.polys)) {
		p := &r.polys[id]
		p.height = int32(len(out))
		row := r.nw[id]
		for range p.h + 1 {
			i := row
			for range p.w + 1 {
				out = append(out, roundHeight(r.list[i].y))
				if i = r.link[east][i]; i < 0 {
					break
				}
			}
			row = r.link[south][row]
			if row < 0 {
				break
			}
		}
		out = p.flatten(out)
	}
	return out
}

// roundHeight rounds a height to 1/8192 m, so that level floors are exactly level.
//
// Sampling a level floor of many triangles gives heights that differ in the last bit, and a
// mesh would hold all of them.
func roundHeight(y float64) float32 { return float32(math.Floor(float64(y*8192)+0.5) / 8192) }

// flatness is the distance in metres up to which a sample may differ from the bilinear
// surface of its rectangle and be omitted.
//
// 2 mm is a tenth of the gap at which a walker hovers. Most rectangles are level or on one
// ramp, and need 4 heights instead of hundreds.
const flatness = 0.002

// flatten replaces the heights of the polygon, the last of the list, by those of its four
// corners if that is accurate enough.
func (p *poly) flatten(list []float32) []float32 {
	own := list[p.height:]
	row := p.w + 1
	nw, ne := float64(own[0]), float64(own[p.w])
	sw, se := float64(own[row*p.h]), float64(own[row*p.h+p.w])
	for iz := range p.h + 1 {
		for ix := range row {
			fx, fz := float64(ix)/float64(p.w), float64(iz)/float64(p.h)
			off := lerp(lerp(nw, ne, fx), lerp(sw, se, fx), fz) - float64(own[iz*row+ix])
			if off > flatness || off < -flatness {
				return list
			}
		}
	}
	p.flat = true
	return append(list[:p.height], float32(nw), float32(ne), float32(sw), float32(se))
}
