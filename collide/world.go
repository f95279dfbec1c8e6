package collide

import "github.com/backstep-net/backstep/geom"

// World is a baked level: static geometry, movers that follow their paths, and volumes. It
// never changes after Bake or Unpack, so any number of goroutines may query it at once; only a
// world of WithTriggers reads the log of its match too. Make one with a Builder. The methods of World query the static geometry only; those of
// WorldAt query everything.
type World struct {
	tris       []tri // in tree order
	shapes     []shape
	solids     []solid
	triTree    tree     // over tris
	solidTree  tree     // over solids
	solidOrder []uint32 // solidOrder[i] is the solid at place i of solidTree
	triIndex   []uint32 // triIndex[n] is the index of triangle number n in tris
	dropped    int

	movers     []Mover
	moving     []moving // of each mover
	moverTree  tree     // over the swept bounds of movers
	moverOrder []uint32 // moverOrder[i] is the mover at place i of moverTree
	volumes    []Volume
	regions    []region // of each volume

	triggers *Triggers // of a match; nil: none of the movers was triggered
}

// tri is one triangle as the queries read it. Neighbours in space are neighbours in memory,
// and a triangle contains its vertices: a leaf is one range of cache lines.
//
// The shape and the number are here and not in another list, because a hit needs them at once.
type tri struct {
	a, b, c geom.Vec3
	shape   uint32
	number  uint32 // its place in the order of adding
	solid   int32  // index into World.solids, or −1 for loose triangles
}

// shape is the data kept of a shape that was added.
type shape struct {
	surface Surface
	solid   bool
}

// cross returns the normal of the triangle times twice its area.
func (t *tri) cross() geom.Vec3 { return t.b.Sub(t.a).Cross(t.c.Sub(t.a)) }

// normal returns the unit normal, about which a, b, c run counter-clockwise.
func (t *tri) normal() geom.Vec3 {
	n := t.cross()
	return n.Div(n.Len())
}

// flat reports whether the triangle is too thin for a reliable normal.
//
// The height over the longest side is the area divided by that side; squared, there is no
// root. The negated comparison makes NaN flat.
func (t *tri) flat() bool {
	longest := max(t.b.Sub(t.a).LenSq(), t.c.Sub(t.b).LenSq(), t.a.Sub(t.c).LenSq())
	return !(t.cross().LenSq() > float64(longest*(minTriangleHeight*minTriangleHeight)))
}

func (t *tri) bounds() geom.AABB {
	return geom.AABB{Min: t.a.Min(t.b).Min(t.c), Max: t.a.Max(t.b).Max(t.c)}
}

// bake builds the trees of triangles, solids and movers, and sorts the triangles.
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
		boxes = append(boxes, outward(w.solids[i].bounds))
	}
	w.solidOrder = w.solidTree.build(boxes)

	boxes = boxes[:0]
	for i := range w.moving {
		boxes = append(boxes, w.moving[i].sweptBounds)
	}
	w.moverOrder = w.moverTree.build(boxes)
}

// Triangles returns the number of triangles of the world. Hit.Triangle is below it.
func (w *World) Triangles() int { return len(w.tris) }

// Face returns triangle n of the static geometry, 0 … Triangles−1, in the order of adding: to draw
// the world, or to look up Hit.Triangle. Mover is Static. It panics for other n.
func (w *World) Face(n int) Face {
	t := w.triByNumber(n)
	return Face{t.a, t.b, t.c, t.normal(), t.solid >= 0, ShapeID(t.shape), t.number, Static}
}

// Shapes returns the number of shapes of the world: ids run from 0 to one less.
func (w *World) Shapes() int { return len(w.shapes) }

// Dropped returns how many triangles without area the Builder left out.
func (w *World) Dropped() int { return w.dropped }

// Bounds returns the box around the static geometry; empty for an empty world.
func (w *World) Bounds() geom.AABB {
	b := geom.EmptyAABB()
	for i := range w.tris {
		b = b.Union(w.tris[i].bounds())
	}
	return b
}

// Surface returns the surface of the shape, the zero Surface for NoShape and unknown ids.
func (w *World) Surface(id ShapeID) Surface {
	if int64(id) >= int64(len(w.shapes)) {
		return Surface{}
	}
	return w.shapes[id].surface
}
