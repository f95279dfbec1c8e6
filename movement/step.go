package movement

import (
	"math"

	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

const (
	// stepSlack in metres is how much higher than StepHeight a step may measure:
	// levels are stored as float32.
	stepSlack = 1e-4
	// stepOver in metres is how far inside the rim of the capsule the touching
	// point must come on a step at least. Else it counts as wall, and a slow
	// walker at a high frame rate would never get up.
	stepOver = 0.0005
	// stepSeen in metres: lower steps are not reported.
	stepSeen = 0.02
	// roughness in metres is how much higher than what it stands on an edge may be for
	// any walker to walk over it: what levels have of uneven seams and rounding. Higher
	// ones are steps, however low.
	roughness = 0.005
	// beside in metres is how far beside an edge, and above it, the ray begins that
	// measures how high it is: past the rounding of a level's coordinates, and little
	// enough for the slope beneath a crest to be no step.
	beside = 0.002
	// onFace is the least cosine between the contact normal and the face's at a contact
	// that is none with an edge.
	onFace = 1 - 1e-6
)

// stepUp climbs what was hit, if it is a step: up, forward by rest, and down
// onto a walkable floor not higher than StepHeight above the one stood on, or
// everything is undone [GRD-12, GRD-13, STP-01]. On success the floor is known
// and the body has settled on it.
func (f walker) stepUp(rest geom.Vec3, hit *collide.Hit) bool {
	m := f.Model
	old := f.Floor.height()
	at := hit.Point.Sub(f.Position).Dot(f.Up)
	if m.StepHeight <= 0 || !f.Floor.Walkable || at > old+m.StepHeight+stepSlack ||
		at > m.halfHeight(f.State) || f.refuses(hit.Mover, hit.Shape) {
		return false
	}
	start, from := f.Position, f.from
	lift, in := m.StepHeight+max(f.Floor.Rise, 0), wall(hit.Normal, f.Up).Neg()
	if f.tall(lift, in) {
		return false
	}
	if f.climb(lift, f.nudge(rest, in, hit)) {
		if found, ok := f.stepFloor(start, old); ok {
			f.stepped = true
			f.floors().settle(&found)
			if up := f.Position.Sub(start).Dot(f.Up); up > stepSeen {
				f.report(Stepped, up)
			}
			return true
		}
	}
	f.Position, f.from = start, from
	return false
}

// refuses reports that nothing may step up onto the shape [GRD-13], or onto
// an obstacle [BAS-08].
func (b *Body) refuses(mover collide.MoverID, id collide.ShapeID) bool {
	return mover >= collide.FirstObstacle || b.World.Surface(mover, id).StepOn == collide.Never
}

// tall reports that the obstacle ahead, in the direction in, is as near at the height of a
// raised body's round end: a wall, found by a ray instead of the sweeps of a step.
func (f walker) tall(lift float64, in geom.Vec3) bool {
	if in.IsZero() {
		return true
	}
	f.Queries++
	_, hit := f.World.Ray(f.Position.MulAdd(f.Up, lift+f.Model.Radius), in.Mul(f.Model.Radius+2*skin))
	return hit
}

// nudge returns the way forward over a step that was hit: rest, and what is
// missing to bring the rim over it. What is added gives no velocity.
func (f walker) nudge(rest, in geom.Vec3, hit *collide.Hit) geom.Vec3 {
	need := hit.Point.Sub(f.Position).Dot(in) - (f.Model.Radius - rim - stepOver)
	if lack := need - rest.Dot(in); lack > 0 {
		extra := in.Mul(lack)
		f.from = f.from.Add(extra)
		rest = rest.Add(extra)
	}
	return rest
}

// climb raises the body and moves it forward, along walls if need be. It reports
// whether it got anywhere.
func (f walker) climb(lift float64, way geom.Vec3) bool {
	if hit, blocked := f.Move(f.Up.Mul(lift)); blocked && hit.Penetrating {
		return false
	}
	raised, s := f.Position, slide{rest: way}
	for range 2 {
		hit, blocked := f.Move(s.rest)
		if !blocked {
			break
		}
		if hit.Penetrating {
			return false
		}
		s.rest = s.rest.Mul(1 - hit.Fraction)
		if !s.along(wall(hit.Normal, f.Up), way) {
			break
		}
	}
	return f.Position.Dist(raised) > nearlyZero
}

// stepFloor looks below the raised body for the floor to step on. Old is the
// height of the floor left, from the feet at start.
func (f walker) stepFloor(start geom.Vec3, old float64) (floorResult, bool) {
	raised := f.Position.Sub(start).Dot(f.Up)
	var r floorResult
	f.floors().find(&r, raised+2*MaxFloor)
	if r.inside || !r.Walkable || !r.wide {
		return r, false
	}
	rise := raised + r.height() - old
	return r, rise <= f.Model.StepHeight+stepSlack && (rise <= stepSlack || !f.refuses(r.Mover, r.Shape))
}

// limitSteps keeps the walker, in this slice, from climbing by its round end an edge
// that it may not step onto [STP-07].
func (f walker) limitSteps() {
	f.stepTop = math.Inf(1)
	if f.Floor.Walkable {
		f.stepTop = f.Position.Dot(f.Up) + f.Floor.height() + f.Model.rise() + stepSlack
	}
}

// lowReach returns how much further down than the body is a walker sweeps for what it
// may not step onto: as it hovers, it would pass over low edges.
func (f walker) lowReach() float64 {
	if f.Model.StepHeight >= MaxFloor {
		return 0
	}
	return max(f.Floor.Distance-f.Model.rise()-stepSlack, 0)
}

// tooHighEdge reports whether the hit is with an edge that is too high to step onto:
// more than that above what was stood on, and above what is beside it. The crest of a
// slope has the slope beside it.
func (b *Body) tooHighEdge(hit *collide.Hit) bool {
	return hit.Point.Dot(b.Up) > b.stepTop && hit.Normal.Dot(hit.FaceNormal) <= onFace &&
		!b.floorBeside(hit, b.Model.rise()+stepSlack)
}

// floorBeside reports whether there is a floor beside the hit edge, no more than depth metres
// below it.
func (b *Body) floorBeside(hit *collide.Hit, depth float64) bool {
	b.Queries++
	from := hit.Point.MulAdd(wall(hit.Normal, b.Up), beside).MulAdd(b.Up, beside)
	ground, ok := b.World.Ray(from, b.Up.Mul(-(beside + depth)))
	return ok && b.stands(&ground)
}

// crest returns the edge hit as a slope to follow, if it is the crest of one: no step,
// although there is a steep face too, like that of a box that a ramp leads up to.
func (f walker) crest(hit *collide.Hit) (Floor, bool) {
	if hit.Normal.Dot(f.Up) < f.walkable || hit.Normal.Dot(hit.FaceNormal) > onFace || !f.floorBeside(hit, roughness) {
		return Floor{}, false
	}
	return Floor{Normal: hit.Normal, Walkable: true}, true
}
