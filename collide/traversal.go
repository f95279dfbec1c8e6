package collide

import (
	"math"

	"github.com/backstep-net/backstep/geom"
)

// traversal visits the things of a tree whose boxes overlap a box, nearer leaves first along
// one axis. The box may be shrunk during the traversal.
//
// It is a stack of nodes in the caller's frame, so a query allocates nothing and two
// queries on one World do not disturb each other.
type traversal struct {
	box     packed // in the tree's cells
	lane    uint64 // of the axis along which nearer leaves come first
	sign    int64  // −1 where nearer means a larger coordinate, else 0
	at, end int    // of the current leaf: the next thing, and the one after its last
	n       int
	stack   [maxDepth]uint32
}

// begin starts a traversal of everything that overlaps the box.
//
// The stack is not cleared: only the places below n are ever read.
func (k *traversal) begin(t *tree, b *box) {
	k.at, k.end, k.n = 0, 0, 0
	if len(t.nodes) > 0 {
		k.shrink(t, b)
		k.lane, k.sign = laneX, 0
		k.stack[0], k.n = 0, 1
	}
}

// shrink replaces the box by a smaller one.
func (k *traversal) shrink(t *tree, b *box) { k.box = t.grid.query(b) }

// coreBox returns the box of the segment a–b.
//
// It is one unit larger than the segment on every side, because truncation rounds towards
// zero and not outwards.
func coreBox(a, b geom.Vec3) box {
	x0, x1 := toGrid(float64(a.X*gridStep)), toGrid(float64(b.X*gridStep))
	y0, y1 := toGrid(float64(a.Y*gridStep)), toGrid(float64(b.Y*gridStep))
	z0, z1 := toGrid(float64(a.Z*gridStep)), toGrid(float64(b.Z*gridStep))
	return box{
		[3]int64{min(x0, x1) - 1, min(y0, y1) - 1, min(z0, z1) - 1},
		[3]int64{max(x0, x1) + 1, max(y0, y1) + 1, max(z0, z1) + 1},
	}
}

// grown returns the box with every side moved outwards by d metres.
func (b *box) grown(d float64) box {
	g := toGrid(float64(d*gridStep)) + 1
	return box{
		[3]int64{b.lo[0] - g, b.lo[1] - g, b.lo[2] - g},
		[3]int64{b.hi[0] + g, b.hi[1] + g, b.hi[2] + g},
	}
}

// swept returns the box that contains b and b moved by fraction of d.
//
// It is the box around the whole motion, and not a box that is moved along it: for the
// motion of one command, some centimetres, the difference is a few triangles, and a box is
// tested by two subtractions.
func (b *box) swept(d geom.Vec3, fraction float64) box {
	x := toGrid(float64(d.X*fraction) * gridStep)
	y := toGrid(float64(d.Y*fraction) * gridStep)
	z := toGrid(float64(d.Z*fraction) * gridStep)
	return box{
		[3]int64{b.lo[0] + min(x-1, 0), b.lo[1] + min(y-1, 0), b.lo[2] + min(z-1, 0)},
		[3]int64{b.hi[0] + max(x+1, 0), b.hi[1] + max(y+1, 0), b.hi[2] + max(z+1, 0)},
	}
}

// toward orders the traversal along d.
//
// Nearest first matters because every touch shortens the search. The order along one axis
// is not exact, but costs one comparison; an exact one would cost a distance for each node.
func (k *traversal) toward(d geom.Vec3) {
	x, y, z := math.Abs(d.X), math.Abs(d.Y), math.Abs(d.Z)
	s := d.X
	k.lane = laneX
	if y > x && y >= z {
		k.lane, s = laneY, d.Y
	} else if z > x {
		k.lane, s = laneZ, d.Z
	}
	k.sign = 0
	if s < 0 {
		k.sign = -1
	}
}

// next returns the place of the next thing in the order of the tree; ok is false at the end.
func (k *traversal) next(t *tree) (place int, ok bool) {
	for {
		for k.at < k.end {
			place = k.at
			k.at++
			if t.boxes[place].overlaps(k.box) == guards {
				return place, true
			}
		}
		if !k.leaf(t) {
			return 0, false
		}
	}
}

// more reports whether anything is left to be looked at.
func (k *traversal) more() bool { return k.n > 0 || k.at < k.end }

// leaf goes on to the next leaf, and reports whether there is one.
func (k *traversal) leaf(t *tree) bool {
	if k.n == 0 {
		return false
	}
	k.n--
	// The mask proves to the compiler that the index is in range. The depth is bounded by
	// build, so it never changes the index.
	c := k.stack[k.n&(maxDepth-1)]
	nodes, q, lane, sign := t.nodes, k.box, k.lane, k.sign
	for c&leafBit == 0 {
		n := &nodes[c]
		overlap0, overlap1 := n.box[0].overlaps(q), n.box[1].overlaps(q)
		switch {
		case overlap0&overlap1 == guards: // both, the most frequent case near the ground
			far := 1
			if int64(n.box[1].lo&lane-n.box[0].lo&lane)^sign < 0 {
				far = 0
			}
			k.stack[k.n&(maxDepth-1)] = n.child[far]
			k.n++
			c = n.child[1-far]
		case overlap0 == guards:
			c = n.child[0]
		case overlap1 == guards:
			c = n.child[1]
		case k.n == 0:
			return false
		default:
			k.n--
			c = k.stack[k.n&(maxDepth-1)]
		}
	}
	k.at = int(c & leafFirst)
	k.end = k.at + int(c>>leafShift&7) + 1
	return true
}

// overlap is negative if the boxes share no point.
//
// It is the sign bit of any of the six differences: positive or zero differences in all of
// them mean that the boxes share a point.
func (b *box) overlap(q *box) int64 {
	return (q.hi[0] - b.lo[0]) | (b.hi[0] - q.lo[0]) | (q.hi[1] - b.lo[1]) |
		(b.hi[1] - q.lo[1]) | (q.hi[2] - b.lo[2]) | (b.hi[2] - q.lo[2])
}
