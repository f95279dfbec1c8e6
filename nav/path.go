package nav

import (
	"github.com/backstep-net/backstep/geom"
)

// Corner is one point of a path: go straight to At, over the mesh.
type Corner struct {
	// At is the position of the feet.
	At geom.Vec3
	// Ref is the polygon it lies on.
	Ref Ref
	// Kind is how to get to the next corner: Walk, or by a link that begins here and ends
	// there.
	Kind Kind
	// Link is the number of that link, for Mesh.Link; 0 where Kind is Walk.
	Link int32
}

// crouchCost is the cost of moving one metre crouched, in metres of upright walking.
//
// A crouched walker is half as fast.
const crouchCost = 2

// Query finds paths over a Mesh and owns the memory for it: keep one for each goroutine, or
// one for many bots that take turns. A Query allocates only when it first gets a
// larger Mesh, and when into is too short.
type Query struct {
	// Mesh is the mesh to search. It must be set, and may be changed between two queries.
	Mesh *Mesh
	// Reach is the largest distance of the ends of a path from the mesh, in metres. Zero
	// means 1.
	Reach float64
	// Avoid has the bits 1<<Kind of the links not to use.
	Avoid uint32

	nodes []node
	heap  []int32
	pass  uint32
	route []int32 // nodes from the goal back, then in order
	goal  geom.Vec3
}

// node is the search state of one portal or link: numbered like the portals of the mesh,
// then its links.
//
// A node is a portal and not a polygon: the cost of crossing a large polygon depends on
// where it is entered and left.
type node struct {
	at     geom.Vec3 // where it enters the polygon beyond
	g, f   float64   // cost so far, and the lower bound of the total
	parent int32     // node, −1 for the start
	place  int32     // in the heap
	pass   uint32
	closed bool
}

// Path appends to into the corners of a short path from one point to another. The last
// corner is the goal, snapped to the mesh; the start is not a corner. ok is false, and
// nothing is appended, if an end is off the mesh or there is no path. The same query has
// the same answer on every machine.
//
// It takes the polygons whose nearest points make the shortest chain (A*), and the shortest
// path through those polygons (a funnel).
func (q *Query) Path(from, to geom.Vec3, into []Corner) (way []Corner, ok bool) {
	m := q.Mesh
	reach := q.Reach
	if reach == 0 {
		reach = 1
	}
	start, a, ok := m.Nearest(from, reach)
	if !ok {
		return into, false
	}
	end, b, ok := m.Nearest(to, reach)
	if !ok {
		return into, false
	}
	return q.pathBetween(start, a, end, b, into)
}

// pathBetween is Path where the polygons of both ends are known.
func (q *Query) pathBetween(start Ref, a geom.Vec3, end Ref, b geom.Vec3, into []Corner) (way []Corner, ok bool) {
	m := q.Mesh
	if !m.has(start) || !m.has(end) || !a.Finite() || !b.Finite() {
		return into, false
	}
	if start != end && !q.search(start, a, end, b) {
		return into, false
	}
	if start == end {
		q.route = q.route[:0]
	}
	return q.corners(a, end, b, into), true
}

// search fills the route with the nodes from the start to the goal.
//
// A* (Hart, Nilsson, Raphael 1968) with the straight distance to the goal as the lower
// bound. A link that is cheaper than its length breaks that bound: then the path may not be
// the cheapest.
func (q *Query) search(start Ref, a geom.Vec3, end Ref, b geom.Vec3) bool {
	m := q.Mesh
	// Without links a path exists within a group only.
	if m.polys[start-1].group != m.polys[end-1].group && len(m.links) == 0 {
		return false
	}
	q.begin(b)
	// The start and the goal are not nodes: the start offers the portals of its polygon,
	// and the search ends at the first node that leads into the goal's.
	q.expand(-1, int32(start-1), -1, a, 0)
	for len(q.heap) > 0 {
		n := q.pop()
		x := &q.nodes[n]
		x.closed = true
		from, to := q.ends(n)
		if to == int32(end-1) {
			q.trace(n)
			return true
		}
		q.expand(n, to, from, x.at, x.g)
	}
	return false
}

// begin resets the search.
func (q *Query) begin(goal geom.Vec3) {
	q.goal, q.heap = goal, q.heap[:0]
	if n := len(q.Mesh.portals) + len(q.Mesh.links); n > len(q.nodes) {
		q.nodes = make([]node, n)
		q.heap = make([]int32, 0, n)
		q.route = make([]int32, 0, n)
		q.pass = 0
	}
	// Nodes of earlier searches are recognised by their pass instead of being cleared: a
	// short path on a large mesh costs what it visits.
	q.pass++
	if q.pass == 0 {
		// Once in four billion searches an old number would look like the new one.
		clear(q.nodes)
		q.pass = 1
	}
}

