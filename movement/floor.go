package movement

import (
	"math"

	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

const (
	// MinFloor, MaxFloor in metres: the band above the floor in which a body
	// hovers (FLR-02). Below it seams would catch, above it the feet would float.
	MinFloor, MaxFloor = 0.019, 0.024
	// midFloor is where a body outside the band is moved to.
	midFloor = (MinFloor + MaxFloor) / 2
	// rim in metres: a contact nearer than this to the capsule's side is a wall
	// (FLR-03).
	rim = 0.0015
	// probeLift in metres is how far above the lowest point the floor probe
	// starts, so that a floor slightly inside the body still has a distance.
	probeLift = 0.05
	// thinner is the share of the radius that the second probe has, when the
	// first starts in contact or grazes an edge (FLR-01).
	thinner = 0.9
)

// floorReach is how far below the feet a floor is looked for.
func (f *StepContext) floorReach() float64 { return f.Model.rise() + MaxFloor }

// findFloor looks for a floor within reach metres below the feet. Inside tells
// that the body overlaps something there.
//
// The first probe has the body's own width, so that its distance is the body's.
// What it finds may be a floor only together with what else is there (wedge.go).
// The thin probe and the ray answer where that is none: beside walls, above steep
// slopes, on the rim of an edge (FLR-01, FLR-03).
func (f *StepContext) findFloor(reach float64) (fl Floor, inside bool) {
	fl, inside, rimmed := f.probe(f.Model.Radius, reach)
	f.wide, f.held = true, false
	if !fl.Walkable && (inside || fl != Floor{}) && f.wedged(&fl, inside) {
		return fl, false
	}
	if inside || rimmed {
		was := inside
		f.wide = false
		fl, inside, rimmed = f.probe(float64(f.Model.Radius*thinner), reach)
		if rimmed {
			fl.Walkable = false
		}
		inside = inside || was && !fl.Walkable
	}
	if !fl.Walkable && fl != (Floor{}) || inside {
		if r := f.floorRay(reach); r.Walkable {
			if !inside && fl.Distance < r.Distance { // something steep holds the body above it
				r.Rise, r.Distance = fl.Distance-r.Distance, fl.Distance
			}
			fl, f.wide = r, false
		}
	}
	if fl.Walkable && f.Model.PerchRadius > 0 && !f.perches(&fl) {
		fl.Walkable = false
	}
	return fl, inside
}

// probe lowers a ball as thick as radius from inside the body's round end. Inside
// tells that it started in contact, rimmed that it touched only by its rim.
func (f *StepContext) probe(radius, reach float64) (fl Floor, inside, rimmed bool) {
	centre := f.Position.MulAdd(f.Up, radius+probeLift)
	ball := geom.Capsule{A: centre, B: centre, Radius: radius}
	way := probeLift + reach
	hit, ok := f.sweep(ball, f.Up.Mul(-way))
	if !ok {
		return Floor{}, false, false
	}
	if hit.Penetrating {
		return Floor{}, true, false
	}
	f.under = hit.Normal
	off := hit.Point.Sub(centre).Flat(f.Up).LenSq()
	edge := radius - rim
	f.flatten(&hit)
	fl = Floor{
		Normal:   hit.FaceNormal,
		Rise:     float64(radius * (1 - geom.Clamp(f.under.Dot(f.Up), 0, 1))),
		Distance: float64(hit.Fraction*way) - probeLift,
		Shape:    hit.Shape,
		Body:     hit.Body,
		Walkable: f.stands(&hit) && !(hit.Point.Dot(f.Up) > f.sill && f.overSill(&hit)),
	}
	return fl, false, off > float64(edge*edge)
}

// floorRay looks straight down the body's axis.
func (f *StepContext) floorRay(reach float64) Floor {
	f.Queries++
	lift := f.Model.Radius
	way := lift + reach
	hit, ok := f.World.Ray(f.Position.MulAdd(f.Up, lift), f.Up.Mul(-way))
	if !ok {
		return Floor{}
	}
	f.flatten(&hit)
	return Floor{
		Normal:   hit.FaceNormal,
		Distance: float64(hit.Fraction*way) - lift,
		Shape:    hit.Shape,
		Body:     hit.Body,
		Walkable: f.stands(&hit),
		Ray:      true,
	}
}

// perches reports whether a floor holds that may be touched only by the
// capsule's outer ring (FLR-04).
func (f *StepContext) perches(fl *Floor) bool {
	r := f.Model.Radius
	inner := r - f.Model.PerchRadius
	lean := 1 - fl.Rise/r
	off := float64(r * math.Sqrt(math.Max(0, 1-float64(lean*lean))))
	if fl.Ray || off <= inner {
		return true
	}
	if inner <= 0 {
		return false
	}
	further, _, _ := f.probe(inner, f.floorReach()+f.Model.PerchHeight)
	return further.Walkable
}

// stands reports whether the surface hit can be stood on (GRD-07): gentle enough
// or declared so, never vertical or overhanging, nobody's head (BAS-08).
func (f *StepContext) stands(hit *collide.Hit) bool {
	return f.bears(hit.FaceNormal, hit.Body, hit.Shape)
}

// bears is stands of a face of that shape.
func (f *StepContext) bears(face geom.Vec3, body collide.BodyID, shape collide.ShapeID) bool {
	up := face.Dot(f.Up)
	if up <= steepest || body >= collide.FirstObstacle {
		return false
	}
	switch f.World.Surface(body, shape).Walk {
	case collide.Always:
		return true
	case collide.Never:
		return false
	}
	return up >= f.walkable
}

// height returns how high the floor's touching point lies above the feet: negative
// below.
func (fl *Floor) height() float64 { return fl.Rise - fl.Distance }

// settle brings the body into the band above the floor it stands on (FLR-02).
func (f *StepContext) settle() {
	fl := &f.Floor
	if f.held {
		f.settleWedge(fl)
		return
	}
	if fl.Distance >= MinFloor && fl.Distance <= MaxFloor {
		return
	}
	if fl.Ray && fl.Distance < MinFloor {
		f.standOff(fl)
	}
	f.lift(fl)
}

// lift moves the body up or down into the band. Down needs no sweep after a probe of
// the body's own width: the probe was one.
func (f *StepContext) lift(fl *Floor) {
	if fl.Distance >= MinFloor && fl.Distance <= MaxFloor {
		return
	}
	was, by := f.Position, f.Up.Mul(midFloor-fl.Distance)
	if f.wide && fl.Distance > MaxFloor {
		f.Position = f.Position.Add(by)
	} else {
		f.Move(by)
	}
	fl.Distance += f.Position.Sub(was).Dot(f.Up)
}

// standOff moves a body that came too near to something steep, beside the floor
// that it stands on, away from it, level: raising it instead would let it climb.
// This gives no velocity.
func (f *StepContext) standOff(fl *Floor) {
	lean := f.under.Dot(f.Up)
	away := f.wall(f.under).Mul((midFloor - fl.Distance) * lean / math.Sqrt(math.Max(1-float64(lean*lean), 1e-6)))
	if away.IsZero() {
		return
	}
	was := f.Position
	f.Move(away)
	f.from = f.from.Add(f.Position.Sub(was))
	if now, inside, _ := f.probe(f.Model.Radius, f.floorReach()); !inside && now != (Floor{}) {
		fl.Rise += now.Distance - fl.Distance
		fl.Distance = now.Distance
	}
}

// refind frees a body that was moved by somebody else from what it is in, and
// looks for a walker's floor, or lets it fall (PRF-03, STP-05). A body that
// cannot be freed tries again in its next move.
func (f *StepContext) refind() {
	f.ForceFloor = false
	f.Queries++
	if f.crushed {
		f.ForceFloor = true
	} else if f.solid.Overlaps(f.body()) {
		f.unstick()
	} else {
		f.Stuck = false
	}
	if f.Mode != Walking {
		return
	}
	f.Floor, _ = f.findFloor(f.floorReach())
	if b := carrier(f.Floor.Body); f.Floor.Walkable && b != f.Base.Body { // set down on it: at rest on it
		f.Base = Base{Body: b}
	}
	if !f.Floor.Walkable && !f.ForceFloor {
		f.SetMode(Falling)
	}
}
