package nav

import (
	"math"

	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// linkSamples links each sample with the sample of the next column that is nearest in
// height, if each is the nearest of the other.
//
// Mutual nearness makes the links a planar grid even where floors are above one another: no
// sample has two neighbours on one side.
func (f *field) linkSamples() {
	for side := range f.link {
		f.link[side] = make([]int32, len(f.list))
		for i := range f.link[side] {
			f.link[side][i] = -1
		}
	}
	for iz := range f.nz {
		for ix := range f.nx {
			for _, side := range [2]int{east, south} {
				jx, jz := ix+stepX[side], iz+stepZ[side]
				if jx < f.nx && jz < f.nz {
					f.linkColumns(iz*f.nx+ix, jz*f.nx+jx, side)
				}
			}
		}
	}
}

// linkColumns links two neighbouring columns; side leads from a to b.
func (f *field) linkColumns(a, b int32, side int) {
	for i := f.first[a]; i < f.first[a+1]; i++ {
		if f.list[i].standing < crouched {
			continue
		}
		j := f.nearest(b, f.list[i].y)
		// Both conditions are symmetric, so one test serves both directions.
		if j < 0 || f.nearest(a, f.list[j].y) != int32(i) || !f.canStep(int32(i), j, a, b) {
			continue
		}
		f.link[side][i] = j
		f.link[side+2][j] = int32(i)
	}
}

// nearest returns the sample of a column, nearest to a height and within a step of it, on
// which the body can stand, or −1.
func (f *field) nearest(column int32, y float64) int32 {
	// The slack covers the rounding of a step that is exactly StepHeight high.
	best, off := int32(-1), f.p.StepHeight+1e-4
	for j := f.first[column]; j < f.first[column+1]; j++ {
		if d := math.Abs(f.list[j].y - y); f.list[j].standing >= crouched && d <= off {
			best, off = int32(j), d
		}
	}
	return best
}

// canStep reports whether a step between two samples is allowed and has headroom.
//
// Two samples where the body fits may have a beam between them at the height of the head:
// it is tested at the lower place, at the height of the higher one, as movement's step up
// does.
func (f *field) canStep(i, j, ci, cj int32) bool {
	if f.list[i].y > f.list[j].y {
		i, j, ci = j, i, cj
	}
	a, b := &f.list[i], &f.list[j] // b is the higher
	rise := b.y - a.y
	if rise > hover && a.shape != b.shape && f.world.Surface(b.shape).StepOn == collide.Never {
		return false
	}
	// A rise that small is covered by the tests at both samples.
	if rise < 0.1 {
		return true
	}
	height := f.p.Height
	if a.standing == crouched || b.standing == crouched {
		height = f.p.CrouchedHeight
	}
	at := geom.V(f.at(f.x+ci%f.nx), b.y, f.at(f.z+ci/f.nx))
	return !f.world.Overlaps(f.body(at, height))
}

// erodeLedges removes the samples nearer than margin to an edge that a body can fall off.
//
// Walls need no such margin: the capsule fits at every sample. But a capsule fits at the
// very edge of a roof too, and a follower that cuts the corner by a few centimetres would
// fall.
func (f *field) erodeLedges(margin float64) {
	if margin <= 0 {
		return
	}
	// A chamfer distance transform (Borgefors 1986) in two passes: it is too long by at
	// most 12 %, and needs no roots and no queue.
	const straight, diagonal = 2, 3 // in halves of a cell
	far := int32(min(2*margin/f.p.Cell, 1e6)) + 1
	dist := make([]int32, len(f.list))
	for i := range dist {
		dist[i] = far
	}
	for c := range f.nx * f.nz {
		for i := f.first[c]; i < f.first[c+1]; i++ {
			if f.list[i].standing >= crouched && f.atLedge(c, f.list[i].y) {
				dist[i] = 0
			}
		}
	}
	spread := func(i int32, side, turn int) {
		j := f.link[side][i]
		if j < 0 {
			return
		}
		dist[i] = min(dist[i], dist[j]+straight)
		if k := f.link[turn][j]; k >= 0 {
			dist[i] = min(dist[i], dist[k]+diagonal)
		}
	}
	// Forward, then backward over the samples: after both, every sample has the length of
	// the shortest chain of links to an edge.
	for i := range int32(len(dist)) {
		spread(i, west, north)
		spread(i, north, east)
	}
	for i := int32(len(dist)) - 1; i >= 0; i-- {
		spread(i, east, south)
		spread(i, south, west)
	}
	for i := range dist {
		if float64(float64(dist[i])*(f.p.Cell*0.5)) < margin {
			f.remove(int32(i))
		}
	}
}

// remove makes a sample unusable and unlinks it.
//
// The sample stays in the list as blocked, so the numbers of the others and the columns
// remain valid.
func (f *field) remove(i int32) {
	f.list[i].standing = blocked
	for side := range f.link {
		if j := f.link[side][i]; j >= 0 {
			f.link[(side+2)%4][j] = -1
			f.link[side][i] = -1
		}
	}
}

// atLedge reports whether a neighbouring column has no floor at about that height. A column
// in which the body does not fit has one: the body is kept its radius away from what is in
// the way, and a cell is no larger than that.
func (f *field) atLedge(column int32, y float64) bool {
	ix, iz := column%f.nx, column/f.nx
	for dz := int32(-1); dz <= 1; dz++ {
		for dx := int32(-1); dx <= 1; dx++ {
			jx, jz := ix+dx, iz+dz
			if jx < 0 || jz < 0 || jx >= f.nx || jz >= f.nz || !f.floorNear(jz*f.nx+jx, y) {
				return true
			}
		}
	}
	return false
}

// floorNear reports whether a column has a floor at about that height, or a steep surface
// that leads up from there.
//
// One and a half steps: the edge of a stair is not a ledge.
func (f *field) floorNear(column int32, y float64) bool {
	reach := float64(1.5 * f.p.StepHeight)
	for j := f.first[column]; j < f.first[column+1]; j++ {
		s := &f.list[j]
		if off := s.y - y; off >= -reach && off <= reach && (s.standing != steep || off >= 0) {
			return true
		}
	}
	return false
}

// cellAt reports whether the sample is the north-western corner of a cell: four samples
// linked in a ring, the others east, south and south-east of it.
//
// If the ring does not close, the four are on different floors: around the end of a ramp,
// for example.
func (f *field) cellAt(i int32) bool {
	e, s := f.link[east][i], f.link[south][i]
	return e >= 0 && s >= 0 && f.link[south][e] >= 0 && f.link[south][e] == f.link[east][s]
}

// cellNeedsCrouch reports whether the body must crouch at a corner of the cell.
func (f *field) cellNeedsCrouch(i int32) bool {
	e, s := f.link[east][i], f.link[south][i]
	return f.list[i].standing == crouched || f.list[e].standing == crouched ||
		f.list[s].standing == crouched || f.list[f.link[south][e]].standing == crouched
}
