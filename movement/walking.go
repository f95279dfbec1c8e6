package movement

import (
	"math"

	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// nearlyZero in metres: a shorter motion is none.
const nearlyZero = 1e-6

// walk integrates slices while the body stands (GRD-02).
func (f *StepContext) walk() {
	for f.slicing(Walking) {
		moved := f.walkSlice(f.TakeSlice())
		f.sill = math.Inf(1)
		if !moved && f.Mode == Walking && !f.motion.on {
			f.Remaining = 0 // nothing will change in the slices that are left (GRD-18)
		}
		if f.volumes && f.Mode == Walking {
			f.wade()
		}
	}
}

// walkSlice is one slice of walking: velocity, motion along the floor, the new
// floor. It reports whether the body moved.
func (f *StepContext) walkSlice(dt float64) bool {
	if f.motion.on && f.liftMotion(dt) {
		return true
	}
	start, floor := f.Position, f.Floor
	f.from, f.stepped = start, false
	f.mindSills()
	f.Velocity = f.groundVelocity(dt)
	if f.motion.on {
		f.walkMotion()
	}
	if !f.alone {
		f.Velocity = f.heed(f.Velocity)
	}
	delta := f.own(f.Velocity.Mul(dt), dt)
	if delta.Len() < nearlyZero {
		delta = geom.Vec3{}
	} else if !f.follow(delta) {
		f.Velocity = f.madeVelocity(dt)
	}
	if !f.stepped && !f.stand() {
		if f.Model.WalkOffLedges || !floor.Walkable {
			f.walkOff(delta, dt)
			return true
		}
		f.keepOn(start, &floor, delta, dt)
	}
	if b := carrier(f.Floor.Body); b != f.Base.Body {
		f.board(b)
		return true
	}
	return f.Position != start
}

// groundVelocity is the velocity for this slice: made horizontal, then driven
// (GRD-03).
func (f *StepContext) groundVelocity(dt float64) geom.Vec3 {
	m := f.Model
	v := f.Velocity.Flat(f.Up)
	if !m.MaintainHorizontal {
		v = v.Unit().Mul(f.Velocity.Len())
	}
	if v.IsZero() && f.Acceleration.IsZero() && f.request.IsZero() {
		return geom.Vec3{}
	}
	d := Drive{
		Acceleration: f.Acceleration, Analog: f.Analog, Request: f.request.Flat(f.Up),
		MaxSpeed: m.SpeedLimit(f.State, f.Command), MinSpeed: m.MinAnalogSpeed,
		MaxAcceleration: m.MaxAcceleration, Friction: m.GroundFriction,
		BrakingFriction: m.brakingFriction(m.GroundFriction),
		Braking:         m.BrakingDeceleration, SubStep: m.BrakingSubStep,
	}
	return d.Apply(v, dt)
}

// madeVelocity is the velocity that the body really had over the slice, where
// something hindered it (GRD-14, GRD-18).
func (f *StepContext) madeVelocity(dt float64) geom.Vec3 {
	made := f.Position.Sub(f.from)
	flat := made.Flat(f.Up)
	if !f.Model.MaintainHorizontal && !f.stepped {
		flat = flat.Unit().Mul(made.Len())
	}
	return flat.Div(dt)
}

// ramp turns a horizontal motion along the slope that is stood on (GRD-06).
func (f *StepContext) ramp(d geom.Vec3, fl *Floor) geom.Vec3 {
	up := fl.Normal.Dot(f.Up)
	if !fl.Walkable || fl.Ray || up <= steepest || up >= 1-steepest {
		return d
	}
	out := d.MulAdd(f.Up, -(fl.Normal.Dot(d) / up))
	if f.Model.MaintainHorizontal {
		return out
	}
	return out.Unit().Mul(d.Len())
}

// follow moves the body by the horizontal delta along the floor: up and down
// slopes, onto steps, along walls (GRD-06 … GRD-12, STP-02). It reports whether
// nothing was in the way.
func (f *StepContext) follow(delta geom.Vec3) bool {
	ground, rest, prev := f.Floor, delta, geom.Vec3{}
	low := 0.0
	if f.Model.StepHeight < MaxFloor {
		low = f.sillReach()
	}
	for n := 0; n <= maxSlides; n++ {
		hit, blocked := f.moveLow(f.ramp(rest, &ground), low)
		if !blocked {
			return n == 0
		}
		if hit.Penetrating && hit.Body < collide.FirstObstacle {
			if !f.unstick() {
				return false
			}
			continue
		}
		rest = rest.Mul(1 - hit.Fraction)
		if hit.Body != collide.Static {
			f.press(&hit)
		}
		if next, ok := f.slope(rest, &hit); ok {
			ground = next
			continue
		}
		if f.stepUp(rest, &hit) {
			return false
		}
		if next, ok := f.crest(&hit); ok {
			ground = next
			continue
		}
		w := f.wall(hit.Normal)
		if ground.Walkable && !ground.Ray {
			w = f.wallOn(hit.Normal, ground.Normal)
		}
		rest, prev = deflect(rest, w, prev), w
		if w.IsZero() || rest.Dot(delta) <= 0 {
			return false
		}
	}
	return false
}

// slope returns what was hit as a floor to follow, if it is walkable and
// following it leads along it rather than into it (GRD-10).
func (f *StepContext) slope(rest geom.Vec3, hit *collide.Hit) (Floor, bool) {
	if hit.Normal.Dot(f.Up) <= steepest || !f.stands(hit) || f.overSill(hit) {
		return Floor{}, false
	}
	next := Floor{Normal: hit.FaceNormal, Walkable: true}
	along := f.ramp(rest, &next)
	return next, along.Dot(hit.Normal) >= -float64(1e-4*along.Len())
}

// stand looks for the floor after a motion and settles on it. It reports false
// where there is none to stand on (GRD-17).
func (f *StepContext) stand() bool {
	fl, inside := f.findFloor(f.floorReach())
	if inside {
		if !f.unstick() {
			return true // stuck: stays on what it stood on
		}
		fl, _ = f.findFloor(f.floorReach())
	}
	if !fl.Walkable {
		return false
	}
	if f.catchesAir(&fl) {
		return false
	}
	f.Floor = fl
	f.settle()
	return true
}

// walkOff lets the body fall, and gives back the share of the slice that it did
// not need to get where it is (GRD-15).
func (f *StepContext) walkOff(delta geom.Vec3, dt float64) {
	made := 0.0
	if want := delta.Len(); want > nearlyZero {
		made = math.Min(1, f.Position.Sub(f.from).Flat(f.Up).Len()/want)
	}
	f.Remaining += float64(dt * (1 - made))
	f.takeOff()
	f.SetMode(Falling)
	f.report(WalkedOff, 0)
}
