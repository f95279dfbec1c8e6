package collide

import (
	"cmp"
	"math"
	"slices"

	"github.com/backstep-net/backstep/geom"
)

// tree is a bounding volume hierarchy over things numbered 0 … n−1 (triangles, solids or
// movers), which are sorted so that a leaf is a consecutive range of them. A node holds the
// boxes of both its children, so that one read decides about both.
//
// Boxes are packed (see packed): a test takes two subtractions instead of six. Testing boxes
// that were not took a fifth of a movement step.
type tree struct {
	nodes []node
	boxes []packed // of the things, in the order of the tree
	grid  grid
}

// node is 40 bytes; the boxes of things are in a list of their own, 16 bytes each, so that a
// query reads only triangles that it may touch. A child is the number of another node or,
// with leafBit, a range: its length minus one in bits 28 … 30, the index of its first thing
// below.
//
// Pointers would take eight bytes for each child instead of four, and the collector would
// have to scan every tree.
type node struct {
	box   [2]packed
	child [2]uint32
}

// box is an axis-aligned box in units of 1/32768 m, rounded outwards. A coordinate is at most
// gridReach at first, so neither boxes that are enlarged nor differences overflow.
type box struct{ lo, hi [3]int64 }

const (
	leafBit   = 1 << 31
	leafShift = 28
	leafFirst = 1<<leafShift - 1
	// Four triangles of 88 bytes are less than six cache lines. With two the tree is nearly
	// twice as large; with eight a query tests many triangles whose own box it does not
	// touch.
	leafMax = 4 // things in a leaf; the encoding allows 8
	// With 16 bins a split is nearly as good as the best one (Wald 2007), and baking stays
	// linear in the number of triangles per level of the tree.
	bins = 16
	// maxDepth is the size of the stack of a traversal. From sahDepth on every split is in
	// halves, and 22 halvings are enough for MaxTriangles.
	maxDepth = 64
	sahDepth = 40
	// gridStep is the number of units of a box per metre. A coarser grid would let boxes
	// overlap that do not.
	gridStep = 32768
	// gridReach is the largest coordinate that a box begins with, 32,768 m: more than
	// MaxCoordinate, so what is beyond overlaps nothing of the level anyway.
	gridReach = 1<<30 - 1
)

// emptyBox is the box of nothing: the beginning of a union.
var emptyBox = box{
	[3]int64{gridReach, gridReach, gridReach},
	[3]int64{-gridReach, -gridReach, -gridReach},
}

// outward returns b on the grid, at least one unit larger on every side: a ray along a face
// cannot miss the box because of rounding.
func outward(b geom.AABB) box {
	return box{
		[3]int64{down(b.Min.X), down(b.Min.Y), down(b.Min.Z)},
		[3]int64{up(b.Max.X), up(b.Max.Y), up(b.Max.Z)},
	}
}

// down returns the grid line one to two units below x metres, limited to gridReach.
func down(x float64) int64 { return toGrid(float64(x*gridStep)) - 2 }

// up returns the grid line one to two units above x metres, limited to gridReach.
func up(x float64) int64 { return toGrid(float64(x*gridStep)) + 2 }

// toGrid truncates a number of units to an integer, limited to gridReach.
//
// The comparisons come before the conversion because the result of converting a float that
// is out of range differs between processors. Callers keep NaN out.
func toGrid(x float64) int64 {
	if x < 2-gridReach {
		return 2 - gridReach
	}
	if x > gridReach-2 {
		return gridReach - 2
	}
	return int64(x)
}

func (b *box) union(c *box) {
	for i := range 3 {
		b.lo[i] = min(b.lo[i], c.lo[i])
		b.hi[i] = max(b.hi[i], c.hi[i])
	}
}

// area is half the surface area, in square units; 0 for an empty box.
//
// The chance that a random ray which hits a box also hits a box inside it is the ratio of
// their surface areas: that makes the area the weight of a child in the cost of a split.
func (b *box) area() float64 {
	x, y, z := b.extent(0), b.extent(1), b.extent(2)
	if x < 0 {
		return 0
	}
	return float64(x*y) + float64(y*z) + float64(z*x)
}

func (b *box) extent(axis int) float64 { return float64(b.hi[axis] - b.lo[axis]) }

// middle is twice the centre along one axis.
func (b *box) middle(axis int) int64 { return b.lo[axis] + b.hi[axis] }

// build makes the tree and returns the order in which the things are sorted.
//
// The order is a function of the boxes alone: ties are decided by the place in the list,
// never by the address or a random number. So every machine bakes the same tree and visits
// triangles in the same order.
func (t *tree) build(boxes []box) []uint32 {
	order := make([]uint32, len(boxes))
	for i := range order {
		order[i] = uint32(i)
	}
	t.nodes, t.boxes = t.nodes[:0], make([]packed, len(boxes))
	if len(boxes) == 0 {
		return order
	}
	m := treeBuilder{tree: t, boxes: boxes, order: order}
	all := m.union(0, len(boxes))
	t.grid = gridOver(&all)
	if len(boxes) <= leafMax {
		// The second child is one that nothing overlaps: the traversal needs no special case.
		t.nodes = append(t.nodes, node{box: [2]packed{t.grid.outer(&all), nothing}})
		t.nodes[0].child = [2]uint32{m.leaf(0, len(boxes)), leafBit}
	} else {
		m.split(0, len(boxes), 0)
	}
	for i, n := range order {
		t.boxes[i] = t.grid.outer(&boxes[n])
	}
	return order
}

