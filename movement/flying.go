package movement

import (
	"math"

	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

const (
	// hopSteep is the largest upward part of the normal of a face that those who fly
	// or swim step over; gentler ones they slide along.
	hopSteep = 0.2
	// hopLevel is the least share that the level part has of the square of a motion
	// which steps over something: 30° up or down at most.
	hopLevel = 0.75
)

// fly integrates slices of flight: no gravity, no floor (VOL-03). It lands by the
// game's will alone.
func (f *StepContext) fly() {
	for f.slicing(Flying) {
		dt := f.TakeSlice()
		before := f.Velocity
		f.Velocity = f.flyVelocity(before, dt)
		if f.motion.on {
			before = f.fallMotion(before, dt)
		}
		f.glide(before, dt)
	}
}

// flyVelocity returns the velocity after dt: driven in all three directions, with
// half the friction of the medium (VOL-03). In the open air that is none.
func (f *StepContext) flyVelocity(v geom.Vec3, dt float64) geom.Vec3 {
	m := f.Model
	friction := float64(0.5 * f.fluidFriction())
	d := Drive{
		Acceleration: f.Acceleration, Analog: f.Analog, Request: f.request,
		MaxSpeed: m.MaxSpeed(f.State), MinSpeed: m.MinAnalogSpeed,
		MaxAcceleration: m.MaxAcceleration, Friction: friction,
		BrakingFriction: m.brakingFriction(friction),
		Braking:         m.FlyBraking, SubStep: m.BrakingSubStep, Fluid: true,
	}
	return d.Apply(v, dt)
}

// glide moves a body that nothing holds down through one slice, at the mean of
// the velocity before and now, along what it meets and over what is low. What it
// runs into takes the velocity into it. It returns the first thing met.
func (f *StepContext) glide(before geom.Vec3, dt float64) (first collide.Hit, met bool) {
	f.from = f.Position
	rest, prev := f.own(before.Add(f.Velocity).Mul(float64(0.5*dt)), dt), geom.Vec3{}
	for n := 0; n <= maxSlides; n++ {
		hit, blocked := f.Move(rest)
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
		rest = rest.Mul(1 - hit.Fraction)
		if f.hop(rest, &hit) {
			break
		}
		in := rest
		rest = deflect(rest, hit.Normal, prev)
		f.Velocity = deflect(f.Velocity, hit.Normal, prev)
		prev = hit.Normal
		if rest.Dot(in) <= 0 || rest.LenSq() < nearlyZero*nearlyZero {
			break
		}
	}
	return first, met
}

// hop carries a body in the air or in water over a low obstacle that it met going
// about level: up, on by rest, and down again as far as there is room. It reports
// false, and undoes it, where something is in the way up there too.
func (f *StepContext) hop(rest geom.Vec3, hit *collide.Hit) bool {
	lift, level := f.Model.StepHeight, rest.Flat(f.Up)
	if lift <= 0 || math.Abs(hit.FaceNormal.Dot(f.Up)) > hopSteep ||
		level.LenSq() < float64(hopLevel*rest.LenSq()) || level.LenSq() < nearlyZero*nearlyZero ||
		hit.Point.Sub(f.Position).Dot(f.Up) > lift || f.refuses(hit.Body, hit.Shape) {
		return false
	}
	start := f.Position
	if _, blocked := f.Move(f.Up.Mul(lift)); !blocked {
		ahead := f.wall(hit.Normal).Mul(-f.Model.Radius) // or the round end would roll over
		if _, blocked = f.sweep(f.body(), ahead); !blocked {
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
