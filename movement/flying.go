package movement

import (
	"math"

	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

const (
	// hopSteep is the largest upward part of the normal of a face that a flying or
	// swimming body steps over; it slides along gentler ones.
	hopSteep = 0.2
	// hopLevel is the least share that the level part has of the square of a motion
	// which steps over something: 30° up or down at most.
	hopLevel = 0.75
)

// flyer is mode Flying, and the part that Swimming shares with it.
type flyer struct{ *StepContext }

// fly integrates slices of flight: no gravity, no floor [VOL-03]. It lands by the
// game's will alone.
func (f flyer) fly() {
	for f.slicing(Flying) {
		dt := f.TakeSlice()
		before := f.Velocity
		f.Velocity = f.flyVelocity(before, dt)
		if f.motion.on {
			before = f.rootMotion().fall(before, dt)
		}
		f.glide(before, dt)
	}
}

// flyVelocity returns the velocity after dt: driven in all three directions, with
// half the friction of the medium [VOL-03]. In the open air that is none.
func (f flyer) flyVelocity(v geom.Vec3, dt float64) geom.Vec3 {
	var d Drive
	f.drive(&d, float64(0.5*f.fluidFriction()), f.Model.FlyBraking)
	d.Fluid = true
	return d.Apply(v, dt)
}

// glide moves a flying or swimming body through one slice, at the mean of the velocity before
// and now, along surfaces and over low obstacles. A hit removes the part of the velocity that
// leads into it. It returns the first hit.
func (f flyer) glide(before geom.Vec3, dt float64) (first collide.Hit, met bool) {
	f.from = f.Position
	s := slide{rest: f.withoutPushed(before.Add(f.Velocity).Mul(float64(0.5*dt)), dt)}
	for n := 0; n <= maxSlides; n++ {
		hit, blocked := f.Move(s.rest)
		if !blocked {
			break
		}
		if hit.Penetrating {
			if !f.unstick() {
				f.Velocity = geom.Vec3{}
				break
			}
			continue
		}
		if !met {
			first, met = hit, true
		}
		s.rest = s.rest.Mul(1 - hit.Fraction)
		if f.hop(s.rest, &hit) {
			break
		}
		f.Velocity = s.clip(f.Velocity, hit.Normal)
		if !s.along(hit.Normal, s.rest) || s.rest.LenSq() < nearlyZero*nearlyZero {
			break
		}
	}
	return first, met
}

// Glide moves the body at its velocity for dt seconds, along the surfaces that it meets and over low
// obstacles, as modes Flying and Swimming do: for a game's own modes. It removes from Velocity what leads
// into them, and returns the first hit.
func (f *StepContext) Glide(dt float64) (hit collide.Hit, met bool) {
	return flyer{f}.glide(f.Velocity, dt)
}

// hop carries a body in the air or in water over a low obstacle that it met going
// about level: up, on by rest, and down again as far as there is room. It reports
// false, and undoes it, where something is in the way up there too.
func (f flyer) hop(rest geom.Vec3, hit *collide.Hit) bool {
	lift, level := f.Model.StepHeight, rest.Flat(f.Up)
	if lift <= 0 || math.Abs(hit.FaceNormal.Dot(f.Up)) > hopSteep ||
		level.LenSq() < float64(hopLevel*rest.LenSq()) || level.LenSq() < nearlyZero*nearlyZero ||
		hit.Point.Sub(f.Position).Dot(f.Up) > lift || f.refuses(hit.Mover, hit.Shape) {
		return false
	}
	start := f.Position
	if _, blocked := f.Move(f.Up.Mul(lift)); !blocked {
		ahead := wall(hit.Normal, f.Up).Mul(-f.Model.Radius) // or the round end would roll over
		if blocked = f.blocked(f.capsule(), ahead); !blocked {
			_, blocked = f.Move(level)
		}
		if !blocked {
			f.Move(f.Up.Mul(-lift))
			return true
		}
	}
	f.Position = start
	return false
}
