package collide

import (
	"math"

	"github.com/backstep-net/backstep/geom"
)

// tree is a binary tree of boxes over things numbered 0 … n−1 (triangles or
// solids), which are sorted so that a leaf is a run of them. A node holds the
// boxes of both its children, so that one cache line decides about both.
type tree struct {
	nodes []node
}

// node is 56 bytes. A child is the number of another node or, with leafBit, a
// run: its length less one in bits 28 … 30, its first thing below.
type node struct {
	box   [2]box32
	child [2]uint32
}

// box32 is an axis-aligned box rounded outwards to float32.
// Side 0 is the lower corner, side 1 the upper.
type box32 struct{ side [2][3]float32 }

const (
	leafBit   = 1 << 31
	leafShift = 28
	leafFirst = 1<<leafShift - 1
	leafMax   = 4 // things in a leaf; at most 8
	bins      = 16
	// maxDepth bounds the stack of a traversal. Below sahDepth every split is in
	// halves, and 22 halvings are enough for MaxTriangles.
	maxDepth = 64
	sahDepth = 40
	// slack is added to every box on every side, in metres, so that a ray that
	// runs along a face cannot miss the box by a rounding.
	slack = 1e-5
)

// emptyBox overlaps nothing.
var emptyBox = box32{[2][3]float32{
	{math.MaxFloat32, math.MaxFloat32, math.MaxFloat32},
	{-math.MaxFloat32, -math.MaxFloat32, -math.MaxFloat32},
}}

// outward returns b with its slack, rounded so that nothing is lost.
func outward(b geom.AABB) box32 {
	return box32{[2][3]float32{
		{down(b.Min.X - slack), down(b.Min.Y - slack), down(b.Min.Z - slack)},
		{up(b.Max.X + slack), up(b.Max.Y + slack), up(b.Max.Z + slack)},
	}}
}

// down returns the largest float32 that is not above x. Beyond float32 it is the
// largest finite number of that side.
func down(x float64) float32 {
	x = geom.Clamp(x, -math.MaxFloat32, math.MaxFloat32)
	f := float32(x)
	if float64(f) > x {
		f = math.Nextafter32(f, -math.MaxFloat32)
	}
	return f
}

// up returns the smallest float32 that is not below x.
func up(x float64) float32 { return -down(-x) }

func (b *box32) union(c *box32) {
	for i := range 3 {
		b.side[0][i] = min(b.side[0][i], c.side[0][i])
		b.side[1][i] = max(b.side[1][i], c.side[1][i])
	}
}

// area is half the surface; 0 for an empty box.
func (b *box32) area() float32 {
	x, y, z := b.side[1][0]-b.side[0][0], b.side[1][1]-b.side[0][1], b.side[1][2]-b.side[0][2]
	if x < 0 {
		return 0
	}
	return float32(x*y) + float32(y*z) + float32(z*x)
}

// middle is twice the centre along one axis.
func (b *box32) middle(axis int) float32 { return b.side[0][axis] + b.side[1][axis] }

// build makes the tree and returns the order in which the things now lie.
func (t *tree) build(boxes []box32) []uint32 {
	order := make([]uint32, len(boxes))
	for i := range order {
		order[i] = uint32(i)
	}
	t.nodes = t.nodes[:0]
	if len(boxes) == 0 {
		return order
	}
	m := maker{tree: t, boxes: boxes, order: order}
	if len(boxes) <= leafMax {
		t.nodes = append(t.nodes, node{box: [2]box32{m.union(0, len(boxes)), emptyBox}})
		t.nodes[0].child = [2]uint32{m.leaf(0, len(boxes)), leafBit}
		return order
	}
	m.split(0, len(boxes), 0)
	return order
}

// maker is a tree while it is built.
type maker struct {
	tree  *tree
	boxes []box32
	order []uint32
}

func (m *maker) leaf(from, to int) uint32 {
	return leafBit | uint32(to-from-1)<<leafShift | uint32(from)
}

func (m *maker) union(from, to int) box32 {
	b := emptyBox
	for _, n := range m.order[from:to] {
		b.union(&m.boxes[n])
	}
	return b
}

