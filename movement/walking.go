package movement

import (
	"math"

	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// walker is mode Walking.
type walker struct{ *StepContext }

// walk integrates slices while the body stands [GRD-02].
func (f walker) walk() {
	for f.slicing(Walking) {
		moved := f.slice(f.TakeSlice())
		f.stepTop = math.Inf(1)
		if !moved && f.Mode == Walking && !f.motion.on {
			f.Remaining = 0 // nothing will change in the slices that are left [GRD-18]
		}
		if f.volumes && f.Mode == Walking && f.inWater() {
			f.enterWater() // the time left goes on as swimming [GRD-15]
		}
	}
}

// slice is one slice of walking: velocity, motion along the floor, the new
// floor. It reports whether the body moved.
func (f walker) slice(dt float64) bool {
	if f.motion.on && f.rootMotion().lift(dt) {
		return true
	}
	start, floor := f.Position, f.Floor
	f.from, f.stepped = start, false
	f.limitSteps()
	f.Velocity = f.groundVelocity(dt)
	if f.motion.on {
		f.rootMotion().walk()
	}
	if !f.alone {
		f.Velocity = f.slowForObstacles(f.Velocity)
	}
	delta := f.withoutPushed(f.Velocity.Mul(dt), dt)
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
		f.stayOn(start, &floor, delta, dt)
	}
	if b := carrier(f.Floor.Mover); b != f.Base.Mover {
		f.rider().setBase(b)
		return true
	}
	return f.Position != start
}

// groundVelocity returns the velocity for this slice: made horizontal, then driven
// [GRD-03], if the body does not coast [GRD-20].
func (f *StepContext) groundVelocity(dt float64) geom.Vec3 {
	m := f.Model
	v := f.Velocity.Flat(f.Up)
	if !m.MaintainHorizontal {
		v = v.Unit().Mul(f.Velocity.Len())
	}
	if f.Coast {
		return v
	}
	if v.IsZero() && f.Acceleration.IsZero() && f.request.IsZero() {
		return geom.Vec3{}
	}
	var d Drive
	f.drive(&d, m.GroundFriction, m.BrakingDeceleration)
	d.Request = d.Request.Flat(f.Up)
	return d.Apply(v, dt)
}

// madeVelocity returns the velocity that the body really had over the slice, where
// something hindered it [GRD-14, GRD-18].
func (f walker) madeVelocity(dt float64) geom.Vec3 {
	made := f.Position.Sub(f.from)
	flat := made.Flat(f.Up)
	if !f.Model.MaintainHorizontal && !f.stepped {
		flat = flat.Unit().Mul(made.Len())
	}
	return flat.Div(dt)
}

// ramp turns a horizontal motion along the slope that is stood on [GRD-06].
func (b *Body) ramp(d geom.Vec3, fl *Floor) geom.Vec3 {
	up := fl.Normal.Dot(b.Up)
	if !fl.Walkable || fl.Ray || up <= steepest || up >= 1-steepest {
		return d
	}
	out := d.MulAdd(b.Up, -(fl.Normal.Dot(d) / up))
	if b.Model.MaintainHorizontal {
		return out
	}
	return out.Unit().Mul(d.Len())
}

// follow moves the body by the horizontal delta along the floor: up and down
// slopes, onto steps, along walls [GRD-06 … GRD-12, STP-02]. It reports whether
// nothing was in the way.
func (f walker) follow(delta geom.Vec3) bool {
	ground, s, low := f.Floor, slide{rest: delta}, f.lowReach()
	var hit collide.Hit
	for n := 0; n <= maxSlides; n++ {
		if !f.moveLow(&hit, f.ramp(s.rest, &ground), low) {
			return n == 0
		}
		if hit.Penetrating && hit.Mover < collide.FirstObstacle {
			if !f.unstick() {
				return false
			}
			continue
		}
		s.rest = s.rest.Mul(1 - hit.Fraction)
		if hit.Mover != collide.Static {
			f.press(&hit)
		}
		if next, ok := f.slope(s.rest, &hit); ok {
			ground = next
			continue
		}
		if f.stepUp(s.rest, &hit) {
			return false
		}
		if next, ok := f.crest(&hit); ok {
			ground = next
			continue
		}
		w := wall(hit.Normal, f.Up)
		if ground.Walkable && !ground.Ray {
			w = wallOn(hit.Normal, ground.Normal, f.Up)
		}
		if !s.along(w, delta) {
			return false
		}
	}
	return false
}

