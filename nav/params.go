package nav

import (
	"cmp"
	"errors"
	"math"
	"strconv"

	"github.com/backstep-net/backstep/geom"
)

// Params describes the body that a Mesh is baked for, and the resolution. Take the
// dimensions of the body from the movement.Model that will walk. Zero means what each field
// says.
type Params struct {
	// Radius and Height of the upright capsule in metres, its round ends included.
	// Required.
	Radius, Height float64
	// CrouchedHeight of the capsule while crouched, in metres. Zero: it never crouches, and
	// floors under low ceilings are not on the mesh.
	CrouchedHeight float64
	// StepHeight in metres is the tallest ledge that it climbs. Required.
	StepHeight float64
	// WalkableSlope in radians is the steepest floor that it stands on. Required.
	WalkableSlope float64

	// Cell in metres is the distance between samples: gaps less than two cells wider than
	// the body may be missed. It is at most Radius, and so small that a walkable slope
	// rises no more than a step over it. Zero means 0.15.
	Cell float64
	// LedgeMargin in metres is the distance that the mesh keeps from edges to fall off, to
	// within a cell. Zero means 0.25; below zero the mesh reaches up to the edge.
	LedgeMargin float64
	// MaxDrop in metres is the highest ledge that gets links to jump down. Zero: none.
	MaxDrop float64
	// SwimDepth in metres is the depth of water, above the feet, in which it swims: over
	// deeper ground the mesh lies that far below the surface. It is about half the height
	// of the body, as in movement. Zero: it walks on the ground of all water.
	SwimDepth float64
	// MinArea in m² is the least area of a component of the mesh that no portal connects to
	// the rest; smaller ones are removed. Zero means 1.
	MinArea float64
	// Seeds are points from which the mesh must be reachable: components that cannot be
	// reached from any of them, links included, are removed. None: all are kept.
	Seeds []geom.Vec3
	// Links are connections of the level that cannot be walked. An end further than a metre
	// from the mesh is an error. None: it is only walked and jumped down.
	Links []Link
	// Bounds limits the sampled space. The zero box means the bounds of the world.
	Bounds geom.AABB
}

// Kind says how a link is travelled.
type Kind uint8

// The kinds. A game may use further numbers, below MaxKinds.
const (
	Walk    Kind = iota // not a link: the next corner is walked to
	Drop                // step over the edge
	Lift                // wait, ride
	JumpPad             // a jump pad throws the body
	Bridge              // a moving bridge: wait, walk
	Jump                // run and jump
)

// MaxKinds bounds Kind: kinds are bits of Query.Avoid.
const MaxKinds = 32

// Link connects two points of the mesh by other means than walking.
type Link struct {
	// From and To are positions of the feet in metres, snapped to the mesh by Bake.
	From, To geom.Vec3
	Kind     Kind
	// Bidirectional: it may also be used from To to From.
	Bidirectional bool
	// Cost is the length in metres of a walk that is equally expensive. Zero means the
	// distance from From to To.
	Cost float64
}

// The defaults of Params.
const (
	// Below half of a body's radius: an obstacle is as wide as the body at least, so none
	// fits between two samples. A sample costs 2.5 µs to bake, and their number goes with
	// the inverse square of the cell.
	defaultCell = 0.15
	// A walker brakes to a corner within some centimetres; a quarter of a metre keeps its
	// feet on the floor while it does.
	defaultLedge = 0.25
	// The tops of crates and posts are floors too. No bot needs them, and Nearest would return them.
	defaultArea = 1
)

// MaxSamples bounds the number of grid columns, and of samples in them.
//
// It is checked before memory is allocated: a bounding box from a level file is untrusted.
// A sample is 16 bytes and 16 of links.
const MaxSamples = 16 << 20

// ParamError reports a field of Params that is out of range.
type ParamError struct {
	Name     string  // name of the field in Go
	Value    float64 // its value
	Min, Max float64 // its range
}

// Error names the field, its value and its range.
func (e *ParamError) Error() string {
	return "nav: " + e.Name + " is " + number(e.Value) + ", not within " + number(e.Min) + " … " + number(e.Max)
}

func number(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }

// filled returns p with the defaults instead of zeros.
func (p Params) filled() Params {
	p.Cell = cmp.Or(p.Cell, defaultCell)
	p.LedgeMargin = cmp.Or(p.LedgeMargin, defaultLedge)
	p.MinArea = cmp.Or(p.MinArea, defaultArea)
	return p
}

// Check returns a *ParamError for the first field out of range, another error for an
// invalid link, seed or box, or nil.
func (p *Params) Check() error {
	const far = 1e3
	f := p.filled()
	low := f.CrouchedHeight
	low = cmp.Or(low, f.Height)
	for _, b := range []ParamError{
		{"Radius", f.Radius, 0.05, far},
		{"Height", f.Height, float64(2 * f.Radius), far},
		{"CrouchedHeight", low, float64(2 * f.Radius), f.Height},
		{"StepHeight", f.StepHeight, 0.01, f.Height},
		{"WalkableSlope", f.WalkableSlope, 0, 1.5},
		{"Cell", f.Cell, 0.01, f.Radius},
		{"LedgeMargin", f.LedgeMargin, -far, far},
		{"MaxDrop", f.MaxDrop, 0, far},
		{"SwimDepth", f.SwimDepth, 0, f.Height},
		{"MinArea", f.MinArea, 0, math.MaxFloat64},
	} {
		// The negated comparison refuses NaN too.
		if !(b.Value >= b.Min && b.Value <= b.Max) {
			return &b
		}
	}
	// Over one cell a slope rises by cell · tan. If that were more than a step, the samples
	// of a walkable ramp would not be linked.
	sin, cos := geom.SinCos(f.WalkableSlope)
	if most := f.StepHeight * cos / sin; sin > 0 && f.Cell > most {
		return &ParamError{"Cell", f.Cell, 0.01, most}
	}
	return p.checkPlaces()
}

func (p *Params) checkPlaces() error {
	for i := range p.Links {
		l := &p.Links[i]
		if !l.From.Finite() || !l.To.Finite() || !(l.Cost >= 0) || !geom.Finite(l.Cost) ||
			l.Kind == Walk || l.Kind >= MaxKinds {
			return errors.New("nav: Links[" + strconv.Itoa(i) + "]: an end or the cost is not finite, the cost is negative, or the kind is invalid")
		}
	}
	for i := range p.Seeds {
		if !p.Seeds[i].Finite() {
			return errors.New("nav: Seeds[" + strconv.Itoa(i) + "] is not finite")
		}
	}
	if b := p.Bounds; !b.Min.Finite() || !b.Max.Finite() ||
		b.Min.X > b.Max.X || b.Min.Y > b.Max.Y || b.Min.Z > b.Max.Z {
		return errors.New("nav: Bounds is not a box")
	}
	return nil
}
