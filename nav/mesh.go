package nav

import (
	"math"

	"github.com/backstep-net/backstep/geom"
)

// Ref identifies a polygon of a Mesh, from 1; 0 is none. It is a plain number, so that
// movement can keep it in its state without importing nav.
type Ref = uint32

// Mesh is where the feet of one kind of body can be: rectangles with heights, connected by
// portals, and links. It never changes after Bake, so any number of goroutines may query
// it. The zero Mesh is empty.
//
// Points are feet on the floor, without the 2 cm that a walker hovers above it. No method
// allocates.
type Mesh struct {
	cell    float64
	polys   []poly
	portals []portal   // of all polygons, in their order, by side and place
	heights []float32  // of the polygons' samples
	links   []meshLink // by the polygon that they leave
	tiles   tiles
}

// poly is a rectangle of cells.
//
// Indices are int32 instead of slices, which would be three words each: a level has
// thousands of polygons.
type poly struct {
	x, z       int32 // grid coordinates of its north-western sample
	w, h       int32 // in cells
	first      int32 // portals[first:last]
	last       int32
	height     int32 // heights[height:]: (w+1)·(h+1) of them, or 4 if flat
	linkStart  int32 // links[linkStart:linkEnd] leave it
	linkEnd    int32
	flat       bool  // bilinear between its four corners
	crouchOnly bool  // a body fits only crouched
	group      int32 // connected component, by portals
}

// portal is the shared part of the borders of two polygons, as seen from one of them.
type portal struct {
	from, to int32 // index of polygons
	// In grid lines and not in metres, so the two sides of a portal agree exactly.
	lo, hi int32 // grid coordinates along the side
	side   int8
}

// meshLink is a Link on the mesh, in one direction.
type meshLink struct {
	from, to   int32 // index of polygons
	start, end geom.Vec3
	kind       Kind
	cost       float64
	link       int32 // of Params.Links, or −1 for a drop that Bake found
}

// Links returns the number of links, each direction counted.
func (m *Mesh) Links() int { return len(m.links) }

// Link returns link i in its one direction, and its index in Params.Links: −1 for a drop
// that Bake found.
func (m *Mesh) Link(i int) (l Link, number int) {
	w := &m.links[i]
	return Link{From: w.start, To: w.end, Kind: w.kind, Cost: w.cost}, int(w.link)
}

// Bounds returns the box around the mesh; empty for an empty mesh.
func (m *Mesh) Bounds() geom.AABB {
	b := geom.EmptyAABB()
	for i := range m.polys {
		ref := Ref(i + 1)
		lo, hi := m.bounds(ref)
		for _, p := range [4]geom.Vec3{lo, hi, {X: lo.X, Z: hi.Z}, {X: hi.X, Z: lo.Z}} {
			b = b.Include(m.snapToPoly(ref, p))
		}
	}
	return b
}

// has reports whether the mesh has that polygon.
func (m *Mesh) has(ref Ref) bool { return ref >= 1 && int64(ref) <= int64(len(m.polys)) }

// CrouchOnly reports whether a body must crouch on the polygon. It is false for an unknown
// polygon.
func (m *Mesh) CrouchOnly(ref Ref) bool { return m.has(ref) && m.polys[ref-1].crouchOnly }

// Centre returns the middle of a polygon, the zero vector for an unknown one: a
// destination, for example.
func (m *Mesh) Centre(ref Ref) geom.Vec3 {
	if !m.has(ref) {
		return geom.Vec3{}
	}
	lo, hi := m.bounds(ref)
	return m.snapToPoly(ref, geom.V(float64((lo.X+hi.X)*0.5), 0, float64((lo.Z+hi.Z)*0.5)))
}

// line returns the coordinate in metres of a grid line.
func (m *Mesh) line(i int32) float64 { return float64(float64(i) * m.cell) }

// bounds returns the least and greatest corner of the polygon; their Y has no meaning.
func (m *Mesh) bounds(ref Ref) (lo, hi geom.Vec3) {
	p := &m.polys[ref-1]
	return geom.V(m.line(p.x), 0, m.line(p.z)), geom.V(m.line(p.x+p.w), 0, m.line(p.z+p.h))
}

// clampToPoly returns p moved horizontally to the nearest point over the polygon.
func (m *Mesh) clampToPoly(ref Ref, p geom.Vec3) geom.Vec3 {
	lo, hi := m.bounds(ref)
	p.X, p.Z = geom.Clamp(p.X, lo.X, hi.X), geom.Clamp(p.Z, lo.Z, hi.Z)
	return p
}

// snapToPoly is clampToPoly at the height of the polygon.
func (m *Mesh) snapToPoly(ref Ref, p geom.Vec3) geom.Vec3 {
	p = m.clampToPoly(ref, p)
	p.Y = m.Height(ref, p)
	return p
}

