package collide

import "github.com/backstep-net/backstep/geom"

// World is baked: static geometry, bodies that follow their paths, and volumes. It
// never changes after Bake or Unpack, so any number of goroutines may ask it at
// once. Make one with a Builder. Its own queries ask the static geometry only; a
// View asks everything.
type World struct {
	tris       []tri // in tree order
	shapes     []shape
	solids     []solid
	triTree    tree     // over tris
	solidTree  tree     // over solids
	solidOrder []uint32 // order[i] is the solid at place i of hulls
	triIndex   []uint32 // place[n] is where triangle number n lies in tris
	dropped    int

	bodies    []Body
	moving    []moving // of each body
	bodyTree  tree     // over the reach of bodies
	bodyOrder []uint32 // lane[i] is the body at place i of lanes
	volumes   []Volume
	regions   []region // of each volume
}

// tri is one triangle as the queries read it. Neighbours in space are neighbours
// in memory, and a triangle brings its own vertices: a leaf is one run of cache
// lines.
type tri struct {
	a, b, c geom.Vec3
	shape   uint32
	number  uint32 // its place in the order of adding
	solid   int32  // index into World.solids, or −1 for loose triangles
}

// shape is what is kept of one thing that was added.
type shape struct {
	surface Surface
	solid   bool
}

// cross returns the normal of the triangle times twice its area.
func (t *tri) cross() geom.Vec3 { return t.b.Sub(t.a).Cross(t.c.Sub(t.a)) }

// normal returns the unit normal, from which a, b, c run counter-clockwise.
func (t *tri) normal() geom.Vec3 {
	n := t.cross()
	return n.Div(n.Len())
}

// flat reports whether the triangle is thinner than a normal can be trusted for.
func (t *tri) flat() bool {
	longest := max(t.b.Sub(t.a).LenSq(), t.c.Sub(t.b).LenSq(), t.a.Sub(t.c).LenSq())
	return !(t.cross().LenSq() > float64(longest*(minTriangleHeight*minTriangleHeight)))
}

func (t *tri) bounds() geom.AABB {
	return geom.AABB{Min: t.a.Min(t.b).Min(t.c), Max: t.a.Max(t.b).Max(t.c)}
}

// bake sorts the triangles into a tree, and solids and bodies into others.
func (w *World) bake() {
	boxes := make([]box, len(w.tris))
	for i := range w.tris {
		boxes[i] = outward(w.tris[i].bounds())
	}
	order := w.triTree.build(boxes)
	sorted := make([]tri, len(w.tris))
	for i, n := range order {
		sorted[i] = w.tris[n]
	}
	w.tris = sorted
	w.triIndex = make([]uint32, len(sorted))
	for i := range sorted {
		w.triIndex[sorted[i].number] = uint32(i)
	}

	boxes = boxes[:0]
	for i := range w.solids {
		boxes = append(boxes, w.solids[i].box)
	}
	w.solidOrder = w.solidTree.build(boxes)

	boxes = boxes[:0]
	for i := range w.moving {
		boxes = append(boxes, w.moving[i].sweptBounds)
	}
	w.bodyOrder = w.bodyTree.build(boxes)
}

// Triangles returns how many triangles the world has. Hit.Triangle is below it.
func (w *World) Triangles() int { return len(w.tris) }

// Shapes returns how many shapes the world has: ids run from 0 to one less.
func (w *World) Shapes() int { return len(w.shapes) }

// Dropped returns how many triangles without area the Builder left out.
func (w *World) Dropped() int { return w.dropped }

// Bounds returns the box around everything; empty for an empty world.
func (w *World) Bounds() geom.AABB {
	b := geom.EmptyAABB()
	for i := range w.tris {
		b = b.Union(w.tris[i].bounds())
	}
	return b
}

// Surface returns what the shape tells those who touch it, and the zero Surface
// for NoShape and ids of no shape.
func (w *World) Surface(id ShapeID) Surface {
	if int64(id) >= int64(len(w.shapes)) {
		return Surface{}
	}
	return w.shapes[id].surface
}
