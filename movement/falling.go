package movement

import (
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// faller is mode Falling.
type faller struct{ *StepContext }

// fall integrates slices while the body is in the air.
func (f faller) fall() {
	for f.slicing(Falling) {
		dt := f.TakeSlice()
		held := f.hold > 0
		if held {
			dt = f.stopAtHold(dt)
		} else {
			dt = f.stopAtApex(dt)
		}
		start, before := f.Position, f.Velocity
		in := f.airInput(before)
		f.Velocity = f.fallVelocity(before, in, dt)
		if f.motion.on {
			before = f.rootMotion().fall(before, dt)
		}
		f.drop(before, in, dt)
		if f.volumes && f.Mode == Falling {
			f.plunge(start, before, dt)
		}
		if held {
			f.keepHold(before, dt)
		}
	}
}

// stopAtHold shortens a slice in which a held jump ends, so that it lasts exactly
// as long at every frame rate [JMP-02], and gives the rest back.
func (f faller) stopAtHold(dt float64) float64 {
	if f.iterations >= maxIterations || dt-f.hold < MinTime {
		return dt
	}
	f.Remaining += dt - f.hold
	return f.hold
}

// keepHold takes a slice off a held jump's time, and ends the jump where
// something above stopped it.
func (f faller) keepHold(before geom.Vec3, dt float64) {
	f.hold -= dt
	if f.hold < MinTime {
		f.hold = 0
	}
	if f.Velocity.Dot(f.Up) < before.Dot(f.Up)-stopDead {
		f.endHold()
	}
}

// gravity returns the gravity in m/s² that acts now: none while a jump is held.
func (f faller) gravity() float64 {
	if f.hold > 0 {
		return 0
	}
	return f.Model.Gravity
}

// stopAtApex shortens a slice that would pass the top of a jump, so that the top
// is hit exactly [JMP-04], and gives the rest back.
func (f faller) stopAtApex(dt float64) float64 {
	up := f.Velocity.Dot(f.Up)
	g := f.Model.Gravity
	if f.iterations >= maxIterations || up <= 0 || up >= float64(g*dt) {
		return dt
	}
	top := up / g
	if top < MinTime || dt-top < MinTime {
		return dt
	}
	f.Remaining += dt - top
	return top
}

// airInput is what drives a body in the air, level: an acceleration in m/s² and a
// velocity in m/s that path following requests.
type airInput struct{ acceleration, request geom.Vec3 }

// airInput returns the share of the input that acts in the air [AIR-01, AIR-02], and the
// request, for a body with the velocity v.
func (f faller) airInput(v geom.Vec3) airInput {
	m := f.Model
	a := f.Acceleration.Flat(f.Up)
	speed := m.AirControlBoostSpeed
	control := m.AirControl
	if control != 0 && m.AirControlBoost > 0 && v.Flat(f.Up).LenSq() < float64(speed*speed) {
		control = min(1, float64(m.AirControlBoost*control))
	}
	return airInput{a.Mul(control).ClampLen(m.MaxAcceleration), f.request.Flat(f.Up)}
}

// along returns the part of the input that leads into neither of two walls, given by
// their level normals; zero is no wall.
func (in airInput) along(wall, other geom.Vec3) airInput {
	return airInput{slip(in.acceleration, wall, other), slip(in.request, wall, other)}
}

// slip removes from the level v the part that leads into a wall, or all of it if the rest
// leads into another wall.
func slip(v, wall, other geom.Vec3) geom.Vec3 {
	into := v.Dot(wall)
	if into >= 0 {
		return v
	}
	if v = v.MulAdd(wall, -into); v.Dot(other) < 0 {
		return geom.Vec3{}
	}
	return v
}

// fallVelocity returns the velocity after dt: the horizontal part driven by the
// input, the vertical part by gravity, up to the terminal speed [AIR-03, AIR-05].
func (f faller) fallVelocity(v geom.Vec3, in airInput, dt float64) geom.Vec3 {
	m := f.Model
	up := v.Dot(f.Up)
	var d Drive
	f.drive(&d, m.FallingFriction, m.FallingBraking)
	d.Acceleration, d.Request = in.acceleration, in.request
	d.MaxAcceleration = float64(m.MaxAcceleration * m.AirControl)
	flat := d.Apply(v.Flat(f.Up), dt)
	up = max(up-float64(f.gravity()*dt), -f.terminalSpeed())
	return flat.MulAdd(f.Up, up)
}

// drop moves the body through one slice of falling by half of the old and new velocity
// [AIR-05], along surfaces, or onto the floor. Contact changes the velocity as it changes the
// motion, so a wall does not slow the fall [AIR-04], and the part of the input that leads into
// the wall does not act [AIR-07]. Requests count as input. Root motion does not; it acts
// unchanged.
func (f faller) drop(before geom.Vec3, in airInput, dt float64) {
	left, last := dt, geom.Vec3{} // last is the velocity that met s.prev
	f.from = f.Position
	s := slide{rest: f.withoutPushed(before.Add(f.Velocity).Mul(float64(0.5*dt)), dt), up: f.Up}
	for n := 0; n <= maxSlides; n++ {
		hit, blocked := f.Move(s.rest)
		if !blocked {
			return
		}
		if hit.Penetrating && hit.Mover < collide.FirstObstacle {
			if !f.unstick() {
				f.Velocity = geom.Vec3{}
				return
			}
			continue
		}
		left = float64(left * (1 - hit.Fraction))
		s.rest = s.rest.Mul(1 - hit.Fraction)
		if f.touches(&hit, s.prev, before, left, dt) {
			return
		}
		if w := wall(hit.Normal, f.Up); in != (airInput{}) && !f.motion.on {
			in = in.along(w, wall(s.prev, f.Up))
			s.rest = s.rest.MulAdd(f.withhold(before, in, w, s.prev, dt), float64(0.5*left))
		}
		wanted, free := s.rest, f.Velocity
		if f.pinned(last, hit.Normal, s.prev) { // turned, so that only the crease is left
			s.prev = s.prev.MulAdd(hit.Normal, -float64(2*s.prev.Dot(hit.Normal)))
		}
		before, f.Velocity, last = s.clip(before, hit.Normal), s.clip(f.Velocity, hit.Normal), free
		if !s.along(hit.Normal, wanted) || s.rest.LenSq() < nearlyZero*nearlyZero {
			f.tipOver(&hit, dt)
			return
		}
	}
}

// touches ends a slice, left seconds before its end, at a floor to stand on or at a ceiling.
// prev is the normal of the surface hit before.
func (f faller) touches(hit *collide.Hit, prev, before geom.Vec3, left, dt float64) bool {
	if hit.Normal.Dot(f.Up) > steepest || prev.Dot(f.Up) > steepest {
		if floor, ok := f.landingFloor(); ok {
			f.land(&floor, before.Lerp(f.Velocity, 1-left/dt), left)
			return true
		}
	}
	return hit.Normal.Dot(f.Up) < -steepest && f.turnsBack(before, hit, prev, left, dt)
}

// tipOver lets a body that has come to rest on the edge of something steep, where it would
// stay in balance for ever, begin to slide down its face [JMP-05].
func (f faller) tipOver(hit *collide.Hit, dt float64) {
	if hit.Normal.Dot(f.Up) > steepest && f.Velocity.LenSq() < stopDead*stopDead {
		f.Velocity = clipAirVelocity(f.Up.Mul(-float64(f.gravity()*dt)), hit.FaceNormal, geom.Vec3{}, f.Up)
	}
}

// withhold makes the slice's velocity what it is with the input in, which a wall with
// that level normal has left of a body that began at before and met prev earlier (zero:
// nothing), and returns the change. Input into a surface that cannot be stood on would
// otherwise act through it: turned along the slope it holds the body up [AIR-07]. So
// would input along it that turns, at the speed limit, the way out of it aside.
func (f faller) withhold(before geom.Vec3, in airInput, wall, prev geom.Vec3, dt float64) geom.Vec3 {
	was, v := f.Velocity, f.fallVelocity(before, in, dt)
	if lack := f.fallVelocity(before, airInput{}, dt).Sub(v).Dot(wall); lack > 0 {
		v = v.MulAdd(wall, lack)
	}
	if !prev.IsZero() {
		v = clipAirVelocity(v, prev, geom.Vec3{}, f.Up)
	}
	f.Velocity = v
	return v.Sub(was)
}

// turnsBack ends a slice at a ceiling that the rise has reached, left seconds before its end,
// and gives that time back: gravity acts from there, at every frame rate.
func (f faller) turnsBack(before geom.Vec3, hit *collide.Hit, prev geom.Vec3, left, dt float64) bool {
	if f.iterations >= maxIterations || left < MinTime || f.motion.on {
		return false
	}
	v := before.Lerp(f.Velocity, 1-left/dt)
	if v.Dot(f.Up) <= 0 {
		return false
	}
	f.Velocity = clipAirVelocity(v, hit.Normal, prev, f.Up)
	f.Remaining += left
	return true
}

// pinned reports that v, which led into prev and then into n, is held by both although
// they meet at more than 90°: along n it would lead into prev again. Deflected by the
// one after the other the body would bounce to and fro between them, and input hold it up
// meanwhile [AIR-07].
func (f faller) pinned(v, n, prev geom.Vec3) bool {
	return prev.Dot(n) > 0 && clipAirVelocity(v, n, geom.Vec3{}, f.Up).Dot(prev) < -float64(steepest*v.Len())
}

// landingFloor returns the floor on which the body, having touched something below, can
// stand [JMP-05].
func (f faller) landingFloor() (floor floorResult, ok bool) {
	f.floors().find(&floor, MaxFloor)
	f.Floor = Floor{}
	return floor, floor.Walkable
}

// land puts the body on its feet with the velocity it had at the touch; the time
// left goes on as walking, with the horizontal speed [JMP-05].
func (f faller) land(floor *floorResult, v geom.Vec3, left float64) {
	v = f.touchDown(&floor.Floor, v, left)
	impact := -v.Dot(f.Up)
	f.Velocity = v.Flat(f.Up)
	f.SetMode(Walking)
	f.JumpCount = 0
	f.floors().settle(floor)
	f.Remaining += left
	if f.motion.on {
		f.rootMotion().landed()
	}
	f.report(Landed, max(impact, 0))
}

// touchDown makes the mover that a faller lands on its base and returns the velocity
// relative to it. The base is where it is at the move's end: one that comes to
// stand on it before has the rest of the way coming, left seconds of it, along the
// floor.
func (f faller) touchDown(fl *Floor, v geom.Vec3, left float64) geom.Vec3 {
	b := carrier(fl.Mover)
	if b == f.Base.Mover {
		return v
	}
	dv := f.rider().velocityChange(b)
	f.Base = Base{Mover: b}
	f.pushed.remaining = f.pushed.remaining.Add(f.pushed.rate.Mul(left)) // not made
	way := dv.Mul(-left)
	f.Move(f.withoutPushed(way.MulAdd(fl.Normal, -way.Dot(fl.Normal)), left))
	return v.Add(dv)
}
