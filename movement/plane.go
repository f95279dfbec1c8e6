package movement

import (
	"math"

	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// Plane is a plane that a body is constrained to, as in a game seen from the side: the points
// p with p·Normal = Offset. The zero Plane is none.
type Plane struct {
	// Normal is a unit vector, level for a plane in which bodies stand, walk and fall.
	Normal geom.Vec3
	// Offset in metres from the origin along Normal.
	Offset float64
}

// check returns an error for the first field that is out of range, or nil.
func (p *Plane) check() error {
	if l := p.Normal.Len(); !p.Normal.IsZero() && !(math.Abs(l-1) <= 1e-9) {
		return &BadTunable{"Plane.Normal", l, 1, 1}
	}
	if !(math.Abs(p.Offset) <= maxCoordinate) {
		return &BadTunable{"Plane.Offset", p.Offset, -maxCoordinate, maxCoordinate}
	}
	return nil
}

// offPlane in metres: a body further from its plane was put there by something else.
const offPlane = 1e-6

// enterPlane reads whether the move is constrained to a plane. A body that is off the plane is
// put onto it; it then looks for its floor, and out of overlaps.
func (f moveStart) enterPlane() {
	p := &f.Model.Plane
	f.planar = !p.Normal.IsZero()
	if f.planar && math.Abs(f.Position.Dot(p.Normal)-p.Offset) > offPlane {
		f.holdPlane()
		f.ForceFloor = true
	}
}

// aimInPlane removes the part across the plane from velocity, request and acceleration.
func (f moveStart) aimInPlane() {
	if f.planar {
		f.Velocity, f.request = f.inPlane(f.Velocity), f.inPlane(f.request)
		f.Acceleration = f.inPlane(f.Acceleration)
	}
}

// holdPlane removes the part across the plane from position and velocity: after a move little
// more than rounding.
func (b *Body) holdPlane() {
	if !b.planar {
		return
	}
	b.Position = b.ontoPlane(b.Position)
	b.Velocity = b.inPlane(b.Velocity)
	b.tidy()
}

// inPlane returns v without its part across the plane.
func (b *Body) inPlane(v geom.Vec3) geom.Vec3 {
	if !b.planar {
		return v
	}
	n := b.Model.Plane.Normal
	return v.MulAdd(n, -v.Dot(n))
}

// ontoPlane returns the point of the plane that is nearest to p.
func (b *Body) ontoPlane(p geom.Vec3) geom.Vec3 {
	if !b.planar {
		return p
	}
	n := &b.Model.Plane
	return p.MulAdd(n.Normal, n.Offset-p.Dot(n.Normal))
}

// outInPlane returns the displacement within the plane that leads as far out of a surface as
// push does, which is straight out of it; at most a radius.
func (b *Body) outInPlane(push geom.Vec3) geom.Vec3 {
	if !b.planar {
		return push
	}
	flat := b.inPlane(push)
	if flat.LenSq() < nearlyZero*nearlyZero {
		return geom.Vec3{}
	}
	return flat.Mul(push.LenSq() / flat.LenSq()).ClampLen(b.Model.Radius)
}

// flatten replaces the normals of a hit by those of the line in which the surface cuts the
// plane.
func (b *Body) flatten(hit *collide.Hit) {
	if b.planar {
		hit.Normal, hit.FaceNormal = b.inPlane(hit.Normal).Unit(), b.inPlane(hit.FaceNormal).Unit()
	}
}