// Height returns the height of the feet on the polygon at a point over it, in metres;
// beside it, that of the nearest point. It is 0 for an unknown polygon.
//
// It is bilinear within each cell, or within the whole polygon if that is accurate to
// flatness.
func (m *Mesh) Height(ref Ref, p geom.Vec3) float64 {
	if !m.has(ref) {
		return 0
	}
	q := &m.polys[ref-1]
	fx := geom.Clamp(p.X/m.cell-float64(q.x), 0, float64(q.w))
	fz := geom.Clamp(p.Z/m.cell-float64(q.z), 0, float64(q.h))
	// A NaN passes through Clamp and would become an index.
	if !(fx >= 0 && fz >= 0) {
		return 0
	}
	at := q.height
	row := int32(2)
	if q.flat {
		fx, fz = fx/float64(q.w), fz/float64(q.h)
	} else {
		ix, iz := min(int32(fx), q.w-1), min(int32(fz), q.h-1)
		fx, fz = fx-float64(ix), fz-float64(iz)
		row = q.w + 1
		at += iz*row + ix
	}
	n, s := m.heights[at:at+2], m.heights[at+row:at+row+2]
	return lerp(lerp(float64(n[0]), float64(n[1]), fx), lerp(float64(s[0]), float64(s[1]), fx), fz)
}

func lerp(a, b, t float64) float64 { return a + float64((b-a)*t) }

// Nearest returns the point on the mesh nearest to the feet p, at most reach metres away,
// and its polygon. Of equally near polygons the lower number wins.
//
// Distances are in three dimensions: feet under a bridge are on the polygon below it.
func (m *Mesh) Nearest(p geom.Vec3, reach float64) (ref Ref, at geom.Vec3, ok bool) {
	if !p.Finite() || !(reach >= 0) || len(m.polys) == 0 {
		return 0, p, false
	}
	best := float64(reach * reach)
	x0, z0, x1, z1 := m.tiles.span(p.X-reach, p.Z-reach, p.X+reach, p.Z+reach)
	for z := z0; z <= z1; z++ {
		for x := x0; x <= x1; x++ {
			for _, i := range m.tiles.at(x, z) {
				r := Ref(i + 1)
				q := m.clampToPoly(r, p)
				// The horizontal distance is a lower bound, and spares the height of most
				// polygons.
				if flatDistSq(p, q) > best {
					continue
				}
				q.Y = m.Height(r, q)
				if d := q.Sub(p).LenSq(); d < best || d == best && (ref == 0 || r < ref) {
					ref, at, best = r, q, d
				}
			}
		}
	}
	if ref == 0 {
		return 0, p, false
	}
	return ref, at, true
}

func flatDistSq(p, q geom.Vec3) float64 {
	x, z := p.X-q.X, p.Z-q.Z
	return float64(x*x) + float64(z*z)
}

// flatDist returns the horizontal distance.
func flatDist(p, q geom.Vec3) float64 { return math.Sqrt(flatDistSq(p, q)) }

// tiles is a uniform grid that finds polygons by position.
type tiles struct {
	size   float64 // in metres
	x, z   float64 // of the first tile's corner
	nx, nz int32
	first  []int32 // list[first[t]:first[t+1]] touch tile t
	list   []int32
}

// tileCells is the width of a tile in cells.
//
// 2.4 m at the default cell: a query of reach 1 looks at one to four tiles, and a rectangle
// of the largest size is in sixteen.
const tileCells = 16

// at returns the polygons that touch a tile.
func (t *tiles) at(x, z int32) []int32 {
	i := z*t.nx + x
	return t.list[t.first[i]:t.first[i+1]]
}

// span returns the tiles that touch a rectangle; none if the first is beyond the last.
//
// Clamped before conversion: a point far outside must not become any index.
func (t *tiles) span(x0, z0, x1, z1 float64) (int32, int32, int32, int32) {
	return t.index(x0-t.x, 0, float64(t.nx)), t.index(z0-t.z, 0, float64(t.nz)),
		t.index(x1-t.x, -1, float64(t.nx-1)), t.index(z1-t.z, -1, float64(t.nz-1))
}

func (t *tiles) index(x, lo, hi float64) int32 {
	return int32(geom.Clamp(math.Floor(x/t.size), lo, hi))
}

// fill sorts the polygons into tiles.
func (t *tiles) fill(m *Mesh) {
	t.size = float64(m.cell * tileCells)
	if len(m.polys) == 0 {
		return
	}
	x0, z0, x1, z1 := m.extent()
	t.x, t.z = m.line(x0), m.line(z0)
	t.nx, t.nz = (x1-x0)/tileCells+1, (z1-z0)/tileCells+1
	t.first = make([]int32, t.nx*t.nz+1)
	each := func(do func(tile, poly int32)) {
		for i := range m.polys {
			p := &m.polys[i]
			for z := (p.z - z0) / tileCells; z <= (p.z+p.h-z0)/tileCells; z++ {
				for x := (p.x - x0) / tileCells; x <= (p.x+p.w-x0)/tileCells; x++ {
					do(z*t.nx+x, int32(i))
				}
			}
		}
	}
	// First count, then place: two passes and two allocations for any number of polygons.
	each(func(tile, _ int32) { t.first[tile+1]++ })
	for i := 1; i < len(t.first); i++ {
		t.first[i] += t.first[i-1]
	}
	t.list = make([]int32, t.first[len(t.first)-1])
	next := append([]int32(nil), t.first...)
	each(func(tile, poly int32) {
		t.list[next[tile]] = poly
		next[tile]++
	})
}

// extent returns the grid rectangle around all polygons.
func (m *Mesh) extent() (x0, z0, x1, z1 int32) {
	x0, z0, x1, z1 = math.MaxInt32, math.MaxInt32, math.MinInt32, math.MinInt32
	for i := range m.polys {
		p := &m.polys[i]
		x0, z0, x1, z1 = min(x0, p.x), min(z0, p.z), max(x1, p.x+p.w), max(z1, p.z+p.h)
	}
	return
}