// ends returns the polygons that a node connects.
func (q *Query) ends(n int32) (from, to int32) {
	if k := int(n) - len(q.Mesh.portals); k >= 0 {
		return q.Mesh.links[k].from, q.Mesh.links[k].to
	}
	o := &q.Mesh.portals[n]
	return o.from, o.to
}

// expand offers the nodes that lead on from a polygon, which node parent entered at a
// point, coming from polygon before.
func (q *Query) expand(parent, poly, before int32, at geom.Vec3, g float64) {
	m := q.Mesh
	p := &m.polys[poly]
	rate := 1.0
	if p.crouchOnly {
		rate = crouchCost
	}
	for n := p.first; n < p.last; n++ {
		if o := &m.portals[n]; o.to != before {
			e := q.entry(o, at)
			q.offer(n, parent, e, g+float64(flatDist(at, e)*rate))
		}
	}
	for k := p.linkStart; k < p.linkEnd; k++ {
		l := &m.links[k]
		if q.Avoid>>l.kind&1 == 0 {
			n := int32(len(m.portals)) + k
			q.offer(n, parent, l.end, g+float64(flatDist(at, l.start)*rate)+l.cost)
		}
	}
}

// entry returns the point where the straight line to the goal crosses the portal, or the
// point of the portal nearest to it.
//
// The middle of the portal is the usual choice and overestimates wide portals by metres:
// the chain of nearest points is close to what the funnel makes of it, within 2 % on
// average (TestPathsAreShortAndOnTheMesh).
func (q *Query) entry(o *portal, at geom.Vec3) geom.Vec3 {
	m := q.Mesh
	lo, hi := m.line(o.lo), m.line(o.hi)
	p := &m.polys[o.from]
	if o.side == east || o.side == west {
		x := m.line(p.x)
		if o.side == east {
			x = m.line(p.x + p.w)
		}
		z := at.Z
		if d := q.goal.X - at.X; d != 0 {
			z += float64((q.goal.Z - at.Z) * geom.Clamp((x-at.X)/d, 0, 1))
		}
		return geom.V(x, 0, geom.Clamp(z, lo, hi))
	}
	z := m.line(p.z)
	if o.side == south {
		z = m.line(p.z + p.h)
	}
	x := at.X
	if d := q.goal.Z - at.Z; d != 0 {
		x += float64((q.goal.X - at.X) * geom.Clamp((z-at.Z)/d, 0, 1))
	}
	return geom.V(geom.Clamp(x, lo, hi), 0, z)
}

// offer takes a way to a node if it is the best so far.
func (q *Query) offer(n, parent int32, at geom.Vec3, g float64) {
	x := &q.nodes[n]
	// A node in the heap that gets a better way moves up in place: no duplicates, so the
	// heap is never larger than the number of nodes.
	known := x.pass == q.pass
	if known && (x.closed || g >= x.g) {
		return
	}
	if !known {
		x.pass, x.closed, x.place = q.pass, false, int32(len(q.heap))
		q.heap = append(q.heap, n)
	}
	x.at, x.parent, x.g, x.f = at, parent, g, g+flatDist(at, q.goal)
	q.siftUp(x.place)
}

// before orders nodes by cost, then by number.
//
// The number decides ties, so the same query gives the same path on every machine.
func (q *Query) before(a, b int32) bool {
	x, y := &q.nodes[a], &q.nodes[b]
	return x.f < y.f || x.f == y.f && a < b
}

func (q *Query) put(n, place int32) {
	q.heap[place] = n
	q.nodes[n].place = place
}

// siftUp moves the node at a place of the heap up to its position.
func (q *Query) siftUp(place int32) {
	n := q.heap[place]
	for place > 0 {
		up := (place - 1) / 2
		if !q.before(n, q.heap[up]) {
			break
		}
		q.put(q.heap[up], place)
		place = up
	}
	q.put(n, place)
}

// pop removes the best node from the heap.
func (q *Query) pop() int32 {
	best := q.heap[0]
	last := int32(len(q.heap) - 1)
	n := q.heap[last]
	q.heap = q.heap[:last]
	if last == 0 {
		return best
	}
	place := int32(0)
	for {
		down := 2*place + 1
		if down >= last {
			break
		}
		if down+1 < last && q.before(q.heap[down+1], q.heap[down]) {
			down++
		}
		if !q.before(q.heap[down], n) {
			break
		}
		q.put(q.heap[down], place)
		place = down
	}
	q.put(n, place)
	return best
}

// trace stores the route that ends at a node.
func (q *Query) trace(n int32) {
	q.route = q.route[:0]
	for ; n >= 0; n = q.nodes[n].parent {
		q.route = append(q.route, n)
	}
	for i, j := 0, len(q.route)-1; i < j; i, j = i+1, j-1 {
		q.route[i], q.route[j] = q.route[j], q.route[i]
	}
}
