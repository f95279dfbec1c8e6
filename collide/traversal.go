package collide

import (
	"math"

	"github.com/backstep-net/backstep/geom"
)

// traversal visits the leaves of a tree whose boxes overlap a box, nearest first along one
// axis. The box may be shrunk during the traversal.
//
// It is a stack of nodes in the caller's frame, so a query allocates nothing and two
// queries on one World do not disturb each other.
type traversal struct {
	box   box
	axis  int   // the axis along which nearer leaves come first
	sign  int32 // −1 where nearer means a larger coordinate, else 0
	n     int
	stack [maxDepth]uint32
}

// begin starts a traversal of everything that overlaps the box.
//
// The stack is not cleared: only the places below n are ever read.
func (k *traversal) begin(t *tree, b *box) {
	k.box, k.n = *b, 0
	if len(t.nodes) > 0 {
		k.stack[0], k.n = 0, 1
	}
}

// coreBox returns the box of the segment a–b.
//
// It is one unit larger than the segment on every side, because truncation rounds towards
// zero and not outwards.
func coreBox(a, b geom.Vec3) box {
	x0, x1 := toGrid(float64(a.X*gridStep)), toGrid(float64(b.X*gridStep))
	y0, y1 := toGrid(float64(a.Y*gridStep)), toGrid(float64(b.Y*gridStep))
	z0, z1 := toGrid(float64(a.Z*gridStep)), toGrid(float64(b.Z*gridStep))
	return box{
		[3]int32{min(x0, x1) - 1, min(y0, y1) - 1, min(z0, z1) - 1},
		[3]int32{max(x0, x1) + 1, max(y0, y1) + 1, max(z0, z1) + 1},
	}
}

// grown returns the box with every side moved outwards by d metres.
func (b *box) grown(d float64) box {
	g := toGrid(float64(d*gridStep)) + 1
	return box{
		[3]int32{clampGrid(b.lo[0] - g), clampGrid(b.lo[1] - g), clampGrid(b.lo[2] - g)},
		[3]int32{clampGrid(b.hi[0] + g), clampGrid(b.hi[1] + g), clampGrid(b.hi[2] + g)},
	}
}

// swept returns the box that contains b and b moved by fraction of d.
//
// It is the box around the whole motion, and not a box that is moved along it: for the
// motion of one command, some centimetres, the difference is a few triangles, and the test
// of a node stays six subtractions.
func (b *box) swept(d geom.Vec3, fraction float64) box {
	x := toGrid(float64(d.X*fraction) * gridStep)
	y := toGrid(float64(d.Y*fraction) * gridStep)
	z := toGrid(float64(d.Z*fraction) * gridStep)
	return box{
		[3]int32{clampGrid(b.lo[0] + min(x-1, 0)), clampGrid(b.lo[1] + min(y-1, 0)), clampGrid(b.lo[2] + min(z-1, 0))},
		[3]int32{clampGrid(b.hi[0] + max(x+1, 0)), clampGrid(b.hi[1] + max(y+1, 0)), clampGrid(b.hi[2] + max(z+1, 0))},
	}
}

// clampGrid limits to gridReach the sum of two coordinates, which an int32 holds.
func clampGrid(x int32) int32 { return min(max(x, -gridReach), gridReach) }

// toward orders the traversal along d.
//
// Nearest first matters because every touch shortens the search. The order along one axis
// is not exact, but costs one comparison; an exact one would cost a distance for each node.
func (k *traversal) toward(d geom.Vec3) {
	x, y, z := math.Abs(d.X), math.Abs(d.Y), math.Abs(d.Z)
	s := d.X
	k.axis = 0
	if y > x && y >= z {
		k.axis, s = 1, d.Y
	} else if z > x {
		k.axis, s = 2, d.Z
	}
	k.sign = 0
	if s < 0 {
		k.sign = -1
	}
}

// next returns the next leaf as a range of things; ok is false at the end.
func (k *traversal) next(t *tree) (first, count int, ok bool) {
	if k.n == 0 {
		return 0, 0, false
	}
	k.n--
	// The mask proves to the compiler that the index is in range. The depth is bounded by
	// build, so it never changes the index.
	c := k.stack[k.n&(maxDepth-1)]
	q, axis, sign := k.box, k.axis, k.sign
	for c&leafBit == 0 {
		n := &t.nodes[c]
		overlap0, overlap1 := n.box[0].overlap(&q), n.box[1].overlap(&q)
		// The sign bit of an overlap is set if the boxes are apart. Combined by OR it says
		// in one branch whether both are touched, which is the most frequent case near the
		// ground.
		switch {
		case overlap0|overlap1 >= 0: // both
			far := 1
			if (n.box[1].lo[axis]-n.box[0].lo[axis])^sign < 0 {
				far = 0
			}
			k.stack[k.n&(maxDepth-1)] = n.child[far]
			k.n++
			c = n.child[1-far]
		case overlap0 >= 0:
			c = n.child[0]
		case overlap1 >= 0:
			c = n.child[1]
		case k.n == 0:
			return 0, 0, false
		default:
			k.n--
			c = k.stack[k.n&(maxDepth-1)]
		}
	}
	return int(c & leafFirst), int(c>>leafShift&7) + 1, true
}

// overlap is negative if the boxes share no point.
//
// It is the sign bit of any of the six differences: positive or zero differences in all of
// them mean that the boxes share a point. Coordinates are limited to gridReach, so no
// difference overflows.
func (b *box) overlap(q *box) int32 {
	return (q.hi[0] - b.lo[0]) | (b.hi[0] - q.lo[0]) | (q.hi[1] - b.lo[1]) |
		(b.hi[1] - q.lo[1]) | (q.hi[2] - b.lo[2]) | (b.hi[2] - q.lo[2])
}
