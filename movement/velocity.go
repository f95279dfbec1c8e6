package movement

import (
	"github.com/backstep-net/backstep/geom"
)

const (
	// MinTime in seconds: nothing moves in less [PRF-10].
	MinTime = 1e-6
	// overSpeed is how far above the limit the square of the speed may lie
	// before it counts as exceeding [VEL-04]: half a percent of speed, so that
	// rounding at the limit does not brake.
	overSpeed = 1.01
	// stopDead in m/s: a braking body slower than this stands [VEL-06]. Many
	// rules test for an exact zero velocity [GAP-56].
	stopDead = 0.1
	// stopDeadAlways is the square of a speed at which friction alone stops,
	// in m²/s².
	stopDeadAlways = 1e-8
	// minSubStep and maxSubStep bound Model.BrakingSubStep, in seconds.
	minSubStep, maxSubStep = 1.0 / 75, 1.0 / 20
)

// Drive is what acts on a velocity during one slice of time: input, limits,
// friction. The zero Drive lets a velocity be.
type Drive struct {
	// Acceleration by input in m/s²; exactly zero is no input.
	Acceleration geom.Vec3
	// Analog is how far the stick is pressed, 0 … 1; it scales the limit.
	Analog float64
	// MaxSpeed is the limit in m/s at full input, MinSpeed what the slightest
	// input allows.
	MaxSpeed, MinSpeed float64
	// MaxAcceleration in m/s², for Full and Request.
	MaxAcceleration float64
	// Friction in 1/s turns the velocity towards the input; below 0 counts as 0.
	Friction float64
	// BrakingFriction in 1/s (already multiplied by its factor) and Braking in
	// m/s² slow it down without input or above the limit.
	BrakingFriction, Braking float64
	// SubStep in seconds of the braking integration; see Model.BrakingSubStep.
	SubStep float64
	// Fluid applies Friction as drag too.
	Fluid bool
	// Full accelerates as hard as possible whatever the input's strength: along
	// the input, else the velocity, else Facing [VEL-03].
	Full   bool
	Facing geom.Vec3
	// Request is a velocity in m/s that path following requests; zero is none.
	Request geom.Vec3
}

// Apply returns what v becomes after dt seconds [VEL-01 … VEL-11].
func (d *Drive) Apply(v geom.Vec3, dt float64) geom.Vec3 {
	if dt < MinTime {
		return v
	}
	friction := max(d.Friction, 0)
	accel, analog := d.Acceleration, d.Analog
	if d.Full {
		accel, analog = d.fullAcceleration(v), 1
	}
	maxInput := max(float64(d.MaxSpeed*analog), d.MinSpeed)
	pushed, requested := !accel.IsZero(), !d.Request.IsZero()
	limit := max(maxInput, d.Request.Len())
	switch {
	case exceeds(v, limit) || !pushed && !requested:
		v = d.brakeTo(v, accel, limit, dt)
	case pushed:
		v = turn(v, accel, min(float64(friction*dt), 1))
	}
	if d.Fluid {
		v = v.Mul(1 - min(float64(friction*dt), 1))
	}
	if pushed {
		v = accelerate(v, accel.Mul(dt), maxInput)
	}
	if requested {
		step := d.Request.Sub(v).ClampLen(float64(d.MaxAcceleration * dt))
		v = accelerate(v, step, d.Request.Len())
	}
	return v
}

// fullAcceleration returns the acceleration of a Drive with Full set [VEL-03].
func (d *Drive) fullAcceleration(v geom.Vec3) geom.Vec3 {
	dir := d.Facing
	if d.Acceleration.LenSq() > 1e-12 {
		dir = d.Acceleration
	} else if v.LenSq() > 1e-12 {
		dir = v
	}
	return dir.Unit().Mul(d.MaxAcceleration)
}

// exceeds reports a speed above the limit, with tolerance [VEL-04].
func exceeds(v geom.Vec3, limit float64) bool {
	return v.LenSq() > float64(overSpeed*float64(limit*limit))
}

// accelerate adds dv and keeps the speed within limit, or within what it was if
// that was more [VEL-10].
func accelerate(v, dv geom.Vec3, limit float64) geom.Vec3 {
	if exceeds(v, limit) {
		limit = v.Len()
	}
	return v.Add(dv).ClampLen(limit)
}

// turn moves the direction of v towards the acceleration's by the fraction t,
// at the cost of some speed [VEL-08].
func turn(v, accel geom.Vec3, t float64) geom.Vec3 {
	return v.Sub(v.Sub(accel.Unit().Mul(v.Len())).Mul(t))
}

// brakeTo brakes, and stops braking at the limit if the input still points along
// [VEL-07].
func (d *Drive) brakeTo(v, accel geom.Vec3, limit, dt float64) geom.Vec3 {
	slow := brake(v, d.BrakingFriction, d.Braking, d.SubStep, dt)
	if exceeds(v, limit) && slow.LenSq() < float64(limit*limit) && accel.Dot(v) > 0 {
		return v.Unit().Mul(limit)
	}
	return slow
}

// brake returns v after dt seconds of braking with friction (1/s, at least 0)
// and a constant deceleration (m/s²), integrated in steps of at most subStep
// seconds [VEL-06]. Zero subStep means 1/33.
func brake(v geom.Vec3, friction, deceleration, subStep, dt float64) geom.Vec3 {
	friction, deceleration = max(friction, 0), max(deceleration, 0)
	if v.IsZero() || friction == 0 && deceleration == 0 {
		return v
	}
	if subStep == 0 {
		subStep = 1.0 / 33
	}
	subStep = geom.Clamp(subStep, minSubStep, maxSubStep)
	start, along := v, v.Unit().Mul(deceleration)
	for dt >= MinTime {
		h := dt
		if dt > subStep && friction > 0 {
			h = min(subStep, float64(dt*0.5))
		}
		dt -= h
		v = v.Sub(v.Mul(friction).Add(along).Mul(h))
		if v.Dot(start) <= 0 {
			return geom.Vec3{}
		}
	}
	if l := v.LenSq(); l <= stopDeadAlways || deceleration > 0 && l <= stopDead*stopDead {
		return geom.Vec3{}
	}
	return v
}

// brakingFriction is the friction that brakes, of a surface or medium with the
// given friction [VEL-05, VEL-06].
func (m *Model) brakingFriction(friction float64) float64 {
	if m.SeparateBrakingFriction {
		friction = m.BrakingFriction
	}
	return max(0, float64(friction*m.BrakingFrictionFactor))
}
