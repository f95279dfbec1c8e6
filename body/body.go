package body

import (
	"math"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// ID names a body of a World: a small number from 1, reused after Remove. Zero is no body.
type ID uint16

// MaxBodies is the most bodies in a World.
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
	Shape Shape
	// Half is the size in metres; see Shape. At least 0.01 m each.
	Half geom.Vec3
	// Mass in kg, spread evenly. Zero is a body that no force moves: it keeps its velocity and
	// angular velocity, through the level too.
	Mass float64
	// Friction is Coulomb's μ; for two bodies that touch it is √(μ₁·μ₂). Zero slides for ever.
	Friction float64
	// Restitution is the share of the speed of approach with which two bodies part, 0 … 1. For two
	// bodies the larger counts; below BounceSpeed none does. Zero does not bounce.
	Restitution float64
	// Rolling is the rolling resistance of balls and capsules: the torque is Rolling × radius × the
	// force on the ground, so a rolling ball slows by 5/7·Rolling·g. Zero rolls for ever.
	Rolling float64
	// LinearDamping and AngularDamping slow every motion, in 1/s: v' = −d·v. Zero is none.
	LinearDamping  float64
	AngularDamping float64
	// Idle is how long the body has been slower than the speed that counts as rest.
	Idle clock.Micros
}

// NewBall returns a ball of a radius in metres and a mass in kg, of rubber: friction 0.6,
// restitution 0.6, and a rolling resistance of 0.02.
func NewBall(radius, mass float64) Body {
	b := material(Ball, geom.V(radius, radius, radius), mass)
	b.Restitution, b.Rolling = 0.6, 0.02
	return b
}

// NewBox returns a box of half sizes in metres and a mass in kg, of wood: friction 0.6.
func NewBox(half geom.Vec3, mass float64) Body { return material(Box, half, mass) }

// NewCapsule returns a capsule along its own Y axis, of a radius and half a length in
// metres, the round ends included, and a mass in kg.
func NewCapsule(radius, halfLength, mass float64) Body {
	b := material(Capsule, geom.V(radius, max(halfLength, radius), radius), mass)
	b.Rolling = 0.02
	return b
}

func material(s Shape, half geom.Vec3, mass float64) Body {
	return Body{
		Motion: Motion{Rotation: geom.IdentityQuat}, Shape: s, Half: half, Mass: mass,
		Friction: 0.6, LinearDamping: 0.02, AngularDamping: 0.05,
	}
}

// minHalf is the smallest half size in metres.
const minHalf = 0.01

// check panics on an invalid body: size, mass and material come from the caller.
func (b *Body) check() {
	m := geom.V(b.Mass, b.Friction, b.Restitution)
	d := geom.V(b.Rolling, b.LinearDamping, b.AngularDamping)
	if zero := (geom.Vec3{}); b.Shape > Capsule || !b.Half.Finite() || !m.Finite() || !d.Finite() ||
		m.Min(zero) != zero || d.Min(zero) != zero {
		panic("body: a body needs a valid Shape, and numbers that are finite and not negative")
	}
}

// normalize clamps every value to its range.
func (b *Body) normalize() {
	b.Half = b.Half.Max(geom.V(minHalf, minHalf, minHalf))
	if b.Shape == Ball {
		b.Half = geom.V(b.Half.X, b.Half.X, b.Half.X)
	} else if b.Shape == Capsule {
		b.Half = geom.V(b.Half.X, max(b.Half.X, b.Half.Y), b.Half.X)
	}
	b.Rotation = b.Rotation.Unit()
	if q := b.Rotation; !(math.Abs(q.X)+math.Abs(q.Y)+math.Abs(q.Z)+math.Abs(q.W) >= 0.9) {
		b.Rotation = geom.IdentityQuat // components so large that their squares overflow
	}
	b.Position = clampFinite(b.Position, collide.MaxCoordinate)
	b.Velocity, b.AngularVelocity = clampFinite(b.Velocity, MaxSpeed), clampFinite(b.AngularVelocity, MaxSpin)
	if b.Asleep {
		b.Velocity, b.AngularVelocity = geom.Vec3{}, geom.Vec3{}
	}
}

// clampFinite returns v clamped to a length, and zero if it is not finite.
func clampFinite(v geom.Vec3, most float64) geom.Vec3 {
	if !v.Finite() {
		return geom.Vec3{}
	}
	box := geom.V(most, most, most) // first, so that squares do not overflow
	return v.Max(box.Neg()).Min(box).ClampLen(most)
}

// Volume returns the volume in m³.
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
	xx, yy, zz := float64(b.Half.X*b.Half.X), float64(b.Half.Y*b.Half.Y), float64(b.Half.Z*b.Half.Z)
	switch b.Shape {
	case Box:
		return geom.V(yy+zz, xx+zz, xx+yy).Mul(m / 3)
	case Capsule:
		return capsuleInertia(m, r, float64(2*(b.Half.Y-r)))
	}
	i := float64(float64(0.4*m) * xx)
	return geom.V(i, i, i)
}

// capsuleInertia returns the inertia of a cylinder of length l and two half balls.
func capsuleInertia(m, r, l float64) geom.Vec3 {
	rr := float64(r * r)
	cyl := float64(m * (l / (l + float64(r*(4.0/3)))))
	ends := m - cyl
	along := float64(float64(cyl*rr)*0.5) + float64(float64(ends*rr)*0.4)
	across := float64(cyl * (float64(rr*0.25) + float64(l*l)/12))
	// half balls: 2/5·r², moved from the middle by l/2, with their centres 3r/8 further out
	across += float64(ends * (float64(rr*0.4) + float64(float64(l*l)*0.25) + float64(float64(l*r)*0.375)))
	return geom.V(across, along, across)
}

// innerRadius returns the radius of the ball around the centre that is inside the body.
func (b *Body) innerRadius() float64 { return min(b.Half.X, b.Half.Y, b.Half.Z) }

// outerRadius returns the radius of the ball around the centre that contains the body.
func (b *Body) outerRadius() float64 {
	switch b.Shape {
	case Box:
		return b.Half.Len()
	case Capsule:
		return b.Half.Y
	}
	return b.Half.X
}

// coreCapsule returns a ball or capsule as a capsule: its core segment and its radius.
func coreCapsule(b *Body, at geom.Vec3, turn geom.Quat) geom.Capsule {
	if b.Shape != Capsule {
		return geom.Capsule{A: at, B: at, Radius: b.Half.X}
	}
	axis := turn.Rotate(geom.V(0, b.Half.Y-b.Half.X, 0))
	return geom.Capsule{A: at.Sub(axis), B: at.Add(axis), Radius: b.Half.X}
}
