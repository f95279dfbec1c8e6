package collide

import (
	"math"

	"github.com/backstep-net/backstep/geom"
)

// BlockedCache caches the triangles that blocked the last line, for a caller of World.Blocked that tests many lines
// near each other: what blocked one often blocks the next. The zero BlockedCache is ready to use. It is valid for
// the World that it was used with.
type BlockedCache struct{ leaf uint32 } // of World.triTree; at first 0, which is triangle 0

// Blocked reports whether a triangle of the level is on the line from → from+delta, as Ray would hit
// it. It finds any triangle, not the first, and tries the BlockedCache before all others: less than
// half of Ray's time where most lines are blocked. Movers do not block.
func (w *World) Blocked(from, delta geom.Vec3, last *BlockedCache) bool {
	length := delta.Len()
	if len(w.tris) == 0 || !(length > 0 && length <= math.MaxFloat64) || !from.Finite() {
		return false
	}
	s := shearAlong(from, delta)
	if w.leafMeets(last.leaf, &s) {
		return true
	}
	return w.findBlocker(&s, from, delta, last)
}

// leafMeets reports whether a ray meets a triangle of a leaf.
func (w *World) leafMeets(leaf uint32, s *shear) bool {
	first := int(leaf & leafFirst)
	for i := first; i <= min(first+int(leaf>>leafShift&7), len(w.tris)-1); i++ {
		if _, ok := s.meets(&w.tris[i], 1); ok {
			return true
		}
	}
	return false
}

// findBlocker searches the tree depth first, from the child that the line enters first: what is near
// is not tested against what lies behind it.
func (w *World) findBlocker(s *shear, from, delta geom.Vec3, last *BlockedCache) bool {
	l := w.triTree.grid.line(from, delta)
	end := int64(math.Float64bits(1))
	var stack [maxDepth]uint32
	stack[0] = 0
	for n := 1; n > 0; {
		n--
		c := stack[n&(maxDepth-1)]
		if c&leafBit != 0 {
			if w.leafMeets(c, s) {
				last.leaf = c
				return true
			}
			continue
		}
		at := &w.triTree.nodes[c]
		t0, hit0 := l.meets(&at.box[0], end)
		t1, hit1 := l.meets(&at.box[1], end)
		near := 0
		if t1 < t0 {
			near, hit0, hit1 = 1, hit1, hit0
		}
		if hit1 {
			stack[n&(maxDepth-1)] = at.child[1-near]
			n++
		}
		if hit0 {
			stack[n&(maxDepth-1)] = at.child[near]
			n++
		}
	}
	return false
}
