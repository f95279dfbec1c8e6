package nav

import (
	"math"

	"github.com/backstep-net/backstep/geom"
)

// maxCrossings bounds how many polygons one call of MoveAlong or Raycast crosses.
//
// A hundred metres cross a few dozen polygons. The bound ends a walk that rounding would
// keep between two polygons forever.
const maxCrossings = 256

// onLine in metres is how near to a grid line a point counts as on it. It is a thousand times the rounding
// at a kilometre and a hundred-millionth of a cell.
const onLine = 1e-9

// MoveAlong moves over the mesh from a point on the polygon straight towards another point,
// of which only X and Z count, and slides along borders. It returns the polygon and the
// point reached, and whether a border was in the way. For an unknown polygon it returns its
// arguments and true.
//
// The mode NavWalking moves by it, without any query of the world, for crowds of AI.
func (m *Mesh) MoveAlong(ref Ref, from, to geom.Vec3) (end Ref, at geom.Vec3, blocked bool) {
	if !m.has(ref) || !from.Finite() || !to.Finite() {
		return ref, from, true
	}
	p := m.onGrid(m.clampToPoly(ref, from))
	for range maxCrossings {
		next, q, side := m.exit(ref, p, to)
		p = q
		if side < 0 {
			break
		}
		if next != 0 {
			ref = next
			continue
		}
		blocked = true
		if side == east || side == west {
			to.X = p.X
		} else {
			to.Z = p.Z
		}
	}
	p.Y = m.Height(ref, p)
	return ref, p, blocked
}

// Raycast goes straight from a point on the polygon towards another, up to the first
// border. It returns the polygon and the point reached, and whether a border ended it.
func (m *Mesh) Raycast(ref Ref, from, to geom.Vec3) (end Ref, at geom.Vec3, hit bool) {
	if !m.has(ref) || !from.Finite() || !to.Finite() {
		return ref, from, true
	}
	p := m.onGrid(m.clampToPoly(ref, from))
	hit = true
	for range maxCrossings {
		next, q, side := m.exit(ref, p, to)
		p = q
		if next == 0 {
			hit = side >= 0
			break
		}
		ref = next
	}
	p.Y = m.Height(ref, p)
	return ref, p, hit
}

// exit follows the straight line from p inside the polygon towards a point, as far as the
// polygon reaches: to that point, with side −1, or to the point where the line leaves
// through a side, with the polygon beyond it, 0 if there is none. At a corner it takes the
// side that leads on.
//
// It is the slab test for a rectangle. Only the sides that the line can leave through are
// computed, so nothing is divided by zero.
func (m *Mesh) exit(ref Ref, p, to geom.Vec3) (next Ref, at geom.Vec3, side int) {
	lo, hi := m.bounds(ref)
	dx, dz := to.X-p.X, to.Z-p.Z
	tx, tz := 2.0, 2.0 // beyond the end
	sx, sz := east, south
	switch {
	case to.X > hi.X:
		tx = (hi.X - p.X) / dx
	case to.X < lo.X:
		tx, sx = (lo.X-p.X)/dx, west
	}
	switch {
	case to.Z > hi.Z:
		tz = (hi.Z - p.Z) / dz
	case to.Z < lo.Z:
		tz, sz = (lo.Z-p.Z)/dz, north
	}
	if tx > 1 && tz > 1 {
		return 0, geom.V(to.X, p.Y, to.Z), -1
	}
	t := min(tx, tz)
	// Snapping and clamping put the point on the grid line exactly: a point a hair outside
	// would be on no portal.
	at = geom.V(
		geom.Clamp(m.snap(p.X+float64(dx*t)), lo.X, hi.X), p.Y, geom.Clamp(m.snap(p.Z+float64(dz*t)), lo.Z, hi.Z),
	)
	if tx <= tz {
		at.X = [4]float64{east: hi.X, west: lo.X}[sx]
		if next = m.neighbour(ref, sx, at, dx, dz); next != 0 || tx < tz {
			return next, at, sx
		}
	}
	at.Z = [4]float64{south: hi.Z, north: lo.Z}[sz]
	return m.neighbour(ref, sz, at, dx, dz), at, sz
}

// onGrid is snap for a point. A walker that misses the corner of a border by rounding would not get
// past it.
func (m *Mesh) onGrid(p geom.Vec3) geom.Vec3 { return geom.V(m.snap(p.X), p.Y, m.snap(p.Z)) }

// snap moves a coordinate onto a grid line that it misses by rounding: the ends of portals
// lie on such lines.
func (m *Mesh) snap(x float64) float64 {
	line := float64(math.Floor(x/m.cell+0.5) * m.cell)
	if math.Abs(line-x) < onLine {
		return line
	}
	return x
}

// neighbour returns the polygon that a line in direction dx, dz enters when it leaves
// through a side at a point; 0 at a border. A line through the very corner of the polygon
// may pass through the polygon beside it, which touches that corner too.
func (m *Mesh) neighbour(ref Ref, side int, at geom.Vec3, dx, dz float64) Ref {
	along := at.X
	if side == east || side == west {
		along = at.Z
	}
	if next := m.across(ref, side, along, dx, dz); next != 0 {
		return next
	}
	lo, hi := m.bounds(ref)
	turn := -1
	switch {
	case (side == east || side == west) && at.Z == hi.Z && dz >= 0:
		turn, along = south, at.X
	case (side == east || side == west) && at.Z == lo.Z && dz <= 0:
		turn, along = north, at.X
	case (side == south || side == north) && at.X == hi.X && dx >= 0:
		turn, along = east, at.Z
	case (side == south || side == north) && at.X == lo.X && dx <= 0:
		turn, along = west, at.Z
	}
	if turn < 0 {
		return 0
	}
	beside := m.across(ref, turn, along, dx, dz)
	if beside == 0 {
		return 0
	}
	lo, hi = m.bounds(beside)
	if side == east && hi.X > at.X || side == west && lo.X < at.X ||
		side == south && hi.Z > at.Z || side == north && lo.Z < at.Z {
		return beside
	}
	along = at.X
	if side == east || side == west {
		along = at.Z
	}
	return m.across(beside, side, along, dx, dz)
}

// across returns the polygon beyond a side at the coordinate c along it, for a line in
// direction dx, dz: where two polygons meet, the one ahead.
//
// Portals of a side ascend by position, so the last one that contains c is the one ahead
// for a line that ascends.
func (m *Mesh) across(ref Ref, side int, c, dx, dz float64) (next Ref) {
	d := dx
	if side == east || side == west {
		d = dz
	}
	p := &m.polys[ref-1]
	for i := p.first; i < p.last; i++ {
		o := &m.portals[i]
		if int(o.side) != side || c < m.line(o.lo) || c > m.line(o.hi) {
			continue
		}
		if next = Ref(o.to + 1); d <= 0 {
			break
		}
	}
	return next
}
