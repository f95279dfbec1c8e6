package collide

import (
	"math"

	"github.com/backstep-net/backstep/geom"
)

// shortRay is the length in metres up to which a ray is tested against boxes as the box
// around it: that costs a quarter of the slab test, and so small a box holds little else.
const shortRay = 5

// castShort collects the first hits of a short ray.
func (w *World) castShort(f *earliestHits, from, delta geom.Vec3) {
	s := shearAlong(from, delta)
	around := coreBox(from, from.Add(delta))
	var k traversal
	k.begin(&w.triTree, &around)
	k.toward(delta)
	for {
		i, more := k.next(&w.triTree)
		if !more {
			return
		}
		if u, ok := s.meets(&w.tris[i], f.limit); ok {
			w.addCrossing(f, candidate{fraction: u, tri: int32(i)}, from, delta)
		}
	}
}

// castTriangles collects the first hits, descending into the nearer child of a node first.
//
// Rays are the most frequent query of a match (every pellet, every line of sight), so they
// have their own traversal with the slab test (Kay and Kajiya 1986) instead of a box around
// the whole ray: a diagonal ray of 100 m has a box of 100 m.
func (w *World) castTriangles(f *earliestHits, from, delta geom.Vec3) {
	if len(w.triTree.nodes) == 0 {
		return
	}
	s := shearAlong(from, delta)
	l := w.triTree.grid.line(from, delta)
	// Fractions are compared as the bits of their floats; see meets. The limit shrinks with
	// every hit, which removes the rest of the tree that lies behind it.
	limit := math.Float64bits(f.limit)
	var stack [maxDepth]visit
	n, c := 0, uint32(0)
	for {
		if c&leafBit == 0 {
			at := &w.triTree.nodes[c]
			t0, hit0 := l.meets(&at.box[0], int64(limit))
			t1, hit1 := l.meets(&at.box[1], int64(limit))
			// The nearer child is visited at once and the farther one is stored with the
			// fraction at which the ray enters it: when its turn comes, a hit may have made
			// it useless.
			if hit0 && hit1 {
				far := 1
				if t0 > t1 {
					t1, far = t0, 0
				}
				stack[n&(maxDepth-1)] = visit{t1, at.child[far]}
				n++
				c = at.child[1-far]
				continue
			} else if hit0 {
				c = at.child[0]
				continue
			} else if hit1 {
				c = at.child[1]
				continue
			}
		} else {
			first := int(c & leafFirst)
			for i := first; i <= first+int(c>>leafShift&7); i++ {
				if u, ok := s.meets(&w.tris[i], f.limit); ok {
					w.addCrossing(f, candidate{fraction: u, tri: int32(i)}, from, delta)
					limit = math.Float64bits(f.limit)
				}
			}
		}
		for {
			if n == 0 {
				return
			}
			n--
			// Equal fractions are not skipped: a hit at the same distance may win the tie.
			if v := &stack[n&(maxDepth-1)]; v.from <= int64(limit) {
				c = v.child
				break
			}
		}
	}
}

// visit is a child still to be visited, and the fraction at which the ray enters it, as the
// bits of the float.
type visit struct {
	from  int64
	child uint32
}

// line is a ray in cells of a tree, prepared for box tests.
//
// Boxes are tested in cells, so that a coordinate of one needs only a conversion and no
// multiplication.
type line struct {
	x, y, z    float64
	ix, iy, iz float64
	flip       uint64 // the lanes along which the ray runs towards smaller coordinates
}

func (g *grid) line(from, d geom.Vec3) (l line) {
	l.x, l.ix = g.alongAxis(0, from.X, d.X)
	l.y, l.iy = g.alongAxis(1, from.Y, d.Y)
	l.z, l.iz = g.alongAxis(2, from.Z, d.Z)
	if l.ix < 0 {
		l.flip |= laneX
	}
	if l.iy < 0 {
		l.flip |= laneY
	}
	if l.iz < 0 {
		l.flip |= laneZ
	}
	return l
}

// alongAxis returns a coordinate in cells and the inverse of the motion along it. The
// inverse is limited to finite values, so that its product with zero is a number.
//
// A motion of zero along an axis has an infinite inverse. Infinity times zero is NaN, and a
// NaN in the minimum of two numbers would make the result depend on their order.
func (g *grid) alongAxis(axis int, from, d float64) (at, inverse float64) {
	size := float64(int64(1) << g.shift) // of a cell, in units
	inverse = geom.Clamp(size/float64(d*gridStep), -1e290, 1e290)
	return (float64(from*gridStep) - float64(g.origin[axis])) / size, inverse
}

// meets returns the bits of the fraction at which the line enters the box, and whether that
// is within limit. The bits of non-negative floats are ordered like the floats, and those
// of negative floats are below them all: enough here, and without a branch.
//
// The near and the far side of each pair of planes are selected for all three at once. The
// usual minimum and maximum of both sides costs two more comparisons for each axis.
func (l *line) meets(b *packed, limit int64) (int64, bool) {
	differ := (b.lo ^ b.hi) & l.flip
	near, far := b.lo^differ, b.hi^differ
	enter := max(bitsOf(near&laneX, l.x, l.ix), 0)
	leave := min(bitsOf(far&laneX, l.x, l.ix), limit)
	enter = max(bitsOf(near>>laneBits&laneX, l.y, l.iy), enter)
	leave = min(bitsOf(far>>laneBits&laneX, l.y, l.iy), leave)
	enter = max(bitsOf(near>>(2*laneBits), l.z, l.iz), enter)
	leave = min(bitsOf(far>>(2*laneBits)&laneX, l.z, l.iz), leave)
	return enter, enter <= leave
}

// bitsOf returns the bits of the fraction at which a line at a coordinate crosses a plane.
func bitsOf(plane uint64, at, inverse float64) int64 {
	return int64(math.Float64bits(float64((float64(int64(plane)) - at) * inverse)))
}
