package collide

import (
	"math/rand/v2"
	"testing"
)

// Packed boxes lose nothing: wherever two boxes share a point, their packed forms share a cell,
// in trees from a millimetre to the largest level, and for queries that lie around the tree, in
// it, or far outside.
func TestPackedBoxesLoseNothing(t *testing.T) {
	const seed = 1
	r := rand.New(rand.NewPCG(seed, 0))
	shared, apart := 0, 0
	for range 200_000 {
		size := int64(1) << (3 + r.IntN(27)) // 0.2 mm … 16 km
		all := anyBox(r, size, size/2+1)
		g := gridOver(&all)
		thing := box{all.lo, all.lo}
		for i := range 3 {
			a, b := all.lo[i]+r.Int64N(all.hi[i]-all.lo[i]+1), all.lo[i]+r.Int64N(all.hi[i]-all.lo[i]+1)
			thing.lo[i], thing.hi[i] = min(a, b), max(a, b)
		}
		query := anyBox(r, 4*size, 8*size)
		if r.IntN(2) == 0 { // side by side, or nearly
			for i := range 3 {
				query.lo[i] = thing.hi[i] - r.Int64N(4)
				query.hi[i] = query.lo[i] + r.Int64N(size)
			}
			if i := r.IntN(3); r.IntN(2) == 0 {
				query.lo[i], query.hi[i] = thing.hi[i]+r.Int64N(3), thing.hi[i]+size
			}
		}
		p, q := g.outer(&thing), g.query(&query)
		overlap := p.overlaps(q) == guards
		if query.overlap(&thing) >= 0 {
			shared++
			if !overlap {
				t.Fatalf("seed %d: in %v %v and %v share a point, but not a cell", seed, all, thing, query)
			}
		}
		if overlap && beyond(&all, &query) {
			t.Fatalf("seed %d: a query beyond %v, %v, shares a cell with %v", seed, all, query, thing)
		} else if !overlap {
			apart++
		}
		if empty := nothing; empty.overlaps(q) == guards {
			t.Fatalf("seed %d: %v overlaps nothing", seed, query)
		}
	}
	if shared < 10_000 || apart < 100_000 {
		t.Errorf("%d shared a point and %d were apart: too few to say anything", shared, apart)
	}
}

// Cells are as fine as the tree allows: half a millimetre in a level of 500 m. A box that is two cells
// away is not visited.
func TestCellsAreFine(t *testing.T) {
	all := box{hi: [3]int64{500 * gridStep, 20 * gridStep, 500 * gridStep}}
	g := gridOver(&all)
	if cell := float64(int64(1)<<g.shift) / gridStep; cell > .0005 {
		t.Errorf("a cell is %v m, want at most 0.5 mm", cell)
	}
	thing := box{lo: [3]int64{gridStep, 0, 0}, hi: [3]int64{2 * gridStep, gridStep, gridStep}}
	query := box{lo: [3]int64{2*gridStep + 2<<g.shift, 0, 0}, hi: [3]int64{3 * gridStep, gridStep, gridStep}}
	p, q := g.outer(&thing), g.query(&query)
	if p.overlaps(q) == guards {
		t.Errorf("boxes two cells apart overlap: %x %x", p, q)
	}
}

// anyBox returns a box of up to size within reach of the origin.
func anyBox(r *rand.Rand, size, reach int64) (b box) {
	for i := range 3 {
		b.lo[i] = r.Int64N(2*reach+1) - reach
		b.hi[i] = b.lo[i] + r.Int64N(size)
	}
	return b
}

// beyond reports whether q is more than a cell of any grid outside of b.
func beyond(b, q *box) bool {
	cell := max(b.hi[0]-b.lo[0], b.hi[1]-b.lo[1], b.hi[2]-b.lo[2])>>18 + 2
	for i := range 3 {
		if q.lo[i] > b.hi[i]+cell || q.hi[i] < b.lo[i]-cell {
			return true
		}
	}
	return false
}