// slope returns what was hit as a floor to follow, if it is walkable and
// following it leads along it rather than into it [GRD-10].
func (f walker) slope(rest geom.Vec3, hit *collide.Hit) (Floor, bool) {
	if hit.Normal.Dot(f.Up) <= steepest || !f.stands(hit) || f.tooHighEdge(hit) {
		return Floor{}, false
	}
	next := Floor{Normal: hit.FaceNormal, Walkable: true}
	along := f.ramp(rest, &next)
	return next, along.Dot(hit.Normal) >= -float64(1e-4*along.Len())
}

// stand looks for the floor after a motion and settles on it. It reports false
// where there is none to stand on [GRD-17].
func (f walker) stand() bool {
	floors := f.floors()
	var found floorResult
	floors.find(&found, floors.reach())
	if found.inside {
		if !f.unstick() {
			return true // stuck: stays on what it stood on
		}
		floors.find(&found, floors.reach())
	}
	if !found.Walkable || f.catchesAir(&found.Floor) {
		return false
	}
	floors.settle(&found)
	return true
}

// walkOff lets the body fall, and gives back the share of the slice that it did
// not need to get where it is [GRD-15].
func (f walker) walkOff(delta geom.Vec3, dt float64) {
	made := 0.0
	if want := delta.Len(); want > nearlyZero {
		made = min(1, f.Position.Sub(f.from).Flat(f.Up).Len()/want)
	}
	f.Remaining += float64(dt * (1 - made))
	if f.Model.CatchAir > 0 { // off a ramp it goes on upwards
		f.Velocity = f.ramp(f.Velocity, &f.Floor)
	}
	f.SetMode(Falling)
	f.report(WalkedOff, 0)
}

// catchesAir reports whether a walker leaves the ground although fl lies within its
// reach, because that falls away from its path too fast [AIR-08]: by its slope, or by
// how far below the path the body met it. The body has moved along the floor that it
// stood on before.
func (f walker) catchesAir(fl *Floor) bool {
	least := f.Model.CatchAir
	if least == 0 || !f.Model.WalkOffLedges || !f.Floor.Walkable {
		return false
	}
	along := f.ramp(f.Velocity, &f.Floor).Dot(f.Up)
	away := along - f.ramp(f.Velocity, fl).Dot(f.Up)
	if made := f.Position.Sub(f.from).Flat(f.Up).Len(); made > nearlyZero {
		drop := (fl.Distance - MaxFloor) / made
		away = max(away, float64(drop*f.Velocity.Len()))
	}
	return away >= least
}

// ledgeDepth in metres is how far below the floor's level the ball is that finds
// its edge.
const ledgeDepth = 0.01

// stayOn holds a walker on the floor that the motion delta from start has left:
// once a move it goes along the edge instead, otherwise it stays where it was
// [GRD-16, GAP-63].
func (f walker) stayOn(start geom.Vec3, floor *Floor, delta geom.Vec3, dt float64) {
	edge := f.edgeNormal(start, floor)
	f.Position, f.from, f.Floor = start, start, *floor
	along := delta.MulAdd(edge, -delta.Dot(edge))
	if !f.edged && !edge.IsZero() && along.Len() > nearlyZero {
		f.edged = true
		f.follow(along)
		if f.stepped || f.stand() {
			f.Velocity = f.madeVelocity(dt)
			return
		}
	}
	f.Position, f.Floor = start, *floor
	f.Velocity, f.Remaining = geom.Vec3{}, 0
}

// edgeNormal returns the horizontal normal of the edge that was crossed since
// start: a ball at the floor's level, moved back, must meet it. Zero where it
// does not.
func (f walker) edgeNormal(start geom.Vec3, floor *Floor) geom.Vec3 {
	at := f.Position.MulAdd(f.Up, floor.height()-ledgeDepth)
	ball := geom.Capsule{A: at, B: at, Radius: f.Model.Radius}
	var hit collide.Hit
	if !f.sweep(&hit, ball, start.Sub(f.Position).Flat(f.Up)) {
		return geom.Vec3{}
	}
	return wall(hit.Normal, f.Up)
}
