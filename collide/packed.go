package collide

// packed is a box in cells of a grid, with the three coordinates of a corner in one number:
// 21 bits for each, of which the highest is a guard.
//
// A subtraction of two such numbers is three subtractions at once. With the guards set in
// the first number only, none borrows from its neighbour, and a guard stays set where the
// first coordinate is not less than the second. So two subtractions test six sides.
type packed struct{ lo, hi uint64 } // the guards of hi are set

const (
	laneBits = 21
	laneX    = 1<<(laneBits-1) - 1 // the coordinate along X
	laneY    = laneX << laneBits
	laneZ    = laneY << laneBits
	guards   = (laneX + 1) | (laneX+1)<<laneBits | (laneX+1)<<(2*laneBits)
	// Coordinates of a tree are 1 … lastCell, and those of a query 0 … lastCell+1: a query
	// outside of the tree overlaps nothing of it.
	lastCell = laneX - 2
)

// nothing is a box that no query overlaps.
var nothing = packed{lo: laneX | laneY | laneZ, hi: guards}

// grid has cells of 2^shift units of a box. The least coordinate of its tree is in cell 1.
//
// 2^20 cells over 500 m are half a millimetre each, and 6 cm in the largest level: a query
// then looks at a few triangles more than with an exact box, and finds the same.
type grid struct {
	origin [3]int64 // of cell 0, in units
	shift  uint8
}

// gridOver returns the finest grid over a box.
func gridOver(b *box) (g grid) {
	widest := int64(0)
	for i := range 3 {
		widest = max(widest, b.hi[i]-b.lo[i])
	}
	for widest>>g.shift+2 > lastCell {
		g.shift++
	}
	for i := range 3 {
		g.origin[i] = b.lo[i] - 1<<g.shift
	}
	return g
}

// outer returns a box of the tree, enlarged to the borders of cells.
func (g *grid) outer(b *box) packed {
	up := int64(1)<<g.shift - 1
	return g.query(&box{b.lo, [3]int64{b.hi[0] + up, b.hi[1] + up, b.hi[2] + up}})
}

// query returns the cells that a box touches, those far outside of the tree as cells beside it.
func (g *grid) query(b *box) packed {
	return packed{
		lo: pack(g.cell(b.lo[0], 0), g.cell(b.lo[1], 1), g.cell(b.lo[2], 2)),
		hi: pack(g.cell(b.hi[0], 0), g.cell(b.hi[1], 1), g.cell(b.hi[2], 2)) | guards,
	}
}

// cell returns the cell of a coordinate.
func (g *grid) cell(x int64, axis int) uint64 {
	return uint64(min(max((x-g.origin[axis])>>g.shift, 0), lastCell+1))
}

func pack(x, y, z uint64) uint64 { return x | y<<laneBits | z<<(2*laneBits) }

// overlaps is guards if the boxes share a cell, else it lacks some of them.
func (p packed) overlaps(q packed) uint64 { return (q.hi - p.lo) & (p.hi - q.lo) & guards }
