package movement

import (
	"math"

	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

const (
	// awash is the submerged share of the body at which input no longer lifts it;
	// up to being wholly under water it lifts more and more.
	awash = 0.65
	// overLedge in metres is how high above a bank a jump out of the water leads.
	overLedge = 0.15
	// airNear in metres above the head is how near the surface must be to jump out.
	airNear = 0.1
)

// swimmer is mode Swimming.
type swimmer struct{ flyer }

// swim integrates slices while the body is in water [VOL-02].
func (f swimmer) swim() {
	for f.slicing(Swimming) {
		dt := f.TakeSlice()
		before := f.Velocity
		depth := f.World.Submerged(f.capsule().Moved(before.Mul(float64(0.5*dt))), f.Up) // half way
		f.Velocity = f.swimVelocity(before, depth, dt)
		if f.motion.on {
			before = f.rootMotion().fall(before, dt)
		}
		hit, met := f.glide(before, dt)
		if met && f.jumpOut(&hit, depth) {
			return
		}
		if !f.inWater() {
			f.SetMode(Falling)
		}
	}
}

// swimVelocity returns the velocity after dt, with the share depth of the body under water: driven in
// all three directions through a fluid, then by its weight less buoyancy. At the surface the bobbing is
// critically damped, unless the input leads down.
func (f swimmer) swimVelocity(v geom.Vec3, depth, dt float64) geom.Vec3 {
	m := f.Model
	var d Drive
	f.drive(&d, f.fluidFriction(), m.SwimBraking)
	d.Acceleration, d.Fluid = f.swimAcceleration(depth), true
	v = d.Apply(v, dt)
	up := v.Dot(f.Up)
	rise := up - float64(float64(m.Gravity*(1-float64(m.Buoyancy*depth)))*dt)
	if depth < 1 && f.Acceleration.Dot(f.Up) >= 0 && f.request.Dot(f.Up) >= 0 {
		swing := math.Sqrt(float64(m.Buoyancy*m.Gravity) / float64(2*m.halfHeight(f.State)))
		rise = float64(rise * geom.Exp(-float64(2*float64(swing*dt))))
	}
	return v.MulAdd(f.Up, rise-up)
}

// swimAcceleration returns the input. The more the body is out of the water, the less
// of its upward part counts, or it would swim into the air.
func (f swimmer) swimAcceleration(depth float64) geom.Vec3 {
	up := f.Acceleration.Dot(f.Up)
	if depth >= 1 || up <= 0 {
		return f.Acceleration
	}
	counts := geom.Clamp((depth-awash)/(1-awash), 0, 1)
	return f.Acceleration.MulAdd(f.Up, float64(up*(counts-1)))
}

// jumpOut lets a swimmer at the surface that swims against a bank that ends within
// StepHeight above the water jump onto it: at JumpOutSpeed, or as fast as it needs
// to get its feet there [VOL-02]. In the air, air control brings it over the edge.
func (f swimmer) jumpOut(hit *collide.Hit, depth float64) bool {
	in := wall(hit.Normal, f.Up).Neg()
	push := f.Acceleration.Add(f.request)
	if f.Model.JumpOutSpeed <= 0 || in.IsZero() || push.Dot(in) <= 0 || f.stands(hit) {
		return false
	}
	height := float64(2 * f.Model.halfHeight(f.State))
	if depth >= 1 && wet(f.World.VolumeAt(f.Position.MulAdd(f.Up, height+airNear))) {
		return false
	}
	rise, ok := f.bank(in, float64(depth*height)+f.Model.StepHeight)
	if !ok {
		return false
	}
	need := math.Sqrt(float64(float64(2*f.Model.Gravity) * (rise + overLedge)))
	f.setUpward(max(f.Model.JumpOutSpeed, need))
	f.SetMode(Falling)
	return true
}

// bank returns how high above the feet the floor lies that a body raised by reach
// would come to stand on, a radius further in the level direction in. It leaves the
// body where it is.
func (f swimmer) bank(in geom.Vec3, reach float64) (rise float64, ok bool) {
	start := f.Position
	f.Move(f.Up.Mul(reach))
	raised := f.Position.Sub(start).Dot(f.Up)
	if _, blocked := f.Move(in.Mul(f.Model.Radius)); !blocked {
		var fl floorResult
		f.floors().find(&fl, raised)
		rise = raised + fl.height()
		ok = fl.Walkable && !fl.inside && rise > 0
	}
	f.Position = start
	return rise, ok
}
