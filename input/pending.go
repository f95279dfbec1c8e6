package input

import "github.com/backstep-net/backstep/geom"

// Heading is by what a body's axes become directions (INP-04).
type Heading struct {
	// Body is the yaw of the body, in radians.
	Body float64
	// Control is where its controller looks.
	Control Look
	// Free is for those who swim or fly: they move along their look, pitch and all.
	// Without it they move along the body, level.
	Free bool
	// Controlled is whether anybody steers the body; without, no direction is any.
	Controlled bool
}

// Forward is the contribution of a forward axis: its direction times the value,
// and zero for the value 0 or without a controller.
func (h *Heading) Forward(value float64) geom.Vec3 {
	switch {
	case value == 0 || !h.Controlled:
		return geom.Vec3{}
	case h.Free:
		return geom.Look(h.Control.Yaw, h.Control.Pitch).Mul(value)
	}
	return geom.Forward(h.Body).Mul(value)
}

// Right is the same for a rightward axis, which is level always.
func (h *Heading) Right(value float64) geom.Vec3 {
	switch {
	case value == 0 || !h.Controlled:
		return geom.Vec3{}
	case h.Free:
		return geom.Right(h.Control.Yaw).Mul(value)
	}
	return geom.Right(h.Body).Mul(value)
}

// Pending adds up what wants to move a body, in world space, until the body's
// tick consumes it (INP-05). The zero value is empty. Consume at the very start
// of the tick, before anything may end it, so that the input of a tick that is
// skipped is lost and not saved up (ENT-05).
type Pending struct {
	// Ignore makes Add do nothing.
	Ignore bool

	sum, last geom.Vec3
}

// Add contributes a direction; 1 is all that one can want, and the sum is limited
// only where it is used (INP-06). What is not finite is ignored.
func (p *Pending) Add(v geom.Vec3) {
	if !p.Ignore {
		p.Force(v)
	}
}

// Force contributes a direction even while input is ignored.
func (p *Pending) Force(v geom.Vec3) {
	if v.Finite() {
		p.sum = p.sum.Add(v)
	}
}

// Consume returns the sum and begins anew.
func (p *Pending) Consume() geom.Vec3 {
	p.last, p.sum = p.sum, geom.Vec3{}
	return p.last
}

// Last is what was consumed last.
func (p *Pending) Last() geom.Vec3 { return p.last }
