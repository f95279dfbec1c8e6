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
)

// stepUp climbs what was hit, if it is a step: up, forward by rest, and down
// onto a walkable floor not higher than StepHeight above the one stood on, or
// everything is undone (GRD-12, GRD-13, STP-01). On success the floor is known
// and the body has settled on it.
func (f *StepContext) stepUp(rest geom.Vec3, hit *collide.Hit) bool {
	m := f.Model
	old := f.Floor.height()
	at := hit.Point.Sub(f.Position).Dot(f.Up)
	if m.StepHeight <= 0 || !f.Floor.Walkable || at > old+m.StepHeight+stepSlack ||
		at > m.halfHeight(f.Crouched) || f.refuses(hit.Body, hit.Shape) {
		return false
	}
	start, from := f.Position, f.from
	lift, in := m.StepHeight+math.Max(f.Floor.Rise, 0), f.wall(hit.Normal).Neg()
	if f.tall(lift, in) {
		return false
	}
	if f.climb(lift, f.nudge(rest, in, hit)) {
		if fl, ok := f.stepFloor(start, old); ok {
			f.Floor, f.stepped = fl, true
			f.settle()
			if up := f.Position.Sub(start).Dot(f.Up); up > stepSeen {
				f.report(Stepped, up)
			}
			return true
		}
	}
	f.Position, f.from = start, from
	return false
}

// refuses reports that walkers may not step up onto the shape (GRD-13), or onto
// somebody (BAS-08).
func (f *StepContext) refuses(body collide.BodyID, id collide.ShapeID) bool {
	return body >= collide.FirstObstacle || f.World.Surface(body, id).StepOn == collide.Never
}

// tall reports that what is ahead, in the direction in, stands as near at the
// height of a raised body's round end: a wall, found by a ray instead of the
// sweeps of a step.
func (f *StepContext) tall(lift float64, in geom.Vec3) bool {
	if in.IsZero() {
		return true
	}
	f.Queries++
	_, hit := f.World.Ray(f.Position.MulAdd(f.Up, lift+f.Model.Radius), in.Mul(f.Model.Radius+2*skin))
	return hit
}

// nudge returns the way forward over a step that was hit: rest, and what is
// missing to bring the rim over it. What is added gives no velocity.
func (f *StepContext) nudge(rest, in geom.Vec3, hit *collide.Hit) geom.Vec3 {
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
func (f *StepContext) climb(lift float64, rest geom.Vec3) bool {
	if hit, blocked := f.Move(f.Up.Mul(lift)); blocked && hit.Penetrating {
		return false
	}
	raised, want, prev := f.Position, rest, geom.Vec3{}
	for n := 0; n < 2; n++ {
		hit, blocked := f.Move(rest)
		if !blocked {
			break
		}
		if hit.Penetrating {
			return false
		}
		w := f.wall(hit.Normal)
		rest, prev = deflect(rest.Mul(1-hit.Fraction), w, prev), w
		if w.IsZero() || rest.Dot(want) <= 0 {
			break
		}
	}
	return f.Position.Dist(raised) > nearlyZero
}

// stepFloor looks below the raised body for the floor to step on. Old is the
// height of the floor left, from the feet at start.
func (f *StepContext) stepFloor(start geom.Vec3, old float64) (Floor, bool) {
	raised := f.Position.Sub(start).Dot(f.Up)
	fl, inside := f.findFloor(raised + 2*MaxFloor)
	if inside || !fl.Walkable || !f.wide {
		return fl, false
	}
	rise := raised + fl.height() - old
	if rise > f.Model.StepHeight+stepSlack || rise > stepSlack && f.refuses(fl.Body, fl.Shape) {
		return fl, false
	}
	return fl, true
}
