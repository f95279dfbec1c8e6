package nav

import (
	"errors"
	"math"
	"strconv"

	"github.com/backstep-net/backstep/geom"
)

// Params is the body a Mesh is baked for, and how finely. Take the body's numbers
// from the movement.Model that will walk; zeros mean what each field says.
type Params struct {
	// Radius and Height of the upright capsule in metres, its round ends counted.
	// No defaults.
	Radius, Height float64
	// CrouchedHeight of the capsule while crouched, in metres. Zero: it never crouches,
	// and nothing low is on the mesh.
	CrouchedHeight float64
	// StepHeight in metres is the tallest ledge it climbs. No default.
	StepHeight float64
	// WalkableSlope in radians is the steepest floor that it stands on. No default.
	WalkableSlope float64

	// Cell in metres is the distance between samples: gaps less than two cells
	// wider than the body may be missed. At most Radius, and so small that a
	// walkable slope rises no more than a step over it. Zero means 0.15.
	Cell float64
	// LedgeMargin in metres is how far the mesh keeps from edges to fall off, to within
	// a cell. Zero means 0.25; below zero it comes up to the edge.
	LedgeMargin float64
	// MaxDrop in metres is the highest ledge that gets links to jump down. Zero: none.
	MaxDrop float64
	// SwimDepth in metres is how deep the water is in which it swims, above its feet:
	// over deeper ground the mesh lies that far below the surface. About half the
	// body's height, as movement has it. Zero: it walks on the ground of all water.
	SwimDepth float64
	// MinArea in m² of a piece of the mesh that no portal joins to the rest;
	// smaller ones are left out. Zero means 1.
	MinArea float64
	// Seeds are places of which the mesh must be reachable; pieces that cannot be
	// reached from any of them, links included, are left out. None: all are kept.
	Seeds []geom.Vec3
	// Links are ways of the level that no walker finds. An end further than
	// a metre from the mesh is an error.
	Links []Link
	// Bounds bounds what is sampled. The zero box is the world's own.
	Bounds geom.AABB
}

// Kind says how a link is taken.
type Kind uint8

// The kinds. A title may use further numbers, below MaxKinds.
const (
	Walk    Kind = iota // no link at all: a corner to be walked to
	Drop                // step over the edge
	Lift                // wait, ride
	JumpPad             // a jump pad throws the body
	Bridge              // a moving bridge: wait, walk
	Jump                // run and jump
)

// MaxKinds bounds Kind: kinds are bits of Query.Avoid.
const MaxKinds = 32

// Link is a way from one place of the mesh to another that is not walked on it.
type Link struct {
	// From and To are feet in metres, moved onto the mesh when it is baked.
	From, To geom.Vec3
	Kind     Kind
	// Bidirectional: it may be taken backwards too.
	Bidirectional bool
	// Cost in metres of walking that it is worth. Zero means its length.
	Cost float64
}

// The defaults of Params.
const (
	defaultCell  = 0.15
	defaultLedge = 0.25
	defaultArea  = 1
)

// MaxSamples bounds a bake: columns of the grid, and samples in them.
const MaxSamples = 16 << 20

// ParamError is a field of Params that no mesh can be baked with.
type ParamError struct {
	Name     string  // the field's name in Go
	Value    float64 // what it was
	Min, Max float64 // what it may be
}

// Error names the field, its value and its bounds.
func (e *ParamError) Error() string {
	return "nav: " + e.Name + " is " + number(e.Value) + ", not within " + number(e.Min) + " … " + number(e.Max)
}

func number(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }

// filled returns p with the defaults in place of zeros.
func (p Params) filled() Params {
	if p.Cell == 0 {
		p.Cell = defaultCell
	}
	if p.LedgeMargin == 0 {
		p.LedgeMargin = defaultLedge
	}
	if p.MinArea == 0 {
		p.MinArea = defaultArea
	}
	return p
}

// Check returns a *BadParam for the first field out of its bounds, another error
// for a link or box that is no such thing, or nil.
func (p *Params) Check() error {
	const far = 1e3
	f := p.filled()
	low := f.CrouchedHeight
	if low == 0 {
		low = f.Height
	}
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
		if !(b.Value >= b.Min && b.Value <= b.Max) {
			return &b
		}
	}
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
			return errors.New("nav: Links[" + strconv.Itoa(i) + "]: an end or the cost is not finite, or its kind is none")
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
