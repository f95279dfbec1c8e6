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

// swim integrates slices while the body is in water (VOL-02).
func (f *StepContext) swim() {
	for f.slicing(Swimming) {
		dt := f.TakeSlice()
		before := f.Velocity
		depth := f.World.Submerged(f.body().Moved(before.Mul(float64(0.5*dt))), f.Up) // half way
		f.Velocity = f.swimVelocity(before, depth, dt)
		if f.motion.on {
			before = f.fallMotion(before, dt)
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

// swimVelocity returns the velocity after dt, with the share depth of the body under
// water: driven in all three directions through a fluid, then by what weight the
// water leaves it. At the surface the bobbing is damped, as much as just keeps it
// from swinging, unless the input leads down.
func (f *StepContext) swimVelocity(v geom.Vec3, depth, dt float64) geom.Vec3 {
	m := f.Model
	friction := f.fluidFriction()
	d := Drive{
		Acceleration: f.swimAcceleration(depth), Analog: f.Analog, Request: f.request,
		MaxSpeed: m.MaxSpeed(f.State), MinSpeed: m.MinAnalogSpeed,
		MaxAcceleration: m.MaxAcceleration, Friction: friction,
		BrakingFriction: m.brakingFriction(friction),
		Braking:         m.SwimBraking, SubStep: m.BrakingSubStep, Fluid: true,
	}
	v = d.Apply(v, dt)
	up := v.Dot(f.Up)
	rise := up - float64(float64(m.Gravity*(1-float64(m.Buoyancy*depth)))*dt)
	if depth < 1 && f.Acceleration.Dot(f.Up) >= 0 && f.request.Dot(f.Up) >= 0 {
		swing := math.Sqrt(float64(m.Buoyancy*m.Gravity) / float64(2*m.halfHeight(f.Crouched)))
		rise = float64(rise * geom.Exp(-float64(2*float64(swing*dt))))
	}
	return v.MulAdd(f.Up, rise-up)
}

// swimAcceleration is the input, of whose upward part less counts the more the body
// is out of the water: nobody swims into the air.
func (f *StepContext) swimAcceleration(depth float64) geom.Vec3 {
	up := f.Acceleration.Dot(f.Up)
	if depth >= 1 || up <= 0 {
		return f.Acceleration
	}
	counts := geom.Clamp((depth-awash)/(1-awash), 0, 1)
	return f.Acceleration.MulAdd(f.Up, float64(up*(counts-1)))
}

// jumpOut lets a swimmer at the surface, who swims against a bank that ends within
// StepHeight above the water, jump onto it: at JumpOutSpeed, or as fast as it needs
// to get its feet there (VOL-02). In the air, air control brings it over the edge.
func (f *StepContext) jumpOut(hit *collide.Hit, depth float64) bool {
	in := f.wall(hit.Normal).Neg()
	push := f.Acceleration.Add(f.request)
	if f.Model.JumpOutSpeed <= 0 || in.IsZero() || push.Dot(in) <= 0 || f.stands(hit) {
		return false
	}
	height := float64(2 * f.Model.halfHeight(f.Crouched))
	if depth >= 1 && wet(f.World.VolumeAt(f.Position.MulAdd(f.Up, height+airNear))) {
		return false
	}
	rise, ok := f.bank(in, float64(depth*height)+f.Model.StepHeight)
	if !ok {
		return false
	}
	need := math.Sqrt(float64(float64(2*f.Model.Gravity) * (rise + overLedge)))
	f.setUpward(math.Max(f.Model.JumpOutSpeed, need))
	f.SetMode(Falling)
	return true
}

// bank returns how high above the feet the floor lies that a body raised by reach
// would come to stand on, a radius further in the level direction in. It leaves the
// body where it is.
func (f *StepContext) bank(in geom.Vec3, reach float64) (rise float64, ok bool) {
	start := f.Position
	f.Move(f.Up.Mul(reach))
	raised := f.Position.Sub(start).Dot(f.Up)
	if _, blocked := f.Move(in.Mul(f.Model.Radius)); !blocked {
		fl, inside := f.findFloor(raised)
		rise = raised + fl.height()
		ok = fl.Walkable && !inside && rise > 0
	}
	f.Position = start
	return rise, ok
}