// treeBuilder is the state of building a tree.
type treeBuilder struct {
	tree  *tree
	boxes []box
	order []uint32
}

func (m *treeBuilder) leaf(from, to int) uint32 {
	return leafBit | uint32(to-from-1)<<leafShift | uint32(from)
}

func (m *treeBuilder) union(from, to int) box {
	b := emptyBox
	for _, n := range m.order[from:to] {
		b.union(&m.boxes[n])
	}
	return b
}

// split makes a node of the things from … to−1 and returns its number.
//
// The number is taken before the children are made, so a parent always comes before its
// children in memory, which is the order in which a query reads them.
func (m *treeBuilder) split(from, to, depth int) uint32 {
	at := len(m.tree.nodes)
	m.tree.nodes = append(m.tree.nodes, node{})
	mid := m.partition(from, to, depth)
	var n node
	for side, r := range [2][2]int{{from, mid}, {mid, to}} {
		around := m.union(r[0], r[1])
		n.box[side] = m.tree.grid.outer(&around)
		if r[1]-r[0] <= leafMax {
			n.child[side] = m.leaf(r[0], r[1])
		} else {
			n.child[side] = m.split(r[0], r[1], depth+1)
		}
	}
	m.tree.nodes[at] = n
	return uint32(at)
}

// partition splits a range in two by the binned surface area heuristic (Wald 2007), and
// returns the start of the second part.
//
// Only centres are binned, not clipped boxes: long triangles are not split, because that
// would make several references to one triangle and a query would have to filter
// duplicates.
func (m *treeBuilder) partition(from, to, depth int) int {
	lo, hi := [3]int64{}, [3]int64{}
	for i := range 3 {
		lo[i], hi[i] = math.MaxInt64, math.MinInt64
	}
	for _, n := range m.order[from:to] {
		for i := range 3 {
			c := m.boxes[n].middle(i)
			lo[i], hi[i] = min(lo[i], c), max(hi[i], c)
		}
	}
	best, axis, cut := math.Inf(1), -1, 0
	for i := range 3 {
		if hi[i] > lo[i] {
			if cost, c := m.cheapest(from, to, i, lo[i], hi[i]); cost < best {
				best, axis, cut = cost, i, c
			}
		}
	}
	// All centres are equal, or the heuristic has made a chain that is nearly a list. Both
	// happen in real levels: a stack of copies at one place, and a fan of slivers.
	if axis < 0 || depth >= sahDepth {
		return m.halve(from, to, lo, hi)
	}
	mid := from
	for j := from; j < to; j++ {
		if binOf(m.boxes[m.order[j]].middle(axis), lo[axis], hi[axis]) <= cut {
			m.order[j], m.order[mid] = m.order[mid], m.order[j]
			mid++
		}
	}
	// Only if binOf and cheapest disagreed about a centre. The recursion would not end.
	if mid == from || mid == to {
		return m.halve(from, to, lo, hi)
	}
	return mid
}

// binOf returns the bin of a centre between lo and hi.
func binOf(c, lo, hi int64) int {
	return int((c - lo) * bins / (hi - lo + 1))
}

// cheapest returns the least cost of a split along an axis, and the bin after which to
// split.
func (m *treeBuilder) cheapest(from, to, axis int, lo, hi int64) (float64, int) {
	var in [bins]box
	var count [bins]int
	for _, n := range m.order[from:to] {
		b := &m.boxes[n]
		k := binOf(b.middle(axis), lo, hi)
		if count[k]++; count[k] == 1 {
			in[k] = *b
		} else {
			in[k].union(b)
		}
	}
	// Sweep from the right to know the cost of everything right of each cut, then from the
	// left: two passes over the bins instead of one for each pair of sides. A cut after an
	// empty bin costs as much as the one before it; most bins of most ranges are empty.
	var right [bins]float64
	sum, c, cost := emptyBox, 0, 0.0
	for i := bins - 1; i > 0; i-- {
		if count[i] > 0 {
			sum.union(&in[i])
			c += count[i]
			cost = float64(sum.area() * float64(c))
		}
		right[i] = cost
	}
	best, cut := math.Inf(1), 0
	sum, c = emptyBox, 0
	for i := range bins - 1 {
		if count[i] == 0 {
			continue
		}
		sum.union(&in[i])
		c += count[i]
		if cost := float64(sum.area()*float64(c)) + right[i+1]; c < to-from && cost < best {
			best, cut = cost, i
		}
	}
	return best, cut
}

// halve splits a range in the middle of the order of centres along its longest axis,
// whatever the cost. This bounds the depth.
//
// With 40 levels of the heuristic above and 22 of halving below, no stack of a traversal
// overflows at MaxTriangles.
func (m *treeBuilder) halve(from, to int, lo, hi [3]int64) int {
	axis := 0
	for i := 1; i < 3; i++ {
		if hi[i]-lo[i] > hi[axis]-lo[axis] {
			axis = i
		}
	}
	run := m.order[from:to]
	// Equal centres are ordered by number: the order of triangles is part of what clients and
	// servers must agree on, and a sort may swap equals as it likes.
	slices.SortFunc(run, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(m.boxes[a].middle(axis), m.boxes[b].middle(axis)), cmp.Compare(a, b))
	})
	return from + (to-from)/2
}
