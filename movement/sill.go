package movement

import (
	"math"

	"github.com/backstep-net/backstep/collide"
)

const (
	// roughness in metres is how much higher than what it stands on an edge may be for
	// any walker to walk over it: what levels have of uneven seams and rounding. Higher
	// ones are steps, however low.
	roughness = 0.005
	// beside in metres is how far beside an edge, and above it, the ray begins that
	// feels how high it is: past the rounding of a level's coordinates, and little
	// enough for the slope beneath a crest to be no step.
	beside = 0.002
	// onFace is the least cosine between the contact normal and the face's at a contact
	// that is none with an edge.
	onFace = 1 - 1e-6
)

// rise is how high in metres a walker gets, and how low it follows, without a jump and
// other than by a slope.
func (m *Model) rise() float64 { return math.Max(m.StepHeight, roughness) }

// mindSills keeps the walker, in this slice, from getting up an edge by its round end
// that it may not step onto (STP-07).
func (f *StepContext) mindSills() {
	f.sill = math.Inf(1)
	if f.Floor.Walkable {
		f.sill = f.Position.Dot(f.Up) + f.Floor.height() + f.Model.rise() + stepSlack
	}
}

// sillReach is how much further down than the body is a walker feels for what it may
// not step onto: as it hovers, it would else pass over low sills.
func (f *StepContext) sillReach() float64 {
	return math.Max(f.Floor.Distance-f.Model.rise()-stepSlack, 0)
}

// overSill reports whether the hit is with an edge that is too high to step onto: more
// than that above what was stood on, and above what is beside it. The crest of a slope
// has the slope beside it.
func (f *StepContext) overSill(hit *collide.Hit) bool {
	return hit.Point.Dot(f.Up) > f.sill && hit.Normal.Dot(hit.FaceNormal) <= onFace &&
		!f.floorBeside(hit, f.Model.rise()+stepSlack)
}

// floorBeside reports whether there is a floor beside the edge hit, no more than depth
// metres below it.
func (f *StepContext) floorBeside(hit *collide.Hit, depth float64) bool {
	f.Queries++
	from := hit.Point.MulAdd(f.wall(hit.Normal), beside).MulAdd(f.Up, beside)
	ground, ok := f.World.Ray(from, f.Up.Mul(-(beside + depth)))
	return ok && f.stands(&ground)
}

// crest returns the edge hit as a slope to follow, if it is the crest of one: no step,
// although there is a steep face too, like that of a box that a ramp leads up to.
func (f *StepContext) crest(hit *collide.Hit) (Floor, bool) {
	if hit.Normal.Dot(f.Up) < f.walkable || hit.Normal.Dot(hit.FaceNormal) > onFace || !f.floorBeside(hit, roughness) {
		return Floor{}, false
	}
	return Floor{Normal: hit.Normal, Walkable: true}, true
}
