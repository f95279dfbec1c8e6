package collide

import "github.com/backstep-net/backstep/geom"

// SetTransform applies t to everything that is added from now on: shapes, volumes with
// their directions, movers with their paths. So a part of a level can be described in its
// own space, or a whole level turned on its side. It replaces the previous transform;
// geom.Transform{Rotation: geom.IdentityQuat} is the world space.
func (b *Builder) SetTransform(t geom.Transform) {
	t.Rotation = t.Rotation.Unit()
	b.transform, b.transformed = t, t != geom.Transform{Rotation: geom.IdentityQuat}
}

// transformPoints returns the points in world space.
func (b *Builder) transformPoints(points []geom.Vec3) []geom.Vec3 {
	if !b.transformed {
		return points
	}
	out := make([]geom.Vec3, len(points))
	for i, p := range points {
		out[i] = b.transform.Apply(p)
	}
	return out
}

// transformVolume transforms the directions of a volume and its ball.
//
// A launch and an up are directions and are rotated only. A volume of planes is transformed
// where it is added.
func (b *Builder) transformVolume(v *Volume, ball *geom.Sphere) {
	v.Launch, v.Up = b.transform.Rotation.Rotate(v.Launch), b.transform.Rotation.Rotate(v.Up)
	v.Centre, ball.Centre = b.transform.Apply(v.Centre), b.transform.Apply(ball.Centre)
}

// transformPath transforms a path in place.
func (b *Builder) transformPath(p *Path) {
	if !b.transformed {
		return
	}
	if len(p.Keys) == 0 { // it rests at the origin, which has another place now
		p.Keys = []Key{{}}
	}
	for i := range p.Keys {
		p.Keys[i].Position = b.transform.Apply(p.Keys[i].Position)
	}
	p.Axis = b.transform.Rotation.Rotate(p.axis())
}
