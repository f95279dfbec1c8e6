package nav

import (
	"errors"
	"math"

	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

const (
	// hover in metres: a body is tested this far above the surface that it stands on, as
	// movement keeps it (movement.MinFloor, MaxFloor).
	//
	// Without it a body that stands on a floor would overlap that floor by rounding, and no
	// sample would be free.
	hover = 0.02
	// minFlatNormal is the upward component of a normal from which on a body is assumed to
	// rest on the plane that its axis meets: 18°, where the difference is 2 cm.
	//
	// On a steeper floor the round end of the capsule touches beside the axis, and what it
	// touches there may be another surface: then the rest position is found by a sweep
	// (settle), which costs ten times as much.
	minFlatNormal = 0.95
	// maxDepth is the largest depth of water that is measured, in metres.
	//
	// It ends the doubling in swimHeight over bottomless water.
	maxDepth = 1000
	// minFloorNormal is the upward component of a normal below which a surface is not a
	// floor.
	//
	// A wall that leans out by less than 0.006° is a wall.
	minFloorNormal = 1e-4
)

// standing is how a body fits at a sample.
//
// In ascending order of use: a larger value stands better, so values are compared with <.
type standing uint8

const (
	steep    standing = iota // too steep to stand on
	blocked                  // a floor, but the body does not fit
	crouched                 // fits crouched
	upright                  // fits upright
)

// sample is one floor at one crossing of the grid.
type sample struct {
	y        float64         // height of the feet if the body fits, else of the floor
	shape    collide.ShapeID // the shape that the feet touch
	standing standing
}

// field is the samples of a world, by column, and their links.
type field struct {
	p      Params
	world  *collide.World
	slope  float64 // least upward component of a walkable normal
	bounds geom.AABB

	x, z   int32 // grid coordinates of the first column
	nx, nz int32
	// Compressed rows, because most columns have one floor: no list for each of a million
	// columns.
	first []uint32 // samples[first[c]:first[c+1]] are column c = iz·nx + ix
	list  []sample
	link  [4][]int32 // by side, the neighbouring sample within a step, or −1
}

// The sides of a sample, a cell or a rectangle.
const (
	east  = iota // +X
	south        // +Z
	west         // −X
	north        // −Z
)

// stepX and stepZ are the direction of a side on the grid.
var (
	stepX = [4]int32{1, 0, -1, 0}
	stepZ = [4]int32{0, 1, 0, -1}
)

// sampleWorld samples the world. The error is that the world has too many columns or
// floors.
//
// Grid lines are multiples of the cell from the origin of the world and not from the corner
// of the bounds, so larger bounds do not move the mesh.
func sampleWorld(w *collide.World, p Params) (*field, error) {
	f := &field{p: p, world: w, slope: collide.MinWalkableNormal(p.WalkableSlope), bounds: p.Bounds}
	if p.Bounds == (geom.AABB{}) {
		f.bounds = w.Bounds()
	}
	b := &f.bounds
	if !(b.Min.X <= b.Max.X) || w.Triangles() == 0 {
		f.first = []uint32{0}
		return f, nil
	}
	// In floats: the product of two integers of a hostile box would overflow.
	columns := (math.Floor((b.Max.X-b.Min.X)/p.Cell) + 1) * (math.Floor((b.Max.Z-b.Min.Z)/p.Cell) + 1)
	if !(columns <= MaxSamples) {
		return nil, errors.New("nav: " + number(columns) + " columns to sample: more than MaxSamples; use a larger Cell or smaller Bounds")
	}
	f.x, f.z = int32(math.Ceil(b.Min.X/p.Cell)), int32(math.Ceil(b.Min.Z/p.Cell))
	f.nx = max(int32(math.Floor(b.Max.X/p.Cell))-f.x+1, 0)
	f.nz = max(int32(math.Floor(b.Max.Z/p.Cell))-f.z+1, 0)
	f.first = make([]uint32, 1, int(f.nx)*int(f.nz)+1)
	f.list = make([]sample, 0, int(f.nx)*int(f.nz)*5/4)
	for iz := range f.nz {
		for ix := range f.nx {
			f.column(f.at(f.x+ix), f.at(f.z+iz))
			if len(f.list) > MaxSamples {
				return nil, errors.New("nav: more than MaxSamples floors; use a larger Cell or smaller Bounds")
			}
			f.first = append(f.first, uint32(len(f.list)))
		}
	}
	return f, nil
}

// at returns the coordinate in metres of a grid line.
func (f *field) at(i int32) float64 { return float64(float64(i) * f.p.Cell) }

// column appends the floors at one crossing, from the top down. Floors closer below another
// one than the height of the body are skipped: the body would not fit.
func (f *field) column(x, z float64) {
	skip := f.p.Height
	if f.p.CrouchedHeight > 0 {
		skip = f.p.CrouchedHeight
	}
	// The ray begins above everything and goes on below each floor. Under a floor it goes
	// on a body's height lower, since nothing fits in between.
	y, roof := f.bounds.Max.Y+1, math.Inf(1)
	bottom := f.bounds.Min.Y - 1
	// More floors above one another are an error of the level, and the time of a column must be bounded.
	for range 64 {
		hit, ok := f.world.Ray(geom.V(x, y, z), geom.V(0, bottom-y, 0))
		if !ok {
			return
		}
		if hit.FaceNormal.Y > minFloorNormal {
			f.list = append(f.list, f.stand(&hit, roof-skip))
			roof = hit.Point.Y
			y = roof - skip
		} else {
			// It is the underside of something, or a wall: go on below it.
			y = hit.Point.Y - 1e-3
		}
		if y <= bottom {
			return
		}
	}
}

// stand computes how the body stands or swims over a floor that its axis meets, its feet no
// higher than most: there is another floor above.
//
// Walking wins over swimming where the ground is near enough to the surface for both.
func (f *field) stand(hit *collide.Hit, most float64) sample {
	s := f.ground(hit)
	if y, ok := f.swimHeight(hit.Point); ok && y <= most && (s.standing < crouched || s.y < y) {
		at := hit.Point
		at.Y = y
		if b := f.fits(at); b >= crouched {
			s.standing, s.y = b, y
		}
	}
	return s
}

// ground computes how the body stands on a floor that its axis meets.
//
// The ray gives the floor under the axis. The capsule has a radius: on a slope its round
// end touches up the slope, so its feet are higher than the floor under them by radius ·
// (1/cos − 1).
func (f *field) ground(hit *collide.Hit) sample {
	at := hit.Point
	s := sample{y: at.Y, shape: hit.Shape, standing: steep}
	if !f.walkable(hit) {
		return s
	}
	s.standing = blocked
	feet := at
	if hit.FaceNormal.Y >= minFlatNormal {
		feet.Y += float64(f.p.Radius * (1/hit.FaceNormal.Y - 1))
		if s.standing = f.fits(feet); s.standing == upright {
			s.y = feet.Y
			return s
		}
	}
	// The body does not fit on the plane under its axis: a kerb or a stair beside it lifts
	// it, or a wall keeps it away.
	y, on, ok := f.settle(hit)
	if !ok {
		if s.standing == crouched {
			s.y = feet.Y
		}
		return s
	}
	feet.Y = y
	if b := f.fits(feet); b >= s.standing {
		s.standing, s.y, s.shape = b, y, on
	}
	if s.standing == blocked {
		s.y = at.Y
	}
	return s
}

// swimHeight returns the height of the feet of a body that swims over the ground at a
// point, if the water is deep enough there.
//
// The surface of the water is searched from the ground up, first by doubling, then by
// bisection: volumes have no query for their upper side, and several may overlap. Twenty
// halvings of at most a kilometre leave a millimetre.
func (f *field) swimHeight(ground geom.Vec3) (y float64, ok bool) {
	if f.p.SwimDepth == 0 || !f.inWater(ground, f.p.SwimDepth) {
		return 0, false
	}
	dry := f.p.SwimDepth
	for wet := true; wet && dry < maxDepth; {
		dry *= 2
		wet = f.inWater(ground, dry)
	}
	deep := float64(dry * 0.5)
	for range 20 {
		middle := float64((deep + dry) * 0.5)
		if f.inWater(ground, middle) {
			deep = middle
		} else {
			dry = middle
		}
	}
	return ground.Y + deep - f.p.SwimDepth, true
}

// inWater reports whether there is water at the given height above a point.
func (f *field) inWater(at geom.Vec3, up float64) bool {
	v := collide.WorldAt{World: f.world}
	at.Y += up
	volume := v.VolumeAt(at)
	return volume != nil && volume.Water
}

// walkable is the rule of movement for surfaces that can be stood on [GRD-07].
func (f *field) walkable(hit *collide.Hit) bool {
	if hit.FaceNormal.Y <= minFloorNormal {
		return false
	}
	switch f.world.Surface(hit.Shape).Walk {
	case collide.Always:
		return true
	case collide.Never:
		return false
	}
	return hit.FaceNormal.Y >= f.slope
}

// fits returns how the body fits with its feet at a point.
//
// It is the test that makes a mesh trustworthy: the very capsule of movement, in the very
// world. A mesh made by eroding voxels is off by half a voxel.
func (f *field) fits(feet geom.Vec3) standing {
	if !f.world.Overlaps(f.body(feet, f.p.Height)) {
		return upright
	}
	if f.p.CrouchedHeight > 0 && !f.world.Overlaps(f.body(feet, f.p.CrouchedHeight)) {
		return crouched
	}
	return blocked
}

// body returns the capsule of a height that hovers above the feet.
func (f *field) body(feet geom.Vec3, height float64) geom.Capsule {
	r := f.p.Radius
	return geom.Capsule{
		A: geom.V(feet.X, feet.Y+hover+r, feet.Z), B: geom.V(feet.X, feet.Y+hover+height-r, feet.Z), Radius: r,
	}
}

// settle lowers the round end of the body from a step above the floor that its axis meets,
// and returns the height of the feet where it comes to rest, and the shape under it. That
// must be walkable, and no more than a step above the plane of that floor [GRD-13].
//
// The ball begins a step above the floor, because that is how high movement lifts a walker
// over a ledge. Where it lands higher the walker would have to climb.
func (f *field) settle(floor *collide.Hit) (y float64, on collide.ShapeID, ok bool) {
	top := f.p.StepHeight + hover
	centre := floor.Point
	centre.Y += top + f.p.Radius
	way := top + hover
	ball := geom.Capsule{A: centre, B: centre, Radius: f.p.Radius}
	hit, ok := f.world.SweepCapsule(ball, geom.V(0, -way, 0))
	switch {
	case !ok:
		return floor.Point.Y, floor.Shape, true
	case hit.Penetrating || !f.walkable(&hit):
		return 0, 0, false
	case hit.Point.Sub(floor.Point).Dot(floor.FaceNormal) > f.p.StepHeight+1e-4:
		return 0, 0, false
	}
	return floor.Point.Y + top - float64(hit.Fraction*way), hit.Shape, true
}
