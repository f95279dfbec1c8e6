package body

import (
	"math"

	"github.com/backstep-net/backstep/geom"
)

// bodySim is the solver's copy of a body; all of it follows from the Body. The ones of the level
// and of pushers have no inverse mass.
type bodySim struct {
	pos, v, w geom.Vec3 // metres, m/s, rad/s, in the world's frame
	q         geom.Quat
	im        float64   // 1/kg
	ii        geom.Sym3 // inverse inertia about the world's axes, 1/(kg·m²)

	// Of the current piece. How far it moved and turned, metres and radians: contacts follow the body by
	// this, without being found anew.
	moved, turned                 geom.Vec3 // since the contacts were found
	from                          geom.Vec3 // pos then
	acceleration                  geom.Vec3 // gravity and buoyancy, m/s²
	linearDamping, angularDamping float64   // damping, 1/s
	free                          bool      // touches nothing; see advance
	deep                          bool      // a good part of its size is inside static level
	// limitPushed never makes it slower than this.
	speed float64 // when the contacts were found

	// What does not change while it moves.
	inertia   geom.Vec3 // about its own axes; kg·m²
	isotropic bool      // the three are equal
	maxSpeed  float64   // m/s
	maxSpin   float64   // rad/s
	mass      float64
	bounds    geom.AABB // with the way it may go in this piece
	asleep    bool
}

// load makes the bodySim of a body.
func (w *World) load(i int) {
	for len(w.sims) <= i {
		w.sims = append(w.sims, bodySim{})
	}
	w.sleepersValid = false
	b, m := &w.bodies[i], &w.sims[i]
	*m = bodySim{pos: b.Position, v: b.Velocity, w: b.AngularVelocity, q: b.Rotation, from: b.Position,
		inertia: b.Inertia(), mass: max(b.Mass, 0), asleep: b.Asleep}
	m.maxSpeed, m.maxSpin = b.limits()
	m.isotropic = m.inertia.X == m.inertia.Y && m.inertia.Y == m.inertia.Z
	m.updateMass()
	m.bounds = b.bounds(m).Grow(margin)
}

// updateMass computes the inverse mass and inertia. They are zero for a body that sleeps: no
// contact may move it.
func (m *bodySim) updateMass() {
	m.im, m.ii = 0, geom.Sym3{}
	// So a sleeping body is as immovable as the level: what rests on it needs no other rule.
	if m.asleep || m.mass == 0 {
		return
	}
	m.im = 1 / m.mass
	if m.isotropic {
		// A ball, or a cube: the tensor is the same in every rotation.
		x := 1 / m.inertia.X
		m.ii = geom.Sym3{XX: x, YY: x, ZZ: x}
		return
	}
	m.ii = m.q.Diagonal(geom.V(1/m.inertia.X, 1/m.inertia.Y, 1/m.inertia.Z))
}

// push applies an impulse in kg·m/s at an arm from the centre, in metres: Δv = J/m, Δω = I⁻¹·(r × J).
func (m *bodySim) push(impulse, arm geom.Vec3) {
	m.v = m.v.MulAdd(impulse, m.im)
	m.w = m.w.Add(m.ii.Mul(arm.Cross(impulse)))
}

// velocityAt returns the velocity of the matter at an arm from the centre, in m/s: v + ω × r.
func (m *bodySim) velocityAt(arm geom.Vec3) geom.Vec3 { return m.v.Add(m.w.Cross(arm)) }

// clampSpeed clamps the velocities to the body's limits: beyond MaxSpeed and MaxSpin a body would pass the bounds
// in which its contacts are searched.
func (m *bodySim) clampSpeed() {
	m.v, m.w = m.v.ClampLen(m.maxSpeed), m.w.ClampLen(m.maxSpin)
}

// beginPiece resets what is counted within a piece.
func (m *bodySim) beginPiece() {
	m.moved, m.turned, m.from, m.free, m.deep = geom.Vec3{}, geom.Vec3{}, m.pos, true, false
	m.speed = m.v.Len()
}

// bounds returns the bounding box of a body. A box's reaches along each axis of the world as far as its
// three half axes together.
func (b *Body) bounds(m *bodySim) geom.AABB {
	at := geom.AABB{Min: m.pos, Max: m.pos}
	switch b.Shape {
	case Box:
		x, y, z := m.q.Axes()
		x, y, z = x.Mul(b.Half.X), y.Mul(b.Half.Y), z.Mul(b.Half.Z)
		r := x.Max(x.Neg()).Add(y.Max(y.Neg())).Add(z.Max(z.Neg()))
		return geom.AABB{Min: m.pos.Sub(r), Max: m.pos.Add(r)}
	case Capsule:
		return coreCapsule(b, m.pos, m.q).Bounds()
	}
	return at.Grow(b.Half.X)
}

// accelerate is the first half of a substep: forces and damping change the velocity.
func (m *bodySim) accelerate(h float64) {
	m.v = m.v.MulAdd(m.acceleration, h)
	// Implicit, v/(1 + h·d), so that no damping turns a velocity round.
	if m.linearDamping != 0 {
		m.v = m.v.Mul(1 / (1 + float64(h*m.linearDamping)))
	}
	if m.angularDamping != 0 {
		m.w = m.w.Mul(1 / (1 + float64(h*m.angularDamping)))
	}
	// In each substep, because gravity and contacts change the velocity.
	m.clampSpeed()
}

// advance is the second half of a substep: the velocity changes the position. In free flight the
// parabola is exact, whatever the length of h; a body at rest on another would be lifted by that
// term.
func (m *bodySim) advance(h float64) {
	// v is the velocity at the end of the substep; half of what gravity added has not acted yet.
	step := m.v.Mul(h)
	if m.free {
		step = step.MulAdd(m.acceleration, float64(h*h)*-0.5)
	}
	m.pos, m.moved = m.pos.Add(step), m.moved.Add(step)
	if m.w.IsZero() {
		return
	}
	m.turned = m.turned.MulAdd(m.w, h)
	// Their angular velocity is constant without a torque.
	if m.isotropic || m.mass == 0 {
		m.q = m.q.Integrate(m.w, h)
		return
	}
	m.rotateAsymmetric(h)
}

// rotateAsymmetric rotates a body whose moments of inertia differ. The angular momentum stays, and
// the angular velocity follows from it. The rotation uses the angular velocity of its middle;
// energy that this would add is removed again.
func (m *bodySim) rotateAsymmetric(h float64) {
	j := m.q.Diagonal(m.inertia)
	momentum := j.Mul(m.w)
	before := m.w.Dot(momentum)
	inverse := geom.V(1/m.inertia.X, 1/m.inertia.Y, 1/m.inertia.Z)
	middle := m.q.Integrate(m.w, float64(h*0.5)).Diagonal(inverse)
	m.q = m.q.Integrate(middle.Mul(momentum), h)
	m.ii = m.q.Diagonal(inverse)
	m.w = m.ii.Mul(momentum)
	// Energy is ½·w·L. What the step in rotation adds, a long throw would show as spin that grows.
	if after := m.w.Dot(momentum); after > before {
		m.w = m.w.Mul(math.Sqrt(before / after))
	}
}
