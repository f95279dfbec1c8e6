package body

import (
	"math"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// ID names a body of a World: a small number from 1, reused after Remove. Zero is no body, so that the
// zero Touch names none.
type ID uint16

// MaxBodies is the most bodies in a World. It bounds the work of a step, and indices fit the fields of a
// contact's key.
const MaxBodies = 4096

// Shape is the collision shape of a body.
type Shape uint8

// The shapes. Half is the size.
const (
	Ball    Shape = iota // Half.X is the radius
	Box                  // Half is the half sizes along its own axes
	Capsule              // along its own Y; Half.X is the radius, Half.Y half its length, round ends included
)

// Motion is where a body is and how it moves: the part that is sent to clients.
type Motion struct {
	Position        geom.Vec3 // of the centre of mass, metres
	Velocity        geom.Vec3 // m/s
	AngularVelocity geom.Vec3 // rad/s about the world's axes
	Rotation        geom.Quat // the zero Quat counts as geom.IdentityQuat
	// Asleep says that the body rests until something touches it. It has no velocity then.
	Asleep bool
}

// Body is one rigid body. Make one with NewBall, NewBox or NewCapsule, which set a material, or
// fill in the fields, whose zeros are documented.
type Body struct {
	Motion
	Shape Shape // the collision shape, which Half sizes; the zero Shape is Ball
	// Half is the size in metres; see Shape. At least 0.01 m each.
	Half geom.Vec3
	// Mass in kg, spread evenly. Zero is a body that no force moves: it keeps its velocity and
	// angular velocity, through the level too. It carries and pushes others: a lift that the game
	// steers, a door.
	Mass float64
	// Friction is Coulomb's μ; for two bodies that touch it is √(μ₁·μ₂). Zero slides for ever. A box
	// stays on a slope of up to atan μ: 31° with 0.6.
	Friction float64
	// Restitution is the share of the speed of approach with which two bodies part, 0 … 1. For two
	// bodies the larger counts; below BounceSpeed none does. Zero does not bounce.
	Restitution float64
	// Rolling is the rolling resistance of balls and capsules: the torque is Rolling × radius × the
	// force on the ground, so a rolling ball slows by 5/7·Rolling·g. Zero rolls for ever.
	Rolling float64
	// LinearDamping and AngularDamping slow every motion, in 1/s: v' = −d·v. Zero is none. With a
	// damping d, exp(−d·t) is left after t seconds, in the air too.
	LinearDamping  float64
	AngularDamping float64
	// MaxSpeed in m/s and MaxSpin in rad/s are the fastest that the body moves and turns, whatever
	// hits it. Zero, and more than the constants of these names, mean the constants.
	MaxSpeed, MaxSpin float64
	// Kick is the restitution of a pusher's touch; the larger of it and Pusher.Bounce counts. It is a
	// property of the body, so that both ends of a network agree on it.
	Kick float64
	// PushedBy are the groups of pushers that push the body, a bit each; see Pusher.Groups. Zero means
	// that all do.
	PushedBy uint8
	// Idle is how long the body has been slower than the speed that counts as rest. It is part of the
	// state, so that restored bodies fall asleep in the same piece.
	Idle clock.Micros
}

// NewBall returns a ball of a radius in metres and a mass in kg, of rubber: friction 0.6,
// restitution 0.6, and a rolling resistance of 0.02.
func NewBall(radius, mass float64) Body {
	b := material(Ball, geom.V(radius, radius, radius), mass)
	// Dropped from 1 m it returns to 0.36 m; rolling at 5 m/s it loses 0.14 m/s each second.
	b.Restitution, b.Rolling = 0.6, 0.02
	return b
}

// NewBox returns a box of half sizes in metres and a mass in kg, of wood: friction 0.6. It does not
// bounce.
func NewBox(half geom.Vec3, mass float64) Body { return material(Box, half, mass) }

// NewCapsule returns a capsule along its own Y axis, of a radius and half a length in
// metres, the round ends included, and a mass in kg: of wood, with a rolling resistance of 0.02. Half a
// length below the radius becomes the radius, which is a ball.
func NewCapsule(radius, halfLength, mass float64) Body {
	b := material(Capsule, geom.V(radius, max(halfLength, radius), radius), mass)
	b.Rolling = 0.02
	return b
}

// material returns a body of wood: friction 0.6, no bounce, and so little damping that it only shows
// after seconds: 2 % of the speed and 5 % of the spin are lost in one.
func material(s Shape, half geom.Vec3, mass float64) Body {
	return Body{
		Motion: Motion{Rotation: geom.IdentityQuat}, Shape: s, Half: half, Mass: mass,
		Friction: 0.6, LinearDamping: 0.02, AngularDamping: 0.05,
	}
}

// minHalf is the smallest half size in metres: half the margin in which contacts are found.
const minHalf = 0.01

// check panics on an invalid body: size, mass and material come from the caller.
func (b *Body) check() {
	m := geom.V(b.Mass, b.Friction, b.Restitution)
	d := geom.V(b.Rolling, b.LinearDamping, b.AngularDamping)
	limits := geom.V(b.MaxSpeed, b.MaxSpin, b.Kick)
	if zero := (geom.Vec3{}); b.Shape > Capsule || !b.Half.Finite() || !m.Finite() || !d.Finite() || !limits.Finite() ||
		m.Min(zero) != zero || d.Min(zero) != zero || limits.Min(zero) != zero {
		panic("body: a body needs a valid Shape, and numbers that are finite and not negative")
	}
}

// limits returns the fastest that the body moves and turns, in m/s and rad/s.
func (b *Body) limits() (speed, spin float64) {
	speed, spin = MaxSpeed, MaxSpin
	if b.MaxSpeed > 0 {
		speed = min(b.MaxSpeed, speed)
	}
	if b.MaxSpin > 0 {
		spin = min(b.MaxSpin, spin)
	}
	return speed, spin
}

// normalize clamps every value to its range. It does not panic, because motions come from the network.
func (b *Body) normalize() {
	// A thinner body has an inverse inertia so large that one contact spins it to MaxSpin.
	b.Half = b.Half.Max(geom.V(minHalf, minHalf, minHalf))
	if b.Shape == Ball {
		b.Half = geom.V(b.Half.X, b.Half.X, b.Half.X)
	} else if b.Shape == Capsule {
		// Its bounds and inertia read all three.
		b.Half = geom.V(b.Half.X, max(b.Half.X, b.Half.Y), b.Half.X)
	}
	b.Rotation = b.Rotation.Unit()
	if q := b.Rotation; !(math.Abs(q.X)+math.Abs(q.Y)+math.Abs(q.Z)+math.Abs(q.W) >= 0.9) {
		b.Rotation = geom.IdentityQuat // components so large that their squares overflow
	}
	b.Position = clampFinite(b.Position, collide.MaxCoordinate)
	speed, spin := b.limits()
	b.Velocity, b.AngularVelocity = clampFinite(b.Velocity, speed), clampFinite(b.AngularVelocity, spin)
	// A sleeping body is not stepped, so a velocity would only show when it wakes.
	if b.Asleep {
		b.Velocity, b.AngularVelocity = geom.Vec3{}, geom.Vec3{}
	}
}

// clampFinite returns v clamped to a length, and zero if it is not finite. One NaN in a world would be in
// every body that touches within a second.
func clampFinite(v geom.Vec3, most float64) geom.Vec3 {
	if !v.Finite() {
		return geom.Vec3{}
	}
	box := geom.V(most, most, most) // first, so that squares do not overflow
	return v.Max(box.Neg()).Min(box).ClampLen(most)
}

// Volume returns the volume in m³. A capsule is a cylinder and the two halves of a ball.
func (b *Body) Volume() float64 {
	r, l := b.Half.X, float64(2*(b.Half.Y-b.Half.X))
	switch b.Shape {
	case Box:
		return float64(float64(8*b.Half.X)*b.Half.Y) * b.Half.Z
	case Capsule:
		disc := float64(math.Pi * float64(r*r))
		return float64(disc*l) + float64(disc*float64(r*(4.0/3)))
	}
	return float64(float64(4.0/3*math.Pi) * float64(r*float64(r*r)))
}

// Inertia returns the principal moments of inertia about the body's own axes in kg·m²: a
// solid of even density.
func (b *Body) Inertia() geom.Vec3 {
	m, r := b.Mass, b.Half.X
	// A box of half sizes x, y, z has m/3·(y² + z²) about X.
	xx, yy, zz := float64(b.Half.X*b.Half.X), float64(b.Half.Y*b.Half.Y), float64(b.Half.Z*b.Half.Z)
	switch b.Shape {
	case Box:
		return geom.V(yy+zz, xx+zz, xx+yy).Mul(m / 3)
	case Capsule:
		return capsuleInertia(m, r, float64(2*(b.Half.Y-r)))
	}
	// A ball has 2/5·m·r².
	i := float64(float64(0.4*m) * xx)
	return geom.V(i, i, i)
}

// capsuleInertia returns the inertia of a cylinder of length l and two half balls.
func capsuleInertia(m, r, l float64) geom.Vec3 {
	rr := float64(r * r)
	// Even density, so the mass divides as the volumes do: l to 4/3·r.
	cyl := float64(m * (l / (l + float64(r*(4.0/3)))))
	ends := m - cyl
	// A cylinder has ½·m·r² about its axis, a ball 2/5·m·r².
	along := float64(float64(cyl*rr)*0.5) + float64(float64(ends*rr)*0.4)
	// A cylinder has m·(r²/4 + l²/12) across.
	across := float64(cyl * (float64(rr*0.25) + float64(l*l)/12))
	// half balls: 2/5·r², moved from the middle by l/2, with their centres 3r/8 further out
	across += float64(ends * (float64(rr*0.4) + float64(float64(l*l)*0.25) + float64(float64(l*r)*0.375)))
	return geom.V(across, along, across)
}

// innerRadius returns the radius of the ball around the centre that is inside the body, in metres.
// Walls stop that ball whatever the contacts do.
func (b *Body) innerRadius() float64 { return min(b.Half.X, b.Half.Y, b.Half.Z) }

// outerRadius returns the radius of the ball around the centre that contains the body, in metres.
func (b *Body) outerRadius() float64 {
	switch b.Shape {
	case Box:
		return b.Half.Len()
	case Capsule:
		return b.Half.Y
	}
	return b.Half.X
}

// coreCapsule returns a ball or capsule as a capsule: its core segment and its radius. A ball's core is
// a point, so one set of functions serves both.
func coreCapsule(b *Body, at geom.Vec3, turn geom.Quat) geom.Capsule {
	if b.Shape != Capsule {
		return geom.Capsule{A: at, B: at, Radius: b.Half.X}
	}
	axis := turn.Rotate(geom.V(0, b.Half.Y-b.Half.X, 0))
	return geom.Capsule{A: at.Sub(axis), B: at.Add(axis), Radius: b.Half.X}
}
