package parkour

import (
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement"
)

// updateSlide begins and ends slides, and gives one that goes on its velocity for the move of
// dt seconds [GRD-21]. Upright is whether the character stood before the move.
func (v *Move) updateSlide(upright bool, dt float64) {
	f, p, m := v.f, v.state, v.model
	walks, speed := f.Mode == movement.Walking && f.Crouched, f.Velocity.Len()
	if !p.Sliding {
		p.Sliding = walks && upright && p.SlideCooldown == 0 && speed >= m.SlideFrom
	}
	if !p.Sliding {
		return
	}
	if !walks || !f.Command.Crouch || speed < m.SlideUntil {
		v.endSlide()
		return
	}
	f.Velocity, f.Coast = v.slideVelocity(f.Velocity, dt), true
}

// endSlide ends the slide, and keeps the next one waiting.
func (v *Move) endSlide() {
	v.state.Sliding, v.state.SlideCooldown = false, time(v.model.SlideCooldown)
}

// slideVelocity returns what a level velocity becomes after dt seconds of sliding: slope,
// friction, and the input, which turns it.
func (v *Move) slideVelocity(was geom.Vec3, dt float64) geom.Vec3 {
	f, m := v.f, v.model
	vel := was
	if n := f.Floor.Normal; f.Floor.Walkable && !f.Floor.Ray {
		pull := float64(float64(m.Gravity*m.SlideGravity) * n.Dot(f.Up))
		vel = vel.MulAdd(n.Flat(f.Up), float64(pull*dt))
	}
	speed := max(vel.Len()-float64(m.SlideFriction*dt), 0)
	speed = min(speed, max(m.SlideMaxSpeed, was.Len()))
	way := vel.Unit().MulAdd(v.input(), float64(m.SlideTurn*dt)).Unit()
	return way.Mul(speed).ClampLen(speed)
}