// split makes a node of the things from … to−1 and returns its number.
func (m *maker) split(from, to, depth int) uint32 {
	at := len(m.tree.nodes)
	m.tree.nodes = append(m.tree.nodes, node{})
	mid := m.partition(from, to, depth)
	var n node
	for side, r := range [2][2]int{{from, mid}, {mid, to}} {
		n.box[side] = m.union(r[0], r[1])
		if r[1]-r[0] <= leafMax {
			n.child[side] = m.leaf(r[0], r[1])
		} else {
			n.child[side] = m.split(r[0], r[1], depth+1)
		}
	}
	m.tree.nodes[at] = n
	return uint32(at)
}

// partition sorts a run into two by the surface area heuristic with bins (Wald
// 2007), and returns where the second begins.
func (m *maker) partition(from, to, depth int) int {
	lo, hi := [3]float32{}, [3]float32{}
	for i := range 3 {
		lo[i], hi[i] = math.MaxFloat32, -math.MaxFloat32
	}
	for _, n := range m.order[from:to] {
		for i := range 3 {
			c := m.boxes[n].middle(i)
			lo[i], hi[i] = min(lo[i], c), max(hi[i], c)
		}
	}
	best, axis, cut := float32(math.MaxFloat32), -1, 0
	for i := range 3 {
		if hi[i] > lo[i] {
			if cost, c := m.cheapest(from, to, i, lo[i], hi[i]); cost < best {
				best, axis, cut = cost, i, c
			}
		}
	}
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
	if mid == from || mid == to {
		return m.halve(from, to, lo, hi)
	}
	return mid
}

// binOf places a centre among the bins between lo and hi.
func binOf(c, lo, hi float32) int {
	return min(int(float32((c-lo)/(hi-lo))*bins), bins-1)
}

// cheapest returns the least cost of a split along axis, and after which bin.
func (m *maker) cheapest(from, to, axis int, lo, hi float32) (float32, int) {
	var box [bins]box32
	var count [bins]int
	for i := range box {
		box[i] = emptyBox
	}
	for _, n := range m.order[from:to] {
		k := binOf(m.boxes[n].middle(axis), lo, hi)
		count[k]++
		box[k].union(&m.boxes[n])
	}
	var right [bins]float32
	sum, c := emptyBox, 0
	for i := bins - 1; i > 0; i-- {
		sum.union(&box[i])
		c += count[i]
		right[i] = float32(sum.area() * leavesOf(c))
	}
	best, cut := float32(math.MaxFloat32), 0
	sum, c = emptyBox, 0
	for i := range bins - 1 {
		sum.union(&box[i])
		c += count[i]
		if cost := float32(sum.area()*leavesOf(c)) + right[i+1]; c > 0 && c < to-from && cost < best {
			best, cut = cost, i
		}
	}
	return best, cut
}

// leavesOf is the work that c things cost where they are met.
func leavesOf(c int) float32 { return float32(c) }

// halve splits a run in the middle by the order of centres along its longest
// axis, whatever that costs: the bound of the depth.
func (m *maker) halve(from, to int, lo, hi [3]float32) int {
	axis := 0
	for i := 1; i < 3; i++ {
		if hi[i]-lo[i] > hi[axis]-lo[axis] {
			axis = i
		}
	}
	run := m.order[from:to]
	sortBy(run, func(a, b uint32) bool {
		x, y := m.boxes[a].middle(axis), m.boxes[b].middle(axis)
		return x < y || x == y && a < b
	})
	return from + (to-from)/2
}

// sortBy is heap sort: small, and the same everywhere.
func sortBy(v []uint32, less func(a, b uint32) bool) {
	sift := func(i, n int) {
		for {
			k := 2*i + 1
			if k >= n {
				return
			}
			if k+1 < n && less(v[k], v[k+1]) {
				k++
			}
			if !less(v[i], v[k]) {
				return
			}
			v[i], v[k] = v[k], v[i]
			i = k
		}
	}
	for i := len(v)/2 - 1; i >= 0; i-- {
		sift(i, len(v))
	}
	for n := len(v) - 1; n > 0; n-- {
		v[0], v[n] = v[n], v[0]
		sift(0, n)
	}
}
