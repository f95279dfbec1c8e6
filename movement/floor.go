package movement

import (
	"math"

	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

const (
	// MinFloor, MaxFloor in metres: the band above the floor in which a body
	// hovers [FLR-02]. Below it seams would catch, above it the feet would float.
	MinFloor, MaxFloor = 0.019, 0.024
	// midFloor is where a body outside the band is moved to.
	midFloor = (MinFloor + MaxFloor) / 2
	// rim in metres: a contact nearer than this to the capsule's side is a wall
	// [FLR-03].
	rim = 0.0015
	// probeLift in metres is how far above the lowest point the floor probe
	// starts, so that a floor slightly inside the body still has a distance.
	probeLift = 0.05
	// thinner is the share of the radius that the second probe has, when the
	// first starts in contact or grazes an edge [FLR-01].
	thinner = 0.9
)

// floorResult is the result of a search for a floor. The zero Floor is none.
type floorResult struct {
	Floor
	inside bool      // the body overlaps something there
	rimmed bool      // a single probe touched only by its rim
	wide   bool      // found by a probe of the body's own width
	under  geom.Vec3 // contact normal of the last probe that touched; zero for none
	groove *groove   // of a wedge, valid until the next search; nil for any other floor
}

// floorProbe looks for floors below a body.
type floorProbe struct{ *Body }

// rise returns how high in metres a walker gets, and how low it follows, without a jump
// and other than by a slope.
func (m *Model) rise() float64 { return max(m.StepHeight, roughness) }

// reach returns how far below the feet a floor is looked for, in metres.
func (b floorProbe) reach() float64 { return b.Model.rise() + MaxFloor }

// find searches for a floor within reach metres below the feet, and stores the result in r.
//
// The first probe has the body's own width, so that its distance is the body's. A surface that
// it finds may be a floor only together with others (wedge.go). The thin probe and the ray are
// used where there is none: beside walls, above steep slopes, on the rim of an edge [FLR-01,
// FLR-03].
func (b floorProbe) find(r *floorResult, reach float64) {
	*r = floorResult{wide: true}
	b.probe(r, b.Model.Radius, reach)
	if !r.Walkable && (r.inside || r.Floor != Floor{}) && b.wedged(r) {
		return
	}
	if r.inside || r.rimmed {
		wasInside := r.inside
		b.probe(r, float64(b.Model.Radius*thinner), reach)
		if r.wide = false; r.rimmed {
			r.Walkable = false
		}
		r.inside = r.inside || wasInside && !r.Walkable
	}
	if !r.Walkable && r.Floor != (Floor{}) || r.inside {
		if below := b.ray(reach); below.Walkable {
			if !r.inside && r.Distance < below.Distance { // something steep holds the body above it
				below.Rise, below.Distance = r.Distance-below.Distance, r.Distance
			}
			r.Floor, r.wide = below, false
		}
	}
	if r.Walkable && b.Model.PerchRadius > 0 && !b.perches(&r.Floor) {
		r.Walkable = false
	}
}

// probe lowers a ball of that radius from inside the body's round end, and stores the result
// in r.
func (b floorProbe) probe(r *floorResult, radius, reach float64) {
	centre := b.Position.MulAdd(b.Up, radius+probeLift)
	ball := geom.Capsule{A: centre, B: centre, Radius: radius}
	way := probeLift + reach
	var hit collide.Hit
	ok := b.sweep(&hit, ball, b.Up.Mul(-way))
	r.Floor, r.rimmed = Floor{}, false
	if r.inside = ok && hit.Penetrating; !ok || r.inside {
		return
	}
	r.under = hit.Normal
	off := hit.Point.Sub(centre).Flat(b.Up).LenSq()
	edge := radius - rim
	b.flatten(&hit)
	r.Floor = Floor{
		Normal:   hit.FaceNormal,
		Rise:     float64(radius * (1 - geom.Clamp(r.under.Dot(b.Up), 0, 1))),
		Distance: float64(hit.Fraction*way) - probeLift,
		Shape:    hit.Shape,
		Mover:    hit.Mover,
		Walkable: b.stands(&hit) && !b.tooHighEdge(&hit),
	}
	r.rimmed = off > float64(edge*edge)
}

// ray looks straight down the body's axis.
func (b floorProbe) ray(reach float64) Floor {
	b.Queries++
	lift := b.Model.Radius
	way := lift + reach
	hit, ok := b.World.Ray(b.Position.MulAdd(b.Up, lift), b.Up.Mul(-way))
	if !ok {
		return Floor{}
	}
	b.flatten(&hit)
	return Floor{
		Normal:   hit.FaceNormal,
		Distance: float64(hit.Fraction*way) - lift,
		Shape:    hit.Shape,
		Mover:    hit.Mover,
		Walkable: b.stands(&hit),
		Ray:      true,
	}
}

// perches reports whether a floor holds that may be touched only by the
// capsule's outer ring [FLR-04].
func (b floorProbe) perches(fl *Floor) bool {
	r := b.Model.Radius
	inner := r - b.Model.PerchRadius
	lean := 1 - fl.Rise/r
	off := float64(r * math.Sqrt(max(0, 1-float64(lean*lean))))
	if fl.Ray || off <= inner {
		return true
	}
	if inner <= 0 {
		return false
	}
	var below floorResult
	b.probe(&below, inner, b.reach()+b.Model.PerchHeight)
	return below.Walkable
}

// stands reports whether the surface hit can be stood on [GRD-07]: gentle enough
// or declared so, never vertical or overhanging, no other character's head [BAS-08].
func (b *Body) stands(hit *collide.Hit) bool {
	return b.bears(hit.FaceNormal, hit.Mover, hit.Shape)
}

// bears is stands of a face of that shape.
func (b *Body) bears(face geom.Vec3, mover collide.MoverID, shape collide.ShapeID) bool {
	up := face.Dot(b.Up)
	if up <= steepest || mover >= collide.FirstObstacle {
		return false
	}
	switch b.World.Surface(mover, shape).Walk {
	case collide.Always:
		return true
	case collide.Never:
		return false
	}
	return up >= b.walkable
}

// height returns how high the floor's touching point lies above the feet: negative
// below.
func (fl *Floor) height() float64 { return fl.Rise - fl.Distance }

// settle brings the body into the band above the floor found, and makes that the floor
// it stands on [FLR-02].
func (b floorProbe) settle(r *floorResult) {
	switch fl := &r.Floor; {
	case r.groove != nil:
		b.settleWedge(r)
	case fl.Ray && fl.Distance < MinFloor:
		b.standOff(r)
		b.lift(r)
	default:
		b.lift(r)
	}
	b.Floor = r.Floor
}

// lift moves the body up or down into the band. Down needs no sweep after a probe of
// the body's own width: the probe was one.
func (b floorProbe) lift(r *floorResult) {
	if r.Distance >= MinFloor && r.Distance <= MaxFloor {
		return
	}
	was, by := b.Position, b.Up.Mul(midFloor-r.Distance)
	if r.wide && r.Distance > MaxFloor {
		b.Position = b.Position.Add(by)
	} else {
		b.Move(by)
	}
	r.Distance += b.Position.Sub(was).Dot(b.Up)
}

// standOff moves a body that came too near to something steep, beside the floor
// that it stands on, away from it, level: raising it instead would let it climb.
func (b floorProbe) standOff(r *floorResult) {
	lean := r.under.Dot(b.Up)
	away := wall(r.under, b.Up).Mul((midFloor - r.Distance) * lean / math.Sqrt(max(1-float64(lean*lean), 1e-6)))
	b.moveAside(r, away)
}

// moveAside moves the body by d, as far as there is room, and measures the floor again.
// This is no motion, so it gives no velocity.
func (b floorProbe) moveAside(r *floorResult, d geom.Vec3) {
	if d.IsZero() {
		return
	}
	was := b.Position
	b.Move(d)
	moved := b.Position.Sub(was)
	b.from = b.from.Add(moved)
	var now floorResult
	if b.probe(&now, b.Model.Radius, b.reach()); now.Floor != (Floor{}) {
		up := 0.0
		if r.groove != nil { // moved up or down too
			up = moved.Dot(b.Up)
		}
		r.Rise += now.Distance - r.Distance - up
		r.Distance = now.Distance
	}
}
